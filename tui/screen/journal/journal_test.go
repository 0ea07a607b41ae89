package journal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/journal"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func list(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return journal.New(env, snap, filter)
}

func open(t testing.TB, c *tuitest.Cloud, filter string) *tuitest.Host {
	t.Helper()
	return tuitest.List(list).On(t, c, filter)
}

func TestList(t *testing.T) {
	t.Parallel()
	tuitest.List(list).Behaves(t, tuitest.Demo12, "")
}

func TestPage(t *testing.T) {
	t.Parallel()
	page := func(t *testing.T, st *style.Styles, rev cloud.Revision) *tuitest.Host {
		t.Helper()
		c := tuitest.Demo(t, 12)
		return tuitest.Open(t, c, journal.Open(tuitest.Env(c, st), c.Snapshot(), rev))
	}
	h := page(t, tuitest.Plain(), 216)
	tuitest.EverySize(t, h)
	tuitest.Actions(t, h)
	h.Asks("h", screen.Goto{To: place.Event{Revision: 215}, Replace: true})
	h.At(80, 10).Text()
	h.Press("G")
	h.Wants("end")
	if text := page(t, tuitest.Plain(), 90_000).At(80, 10).Text(); !strings.Contains(text, "90000 of the journal") {
		t.Errorf("a revision that is not there:\n%s", text)
	}
	c := tuitest.Demo(t, 12)
	c.Fault = errors.New("closed")
	if text := tuitest.Open(t, c, journal.Open(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), 1)).At(80, 10).Text(); !strings.Contains(text, "the journal cannot be read: closed") {
		t.Errorf("a journal that cannot be read:\n%s", text)
	}
}

// TestFilters narrows the journal by visible words and by fields.
func TestFilters(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	for filter, want := range map[string]string{
		"verb=inv":                 "pci_0000_41_00_0",
		"verb=move actor:nova":     "train-42",
		"lab-vm-24 verb=alloc-":    "VCPU 2",
		"rev=223":                  "VGPU total 10>8",
		"age<10m":                  "vrouter-1",
		"13:50:07":                 "infer-9",
		"vrouter":                  "PCPU 4",
		"host=cmp-006 what:PCPU":   "vrouter-1",
		"record:vrouter-1":         "alloc+",
		"subject=train-42 !alloc+": "resize finished",
	} {
		h := open(t, c, filter)
		if text := h.At(120, 30).Text(); !strings.Contains(text, want) || strings.HasPrefix(h.Status(), "/"+filter+"   0 of") {
			t.Errorf("%q shows %s, want %q:\n%s", filter, h.Status(), want, text)
		}
	}
}

// TestFollow stays with the newest until the cursor moves.
func TestFollow(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	h := open(t, c, "")
	l := h.Screen.(tuitest.Lister)
	change := func(n int) {
		t.Helper()
		h.Change(placement.CreateProvider{ID: modeltest.ProviderID(fmt.Sprint("new-", n)), Name: fmt.Sprint("new-", n)})
	}
	for n := range 3 {
		change(n)
		if want := fmt.Sprint(c.Snapshot().Revision()); l.CursorID() != want {
			t.Errorf("the cursor is on %s, want %s: %s", l.CursorID(), want, h.Status())
		}
	}
	h.Press("j")
	at := l.CursorID()
	if change(9); l.CursorID() != at || !strings.Contains(h.Status(), "1 new above") {
		t.Errorf("the cursor went from %s to %s: %s", at, l.CursorID(), h.Status())
	}
	h.Asks("enter", screen.Goto{To: place.Event{Revision: c.Snapshot().Revision() - 2}})
}

func TestNoJournal(t *testing.T) {
	t.Parallel()
	c := tuitest.NewCloud(cloud.Empty())
	if text := open(t, c, "").At(80, 10).Text(); !strings.Contains(text, "history starts with the first change") {
		t.Errorf("an empty journal:\n%s", text)
	}
	c.Fault = errors.New("closed")
	if text := open(t, c, "").At(80, 10).Text(); !strings.Contains(text, "the journal cannot be read: closed") {
		t.Errorf("a journal that cannot be read:\n%s", text)
	}
}

// TestHistory is the journal of one record, by its name.
func TestHistory(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	for filter, want := range map[string]string{"record:cmp-004": "history of cmp-004", "verb=move": "journal", "": "journal"} {
		s, err := journal.Screens()[0].Open(tuitest.Env(c, tuitest.Plain()), place.Journal{Filter: filter})
		if err != nil || s.Title() != want {
			t.Errorf("%q is %s: %v", filter, s.Title(), err)
		}
		if text := tuitest.Open(t, c, s).At(120, 30).Text(); !strings.Contains(text, "VERB") {
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
	h := open(t, tuitest.Demo(t, 12), `record:"cmp-404"`)
	h.At(80, 16).Wants("cmp-404 has not changed as far back as the journal goes", "esc goes back")
	h.Lacks("without it")
	h.Press("/")
	h.Type("xyzzy")
	h.Wants("no event matches")
}

// TestHistoryIsOfTheRecord shows for each revision what it did to the record in question,
// however many others it changed, and does not mention the filter.
func TestHistoryIsOfTheRecord(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	s := must.Get(journal.Screens()[0].Open(tuitest.Env(c, tuitest.Plain()), place.Journal{Filter: `record:"cmp-007"`}))(t)
	h := tuitest.Open(t, c, s)
	text := h.At(160, 40).Text()
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
	h := open(t, tuitest.Demo(t, 12), "")
	h.Lacks("^")
	h.Press("G")
	h.Wants("^")
}

// TestUndo undoes the newest revision from the list, and refuses to if that is too large
// to be read.
func TestUndo(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.Demo(t, 12)
		make1 := placement.CreateProvider{ID: modeltest.ProviderID("new"), Name: "new"}
		must.Get(s.Apply(t.Context(), cloud.Change{Note: "create new", Ops: []cloud.Op{make1}}).Result())(t)
		there := func() bool {
			_, ok := s.Snapshot().Placement().ProviderByName("new")
			return ok
		}
		take := func(wants, hint string, keys ...string) {
			t.Helper()
			r := tuitest.Live(t, s, 80, 24, func(env screen.Env) screen.Screen { return list(env, s.Snapshot(), "") })
			r = r.Opens(keys...)
			r.Wants("new", wants)
			for _, key := range []string{"z", "Z"} { // who presses them twice does not mean an earlier write
				if a, ok := action.Find(key, r.Screen.Actions()); !ok || a.Disabled != "nothing is written yet" {
					t.Errorf("%s is %s, disabled by %q", key, a.ID, a.Disabled)
				}
			}
			r.Press("enter")
			if n := len(r.Said); n == 0 || r.Said[n-1].Hint != hint {
				t.Errorf("it ends with %+v, want the hint %q", r.Said, hint)
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

// TestUndoStepOfMove leads from a step of a move that waits to where all of it is reverted.
func TestUndoStepOfMove(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	for m := range c.Snapshot().Nova().Migrations() {
		if m.Status != nova.Finished {
			continue
		}
		change := cloud.PutRecords("test", "a step", []versioned.Change{{Before: m, After: m.Edit(func(m *nova.Migration) { m.Deadline++ })}})
		change.Task, change.Step = "resize", "post"
		must.Get(c.Apply(t.Context(), change).Result())(t)
		h := open(t, c, "").Opens("z")
		h.Wants("STEP OF A MOVE", "back to "+m.Source)
		h.Asks("enter", screen.Goto{To: place.Resize{Instance: m.Instance}})
		return
	}
	t.Fatal("no move waits")
}

// TestDiff shows what came after a revision, and between two marked ones.
func TestDiff(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	h := open(t, c, "")
	page := func() string {
		t.Helper()
		push, ok := h.Last().(screen.PushMsg)
		if !ok {
			t.Fatalf("= asks for %v", h.Last())
		}
		return tuitest.Open(t, c, push.Screen).At(100, 20).Text()
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
