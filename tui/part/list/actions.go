package list

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Here is the cursor of a list, for a Spec's Actions. It is valid until the next
// message.
type Here[R any] struct {
	At
	// Row is the row under the cursor. Nothing says why there is none, in which case Row
	// points to a zero one; it is "" otherwise.
	Row     R
	Nothing string

	List *Screen
}

// About returns an action on the row under the cursor: run returns what to ask of the
// root model. It is disabled if there is no row.
func (h Here[R]) About(a action.Action, run func(row R) tea.Msg) action.Action {
	if a.Disabled == "" {
		a.Disabled = h.Nothing
	}
	a.To, a.Request, a.Run = nil, func() tea.Msg { return run(h.Row) }, nil
	return a
}

// Leads returns an action that leads from the row under the cursor to a place.
func (h Here[R]) Leads(a action.Action, to func(row R) place.Place) action.Action {
	return h.About(a, func(row R) tea.Msg { return screen.Goto{To: to(row)} })
}

// Chosen returns the marked rows, or the one under the cursor if none is marked. If
// there is no such row it says why: the list is empty, or all marked rows are gone or
// filtered out.
func Chosen[R any](h Here[R]) (rows []R, why string) {
	if h.Nothing != "" {
		return nil, h.Nothing
	}
	for _, id := range h.List.grid.Chosen() {
		if i := h.List.src.find(id); i >= 0 {
			rows = append(rows, h.List.src.all[i].(R))
		}
	}
	if len(rows) == 0 {
		return nil, notListed
	}
	return rows, ""
}

// All reports whether so holds for all that Chosen returns: a key that switches
// something switches it on if it is off for any of the rows.
func All[R any](h Here[R], so func(row R) bool) bool {
	rows, why := Chosen(h)
	return why == "" && !slices.ContainsFunc(rows, func(row R) bool { return !so(row) })
}

// notListed says that the marked rows are gone, or do not pass the filter.
const notListed = "no marked row is in the list now: esc clears the marks"

// Filter puts another filter on the list, such as the next of those that a key cycles
// through. An invalid one is put into the filter line.
func (s *Screen) Filter(expr string) tea.Cmd {
	if err := s.setFilter(expr); err != nil {
		s.refuse(expr, err)
		return nil
	}
	return s.request()
}

// OwnerKey returns the key that cycles through the owners in the filter of a list: any, nova,
// cyborg, both, none.
func (s *Screen) OwnerKey(scope string, priority int) action.Action {
	return action.Action{ID: action.ID(scope + ".owner"), Keys: "o", Title: "owner", Help: "owner filter: any, nova, cyborg, both, none", Priority: priority, Run: func() tea.Cmd {
		return s.Filter(nextOwner(s.Expr()))
	}}
}

// nextOwner returns a filter with the owner in it replaced by the next.
func nextOwner(expr string) string {
	steps, next := Owners(false).Steps, 1
	var rest []string
	for _, word := range strings.Fields(expr) {
		if i := slices.IndexFunc(steps, func(s Step) bool { return s.Expr == word }); i >= 0 {
			next = (i + 1) % len(steps)
		} else {
			rest = append(rest, word)
		}
	}
	return strings.TrimSpace(strings.Join(rest, " ") + " " + steps[next].Expr)
}

// Actions implements screen.Screen. The result is valid until the next call.
func (s *Screen) Actions() []action.Action {
	id := func(name string) action.ID { return action.ID(s.form.Name + "." + name) }
	var own []action.Action
	if s.form.Actions != nil {
		own = s.form.Actions(s.here())
	}
	own = s.ofMarked(own)
	help := "filter: " + s.form.FilterHelp
	if s.form.FilterHelp == "" {
		help = "filter by text, or by a field"
	}
	list := append(append(s.acts[:0], own...), s.told(own)...)
	if s.form.Number != nil && s.src != nil {
		list = append(list, action.Digits(s.form.Name, len(s.src.all))...)
	}
	list = append(list, action.Action{ID: id("filter"), Keys: "/", Title: "filter", Help: help, Priority: 88, Run: func() tea.Cmd {
		s.openLine()
		return s.prepare()
	}})
	if len(s.form.orders) > 0 {
		list = append(list, action.Action{ID: id("sort"), Keys: "s", Title: "sort", Help: "choose what to sort by; the same once more reverses the order", Priority: 50, Request: func() tea.Msg { return screen.PushMsg{Screen: s.sortMenu()} }})
	}
	if s.form.nested {
		fold := action.Action{ID: id("fold"), Title: "fold all", Help: "fold or unfold all", Priority: 45, Run: s.foldAll}
		if !s.form.Open {
			fold.Keys = "x"
		}
		if s.wish.flat {
			fold.Disabled = "the list is flat"
		}
		list = append(list, fold)
	}
	if s.form.Flat {
		list = append(list, action.Action{
			ID: id("tree"), Keys: "`", Title: map[bool]string{true: "tree", false: "flat"}[s.wish.flat], Help: "tree or flat list", Priority: 60,
			Run: s.change(func() { s.wish.flat = !s.wish.flat }),
		})
	}
	if also := s.form.Also; also != nil {
		priority := 80
		if also.Aside {
			priority = 20
		}
		list = append(list, action.Action{ID: id(also.Name), Keys: action.Keys(also.Key), Title: also.Name, Help: also.Help, Priority: priority, Run: s.change(func() {
			s.wish.also = (s.wish.also + 1) % len(also.Steps)
			s.open.found = nil
		})})
	}
	if s.form.Notable != "" {
		list = append(list, s.notableAction(id("notable")))
	}
	if s.split.paned {
		list = append(list, action.Action{ID: id("more"), Keys: "+", Title: "pane size", Help: "more room for the row's details: half, nearly all, none", Group: action.Move, Run: func() tea.Cmd {
			s.split.resize()
			s.keep()
			return nil
		}})
	}
	if s.wider() {
		list = append(list, action.Action{ID: id("wide"), Title: "wide", Help: "all columns, or those that fit", Run: func() tea.Cmd {
			s.full, s.picked = !s.full, nil
			s.setColumns()
			s.keep()
			return nil
		}})
	}
	list = append(list, s.columnAction())
	list = append(list, panel.GridMoves()...)
	if s.form.Picks {
		for i := range list { // letters are typed
			list[i].Keys = action.KeysOf(slices.DeleteFunc(list[i].Keys.Names(), func(key string) bool { return len(key) == 1 && !strings.Contains("/ +", key) }))
		}
		list = slices.DeleteFunc(list, func(a action.Action) bool { return a.Keys == "" })
	}
	s.acts = list
	return list
}

// notableAction is the key that hides rows that are not worth a look, or shows them
// again.
func (s *Screen) notableAction(id action.ID) action.Action {
	a := action.Action{ID: id, Keys: ".", Title: "notable", Help: "only rows worth a look, or all: /" + s.form.Notable, Priority: 10}
	if rest, had := s.without(s.form.Notable); had {
		a.Title = "all rows"
		a.Run = func() tea.Cmd { return s.Filter(rest) }
	} else {
		a.Run = func() tea.Cmd { return s.Filter(s.with(s.form.Notable)) }
	}
	return a
}

// with returns the filter with one more term.
func (s *Screen) with(term string) string {
	before := s.wish.expr
	if alternatives(before) {
		before = "(" + before + ")"
	}
	return strings.TrimSpace(before + " " + term)
}

// without returns the filter without a term that all rows have to pass, and whether it
// has that.
func (s *Screen) without(term string) (rest string, had bool) {
	before, after, found := strings.Cut(" "+s.wish.expr+" ", " "+term+" ")
	if !found || alternatives(s.wish.expr) || unclosed(before) > 0 {
		return "", false
	}
	return strings.TrimSpace(before + " " + after), true
}

// alternatives reports whether a filter has alternatives that are in no brackets.
func alternatives(expr string) bool {
	depth := 0
	for word := range strings.FieldsSeq(expr) {
		if word == "|" && depth == 0 {
			return true
		}
		depth += unclosed(word)
	}
	return false
}

// unclosed returns how many brackets a part of a filter opens and does not close.
func unclosed(expr string) int { return strings.Count(expr, "(") - strings.Count(expr, ")") }

// FilterHelp implements screen.FilterHelper.
func (s *Screen) FilterHelp() (example string, fields []string) {
	return s.form.FilterHelp, filterRows{form: s.form}.Names()
}

// change returns a function that changes the wish, and has the list made for it.
func (s *Screen) change(f func()) func() tea.Cmd {
	return func() tea.Cmd {
		f()
		return s.request()
	}
}

// Wished returns the class that the list should be about.
func (s *Screen) Wished() placement.ResourceClass { return s.wish.class }

// Choose makes the list be about a class.
func (s *Screen) Choose(class placement.ResourceClass) tea.Cmd {
	s.wish.class, s.auto = class, false
	return s.request()
}

// expr returns the filter of a step, or "" if there is none.
func (a *FilterCycle) expr(step int) string {
	if a == nil {
		return ""
	}
	return a.Steps[step].Expr
}

// word returns the name of a step: "owner:any".
func (a *FilterCycle) word(step int) string { return a.Name + ":" + a.Steps[step].Name }

// wider reports whether a wide list has more columns or a pane at its side.
func (s *Screen) wider() bool {
	return s.form.Side || slices.ContainsFunc(s.form.Columns, func(c *Column) bool { return c.Wide })
}
