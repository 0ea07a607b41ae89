package list

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// A Spec is split into what it says of the list as a whole, its form, and what it says of
// single rows, a listing. Neither depends on the type of rows. What does is compiled once
// for all rows that are pointers, and again for each other type, in every package that
// sees it: so rows are pointers.

// form is what a Spec says of the list as a whole.
type form struct {
	name, crumb, thing, filterHelp string
	same                           func(old, new *cloud.Snapshot) bool
	count                          func(snap *cloud.Snapshot) int
	kind                           *kinds.Kind // nil for none
	common                         bool        // rows depend only on the Snapshot
	own                            []string    // the names of Spec.Fields
	columns                        []component.Column
	looks                          []look // of each column
	wide                           []bool // of each column
	tight                          []int  // of each column
	spare                          []bool // of each column: shown only if the user picks it
	tightened                      bool   // some column has a width for narrow lists
	ofClass                        int    // the column of the class, -1 for none
	orders                         []order
	cycle                          int // how many of orders a key cycles through: the others are those of columns
	empty                          []string
	nothing                        func() []string
	unmatched                      func(expr string) []string

	live                                         []string
	sideKeys                                     string
	class                                        func(snap *cloud.Snapshot) placement.ResourceClass
	also                                         *Also
	notable                                      string
	nested, graded, detailed, topped, side, half bool
	unfolded, heads, flat, topFirst, sorted      bool
	follows, summed                              bool
	provider                                     func(id string) placement.ProviderID
	lines, atOnce                                int
	reads                                        bool
}

// order is an Order without its Key.
type order struct {
	name, column string
	desc, keyed  bool
	by           field // if it is not keyed
}

func formOf[R any](s *Spec[R]) *form {
	if k := reflect.TypeFor[R]().Kind(); k != reflect.Pointer && k != reflect.Interface {
		panic(s.Name + " have rows that are not pointers")
	}
	if s.Found != nil {
		s.Fields = append(slices.Clone(s.Fields), ProblemField(s.Found))
		s.Notable = "problem:?"
		of := s.Severity
		s.Severity = func(row R, at At) style.Severity {
			worst := panel.Worst(s.Found(row))
			if of != nil {
				worst = max(worst, of(row, at))
			}
			return worst
		}
	}
	f := &form{
		name: s.Name, crumb: cmp.Or(s.Crumb, s.Name), thing: s.Thing, filterHelp: s.FilterHelp, same: s.Unchanged, count: s.Count, empty: s.Empty, nothing: s.Nothing, unmatched: s.Unmatched,
		nested: s.Under != nil || s.Place != nil, graded: s.Severity != nil, detailed: s.Detail != nil || s.More != nil || s.Kind != "" && s.Rows == nil, topped: s.Top != nil, summed: s.Sum != nil, side: s.Side, half: s.Half,
		unfolded: s.Open, heads: s.Heads, flat: s.Flat, topFirst: s.TopFirst, sorted: s.Sorted, class: s.Class, also: s.Also, notable: s.Notable, live: s.Live, lines: s.Lines, atOnce: s.AtOnce, reads: s.Reads, sideKeys: s.SideKeys,
		follows: s.Follows, ofClass: -1, provider: s.Provider, common: s.Common || s.Rows == nil,
	}
	if s.Kind != "" {
		f.kind = kinds.Of(s.Kind)
		if s.Rows == nil {
			f.graded = f.graded || f.kind.Graded()
			if s.Unchanged == nil {
				f.same = f.kind.Unchanged
			}
		}
	}
	for _, own := range s.Fields {
		f.own = append(f.own, own.Name)
	}
	for _, o := range s.Orders {
		f.addOrder(order{name: o.Name, column: o.Column, desc: o.Desc, keyed: o.Key != nil})
	}
	f.cycle = len(f.orders)
	for _, c := range s.Columns {
		f.orderBy(c.Key)
		f.addColumn(c.Column, look{drawn: c.Cell != nil, token: c.Token, toned: c.Tone != nil}, c.Wide)
		if c.OfClass {
			f.ofClass = len(f.columns) - 1
		}
		if f.tight = append(f.tight, c.Tight); c.Tight > 0 {
			f.tightened = true
		}
	}
	f.addSpares()
	return f
}

// orderBy lets the list be sorted by its own column for a field.
func (f *form) orderBy(column string) {
	if f.cycle == 0 || slices.ContainsFunc(f.orders, func(o order) bool { return o.column == column }) {
		return
	}
	if by, ok := f.field(column); ok {
		f.orders = append(f.orders, order{name: column, column: column, by: by, desc: by.kind != nil && by.kind.Type.Number()})
	}
}

// addSpares adds a column for each field of the kind that has none, for users to pick.
func (f *form) addSpares() {
	f.spare = make([]bool, len(f.columns))
	if f.kind == nil {
		return
	}
	for _, of := range f.kind.Fields {
		key := of.Asked()
		if slices.ContainsFunc(f.columns, func(c component.Column) bool { return c.Key == key || c.Key == of.Name }) {
			continue
		}
		f.orderBy(key)
		f.addColumn(plain(of, 9), look{}, false)
		f.spare, f.tight = append(f.spare, true), append(f.tight, 0)
	}
}

// plain is a column that shows a field as its type is usually shown.
func plain(f *kinds.Field, priority int) component.Column {
	key, flex := f.Asked(), 1
	switch f.Type {
	case kinds.ID: // it need not show that it was cut
		flex = 2
	case kinds.Count, kinds.Ratio, kinds.Bool, kinds.Time, kinds.Owner:
		flex = 0
	case kinds.Words, kinds.Text:
	}
	return component.Column{Key: key, Title: headOf(key), Min: max(len(key), typeWidth(f.Type)), Max: typeMost(f.Type), Flex: flex, Priority: priority}
}

// headOf is the heading of a column for a field.
func headOf(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "_", " ")) }

// typeWidth is the least width of a column of a type, typeMost the largest, in cells.
func typeWidth(t kinds.Type) int {
	switch t {
	case kinds.ID:
		return 8
	case kinds.Words, kinds.Text:
		return 10
	case kinds.Count, kinds.Ratio, kinds.Bool, kinds.Time, kinds.Owner:
	}
	return 4
}

func typeMost(t kinds.Type) int {
	switch t {
	case kinds.ID:
		return 36
	case kinds.Words, kinds.Text:
		return 40
	case kinds.Count, kinds.Ratio, kinds.Bool, kinds.Time, kinds.Owner:
	}
	return 10
}

// addOrder adds an order, by the field of its name, else by that of its column.
func (f *form) addOrder(o order) {
	if !o.keyed {
		by, ok := f.field(o.name)
		if !ok {
			by, ok = f.field(o.column)
		}
		if !ok {
			panic(f.name + " have nothing to sort by " + o.name)
		}
		o.by = by
	}
	o.column = cmp.Or(o.column, o.name)
	f.orders = append(f.orders, o)
}

func (f *form) addColumn(c component.Column, l look, wide bool) {
	c.NoSort = !slices.ContainsFunc(f.orders, func(o order) bool { return o.column == c.Key })
	l = f.lookOf(&c, l, len(f.columns) == 0)
	f.columns, f.looks, f.wide = append(f.columns, c), append(f.looks, l), append(f.wide, wide)
}

// unchanged reports whether the rows of one Snapshot are right for another.
func (f *form) unchanged(old, new *cloud.Snapshot) bool {
	return old == new || f.same != nil && f.same(old, new)
}

// listing is the rows of a Snapshot, by number, with what a Spec says of single ones.
type listing struct {
	rows any // []R
	n    int // how many they are
	typ  any // tells listings of different R apart

	// read returns the listing of another Snapshot, and with that of other rows, which are
	// shared.
	read func(ctx context.Context, f *form, snap *cloud.Snapshot) *listing
	with func(rows any) *listing
	// actions returns the actions of a list of such rows.
	actions func(s *Screen) []action.Action

	rowsAt func(at At) func(i int) kinds.Row // in the form of the list's kind
	own    func(field int, at At) func(i int) filter.Value
	top    func(on int, a Area) []string
	sum    func(rows []int, at At) string
	id     func(i int) string
	text   func(i int) (text string, ok bool) // ok is false if the kind has the text
	ups    func(ids []string) []int32         // the parent of each row, -1 for none
	key    func(order, i int, at At) Key
	cell   func(l *component.Line, column, i int, at At)
	token  func(column, i int, at At) themes.Token
	// severity, title and detail are nil if the kind has them; found and more are nil for none.
	severity func(i int, at At) style.Severity
	title    func(i int, at At) (title, note string)
	detail   func(i int, a Area) []string
	found    func(i int) []audit.Finding
	more     func(i int, a Area) []string
}

// listingOf is the listing of some rows.
func listingOf[R any](spec *Spec[R], rows []R) *listing {
	l := &listing{
		rows: rows, n: len(rows), typ: (*R)(nil),
		read: func(ctx context.Context, f *form, snap *cloud.Snapshot) *listing {
			return listingOf(spec, read(ctx, spec, f, snap))
		},
		with:    func(rows any) *listing { return listingOf(spec, rows.([]R)) }, // they are shared by what they are
		actions: func(*Screen) []action.Action { return nil },
		rowsAt:  func(At) func(i int) kinds.Row { return func(i int) kinds.Row { return rows[i] } },
		own: func(field int, at At) func(i int) filter.Value {
			get := spec.Fields[field].Open(at)
			return func(i int) filter.Value { return get(rows[i]) }
		},
		top: func(on int, a Area) []string { return spec.Top(rows, on, a) },
		sum: func(which []int, at At) string {
			some := make([]R, len(which))
			for n, i := range which {
				some[n] = rows[i]
			}
			return spec.Sum(some, at)
		},
		id:    func(i int) string { return spec.ID(rows[i]) },
		text:  func(int) (string, bool) { return "", false },
		ups:   func(ids []string) []int32 { return upsByID(ids, func(i int) string { return spec.Under(rows[i]) }) },
		key:   func(order, i int, at At) Key { return spec.Orders[order].Key(rows[i], at) },
		cell:  func(to *component.Line, column, i int, at At) { spec.Columns[column].Cell(to, rows[i], at) },
		token: func(column, i int, at At) themes.Token { return spec.Columns[column].Tone(rows[i], at) },
	}
	if spec.Severity != nil {
		l.severity = func(i int, at At) style.Severity { return spec.Severity(rows[i], at) }
	}
	if spec.Title != nil {
		l.title = func(i int, at At) (title, note string) { return spec.Title(rows[i], at) }
	}
	if spec.Detail != nil {
		l.detail = func(i int, a Area) []string { return spec.Detail(rows[i], a) }
	}
	if spec.Found != nil {
		l.found = func(i int) []audit.Finding { return spec.Found(rows[i]) }
	}
	if spec.More != nil {
		l.more = func(i int, a Area) []string { return spec.More(rows[i], a) }
	}
	if spec.Actions != nil {
		l.actions = func(s *Screen) []action.Action { return spec.Actions(here[R](s, spec.Thing)) }
	}
	if spec.Of != nil {
		l.rowsAt = func(at At) func(i int) kinds.Row {
			of := spec.Of(at)
			return func(i int) kinds.Row { return of(rows[i]) }
		}
	}
	if spec.Place != nil {
		l.ups = func(ids []string) []int32 {
			return upsByNumber(len(ids), func(i int) (own, under int) { return spec.Place(rows[i]) })
		}
	}
	if spec.Text != nil {
		l.text = func(i int) (string, bool) { return spec.Text(rows[i]), true }
	}
	return l
}

// read returns all rows of a Snapshot.
func read[R any](ctx context.Context, spec *Spec[R], f *form, snap *cloud.Snapshot) []R {
	if spec.Rows != nil {
		return spec.Rows(ctx, snap)
	}
	var rows []R
	for row := range f.kind.Rows(At{Snap: snap}, false) {
		if len(rows)%chunk == 0 && ctx.Err() != nil {
			break
		}
		rows = append(rows, row.(R)) // the rows of a kind have one type
	}
	return rows
}

// rowsOf returns the rows of a list, which must be of R.
func rowsOf[R any](l *listing) []R { return l.rows.([]R) } // the caller knows

// here returns the cursor of a list.
func here[R any](s *Screen, thing string) Here[R] {
	h := Here[R]{List: s}
	var ok bool
	if h.At, h.Row, ok = Current[R](s); !ok {
		h.Nothing = "no " + thing + " under the cursor"
		if r := reflect.TypeFor[R](); r.Kind() == reflect.Pointer {
			h.Row = reflect.New(r.Elem()).Interface().(R) // that is R
		}
	}
	if s.asked {
		h.Nothing = s.form.name + ": still being read"
	}
	return h
}

// Pointers returns rows as a list has them.
func Pointers[E any](rows []E) []*E {
	out := make([]*E, len(rows))
	for i := range rows {
		out[i] = &rows[i]
	}
	return out
}
