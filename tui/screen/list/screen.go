package list

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/screen"
)

// Screen is a list. It is made by New.
type Screen[R any] struct {
	spec Spec[R]
	env  screen.Env
	snap *cloud.Snapshot // the newest
	wish wish            // what is asked for; that of src may be an older one

	src     *source[R] // what is shown; nil before the first list is there
	grid    *component.Grid
	version uint64
	full    bool // all columns are wanted, in all of the width
	open    folds
	sought  func(row R) bool // what the cursor goes to once there are rows; nil for nothing

	line   FilterLine
	before wish // to go back to when the filter line is cancelled
	split  Split

	lists screen.Task[*rows[R]]
	after tea.Cmd
}

// New returns the screen over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New[R any](spec Spec[R], env screen.Env, snap *cloud.Snapshot, filter string) *Screen[R] {
	s := &Screen[R]{spec: spec, env: env, snap: snap}
	s.lists.Clock = env.Clock
	s.wish.desc = len(spec.Orders) > 0 && spec.Orders[0].Desc
	s.grid = component.NewGrid(env.Styles, nil, gridColumns(s.columns(), spec.Orders))
	if err := s.setFilter(filter); err != nil {
		s.before = s.wish
		s.line.Refuse(env.Styles, filter, err)
	}
	return s
}

// columns returns the columns that are shown.
func (s *Screen[R]) columns() []Column[R] {
	if s.full {
		return s.spec.Columns
	}
	return slices.DeleteFunc(slices.Clone(s.spec.Columns), func(c Column[R]) bool { return c.Wide })
}

// gridColumns returns columns as a grid takes them.
func gridColumns[R any](columns []Column[R], orders []Order[R]) []component.Column {
	out := make([]component.Column, len(columns))
	for i, c := range columns {
		out[i] = c.Column
		out[i].NoSort = !slices.ContainsFunc(orders, func(o Order[R]) bool { return o.Column == c.Key })
	}
	return out
}

// Init implements screen.Screen.
func (s *Screen[R]) Init() tea.Cmd { return s.request() }

// Title implements screen.Screen.
func (s *Screen[R]) Title() string { return s.spec.Name }

// count returns how many rows there are without a filter, in words, "" where that
// is not known yet.
func (s *Screen[R]) count() string {
	switch {
	case s.spec.Count != nil:
		return component.Count(int64(s.spec.Count(s.snap)))
	case s.src != nil:
		return component.Count(int64(len(s.src.all)))
	}
	return ""
}

// Status implements screen.Stater.
func (s *Screen[R]) Status() string {
	if s.src == nil {
		return strings.TrimSpace("reading " + s.count())
	}
	var parts []string
	if s.wish.expr != "" {
		parts = append(parts, "/"+s.wish.expr)
	}
	parts = append(parts, component.Count(int64(s.src.Len()))+" of "+s.count())
	if by := s.SortedBy(); by != "" {
		parts = append(parts, by)
	}
	return strings.Join(parts, "   ")
}

// SortedBy says by what the rows are sorted, "" where they have one order only.
func (s *Screen[R]) SortedBy() string {
	if len(s.spec.Orders) == 0 {
		return ""
	}
	arrow := s.env.Styles.Glyphs.SortUp
	if s.wish.desc {
		arrow = s.env.Styles.Glyphs.SortDown
	}
	return "sort " + s.spec.Orders[s.wish.order].Name + " " + arrow
}

// Typing implements screen.Typist.
func (s *Screen[R]) Typing() bool { return s.line.Typing() }

// Update implements screen.Screen.
func (s *Screen[R]) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		return s.follow(msg.Snapshot)
	case tea.KeyMsg:
		switch {
		case s.line.Typing():
			return s.lineKey(msg)
		case msg.Paste || s.src == nil:
		case s.spec.Under != nil && foldKey(msg.String()):
			return s.foldBy(msg.String())
		case s.grid.Key(msg.String()) == component.EffectSorted:
			return s.sortByColumn()
		}
		return nil
	}
	l, ok, cmd := s.lists.Take(msg)
	if ok {
		s.show(l)
		cmd = tea.Batch(cmd, s.seek())
	}
	return cmd
}

// follow takes a newer Snapshot. Where the list is unchanged, rows stay and only
// what the lines about one of them say is drawn anew.
func (s *Screen[R]) follow(snap *cloud.Snapshot) tea.Cmd {
	if snap == s.snap && (s.src != nil || s.lists.Busy()) {
		return nil
	}
	s.snap = snap
	if s.src != nil && !s.lists.Busy() && s.spec.unchanged(s.src.of, snap) {
		s.src.at.Snap = snap
		return nil
	}
	return s.lists.Follow(s.env.Context, s.job(false))
}

// job returns the work that makes the list that is wished for.
// Anew sorts it even where nothing says that its order is another one.
func (s *Screen[R]) job(anew bool) func(context.Context) *rows[R] {
	r := request[R]{anew: anew, spec: &s.spec, at: At{Snap: s.snap, Now: s.env.Clock()}, wish: s.wish, open: s.open.clone()}
	if s.src != nil {
		r.old = s.src.rows
	}
	return func(ctx context.Context) *rows[R] { return build(ctx, r) }
}

// request makes the list because a person asked for another one.
func (s *Screen[R]) request() tea.Cmd { return s.lists.Start(s.env.Context, s.job(false)) }

// show puts a list on the grid.
func (s *Screen[R]) show(l *rows[R]) {
	s.version++
	s.src = &source[R]{rows: l, at: l.at, spec: &s.spec, columns: s.columns(), version: s.version}
	s.grid.SetSource(s.src.forGrid())
	s.showOrder()
	s.line.Matched(s.src.Len())
}

// Refresh draws, sorts and filters the rows anew, for a list that is told something
// of its rows later than they are made.
func (s *Screen[R]) Refresh() tea.Cmd {
	if s.src == nil {
		return nil
	}
	s.version++
	s.src.version = s.version
	s.grid.Invalidate()
	if s.lists.Busy() {
		return nil
	}
	return s.lists.Start(s.env.Context, s.job(true))
}

// Near returns up to n rows around the cursor, those that are likely seen, in the
// order of the list, with the moment that they are of.
func (s *Screen[R]) Near(n int) (At, []R) {
	if s.src == nil {
		return At{Snap: s.snap, Now: s.env.Clock()}, nil
	}
	r, _ := s.grid.Cursor()
	from := max(min(r-n/2, s.src.Len()-n), 0)
	var out []R
	for _, i := range s.src.shown[from:min(from+n, s.src.Len())] {
		out = append(out, s.src.all[i])
	}
	return s.src.at, out
}

// showOrder has the heads of the columns say how the list is sorted.
func (s *Screen[R]) showOrder() {
	if s.src == nil || len(s.spec.Orders) == 0 {
		return
	}
	ShowOrder(s.grid, s.spec.Orders[s.src.wish.order].Column, s.src.wish.desc)
}

// ShowOrder has the heads of a grid's columns say that the rows are sorted by the
// column with that key.
func ShowOrder(g *component.Grid, key string, desc bool) {
	at := slices.IndexFunc(g.Columns(), func(c component.Column) bool { return c.Key == key })
	if col, was := g.Sort(); col != at || was != desc {
		g.SetSort(at, desc)
	}
}

// sortByColumn sorts by what the grid was told to.
func (s *Screen[R]) sortByColumn() tea.Cmd {
	col, desc := s.grid.Sort()
	if col < 0 {
		return nil
	}
	for i, o := range s.spec.Orders {
		if o.Column == s.grid.Columns()[col].Key {
			if s.wish.order != i {
				desc = o.Desc
			}
			s.wish.order, s.wish.desc = i, desc
			return s.request()
		}
	}
	return nil
}

// setFilter reads a filter. One that cannot be read changes nothing.
func (s *Screen[R]) setFilter(expr string) error {
	expr = strings.TrimSpace(expr)
	if _, err := filter.Compile(expr, filter.Rows[R, At]{Fields: s.spec.Fields}); err != nil {
		return err
	}
	if expr != s.wish.expr {
		s.open.shut = nil
	}
	s.wish.expr = expr
	return nil
}

// Back implements screen.Backer: esc first drops a range, marks, the filter.
func (s *Screen[R]) Back() bool {
	switch {
	case s.grid.DropRange() || s.grid.ClearMarks():
		return true
	case s.wish.expr != "":
		s.wish.expr = ""
		s.after = s.request()
		return true
	}
	return false
}

// AfterBack implements screen.AfterBacker.
func (s *Screen[R]) AfterBack() tea.Cmd {
	cmd := s.after
	s.after = nil
	return cmd
}

// lineKey is a key for the filter line. The list follows what is typed.
func (s *Screen[R]) lineKey(msg tea.KeyMsg) tea.Cmd {
	switch s.line.Key(msg, s.setFilter) {
	case FilterChanged:
		return s.request()
	case FilterUndone:
		if s.wish != s.before {
			s.wish = s.before
			return s.request()
		}
	case FilterNone:
	}
	return nil
}

// CursorID returns the id of the row under the cursor, "" where there is none.
func (s *Screen[R]) CursorID() string {
	_, id := s.grid.Cursor()
	return id
}

// HasRow reports whether the list has a row with that id.
func (s *Screen[R]) HasRow(id string) bool { return s.src != nil && s.src.Find(id) >= 0 }

// Current returns the row under the cursor, with the moment it is of, and false
// where there is none.
func (s *Screen[R]) Current() (At, R, bool) { return s.current() }

func (s *Screen[R]) current() (At, R, bool) {
	r, id := s.grid.Cursor()
	if s.src == nil || id == "" {
		var none R
		return At{Snap: s.snap, Now: s.env.Clock()}, none, false
	}
	return s.src.at, s.src.row(r), true
}
