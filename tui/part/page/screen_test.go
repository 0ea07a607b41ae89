package page_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// child is a row of the page under test: a child of the provider that the page is about.
type child struct{ *placement.ResourceProvider }

func (c child) id() string               { return c.ID().String() }
func (c child) name(list.At) string      { return c.Name() }
func (c child) generation(list.At) int64 { return c.Generation() }

// spec declares the page of a root, its children and its traits.
func spec(name string) page.Spec[*placement.ResourceProvider] {
	type thing = *placement.ResourceProvider
	kids := func(p thing, at list.At) []child {
		var all []child
		for _, k := range at.Snap.Placement().Children(p) {
			all = append(all, child{k})
		}
		return all
	}
	columns := list.Show("name:10+1 gen:4", "", list.Cells[child]{"name": list.TextCell(themes.Strong, child.name), "gen": list.CountCell(themes.Dim, child.generation)})
	return page.Spec[thing]{
		Name: "root",
		Find: func(s *cloud.Snapshot) (thing, bool) {
			return s.Placement().ProviderByName(name)
		},
		Title:  func(t thing, _ list.At) string { return t.Name() },
		Status: func(p thing, at list.At) string { return fmt.Sprint(len(kids(p, at)), " below") },
		Facts: func(p thing, _ list.At) []panel.Fact {
			return []panel.Fact{{Name: "uuid", Text: p.ID().String()}, {Name: "gone", Text: ""}, {Name: "gen", Text: fmt.Sprint(p.Generation()), Token: themes.Strong}}
		},
		Parts: []page.Part[thing]{
			page.Lines("TRAITS", func(p thing, a list.Area) []string {
				var lines []string
				for _, t := range a.Snap.Placement().TraitsOf(p) {
					lines = append(lines, a.Line().Space(2).Add(themes.Text, string(t)).String())
				}
				return lines
			}),
			page.Table("BELOW", columns, kids, child.id, func(c child) place.Place { return place.Provider{ID: c.ID()} }),
			page.Table("AGAIN", columns, kids, child.id, nil).AtSide(),
		},
		Actions: func(p thing, _ list.At) []action.Action {
			return []action.Action{{ID: "root.copy", Keys: "c", Title: "copy", Run: func() tea.Cmd {
				return screen.Send(screen.CopyMsg{What: "name", Text: p.Name()})
			}}}
		},
	}
}

// tree is a cloud with one root that has the given numbers of children and traits.
func tree(t *testing.T, children, traits int) *tuitest.Cloud {
	t.Helper()
	root := modeltest.Provider{Name: "root"}
	for i := range children {
		root.Children = append(root.Children, modeltest.Provider{Name: fmt.Sprintf("kid%02d", i)})
	}
	for i := range traits {
		root.Traits = append(root.Traits, placement.Trait(fmt.Sprintf("CUSTOM_T%02d", i)))
	}
	c := tuitest.NewCloud(cloud.Empty())
	must.Succeed(t, c.Do(root.Ops(placement.ProviderID{})...))
	return c
}

func open(t *testing.T, c *tuitest.Cloud) *tuitest.Host {
	t.Helper()
	s := must.Get(page.New(spec("root"), tuitest.Env(c, tuitest.Plain()), c.Snapshot(), "root"))(t)
	return tuitest.Open(t, c, s)
}

func wantText(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("does not say %q:\n%s", w, text)
		}
	}
}

func TestLayouts(t *testing.T) {
	t.Parallel()
	h := open(t, tree(t, 20, 12))
	// The table has the focus; the others keep a part of the room.
	wantText(t, h.At(80, 20).Text(), " uuid ", "   gen 1", "─ TRAITS ──", "7 more lines ─", "CUSTOM_T00", "─ > BELOW 20 ──", "kid03", "─ AGAIN 20 ──")
	wide := h.At(160, 44).Text()
	wantText(t, wide, "╭─ root ──", "╭─ AGAIN 20 ──", "CUSTOM_T11", "kid19")
	// At small sizes it has all of it.
	wantText(t, h.At(40, 6).Text(), "─ BELOW 20 ──", " 3/4 tab ─", "kid00", "kid02", "17 more")
	h.Press("tab", "tab")
	wantText(t, h.At(40, 6).Text(), "─ FACTS ──", " 1/4 tab ─", "uuid")
	h.Press("tab")
	wantText(t, h.At(40, 6).Text(), "─ TRAITS ──", "── 1-5/12  2/4 tab ─", "CUSTOM_T04")
	tuitest.EverySize(t, h)
}

func TestFocus(t *testing.T) {
	t.Parallel()
	h := open(t, tree(t, 20, 12))
	h.Press("shift+tab")
	h.Text()
	for _, step := range []struct{ keys, want string }{
		{"j", "lines 2 to 7 of 12"},
		{"G", "lines 7 to 12 of 12"},
		{"j", "lines 7 to 12 of 12"},
		{"pgup", "lines 1 to 6 of 12"},
		{"ctrl+u", "lines 1 to 6 of 12"},
		{"pgdown", "lines 7 to 12 of 12"},
		{"ctrl+d", "lines 7 to 12 of 12"},
		{"k", "lines 6 to 11 of 12"},
		{"g", "lines 1 to 6 of 12"},
		{"k", "lines 1 to 6 of 12"},
	} {
		h.Press(step.keys)
		wantText(t, h.Text(), "─ > TRAITS ─", step.want)
	}
	// What is known of the root is above: tab skips it.
	h.Press("shift+tab")
	wantText(t, h.Text(), "─ > AGAIN 20 ──")
	h.Press("tab")
	wantText(t, h.Text(), "─ > TRAITS ──")
	// Nor is there a section without lines.
	h.Change(placement.SetTraits{Provider: modeltest.ProviderID("root"), Generation: placement.AnyGeneration()}, placement.CreateProvider{ID: modeltest.ProviderID("x"), Name: "x"})
	h.Wants("─ > BELOW")
	h.Lacks("TRAITS")
}

func TestOpensRows(t *testing.T) {
	t.Parallel()
	h := open(t, tree(t, 3, 1))
	h.Press("j", "enter")
	if want := (screen.Goto{To: place.Provider{ID: modeltest.ProviderID("kid01")}}); h.Last() != want {
		t.Errorf("enter asks for %v, want %v", h.Last(), want)
	}
	h.Asks("c", screen.CopyMsg{What: "name", Text: "root"})
	h.Asked = nil
	h.Press("tab", "enter", "tab", "enter") // rows without a page of their own; lines
	empty := open(t, tree(t, 0, 0))
	empty.Press("enter", "j")
	if h.Asked != nil || empty.Asked != nil {
		t.Errorf("what cannot be opened asks for %v %v", h.Asked, empty.Asked)
	}
	wantText(t, empty.At(80, 20).Text(), "none")
	tuitest.Actions(t, h)
	tuitest.EverySize(t, empty)
}

func TestFollows(t *testing.T) {
	t.Parallel()
	h := open(t, tree(t, 3, 1))
	h.Press("j")
	h.Change(placement.CreateProvider{ID: modeltest.ProviderID("kid"), Name: "kid", Parent: modeltest.ProviderID("root")})
	wantText(t, h.Text(), "BELOW 4", ">  kid01")
	if h.Status() != "4 below" || h.Screen.Title() != "root" {
		t.Errorf("is called %q and stands %q", h.Screen.Title(), h.Status())
	}
	h.Change(placement.UpdateProvider{ID: modeltest.ProviderID("root"), Name: "other"})
	wantText(t, h.Text(), "GONE", "root was deleted while it was shown, between revisions")
	h.Press("enter", "c", "tab", "j")
	if h.Status() != "deleted" || h.Asked != nil {
		t.Errorf("gone, it stands %q and asks for %v", h.Status(), h.Asked)
	}
	h.Change(placement.UpdateProvider{ID: modeltest.ProviderID("root"), Name: "root"})
	wantText(t, h.Text(), "BELOW 4")
}

// TestAgesGrow looks at a page again later: nothing has changed but the time.
func TestAgesGrow(t *testing.T) {
	t.Parallel()
	now := tuitest.Now()
	c := tree(t, 0, 0)
	env := tuitest.Env(c, tuitest.Plain())
	env.Clock = func() time.Time { return now }
	spec := spec("root")
	spec.Facts = func(_ *placement.ResourceProvider, at list.At) []panel.Fact {
		return []panel.Fact{{Name: "age", Text: panel.Age(at.Now, tuitest.Now())}}
	}
	s := must.Get(page.New(spec, env, c.Snapshot(), "root"))(t)
	wantText(t, s.View(80, 24), "age 0s")
	now = now.Add(12 * time.Minute)
	wantText(t, s.View(80, 24), "age 12m")
}

func TestNotThere(t *testing.T) {
	t.Parallel()
	c := tree(t, 0, 0)
	if _, err := page.New(spec("no"), tuitest.Env(c, tuitest.Plain()), c.Snapshot(), "no"); !errors.Is(err, placement.ErrNotFound) {
		t.Errorf("New returns %v, want a match for ErrNotFound", err)
	}
}

func TestFactsAreBrokenIntoLines(t *testing.T) {
	t.Parallel()
	facts := []panel.Fact{{Name: "flavor", Text: "gpu.large"}, {Name: "host", Text: ""}, {Name: "state", Text: "active"}, {Name: "project", Text: "ml-train"}}
	for w, want := range map[int]string{
		60: " flavor gpu.large   state active   project ml-train",
		40: " flavor gpu.large   state active\n project ml-train",
		10: " flavor gp\n state act\n project m",
	} {
		var got []string
		for _, line := range panel.Facts(tuitest.Plain(), w, facts...) {
			got = append(got, strings.TrimRight(strings.ReplaceAll(line, "…", ""), " "))
		}
		if w > 10 && strings.Join(got, "\n") != want || len(got) != strings.Count(want, "\n")+1 {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
	}
	if got := panel.Facts(tuitest.Plain(), 40); got != nil {
		t.Errorf("no facts are %q", got)
	}
}

// TestHistory shows the history of a thing that has a kind, once all else has its room.
func TestHistory(t *testing.T) {
	t.Parallel()
	c := tree(t, 3, 1)
	must.Succeed(t, c.Do(placement.CreateTrait{Name: "CUSTOM_OTHER"}))
	h := tuitest.Open(t, c, withHistory(t, c))
	h.At(80, 24).Wants("BELOW 3", "HISTORY 1", "rp+")
	h.Lacks("CUSTOM_OTHER") // which is about something else
	h.Change(placement.SetTraits{Provider: modeltest.ProviderID("root"), Generation: placement.AnyGeneration()})
	h.Wants("HISTORY 2", "trait-")
	h.Press("shift+tab")
	h.Wants("> HISTORY 2")
	h.Press("j", "enter")
	if want := (screen.Goto{To: place.Event{Revision: 1}}); h.Last() != want {
		t.Errorf("enter asks for %v, want %v", h.Last(), want)
	}
	// It has no room of its own, so the focus goes elsewhere.
	h.At(80, 12).Lacks("HISTORY")
	h.Wants("> BELOW 3")
	h.Press("shift+tab")
	h.Wants("> AGAIN 3")
	tuitest.EverySize(t, h)
}

// withHistory opens the page of root, which shows its history.
func withHistory(t *testing.T, c *tuitest.Cloud) *page.Screen[*placement.ResourceProvider] {
	t.Helper()
	of := spec("root")
	of.Kind = kinds.Providers
	return must.Get(page.New(of, tuitest.Env(c, tuitest.Plain()), c.Snapshot(), "root"))(t)
}

// busy writes 60 events about the root.
func busy(t *testing.T, c *tuitest.Cloud) {
	t.Helper()
	for range 30 {
		must.Succeed(t, c.Do(placement.SetTraits{Provider: modeltest.ProviderID("root"), Generation: placement.AnyGeneration(), Traits: []placement.Trait{"CUSTOM_T00"}}))
		must.Succeed(t, c.Do(placement.SetTraits{Provider: modeltest.ProviderID("root"), Generation: placement.AnyGeneration()}))
	}
}

// TestHistoryTakesNoRoom checks that no other section loses a line to a history, at any
// height.
func TestHistoryTakesNoRoom(t *testing.T) {
	t.Parallel()
	c := tree(t, 20, 12)
	busy(t, c)
	h := tuitest.Open(t, c, withHistory(t, c))
	shown := false
	for height := 8; height < 80; height++ {
		text := h.At(80, height).Text()
		if !strings.Contains(text, "HISTORY") {
			continue
		}
		shown = true
		if n := strings.Count(text[:strings.Index(text, "HISTORY")], "kid"); n != 40 {
			t.Fatalf("with %d lines a history is shown, below %d of 40 rows of other tables:\n%s", height, n, text)
		}
	}
	if !shown {
		t.Error("no history is shown")
	}
}

// TestClickFindsNoHiddenHistory shows a page whose history would have room, were it not for
// the lines on which names go on.
func TestClickFindsNoHiddenHistory(t *testing.T) {
	t.Parallel()
	c := tree(t, 0, 1)
	busy(t, c)
	for i := range 4 {
		name := fmt.Sprint("kid ", i, strings.Repeat(" and on", 8))
		must.Succeed(t, c.Do(placement.CreateProvider{ID: modeltest.ProviderID(name), Name: name, Parent: modeltest.ProviderID("root")}))
	}
	const width = 60
	for height := 10; height < 40; height++ {
		s := withHistory(t, c)
		tuitest.Open(t, c, s)
		text := s.View(width, height)
		if strings.Contains(text, "HISTORY") {
			continue
		}
		for y := range height {
			s.Click(10, y)
			enter, ok := action.Find("enter", s.Actions())
			if !ok || enter.Run == nil {
				continue
			}
			if to, ok := enter.Run()().(screen.Goto); ok && place.Kind(to.To) == place.Kind(place.Event{}) {
				t.Fatalf("with %d lines a click on line %d selects an event that is not shown:\n%s", height, y, text)
			}
		}
	}
}

// TestHistoryIsReadWhereItHasRoom checks that a page that is too low for a history does not
// read the journal, and that one that cannot be read is said.
func TestHistoryIsReadWhereItHasRoom(t *testing.T) {
	t.Parallel()
	c := tree(t, 3, 1)
	c.Fault = errors.New("closed")
	h := tuitest.Open(t, c, withHistory(t, c))
	h.At(80, 12).Text()
	c.Fault = nil
	h.At(80, 24).Wants("HISTORY 1")
	c.Fault = errors.New("closed")
	h.Change(placement.CreateTrait{Name: "CUSTOM_OTHER"})
	h.At(100, 24).Wants("HISTORY 1", "the journal cannot be read: closed")

	h = tuitest.Open(t, c, withHistory(t, c))
	h.At(80, 24).Wants("HISTORY 0", "the journal cannot be read: closed")
	tuitest.EverySize(t, h)
}

// TestHistoryShowsTheNewest checks that what is written while a page is open is at the top of
// its history, unless the cursor is there.
func TestHistoryShowsTheNewest(t *testing.T) {
	t.Parallel()
	c := tree(t, 3, 1)
	busy(t, c)
	h := tuitest.Open(t, c, withHistory(t, c))
	h.At(80, 24).Wants("HISTORY 60", "trait-")
	h.Change(placement.SetAggregates{Provider: modeltest.ProviderID("root"), Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{{1}}})
	h.Wants("HISTORY 61", "aggs")
	h.Press("shift+tab")
	h.Wants("> HISTORY 61")
	newest := c.Snapshot().Revision()
	h.Change(placement.SetTraits{Provider: modeltest.ProviderID("root"), Generation: placement.AnyGeneration()})
	h.At(80, 24).Text()
	h.Press("enter")
	if want := (screen.Goto{To: place.Event{Revision: newest}}); h.Last() != want {
		t.Errorf("enter asks for %v, want %v, which was under the cursor", h.Last(), want)
	}
}

// TestHistoryGoesOn checks that what is read on is the same as what is read at once, and that
// the past has less.
func TestHistoryGoesOn(t *testing.T) {
	t.Parallel()
	c := tree(t, 3, 1)
	page := func() *tuitest.Host {
		return tuitest.Open(t, c, withHistory(t, c))
	}
	h := page()
	past := c.Snapshot()
	for n := range 12 {
		if n%3 == 0 {
			h.Change(placement.CreateTrait{Name: placement.Trait(fmt.Sprint("CUSTOM_", n))})
		} else {
			h.Change(placement.SetTraits{Provider: modeltest.ProviderID("root"), Generation: placement.AnyGeneration(), Traits: []placement.Trait{"CUSTOM_0"}[:n%3-1]})
		}
		must.Match(t, page().At(80, 50).Text(), h.At(80, 50).Text())
	}
	h.Send(screen.SnapshotMsg{Snapshot: past})
	h.At(80, 50).Wants("HISTORY 1")
	h.Feed()
	must.Match(t, page().At(80, 50).Text(), h.At(80, 50).Text())
}
