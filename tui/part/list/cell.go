package list

import (
	"cmp"
	"strings"

	"github.com/placetop/placetop/model/filter"
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
func Bound[R any](kind *kinds.Kind, columns Columns[R]) Columns[R] {
	f := &form{name: kind.Plural(), kind: kind}
	for i, c := range columns {
		look := f.lookOf(&c.Column, look{drawn: c.Cell != nil, token: c.Token, toned: c.Tone != nil}, i == 0)
		if look.drawn {
			continue
		}
		var of At
		var get func(kinds.Row) kinds.Drawn
		c.Cell = func(l *component.Line, row R, at At) {
			if get == nil || of.Snap != at.Snap || look.kind.Timely() && of.Now != at.Now {
				of, get = at, look.kind.Draw(at)
			}
			t := look.token
			if look.toned {
				t = c.Tone(row, at)
			}
			drawField(l, t, look.kind.Type, get(row), at)
		}
	}
	return columns
}

// look is how a column shows a field.
type look struct {
	field
	drawn bool // by the list itself
	token themes.Token
	toned bool // each row has its own colour
}

// lookOf returns how a column is shown, and aligns numbers and ages to the right.
func (f *form) lookOf(c *component.Column, l look, first bool) look {
	if l.drawn {
		return l
	}
	of, ok := f.field(c.Key)
	if !ok {
		panic(f.name + " have no field " + c.Key)
	}
	l.field = of
	t := kinds.Text
	if of.kind != nil {
		t = of.kind.Type
	}
	if t.Number() || t == kinds.Time {
		c.Align = component.AlignRight
	}
	switch {
	case l.token != themes.Blank:
	case first:
		l.token = themes.Strong
	case t == kinds.Time:
		l.token = themes.Faint
	case t == kinds.ID || t.Number():
		l.token = themes.Dim
	default:
		l.token = themes.Text
	}
	return l
}

// window has what the columns of a list are drawn with at one moment. What a kind looks
// up for all rows is kept as long as the Snapshot.
type window struct {
	cols   []opened
	grades opened
}

type opened struct {
	at    At
	own   func(i int) filter.Value
	kind  func(i int) kinds.Drawn
	grade func(i int) kinds.Grade
}

// grade returns how bad the worst field of a row is.
func (w *window) grade(all *listing, kind *kinds.Kind, i int, at At) style.Severity {
	if w.grades.grade == nil || w.grades.at != at {
		get, row := kind.Grade(at), all.rowsAt(at)
		w.grades = opened{at: at, grade: func(i int) kinds.Grade { return get(row(i)) }}
	}
	return panel.Grade(w.grades.grade(i))
}

// open returns a function that gets what a column shows at some moment.
func (w *window) open(all *listing, looks []look, column int, at At) opened {
	if w.cols == nil {
		w.cols = make([]opened, len(looks))
	}
	o, l := &w.cols[column], looks[column]
	switch {
	case l.kind == nil:
		if o.own == nil || o.at != at {
			*o = opened{at: at, own: all.own(l.own, at)}
		}
	case o.kind == nil || o.at.Snap != at.Snap || o.at.Class != at.Class || o.at.Nested != at.Nested || l.kind.Timely() && o.at.Now != at.Now:
		get, row := l.kind.Draw(at), all.rowsAt(at)
		*o = opened{at: at, kind: func(i int) kinds.Drawn { return get(row(i)) }}
	}
	return *o
}

// draw draws the cell of a column in a row.
func (s *source) draw(l *component.Line, column, i int) {
	look := s.form.looks[column]
	if look.drawn {
		s.all.cell(l, column, i, s.at)
		return
	}
	t := look.token
	if look.toned {
		t = s.all.token(column, i, s.at)
	}
	o := s.window.open(s.all, s.form.looks, column, s.at)
	if look.kind == nil {
		drawValue(l, t, o.own(i))
		return
	}
	d := o.kind(i)
	if !look.toned {
		t = cmp.Or(panel.Grade(d.Grade).Token(), t)
	}
	drawField(l, t, look.kind.Type, d, s.at)
}

// drawValue draws a value of the list's own.
func drawValue(l *component.Line, t themes.Token, v filter.Value) {
	switch {
	case v.IsNum:
		var buf [48]byte
		l.AddBytes(t, component.AppendAmount(buf[:0], int64(v.Num), v.Unit))
	case v.Text == "":
		l.Add(t, strings.Join(v.List, " "))
	default:
		l.Add(t, v.Text)
	}
}

// drawField draws a field of a kind according to its type.
func drawField(l *component.Line, t themes.Token, typ kinds.Type, d kinds.Drawn, at At) {
	n, unit, counts := d.Amount()
	switch {
	case d.Text != "":
		l.Add(t, d.Text)
	case typ == kinds.Time:
		l.Add(t, panel.Age(at.Now, d.Time()))
	case typ == kinds.Owner:
		owner, _ := placement.ParseOwner(d.String())
		panel.OwnerBadge(l, owner)
	case counts:
		var buf [48]byte
		l.AddBytes(t, component.AppendAmount(buf[:0], n, unit))
	case typ == kinds.ID:
		id := d.String()
		l.Add(t, id[:min(len(id), l.Left())])
	case typ == kinds.Words && d.Empty():
		l.Add(t, "-")
	case typ == kinds.Words:
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
		var buf [32]byte
		l.AddBytes(t, component.AppendCount(buf[:0], get(row, at)))
	}
}
