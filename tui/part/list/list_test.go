package list_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// root is a row of the list under test: a root provider of a cloud.
type root struct{ *placement.ResourceProvider }

func (r *root) name(list.At) string { return r.Name() }
func (r *root) vcpu(at list.At) (int64, bool) {
	class, _ := at.Snap.Placement().ClassID(placement.VCPU)
	iu, ok := r.Inventory(class)
	return iu.Total, ok
}

// spec declares the list under test; made counts how often rows were made.
func spec(made *int) list.Spec[*root] {
	return list.Spec[*root]{
		Name: "roots", Thing: "root",
		Rows: func(_ context.Context, snap *cloud.Snapshot) []*root {
			*made++
			var all []*root
			for p := range snap.Placement().Roots() {
				all = append(all, &root{p})
			}
			return all
		},
		Unchanged: func(old, now *cloud.Snapshot) bool { return old.Placement() == now.Placement() },
		ID:        func(r *root) string { return r.ID().String() },
		Text:      func(r *root) string { return r.Name() },
		Columns: list.Show("name:10+1 vcpu:6> | gen:5", "", list.Cells[*root]{
			"name": list.TextCell(themes.Strong, (*root).name),
			"vcpu": func(l *component.Line, r *root, at list.At) {
				if n, ok := r.vcpu(at); ok {
					l.Add(themes.Text, component.Count(n))
				}
			},
			"gen": list.CountCell(themes.Dim, func(r *root, _ list.At) int64 { return r.Generation() }),
		}),
		Orders: []list.Order[*root]{
			{Name: "name", Column: "name", Key: func(r *root, _ list.At) list.Key { return list.Key{Text: r.Name()} }},
			{Name: "vcpu", Column: "vcpu", Desc: true, Key: func(r *root, at list.At) list.Key {
				n, ok := r.vcpu(at)
				return list.Key{None: !ok, Number: float64(n)}
			}},
		},
		Fields: []*kinds.Field{
			kinds.TextField("name", (*root).name),
			kinds.NumberField("vcpu", component.UnitCount, func(r *root, at list.At) (float64, bool) {
				n, ok := r.vcpu(at)
				return float64(n), ok
			}),
			kinds.WordsField("class", func(r *root, at list.At, words []string) []string {
				for _, iu := range r.Inventories() {
					words = append(words, string(at.Snap.Placement().ClassName(iu.Class)))
				}
				return words
			}),
		},
		Actions: func(h list.Here[*root]) []action.Action {
			return []action.Action{
				h.About(action.Action{ID: "roots.open", Keys: "enter", Title: "open", Priority: 90}, func(r *root) tea.Msg {
					return screen.Goto{To: place.Provider{ID: r.ID()}}
				}),
				h.About(action.Action{ID: "roots.copy", Keys: "c", Title: "copy names"}, func(*root) tea.Msg {
					rows, why := list.Chosen(h)
					if why != "" {
						return screen.ToastMsg{Text: why}
					}
					var names []string
					for _, r := range rows {
						names = append(names, r.Name())
					}
					return screen.CopyMsg{What: "names", Text: strings.Join(names, " ")}
				}),
				{ID: "roots.big", Keys: "o", Title: "big", Run: func() tea.Cmd {
					return h.List.Filter(strings.TrimSpace(h.List.Expr() + " vcpu>10"))
				}},
				{ID: "roots.fix", Keys: "F", Title: "fix", One: true},
				{ID: "roots.bad", Keys: "e", Title: "bad", Run: func() tea.Cmd { return h.List.Filter("size=1") }},
			}
		},
		Detail: func(r *root, a list.Area) []string {
			return []string{a.Head("ABOUT"), a.Line().Add(themes.Text, fmt.Sprint("about ", r.Name(), " at ", a.Snap.Revision())).String(), a.More(3, "line")}
		},
		Side: true,
	}
}

// hosts is a cloud with a root for each name and VCPU total; 0 is none.
func hosts(t *testing.T, vcpus map[string]int64) *tuitest.Cloud {
	t.Helper()
	c := tuitest.NewCloud(cloud.Empty())
	for name, n := range vcpus {
		p := modeltest.Provider{Name: name}
		if n > 0 {
			p.Inventories = modeltest.Inventories{placement.VCPU: placement.NewInventory(n)}
		}
		must.Succeed(t, c.Do(p.Ops(placement.ProviderID{})...))
	}
	return c
}

func some(t *testing.T) *tuitest.Cloud {
	t.Helper()
	return hosts(t, map[string]int64{"b": 16, "a": 8, "Pool": 0, "d": 64})
}

func open(t testing.TB, c *tuitest.Cloud, s list.Spec[*root], filter string) *tuitest.Host {
	t.Helper()
	return tuitest.Open(t, c, list.New(s, tuitest.Env(c, tuitest.Plain()), c.Snapshot(), filter))
}

// wantRows fails the test unless the list has these rows, with > before the one under the
// cursor.
func wantRows(t *testing.T, h *tuitest.Host, want string) {
	t.Helper()
	var got []string
	for _, line := range strings.Split(h.At(60, 12).Text(), "\n")[1:] {
		if strings.HasPrefix(line, "/") {
			break
		}
		if word := strings.Fields(strings.ReplaceAll(line, ">", " ")); len(word) > 0 {
			name := word[0]
			if strings.HasPrefix(line, ">") {
				name = ">" + name
			}
			got = append(got, name)
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("rows are %q, want %q", strings.Join(got, " "), want)
	}
}

func TestOrders(t *testing.T) {
	t.Parallel()
	made := 0
	h := open(t, some(t), spec(&made), "")
	// Rows without VCPU come last in both directions.
	for _, step := range []struct{ key, rows, status string }{
		{"", ">Pool a b d", "4 of 4   sort name ▴"},
		{"j", "Pool >a b d", "4 of 4   sort name ▴"},
		{"sort vcpu", "d b >a Pool", "4 of 4   sort vcpu ▾"},
		{"sort vcpu", ">a b d Pool", "4 of 4   sort vcpu ▴"}, // the same again reverses it
		{"sort vcpu", "d b >a Pool", "4 of 4   sort vcpu ▾"},
		{"sort name", "Pool >a b d", "4 of 4   sort name ▴"},
	} {
		if order, sorts := strings.CutPrefix(step.key, "sort "); sorts {
			h.Sort(order)
		} else if step.key != "" {
			h.Press(step.key)
		}
		wantRows(t, h, step.rows)
		if got := h.Status(); got != step.status {
			t.Errorf("after %q the status is %q, want %q", step.key, got, step.status)
		}
	}
	if made != 1 {
		t.Errorf("rows were made %d times, want once", made)
	}
}

// TestMadeButHidden tells that a filter hides what was just made, whichever comes first:
// the word of it or the row.
func TestMadeButHidden(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		made := 0
		h := open(t, some(t), spec(&made), "name=b")
		wantRows(t, h, ">b")
		id := modeltest.ProviderID("new")
		create := func() { h.Change(placement.CreateProvider{ID: id, Name: "new"}) }
		if !late {
			create()
		}
		h.Send(screen.MadeMsg{ID: id.String()})
		if late {
			create()
		}
		want := screen.ToastMsg{Severity: style.SeverityInfo, Text: "the filter hides the new root", Hint: "esc clears it"}
		if got := h.Last(); got != want {
			t.Errorf("it says %+v, want %+v", got, want)
		}
		wantRows(t, h, ">b")
		h.Back()
		wantRows(t, h, "Pool a b d >new")
		if got := h.Last(); got != screen.UnsayMsg(want) {
			t.Errorf("it says %+v after the filter is gone, want that the toast is withdrawn", got)
		}
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	made := 0
	h := open(t, some(t), spec(&made), "vcpu>10")
	wantRows(t, h, ">b d")
	h.Press("/", "ctrl+u")
	h.Type("po")
	wantRows(t, h, ">Pool")
	h.Type(" size=1")
	if text := h.At(80, 12).Text(); !strings.Contains(text, `unknown field "size"`) {
		t.Errorf("the fault is not shown:\n%s", text)
	}
	h.Press("enter")
	if !h.Screen.(screen.Typist).Typing() {
		t.Error("a filter that cannot be read was taken")
	}
	h.Press("esc")
	wantRows(t, h, ">b d")
	h.Press("/", "ctrl+u")
	h.Type("class=VCPU !d")
	h.Press("enter", "o")
	wantRows(t, h, ">b")
	h.Press("/", "up")
	h.At(80, 12).Wants("/class=VCPU !d ")
	h.Press("esc", "e")
	if text := h.Text(); !strings.Contains(text, "/size=1") || !strings.Contains(text, `unknown field "size"`) {
		t.Errorf("an action's filter that cannot be read is not shown:\n%s", text)
	}
	h.Press("esc")
	wantRows(t, h, ">b")
	h.Press("a", "esc")
	wantRows(t, h, ">b")
	h.Press("esc")
	wantRows(t, h, "Pool a >b d")
	if h.Back() {
		t.Error("there is nothing more to close")
	}
}

// Keys after a filter must apply to its rows, however long it takes to find them.
func TestFilterIsDoneWhenItIsEntered(t *testing.T) {
	t.Parallel()
	made := 0
	h := open(t, some(t), spec(&made), "")
	h.Manual = true
	h.Press("/", "d", "enter")
	if !strings.HasPrefix(h.Status(), "/d   1 of 4") {
		t.Errorf("status %q once a filter is entered", h.Status())
	}
	wantRows(t, h, ">d")
	h.Manual = false
	h.Settle()
	wantRows(t, h, ">d")
}

func TestUnchangedRowsStay(t *testing.T) {
	t.Parallel()
	made := 0
	c := some(t)
	h := open(t, c, spec(&made), "")
	h.Press("j")
	before := made
	var other cloud.Change
	other.PutRecords(versioned.Change{After: &nova.Instance{UUID: modeltest.ConsumerID("vm"), Name: "vm"}})
	must.Succeed(t, c.Change(other))
	h.Feed()
	h.Sort("vcpu") // nor are they made for another order
	if made != before {
		t.Errorf("rows were made %d times more, want none", made-before)
	}
	if text := h.At(60, 20).Text(); !strings.Contains(text, fmt.Sprint("about a at ", c.Snapshot().Revision())) {
		t.Errorf("the lines about a row are not of the newest Snapshot:\n%s", text)
	}
	h.Change(placement.CreateProvider{ID: modeltest.ProviderID("0"), Name: "0"})
	if made != before+1 {
		t.Errorf("rows were made %d times, want once", made-before)
	}
	wantRows(t, h, "d b >a 0 Pool")
}

func TestActionsAreAboutTheCursorAndMarks(t *testing.T) {
	t.Parallel()
	made := 0
	h := open(t, some(t), spec(&made), "")
	h.Press("j", "enter")
	if want := (screen.Goto{To: place.Provider{ID: modeltest.ProviderID("a")}}); h.Last() != want {
		t.Errorf("enter asks for %v, want %v", h.Last(), want)
	}
	h.Asks("c", screen.CopyMsg{What: "names", Text: "a"})
	h.Press(" ", "j", " ", "c")
	if want := (screen.CopyMsg{What: "names", Text: "a d"}); h.Last() != want {
		t.Errorf("c with marks asks for %v, want %v", h.Last(), want)
	}
	if fix, _ := action.Find("F", h.Screen.Actions()); !strings.Contains(fix.Disabled, "2 marked, but it works on one") {
		t.Errorf("F with marks is disabled: %q", fix.Disabled)
	}
	empty := open(t, tuitest.NewCloud(cloud.Empty()), spec(&made), "")
	empty.Press("enter", "c", "j")
	if empty.Asked != nil {
		t.Errorf("an empty list asks for %v", empty.Asked)
	}
	empty.At(60, 12).Wants("there are no roots")
	tuitest.Actions(t, h)
	tuitest.Actions(t, empty)
}

// TestMarksOfWhatIsGone deletes a marked row. While the list is looked at its mark stays;
// back from another screen it is gone, but not those that a filter hides.
func TestMarksOfWhatIsGone(t *testing.T) {
	t.Parallel()
	made := 0
	h := open(t, some(t), spec(&made), "")
	h.Press(" ", " ", " ")
	h.Press("/")
	h.Type("name=d")
	h.Press("enter")
	h.Change(placement.DeleteProvider{ID: modeltest.ProviderID("a")})
	for _, want := range []string{"3 marked", "2 marked"} {
		if status := h.Status(); !strings.Contains(status, want) {
			t.Errorf("status %q, want %s", status, want)
		}
		h.Send(screen.ResumeMsg{})
	}
}

func TestLayouts(t *testing.T) {
	t.Parallel()
	made := 0
	h := open(t, some(t), spec(&made), "")
	for name, want := range map[[2]int][]string{
		{40, 6}:   nil,
		{80, 20}:  {"─ Pool ──", "about Pool", "⋮ 3 more lines"},
		{140, 30}: {"╭─ ROOTS ─", "╭─ Pool ─", "about Pool"},
	} {
		text := h.At(name[0], name[1]).Text()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%v does not say %q:\n%s", name, w, text)
			}
		}
		if strings.Contains(text, "about") != (want != nil) || strings.Contains(text, "GEN") {
			t.Errorf("%v says too much:\n%s", name, text)
		}
	}
	h.Command("wide")
	h.At(140, 30).Wants("GEN")
	h.Lacks("╭")
	h.Command("wide")
	tuitest.EverySize(t, h)
}

func TestAnything(t *testing.T) {
	t.Parallel()
	tuitest.Anything(t, func(env screen.Env, snap *cloud.Snapshot) screen.Screen {
		made := 0
		return list.New(spec(&made), env, snap, "")
	}, "/ s a e o c p u > 1 = enter esc backspace")
}

// TestRowsWithoutAnything is the smallest possible declaration; its rows have no order.
func TestRowsWithoutAnything(t *testing.T) {
	t.Parallel()
	made := 0
	whole := spec(&made)
	least := list.Spec[*root]{
		Name: whole.Name, Thing: whole.Thing, ID: whole.ID, Text: whole.Text, Columns: whole.Columns[:1],
		Rows: func(ctx context.Context, snap *cloud.Snapshot) []*root {
			all := whole.Rows(ctx, snap)
			slices.SortFunc(all, func(a, b *root) int { return cmp.Compare(b.Name(), a.Name()) })
			return all
		},
		Severity: func(r *root, _ list.At) style.Severity {
			if r.Name() == "b" {
				return style.SeverityWarn
			}
			return style.SeverityNone
		},
	}
	h := open(t, some(t), least, "")
	h.Press("j", "s", "enter")
	h.At(60, 20).Wants("> ! b")
	must.Be(t, h.Status(), "4 of 4")
	h.Change(placement.CreateProvider{ID: modeltest.ProviderID("e"), Name: "e"})
	h.At(60, 20).Wants("> ! b")
}

// TestTopStandsAbove draws lines above the list if that leaves room for rows, and redraws
// rows when told to.
func TestTopStandsAbove(t *testing.T) {
	t.Parallel()
	c := hosts(t, map[string]int64{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6})
	made, word := 0, "first"
	sp := spec(&made)
	sp.Top = func(all []*root, _ int, a list.Area) []string {
		return []string{a.Line().Add(themes.Text, fmt.Sprint(len(all), " in all")).String(), a.Line().Add(themes.Text, "second line").String()}
	}
	sp.Columns[1].Cell = func(l *component.Line, _ any, _ list.At) { l.Add(themes.Text, word) }
	s := list.New(sp, tuitest.Env(c, tuitest.Plain()), c.Snapshot(), "b")
	h := tuitest.Open(t, c, s)
	if text := h.At(80, 20).Text(); !strings.HasPrefix(text, "6 in all ") || !strings.Contains(text, "second line") || !strings.Contains(text, "first") {
		t.Errorf("the lines are not above:\n%s", text)
	}
	if text := h.At(40, 5).Text(); !strings.HasPrefix(text, "6 in all ") || strings.Contains(text, "second line") {
		t.Errorf("the second line takes the room of rows:\n%s", text)
	}
	h.At(40, 4).Lacks("in all")
	word = "other"
	cmd := s.Learn("name")
	if !strings.Contains(h.At(80, 20).Text(), "other") {
		t.Error("rows are not drawn anew")
	}
	h.Send(cmd())
	if h.Status() != "/b   1 of 6   sort name ▴" {
		t.Errorf("after rows were sorted anew the list stands as %q", h.Status())
	}
	tuitest.EverySize(t, h)
}

// TestNear returns rows around the cursor.
func TestNear(t *testing.T) {
	t.Parallel()
	c := hosts(t, map[string]int64{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6})
	made := 0
	s := list.New(spec(&made), tuitest.Env(c, tuitest.Plain()), c.Snapshot(), "")
	if _, rows := list.Near[*root](s, 3); len(rows) > 0 {
		t.Errorf("%d rows before there are any", len(rows))
	}
	h := tuitest.Open(t, c, s)
	for _, test := range []struct {
		key  string
		n    int
		want string
	}{{"g", 3, "abc"}, {"j", 3, "abc"}, {"j", 3, "bcd"}, {"G", 3, "def"}, {"k", 100, "abcdef"}, {"k", 0, ""}} {
		h.Press(test.key)
		got := ""
		at, rows := list.Near[*root](s, test.n)
		for _, r := range rows {
			got += r.name(at)
		}
		if got != test.want {
			t.Errorf("after %s, %d near are %q, want %q", test.key, test.n, got, test.want)
		}
	}
}
