package list

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
)

// Screen is a list of R. It is made by New.
type Screen[R any] struct{ Base }

// Base is all of a Screen that does not depend on what its rows are, so that the
// screens of many kinds of rows share the code of one.
type Base struct {
	form *form
	from listing // what makes rows; it has none itself
	env  screen.Env
	snap *cloud.Snapshot // the newest
	wish wish            // what is asked for; that of src may be an older one

	src     *source // what is shown; nil before the first list is there
	grid    *component.Grid
	version uint64
	full    bool // all columns are wanted, in all of the width
	open    folds
	sought  func(all listing, i int) bool // what the cursor goes to once there are rows; nil for nothing

	line   FilterLine
	before wish // to go back to when the filter line is cancelled
	split  Split

	lists screen.Task[*rows]
	after tea.Cmd
}

// New returns the screen over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New[R any](spec Spec[R], env screen.Env, snap *cloud.Snapshot, filter string) *Screen[R] {
	return &Screen[R]{newBase(formOf(&spec), listed[R]{spec: &spec}, env, snap, filter)}
}

func newBase(f *form, from listing, env screen.Env, snap *cloud.Snapshot, filter string) Base {
	s := Base{form: f, from: from, env: env, snap: snap}
	s.lists.Clock = env.Clock
	s.wish.desc = len(f.orders) > 0 && f.orders[0].desc
	s.grid = component.NewGrid(env.Styles, nil, s.gridColumns())
	if err := s.setFilter(filter); err != nil {
		s.before = s.wish
		s.line.Refuse(env.Styles, filter, err)
	}
	return s
}

// columns returns which columns are shown.
func (s *Base) columns() []int {
	out := make([]int, 0, len(s.form.columns))
	for i := range s.form.columns {
		if s.full || !s.form.wide[i] {
			out = append(out, i)
		}
	}
	return out
}

// gridColumns returns the columns that are shown as a grid takes them.
func (s *Base) gridColumns() []component.Column {
	var out []component.Column
	for _, i := range s.columns() {
		out = append(out, s.form.columns[i])
	}
	return out
}

// Init implements screen.Screen.
func (s *Base) Init() tea.Cmd { return s.request() }

// Title implements screen.Screen.
func (s *Base) Title() string { return s.form.name }

// count returns how many rows there are without a filter, in words, "" where that
// is not known yet.
func (s *Base) count() string {
	switch {
	case s.form.count != nil:
		return component.Count(int64(s.form.count(s.snap)))
	case s.src != nil:
		return component.Count(int64(s.src.all.len()))
	}
	return ""
}

// Status implements screen.Stater.
func (s *Base) Status() string {
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
func (s *Base) SortedBy() string {
	if len(s.form.orders) == 0 {
		return ""
	}
	arrow := s.env.Styles.Glyphs.SortUp
	if s.wish.desc {
		arrow = s.env.Styles.Glyphs.SortDown
	}
	return "sort " + s.form.orders[s.wish.order].name + " " + arrow
}

// Typing implements screen.Typist.
func (s *Base) Typing() bool { return s.line.Typing() }

// Update implements screen.Screen.
func (s *Base) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		return s.follow(msg.Snapshot)
	case tea.KeyMsg:
		switch {
		case s.line.Typing():
			return s.lineKey(msg)
		case msg.Paste || s.src == nil:
		case s.form.nested && foldKey(msg.String()):
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
func (s *Base) follow(snap *cloud.Snapshot) tea.Cmd {
	if snap == s.snap && (s.src != nil || s.lists.Busy()) {
		return nil
	}
	s.snap = snap
	if s.src != nil && !s.lists.Busy() && s.form.unchanged(s.src.of, snap) {
		s.src.at.Snap = snap
		return nil
	}
	return s.lists.Follow(s.env.Context, s.job(false))
}

// job returns the work that makes the list that is wished for.
// Anew sorts it even where nothing says that its order is another one.
func (s *Base) job(anew bool) func(context.Context) *rows {
	r := request{anew: anew, form: s.form, from: s.from, at: At{Snap: s.snap, Now: s.env.Clock()}, wish: s.wish, open: s.open.clone()}
	if s.src != nil {
		r.old = s.src.rows
	}
	return func(ctx context.Context) *rows { return build(ctx, r) }
}

// request makes the list because a person asked for another one.
func (s *Base) request() tea.Cmd { return s.lists.Start(s.env.Context, s.job(false)) }

// show puts a list on the grid.
func (s *Base) show(l *rows) {
	s.version++
	s.src = &source{rows: l, at: l.at, graded: s.form.graded, columns: s.columns(), version: s.version}
	s.grid.SetSource(s.src.forGrid())
	s.showOrder()
	s.line.Matched(s.src.Len())
}

// Refresh draws, sorts and filters the rows anew, for a list that is told something
// of its rows later than they are made.
func (s *Base) Refresh() tea.Cmd {
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
		out = append(out, s.src.all.(listed[R]).rows[i])
	}
	return s.src.at, out
}

// showOrder has the heads of the columns say how the list is sorted.
func (s *Base) showOrder() {
	if s.src == nil || len(s.form.orders) == 0 {
		return
	}
	ShowOrder(s.grid, s.form.orders[s.src.wish.order].column, s.src.wish.desc)
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
func (s *Base) sortByColumn() tea.Cmd {
	col, desc := s.grid.Sort()
	if col < 0 {
		return nil
	}
	for i, o := range s.form.orders {
		if o.column == s.grid.Columns()[col].Key {
			if s.wish.order != i {
				desc = o.desc
			}
			s.wish.order, s.wish.desc = i, desc
			return s.request()
		}
	}
	return nil
}

// setFilter reads a filter. One that cannot be read changes nothing.
func (s *Base) setFilter(expr string) error {
	expr = strings.TrimSpace(expr)
	if _, err := s.from.filter(expr, At{}); err != nil {
		return err
	}
	if expr != s.wish.expr {
		s.open.shut = nil
	}
	s.wish.expr = expr
	return nil
}

// Back implements screen.Backer: esc first drops a range, marks, the filter.
func (s *Base) Back() bool {
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
func (s *Base) AfterBack() tea.Cmd {
	cmd := s.after
	s.after = nil
	return cmd
}

// lineKey is a key for the filter line. The list follows what is typed.
func (s *Base) lineKey(msg tea.KeyMsg) tea.Cmd {
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
func (s *Base) CursorID() string {
	_, id := s.grid.Cursor()
	return id
}

// HasRow reports whether the list has a row with that id.
func (s *Base) HasRow(id string) bool { return s.src != nil && s.src.Find(id) >= 0 }

// Current returns the row under the cursor, with the moment it is of, and false
// where there is none.
func (s *Screen[R]) Current() (At, R, bool) { return current[R](&s.Base) }

func current[R any](s *Base) (at At, row R, ok bool) {
	at, i, ok := s.current()
	if ok {
		row = s.src.all.(listed[R]).rows[i]
	}
	return at, row, ok
}

// current returns which of all rows is under the cursor.
func (s *Base) current() (at At, i int, ok bool) {
	r, id := s.grid.Cursor()
	if s.src == nil || id == "" {
		return At{Snap: s.snap, Now: s.env.Clock()}, 0, false
	}
	return s.src.at, s.src.row(r), true
}
