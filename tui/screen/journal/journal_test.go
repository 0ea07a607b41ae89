package journal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/formtest"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/journal"
	"github.com/placetop/placetop/tui/screen/screentest"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func list(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return journal.New(env, snap, filter)
}

func open(c *screentest.Cloud, filter string) *screentest.Host {
	return screentest.List(list).On(c, filter)
}

func TestList(t *testing.T) {
	t.Parallel()
	screentest.List(list).Behaves(t, screentest.Demo12, "")
}

func TestPage(t *testing.T) {
	t.Parallel()
	page := func(t *testing.T, st *style.Styles, rev cloud.Revision) *screentest.Host {
		t.Helper()
		c := screentest.Demo(t, 12)
		return screentest.Open(c, journal.Open(screentest.Env(c, st), c.Snapshot(), rev), false)
	}
	h := page(t, screentest.Plain(), 216)
	screentest.EverySize(t, h)
	screentest.Actions(t, h)
	h.Asks(t, "h", screen.Goto{To: place.Event{Revision: 215}, Replace: true})
	h.Text(t, 80, 10)
	h.Press("G")
	h.Shows(t, 80, 10, "end")
	if text := page(t, screentest.Plain(), 90_000).Text(t, 80, 10); !strings.Contains(text, "90000 of the journal") {
		t.Errorf("a revision that is not there:\n%s", text)
	}
	c := screentest.Demo(t, 12)
	c.Fault = errors.New("closed")
	if text := screentest.Open(c, journal.Open(screentest.Env(c, screentest.Plain()), c.Snapshot(), 1), false).Text(t, 80, 10); !strings.Contains(text, "the journal cannot be read: closed") {
		t.Errorf("a journal that cannot be read:\n%s", text)
	}
}

// TestFilters narrows the journal by visible words and by fields.
func TestFilters(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	for filter, want := range map[string]string{
		"verb=inv":                 "pci_0000_41_00_0",
		"verb=move actor:nova":     "train-42",
		"lab-vm-24 verb=alloc-":    "VCPU 2",
		"rev=223":                  "VGPU total 10>8",
		"age<10m":                  "vrouter-1",
		"vrouter":                  "PCPU 4",
		"host=cmp-006 what:PCPU":   "vrouter-1",
		"record:vrouter-1":         "alloc+",
		"subject=train-42 !alloc+": "resize finished",
	} {
		h := open(c, filter)
		if text := h.Text(t, 120, 30); !strings.Contains(text, want) || strings.HasPrefix(h.Status(), "/"+filter+"   0 of") {
			t.Errorf("%q shows %s, want %q:\n%s", filter, h.Status(), want, text)
		}
	}
}

// TestFollow stays with the newest until the cursor moves.
func TestFollow(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	h := open(c, "")
	l := h.Screen.(screentest.Lister)
	change := func(n int) {
		t.Helper()
		h.Change(t, placement.CreateProvider{ID: modeltest.ProviderID(fmt.Sprint("new-", n)), Name: fmt.Sprint("new-", n)})
	}
	first := l.CursorID()
	change(1)
	if l.CursorID() != first {
		t.Errorf("the cursor went from %s to %s", first, l.CursorID())
	}
	h.Press("f")
	for n := range 3 {
		change(2 + n)
		if want := fmt.Sprint(c.Snapshot().Revision()); l.CursorID() != want || !strings.Contains(h.Status(), "following") {
			t.Errorf("the cursor is on %s, want %s: %s", l.CursorID(), want, h.Status())
		}
	}
	h.Press("j")
	at := l.CursorID()
	if change(9); l.CursorID() != at || strings.Contains(h.Status(), "following") {
		t.Errorf("the cursor went from %s to %s: %s", at, l.CursorID(), h.Status())
	}
	h.Asks(t, "enter", screen.Goto{To: place.Event{Revision: c.Snapshot().Revision() - 2}})
}

func TestNoJournal(t *testing.T) {
	t.Parallel()
	c := screentest.NewCloud(cloud.Empty())
	if text := open(c, "").Text(t, 80, 10); !strings.Contains(text, "history starts with the first change") {
		t.Errorf("an empty journal:\n%s", text)
	}
	c.Fault = errors.New("closed")
	if text := open(c, "").Text(t, 80, 10); !strings.Contains(text, "the journal cannot be read: closed") {
		t.Errorf("a journal that cannot be read:\n%s", text)
	}
}

// TestHistory is the journal of one record, by its name.
func TestHistory(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	for filter, want := range map[string]string{"record:cmp-004": "history of cmp-004", "verb=move": "journal", "": "journal"} {
		s, err := journal.Screens()[0].Open(screentest.Env(c, screentest.Plain()), place.Journal{Filter: filter})
		if err != nil || s.Title() != want {
			t.Errorf("%q is %s: %v", filter, s.Title(), err)
		}
		if text := screentest.Open(c, s, false).Text(t, 120, 30); !strings.Contains(text, "VERB") {
			t.Errorf("%q shows\n%s", filter, text)
		}
		// esc leaves a history: otherwise that of everything would be shown under its
		// name
		if took, _ := s.(screen.Backer).Back(); took != (want == "journal" && filter != "") {
			t.Errorf("esc in %q is kept: %v", filter, took)
		}
	}
}

// TestHistoryOfWhatNeverChanged does not mention a filter that the user did not type,
// which esc does not clear.
func TestHistoryOfWhatNeverChanged(t *testing.T) {
	t.Parallel()
	h := open(screentest.Demo(t, 12), `record:"cmp-404"`)
	h.Shows(t, 80, 16, "cmp-404 has not changed as far back as the journal goes", "esc goes back")
	h.Lacks(t, 80, 16, "without it")
	h.Press("/")
	h.Type("xyzzy")
	h.Shows(t, 80, 16, "no event matches")
}

// TestHistoryIsOfTheRecord shows for each revision what it did to the record in question,
// however many others it changed, and does not mention the filter.
func TestHistoryIsOfTheRecord(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	s := must.Get(journal.Screens()[0].Open(screentest.Env(c, screentest.Plain()), place.Journal{Filter: `record:"cmp-007"`}))(t)
	h := screentest.Open(c, s, false)
	text := h.Text(t, 160, 40)
	if !strings.Contains(text, "service nova-compute on cmp-007") || strings.Contains(text, "service nova-compute on cmp-001") || !strings.Contains(text, "other records: enter") {
		t.Errorf("the report of all services shows\n%s", text)
	}
	if status := s.(screen.Stater).Status(); strings.Contains(status, "record:") {
		t.Errorf("the status is %s", status)
	}
}

// TestTimeOfTheCursor marks the time of the row under the cursor below the timeline.
func TestTimeOfTheCursor(t *testing.T) {
	t.Parallel()
	h := open(screentest.Demo(t, 12), "")
	h.Lacks(t, 80, 20, "^")
	h.Press("G")
	h.Shows(t, 80, 20, "^Sep")
}

// TestUndo undoes the newest revision from the list, and refuses to if that is too large
// to be read.
func TestUndo(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := formtest.NewStore(memory.New(memory.Options{Clock: time.Now, Start: screentest.Demo(t, 12).Snapshot()}))
		make1 := placement.CreateProvider{ID: modeltest.ProviderID("new"), Name: "new"}
		must.Get(s.Apply(t.Context(), cloud.Change{Note: "create new", Ops: []cloud.Op{make1}}).Result())(t)
		there := func() bool {
			_, ok := s.Snapshot().Placement().ProviderByName("new")
			return ok
		}
		take := func(wants, hint string, keys ...string) {
			t.Helper()
			var page screen.Screen
			r := formtest.Open(t, s, 80, 24, func(env screen.Env) screen.Screen { return list(env, s.Snapshot(), "") })
			r.Host.Pushed = func(pushed screen.Screen) { page = pushed }
			r.Press(keys...)
			if page == nil {
				t.Fatalf("%v lead nowhere", keys)
			}
			r = formtest.Open(t, s, 80, 24, func(screen.Env) screen.Screen { return page })
			r.Wants("new", wants)
			for _, key := range []string{"z", "Z"} { // who presses them twice does not mean an earlier write
				if a, ok := action.Find(key, page.Actions()); !ok || a.Disabled != "nothing is written yet" {
					t.Errorf("%s is %s, disabled by %q", key, a.ID, a.Disabled)
				}
			}
			r.Press("enter")
			if n := len(r.Host.Toasts); n == 0 || r.Host.Toasts[n-1].Hint != hint {
				t.Errorf("it ends with %+v, want the hint %q", r.Host.Toasts, hint)
			}
		}
		take("new  deleted", "Z redoes it", "z")
		if there() {
			t.Error("what came is still there")
		}
		take("new  new", "z undoes it", "j", "Z") // of the undone one
		if !there() {
			t.Error("what was taken back is not done again")
		}
		take("new  deleted", "Z redoes it", "z")
		take("new  new", "z undoes it", "Z") // of the undo
		if !there() {
			t.Error("what was taken back twice is not done again")
		}
	})
}

// TestDiff shows what came after a revision, and between two marked ones.
func TestDiff(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	h := open(c, "")
	page := func() string {
		t.Helper()
		push, ok := h.Last().(screen.PushMsg)
		if !ok {
			t.Fatalf("= asks for %v", h.Last())
		}
		return screentest.Open(c, push.Screen, false).Text(t, 100, 20)
	}
	h.Press("j", "j", "=")
	if text := page(); !strings.Contains(text, "what 2 revisions changed in all") {
		t.Errorf("since the third from the top:\n%s", text)
	}
	h.Press(" ", "j", "j", "j", " ", "=")
	if text := page(); !strings.Contains(text, "what 4 revisions changed") {
		t.Errorf("between two marks:\n%s", text)
	}
}
