package list

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/tui/part/component"
)

// What depends on the type of rows is compiled once for all rows that are pointers, and again
// for each other type, in every package that sees it: so rows are pointers, and a Screen has
// its Spec for rows of any type.

// form is a Spec, with what follows from it.
type form struct {
	Spec[any]
	typ       reflect.Type // of the rows
	kind      *kinds.Kind  // nil for none
	shows     []field      // of each column that the list does not draw itself
	own       int          // how many columns the Spec has; the user may pick those after them
	tightened bool         // some column has a width for narrow lists
	ofClass   int          // the column of the class, -1 for none
	orders    []order
	cycle     int // how many of orders a key cycles through: the others are those of columns

	nested, graded, detailed bool
}

// order is an Order, and the field that it sorts by if it has no Key.
type order struct {
	Order[any]
	by field
}

func newForm(s Spec[any], typ reflect.Type) *form {
	if k := typ.Kind(); k != reflect.Pointer && k != reflect.Interface {
		panic(s.Name + " have rows that are not pointers")
	}
	if s.Found != nil {
		s.Fields = append(s.Fields, ProblemField(s.Found))
		s.Notable = "problem:?"
	}
	f := &form{
		typ: typ, ofClass: -1,
		nested: s.Place != nil, graded: s.Severity != nil || s.Found != nil, detailed: s.Detail != nil || s.More != nil || s.Kind != "" && s.Rows == nil,
	}
	s.Crumb = cmp.Or(s.Crumb, s.Name)
	s.Common = s.Common || s.Rows == nil
	if s.Of == nil {
		s.Of = func(At) func(row any) kinds.Row { return func(row any) kinds.Row { return row } }
	}
	if s.Kind != "" {
		f.kind = kinds.Of(s.Kind)
	}
	if s.Rows == nil {
		f.graded = f.graded || f.kind.Graded()
		if s.Unchanged == nil {
			s.Unchanged = f.kind.Unchanged
		}
		s.Rows = f.rowsOfKind
	}
	f.Spec, f.own = s, len(s.Columns)
	for _, o := range s.Orders {
		f.addOrder(order{Order: o})
	}
	f.cycle = len(f.orders)
	for i, c := range s.Columns {
		f.orderBy(c.Key)
		f.addColumn(c, i == 0)
		if c.OfClass {
			f.ofClass = i
		}
		f.tightened = f.tightened || c.Tight > 0
	}
	f.addSpares()
	return f
}

// orderBy lets the list be sorted by its own column for a field.
func (f *form) orderBy(column string) {
	if f.cycle == 0 || slices.ContainsFunc(f.orders, func(o order) bool { return o.Column == column }) {
		return
	}
	if by, ok := f.field(column); ok {
		f.orders = append(f.orders, order{Order[any]{Name: column, Column: column, Desc: !by.own && by.Type.Number()}, by})
	}
}

// addSpares adds a column for each field of the kind that has none, for users to pick.
func (f *form) addSpares() {
	if f.kind == nil {
		return
	}
	for _, of := range f.kind.Fields {
		key := of.Asked()
		if slices.ContainsFunc(f.Columns, func(c *Column) bool { return c.Key == key || c.Key == of.Name }) {
			continue
		}
		f.orderBy(key)
		c := &Column{Column: plain(of, 9)}
		f.Columns = append(f.Columns, c)
		f.addColumn(c, false)
	}
}

// spare reports whether a column is shown only if the user picks it.
func (f *form) spare(column int) bool { return column >= f.own }

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
	if o.Key == nil {
		by, ok := f.field(o.Name)
		if !ok {
			by, ok = f.field(o.Column)
		}
		if !ok {
			panic(f.Name + " have nothing to sort by " + o.Name)
		}
		o.by = by
	}
	o.Column = cmp.Or(o.Column, o.Name)
	f.orders = append(f.orders, o)
}

// addColumn says what a column shows.
func (f *form) addColumn(c *Column, first bool) {
	var shows field
	if c.Cell == nil {
		shows = f.showIn(&c.Column, &c.Token, first)
	}
	f.shows = append(f.shows, shows)
}

// unchanged reports whether the rows of one Snapshot are right for another.
func (f *form) unchanged(old, new *cloud.Snapshot) bool {
	return old == new || f.Unchanged != nil && f.Unchanged(old, new)
}

// rowsOfKind returns all rows that the kind has in a Snapshot.
func (f *form) rowsOfKind(ctx context.Context, snap *cloud.Snapshot) []any {
	var rows []any
	for row := range f.kind.Rows(At{Snap: snap}, false) {
		if len(rows)%chunk == 0 && ctx.Err() != nil {
			break
		}
		rows = append(rows, row)
	}
	return rows
}

// here returns the cursor of a list.
func (s *Screen) here() Here[any] {
	h := Here[any]{List: s}
	var ok bool
	if h.At, h.Row, ok = Current[any](s); !ok {
		h.Nothing = "no " + s.form.Thing + " under the cursor"
	}
	if s.asked {
		h.Nothing = s.form.Name + ": still being read"
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
