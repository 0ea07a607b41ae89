package page

import (
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// labelGone is the state of a thing that was deleted while it was shown.
const labelGone = "GONE"

// Spec declares the screen of one T. Name, Find and Title must be set.
type Spec[T any] struct {
	// Name is the noun for a T, also in the ids of actions: "instance".
	Name string
	// Kind is the kind of the thing, if it has one: what can be copied comes from that,
	// and a last section with its history, on large terminals.
	// Of returns the thing in the kind's form; nil if that is the thing itself.
	Kind kinds.Name
	Of   func(thing T) kinds.Row
	// Find returns the thing in a Snapshot, false if it is not there. It may be
	// called on each change of the cloud.
	Find func(snap *cloud.Snapshot) (T, bool)
	// Title returns the name of the thing for the crumb line.
	Title func(thing T, at list.At) string
	// Short returns the title of the frame around it; the default is Title.
	Short func(thing T, at list.At) string
	// Status returns its status, for the end of the crumb line.
	Status func(thing T, at list.At) string
	// Facts are at the top of the page, such as those of the Kind: describe.Facts.
	Facts func(thing T, at list.At) []panel.Fact
	// Parts are the sections. The first table has the focus. Arrange sets how they are laid out,
	// each after the facts; the default is all in a box, and those AtSide in another one.
	Parts   []Part[T]
	Arrange func(*Page)
	// Actions returns the actions other than opening a row and moving.
	Actions func(thing T, at list.At) []action.Action
}

// Part is a section of a Spec, which is tied to the thing of a screen. It is made by Lines or
// Table.
type Part[T any] struct {
	section *Section
	title   string
	titled  func(thing T, at list.At) string
	side    bool
	empty   string
	plain   bool
	first   bool

	// open ties it to its screen.
	open func(s *Screen[T])
	// feed passes it the current thing, and returns how many rows it has, -1 if they are
	// not counted.
	feed func(thing T, at list.At) int
	// row returns where enter leads, nil if there is nothing to open.
	row func() place.Place
	// current returns the row under the cursor, or nil if there is none.
	current func() any
	// chosen returns the marked rows, or else that one.
	chosen func() []any
	// look sets the time at which the rows are looked at.
	look func(now time.Time)
}

// Plain returns the part without column headings, for a table that explains itself.
func (p Part[T]) Plain() Part[T] { p.plain = true; return p }

// First returns the part with the initial focus, instead of the first table.
func (p Part[T]) First() Part[T] { p.first = true; return p }

// Titled returns the part with a title that depends on the thing.
func (p Part[T]) Titled(title func(thing T, at list.At) string) Part[T] {
	p.titled = title
	return p
}

// Bare returns the part without a title as long as there is room for all of them.
func (p Part[T]) Bare() Part[T] { p.section.Bare = true; return p }

// With returns the part with keys at the bottom of its box, and a text for when it has no
// rows.
func (p Part[T]) With(keys, empty string) Part[T] { p.section.Keys, p.empty = keys, empty; return p }

// AtSide returns the part to the right of the others if there is room.
func (p Part[T]) AtSide() Part[T] {
	p.side = true
	return p
}

// Late returns the part, a table, as one that is only shown once everything else has all the
// room that it needs, and that has rows.
func (p Part[T]) Late() Part[T] { p.section.Late = true; return p }

// Lines returns a part made of the lines that draw returns; the Height of the Area does
// not limit them. Without lines it is not shown.
func Lines[T any](title string, draw func(thing T, a list.Area) []string) Part[T] {
	var s *Screen[T]
	return Part[T]{
		title: title, open: func(on *Screen[T]) { s = on },
		section: &Section{Lines: func(w int) []string {
			return draw(s.thing, list.Area{At: s.at(), Styles: s.env.Styles, Width: w})
		}},
		feed: func(T, list.At) int { return -1 },
	}
}

// Table returns a part that is a table of R: rows returns them in display order, id
// identifies one permanently. Open, which may be nil, returns where enter leads, nil for
// nowhere; severity the severity of a row.
func Table[T, R any](
	title string, columns list.Columns, rows func(thing T, at list.At) []R, id func(row R) string, open func(row R) place.Place,
	severity ...func(row R, at list.At) style.Severity,
) Part[T] {
	var (
		grid *component.Grid
		all  []R
		when list.At
	)
	source := component.Rows{
		Name: func(r int) string { return id(all[r]) },
		Draw: func(l *component.Line, r, col int) { columns[col].Cell(l, all[r], when) },
	}
	if len(severity) > 0 {
		source.Grade = func(r int) style.Severity { return severity[0](all[r], when) }
	}
	p := Part[T]{
		title: title, section: &Section{},
		feed: func(thing T, at list.At) int {
			all, when = rows(thing, at), at
			source.N = len(all)
			grid.Show(source)
			return len(all)
		},
		current: func() any {
			if r, id := grid.Cursor(); id != "" {
				return all[r]
			}
			return nil
		},
		chosen: func() []any {
			var out []any
			ids := grid.Chosen()
			for _, row := range all {
				if slices.Contains(ids, id(row)) {
					out = append(out, row)
				}
			}
			return out
		},
		look: func(now time.Time) { when.Now = now },
	}
	p.open = func(s *Screen[T]) {
		heads := make([]component.Column, len(columns))
		for i, c := range columns {
			heads[i] = c.Column
		}
		grid = component.NewGrid(s.env.Styles, heads)
		grid.Shy = true
		grid.Empty = component.Seg{Token: style.SeverityNone.Token(), Text: "none"}
		p.section.Grid = grid
	}
	if open != nil {
		p.row = func() place.Place {
			if r, _ := grid.Cursor(); r >= 0 {
				return open(all[r])
			}
			return nil
		}
	}
	return p
}

// Screen follows one thing. It is made by New.
type Screen[T any] struct {
	spec  Spec[T]
	env   screen.Env
	snap  *cloud.Snapshot
	thing T
	title string // when it last existed
	lost  string // since when it is gone, "" while it exists
	parts []Part[T]
	page  Page
	kind  *kinds.Kind // of the thing; nil if it has none
	past  *history    // nil for a thing without a kind
}

// Sizes from which sections are in boxes side by side, in cells.
const wideW, wideH = 150, 20

// New returns the screen. It returns an error that matches placement.ErrNotFound if the
// thing is not in the Snapshot.
func New[T any](spec Spec[T], env screen.Env, snap *cloud.Snapshot, which string) (*Screen[T], error) {
	thing, ok := spec.Find(snap)
	if !ok {
		return nil, &placement.NotFoundError{What: spec.Name, Name: which}
	}
	if spec.Of == nil {
		spec.Of = func(thing T) kinds.Row { return thing }
	}
	s := &Screen[T]{spec: spec, env: env, page: Page{Styles: env.Styles, Scope: spec.Name, WideW: wideW, WideH: wideH}}
	if spec.Kind != "" {
		s.kind = kinds.Of(spec.Kind)
	}
	s.page.Sections = []*Section{{Title: "FACTS", Bare: true, Lines: func(w int) []string {
		if s.spec.Facts == nil {
			return nil
		}
		return panel.Facts(env.Styles, w, s.spec.Facts(s.thing, s.at())...)
	}}}
	if spec.Kind != "" && env.NoScreen(place.Journal{}) == "" {
		s.past = &history{}
		s.past.reads.Clock = env.Clock
		s.spec.Parts = append(spec.Parts, historyPart[T](s.past))
	}
	main, side := Slot{Sections: s.page.Sections, Share: 3}, Slot{Share: 2}
	s.parts = s.spec.Parts
	for i, p := range s.parts {
		p.open(s)
		if p.empty != "" {
			p.section.Grid.Empty = component.Seg{Token: themes.Faint, Text: p.empty}
		}
		s.page.Sections = append(s.page.Sections, p.section)
		to := &main
		if p.side {
			to = &side
		}
		to.Sections = append(to.Sections, p.section)
		if p.plain {
			p.section.Grid.NoHeader = true
		}
		if s.page.Focus == 0 && p.section.Grid != nil || p.first {
			s.page.Focus = i + 1
		}
	}
	if s.page.Rows = []Row{{Slots: []Slot{main, side}}}; spec.Arrange != nil {
		spec.Arrange(&s.page)
	}
	s.take(snap, thing)
	return s, nil
}

func (s *Screen[T]) at() list.At {
	return list.At{Snap: s.snap, Now: s.env.Now()}
}

// take shows the thing in its state in a Snapshot.
func (s *Screen[T]) take(snap *cloud.Snapshot, thing T) {
	s.snap, s.thing, s.lost = snap, thing, ""
	s.title = s.spec.Title(thing, s.at())
	if name := &s.page.Rows[0].Slots[0].Title; s.spec.Short != nil {
		*name = s.spec.Short(thing, s.at())
	} else if s.spec.Arrange == nil {
		*name = s.title
	}
	for _, p := range s.parts {
		p.section.Title = p.title
		n := p.feed(thing, s.at())
		switch {
		case p.titled != nil:
			p.section.Title = p.titled(thing, s.at())
		case n >= 0:
			p.section.Title += " " + component.Count(n)
		}
	}
}

// Refresh draws the thing again, for a screen that learns something about it later.
func (s *Screen[T]) Refresh() {
	if s.lost == "" {
		s.take(s.snap, s.thing)
	}
}

// Row returns the row under the cursor of the part with a number, which must be a table,
// nil if there is none.
func (s *Screen[T]) Row(part int) any { return s.parts[part].current() }

// Part returns the number of the focused part, -1 for the facts.
func (s *Screen[T]) Part() int { return s.page.Focus - 1 }

// Chosen returns the marked rows of the focused table or, if none is, the one under its
// cursor.
func (s *Screen[T]) Chosen() []any {
	if s.page.Focus == 0 || s.parts[s.page.Focus-1].chosen == nil {
		return nil
	}
	return s.parts[s.page.Focus-1].chosen()
}

// Init implements screen.Screen.
func (s *Screen[T]) Init() tea.Cmd { return nil }

// Title implements screen.Screen.
func (s *Screen[T]) Title() string { return s.title }

// Status implements screen.Stater.
func (s *Screen[T]) Status() string {
	switch {
	case s.lost != "":
		return "deleted"
	case s.spec.Status != nil:
		return s.spec.Status(s.thing, s.at())
	}
	return ""
}

// Update implements screen.Screen.
func (s *Screen[T]) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	if s.past != nil {
		var told *subjectHistory
		var ok bool
		if told, ok, cmd = s.past.reads.Take(msg); ok {
			s.past.subjectHistory = *told
			s.Refresh()
		}
	}
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		if msg.Snapshot != s.snap {
			s.follow(msg.Snapshot)
		}
	case tea.KeyMsg:
		if s.lost == "" {
			s.page.Update(msg)
		}
	}
	return cmd
}

// follow takes a newer Snapshot.
func (s *Screen[T]) follow(snap *cloud.Snapshot) {
	thing, ok := s.spec.Find(snap)
	switch {
	case ok:
		s.take(snap, thing)
		return
	case s.lost == "":
		s.lost = fmt.Sprintf("between revisions %s and %s", component.Count(s.snap.Revision()), component.Count(snap.Revision()))
	}
	s.snap = snap
}

// View implements screen.Screen.
func (s *Screen[T]) View(w, h int) string {
	if s.lost != "" {
		return Gone(s.env.Styles, w, h, s.title, s.lost)
	}
	now := s.env.Now()
	for _, p := range s.parts {
		if p.look != nil {
			p.look(now)
		}
	}
	return s.page.View(w, h)
}

// Gone says that the subject of a screen was deleted while it was shown. Since is when,
// in words.
func Gone(st *style.Styles, w, h int, title, since string) string {
	return screen.State(st, w, h, style.SeverityWarn, labelGone, title+" was deleted while it was shown, "+since, "try: esc goes back")
}

// Actions implements screen.Screen.
func (s *Screen[T]) Actions() []action.Action {
	if s.lost != "" {
		return nil
	}
	var own []action.Action
	if s.spec.Actions != nil {
		own = s.spec.Actions(s.thing, s.at())
	}
	enter := action.Action{ID: action.ID(s.spec.Name + ".row"), Keys: "enter", Title: "open", Help: "open what is under the cursor", Priority: 90, Disabled: "nothing to open here"}
	if s.page.Focus > 0 {
		if row := s.parts[s.page.Focus-1].row; row != nil {
			if enter.To = row(); enter.To != nil {
				enter.Disabled = s.env.NoScreen(enter.To)
			}
		}
	}
	rest := []action.Action{enter}
	if slices.ContainsFunc(own, func(a action.Action) bool { return a.Keys.Has("enter") }) {
		rest = nil
	}
	return slices.Concat(own, rest, s.told(own), s.page.Actions(), movesBut(own))
}

// CursorID returns what names the row under the cursor, "" if there is none.
func (s *Screen[T]) CursorID() string { return s.page.CursorID() }

// HasRow reports whether there is a row with that name.
func (s *Screen[T]) HasRow(id string) bool { return s.page.HasRow(id) }

// Click implements screen.Clicker.
func (s *Screen[T]) Click(x, y int) tea.Cmd {
	if s.lost != "" {
		return nil
	}
	return s.page.Click(x, y)
}

var _ screen.Clicker = (*Screen[any])(nil)

// movesBut returns the keys that move in a table, without those that the page itself
// uses.
func movesBut(own []action.Action) []action.Action {
	var out []action.Action
	for _, m := range panel.GridMoves() {
		m.Keys = action.KeysOf(slices.DeleteFunc(m.Keys.Names(), func(key string) bool {
			_, taken := action.Find(key, own)
			return taken
		}))
		if m.Keys != "" {
			out = append(out, m)
		}
	}
	return out
}
