package list

import (
	"cmp"
	"strings"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// OwnerCell returns a function that draws a cell with an owner, and nothing if there
// is none.
func OwnerCell[R any](of func(row R, at At) (placement.Owner, bool)) func(*component.Line, R, At) {
	return func(l *component.Line, row R, at At) {
		if o, ok := of(row, at); ok {
			panel.OwnerBadge(l, o)
		}
	}
}

// Bound returns columns of rows of a kind for a table outside a list: those without a
// Cell show the field of their Key.
func Bound(kind *kinds.Kind, columns Columns) Columns {
	f := &form{Spec: Spec[any]{Name: kind.Plural()}, kind: kind}
	for i, c := range columns {
		if c.Cell != nil {
			continue
		}
		shows := f.showIn(&c.Column, &c.Token, i == 0)
		var of At
		var get func(kinds.Row) kinds.CellValue
		c.Cell = func(l *component.Line, row any, at At) {
			if get == nil || of.Snap != at.Snap || shows.Timely() && of.Now != at.Now {
				of, get = at, shows.Draw(at)
			}
			drawField(l, c.Token, shows.Field, get(row), at)
		}
	}
	return columns
}

// showIn returns the field that a column shows, gives it the usual colour, and aligns numbers
// and ages to the right.
func (f *form) showIn(c *component.Column, token *themes.Token, first bool) field {
	of, ok := f.field(c.Key)
	if !ok {
		panic(f.Name + " have no field " + c.Key)
	}
	t := of.Type
	if of.own {
		t = kinds.Text
	}
	if t.Number() || t == kinds.Time {
		c.Align = component.AlignRight
	}
	switch {
	case *token != themes.Blank:
	case first:
		*token = themes.Strong
	case t == kinds.Time:
		*token = themes.Faint
	case t == kinds.ID || t.Number():
		*token = themes.Dim
	default:
		*token = themes.Text
	}
	return of
}

// window has what the columns of a list are drawn with at one moment. What a kind looks
// up for all rows is kept as long as the Snapshot.
type window struct {
	cols   []opened
	grades struct {
		at  At
		get func(row kinds.Row) kinds.Grade
		of  func(row any) kinds.Row
	}
}

type opened struct {
	at  At
	get func(row any) kinds.CellValue
}

// grade returns how bad the worst field of a row is.
func (w *window) grade(f *form, row any, at At) style.Severity {
	g := &w.grades
	if g.get == nil || g.at != at {
		g.at, g.get, g.of = at, f.kind.Grade(at), f.Of(at)
	}
	return panel.Grade(g.get(g.of(row)))
}

// open returns a function that gets what a column shows at some moment.
func (w *window) open(f *form, column int, at At) func(row any) kinds.CellValue {
	if w.cols == nil {
		w.cols = make([]opened, len(f.shows))
	}
	o, shows := &w.cols[column], f.shows[column]
	if !shows.own && !shows.Timely() {
		at.Now = o.at.Now
	}
	if o.get == nil || o.at != at {
		get, of := shows.Draw(at), f.rowsOf(shows, at)
		*o = opened{at, func(row any) kinds.CellValue { return get(of(row)) }}
	}
	return o.get
}

// draw draws the cell of a column in a row.
func (s *source) draw(l *component.Line, column, i int) {
	c, row := s.form.Columns[column], s.all[i]
	if c.Cell != nil {
		c.Cell(l, row, s.at)
		return
	}
	d := s.window.open(s.form, column, s.at)(row)
	drawField(l, cmp.Or(panel.Grade(d.Grade).Token(), c.Token), s.form.shows[column].Field, d, s.at)
}

// drawField draws a field of a kind according to its type.
func drawField(l *component.Line, t themes.Token, f *kinds.Field, d kinds.CellValue, at At) {
	n, unit, counts := d.Amount()
	switch {
	case d.Text != "":
		l.Add(t, d.Text)
	case f.Type == kinds.Time:
		l.Add(t, panel.Age(f.Clock(at), d.Time()))
	case f.Type == kinds.Owner:
		owner, _ := placement.ParseOwner(d.String())
		panel.OwnerBadge(l, owner)
	case counts:
		l.Add(t, component.Amount(n, unit))
	case f.Type == kinds.ID:
		id := d.String()
		l.Add(t, id[:min(len(id), l.Left())])
	case f.Type == kinds.Words && d.Empty():
		l.Add(t, "-")
	case f.Type == kinds.Words:
		l.Add(t, strings.ReplaceAll(d.String(), ",", " "))
	default:
		l.Add(t, d.String())
	}
}

// TextCell returns a function that draws a cell with a text in one colour.
func TextCell[R any](t themes.Token, get func(row R, at At) string) func(*component.Line, R, At) {
	return func(l *component.Line, row R, at At) { l.Add(t, get(row, at)) }
}

// CountCell returns a function that draws a cell with a number of things.
func CountCell[R any](t themes.Token, get func(row R, at At) int64) func(*component.Line, R, At) {
	return func(l *component.Line, row R, at At) {
		l.Add(t, component.Count(get(row, at)))
	}
}
