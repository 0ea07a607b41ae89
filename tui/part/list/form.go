package list

import (
	"context"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// A Spec is taken apart into what it says of the list as a whole, its form, and
// what it says of single rows, a listing. Neither shows what the rows are: a generic
// type is compiled anew for each type of rows, in every package that sees it.

// form is what a Spec says of the list as a whole.
type form struct {
	name, thing, filterHelp string
	same                    func(old, new *cloud.Snapshot) bool
	count                   func(snap *cloud.Snapshot) int
	columns                 []component.Column
	wide                    []bool // of each column
	orders                  []order
	empty                   []string
	nothing                 func() []string

	nested, graded, detailed, topped, side, half bool
}

// order is an Order without its Key.
type order struct {
	name, column string
	desc         bool
}

func formOf[R any](s *Spec[R]) *form {
	f := &form{
		name: s.Name, thing: s.Thing, filterHelp: s.FilterHelp, same: s.Unchanged, count: s.Count, empty: s.Empty, nothing: s.Nothing,
		nested: s.Under != nil, graded: s.Severity != nil, detailed: s.Detail != nil, topped: s.Top != nil, side: s.Side, half: s.Half,
	}
	for _, o := range s.Orders {
		f.orders = append(f.orders, order{o.Name, o.Column, o.Desc})
	}
	for _, c := range s.Columns {
		c.NoSort = !slices.ContainsFunc(f.orders, func(o order) bool { return o.column == c.Key })
		f.columns, f.wide = append(f.columns, c.Column), append(f.wide, c.Wide)
	}
	return f
}

// unchanged reports whether the rows of a Snapshot are good for another one.
func (f *form) unchanged(old, new *cloud.Snapshot) bool {
	return old == new || f.same != nil && f.same(old, new)
}

// listing is the rows of a Snapshot, each by its number.
type listing interface {
	// read returns the listing of another Snapshot.
	read(ctx context.Context, snap *cloud.Snapshot) listing
	// filter reads a filter, which matches by number.
	filter(expr string, at At) (*filter.Filter, error)
	// actions returns what can be done in a list of such rows.
	actions(s *Base) []action.Action

	len() int
	top(a Area) []string
	id(i int) string
	text(i int) string
	under(i int) string
	key(order, i int, at At) Key
	severity(i int, at At) style.Severity
	cell(l *component.Line, column, i int, at At)
	title(i int, at At) (title, note string)
	detail(i int, a Area) []string
}

// listed is a listing of R.
type listed[R any] struct {
	spec *Spec[R]
	rows []R
}

func (l listed[R]) read(ctx context.Context, snap *cloud.Snapshot) listing {
	return listed[R]{l.spec, l.spec.Rows(ctx, snap)}
}

func (l listed[R]) filter(expr string, at At) (*filter.Filter, error) {
	return filter.Compile(expr, filter.Rows[R, At]{Fields: l.spec.Fields, At: at, Rows: l.rows})
}

func (l listed[R]) actions(s *Base) []action.Action {
	if l.spec.Actions == nil {
		return nil
	}
	h := Here[R]{list: s}
	var ok bool
	if h.At, h.Row, ok = current[R](s); !ok {
		h.Nothing = "no " + l.spec.Thing + " under the cursor"
	}
	return l.spec.Actions(h)
}

func (l listed[R]) len() int                             { return len(l.rows) }
func (l listed[R]) top(a Area) []string                  { return l.spec.Top(l.rows, a) }
func (l listed[R]) id(i int) string                      { return l.spec.ID(l.rows[i]) }
func (l listed[R]) text(i int) string                    { return l.spec.Text(l.rows[i]) }
func (l listed[R]) under(i int) string                   { return l.spec.Under(l.rows[i]) }
func (l listed[R]) key(order, i int, at At) Key          { return l.spec.Orders[order].Key(l.rows[i], at) }
func (l listed[R]) severity(i int, at At) style.Severity { return l.spec.Severity(l.rows[i], at) }
func (l listed[R]) cell(to *component.Line, column, i int, at At) {
	l.spec.Columns[column].Cell(to, l.rows[i], at)
}
func (l listed[R]) detail(i int, a Area) []string { return l.spec.Detail(l.rows[i], a) }

func (l listed[R]) title(i int, at At) (title, note string) {
	if l.spec.Title == nil {
		return l.spec.Text(l.rows[i]), ""
	}
	return l.spec.Title(l.rows[i], at)
}
