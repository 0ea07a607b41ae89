package list

import (
	"strings"

	"github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Table implements screen.Tabler: the shown columns, whatever fits, with the class that
// amounts are of and the uuid, of the marked rows, or else of all that pass the filter.
// Amounts are numbers there, not bars or words.
func (s *Screen) Table() (format.Table, bool) {
	if s.src == nil {
		return format.Table{}, false
	}
	t := format.Table{Name: strings.ReplaceAll(s.form.Name, " ", "-")}
	var cells []func(i int) format.Cell
	for _, c := range s.exportedColumns() {
		if c == s.form.ofClass {
			class := format.Cell{Text: string(s.src.wish.class)}
			t.Heads = append(t.Heads, "class")
			cells = append(cells, func(int) format.Cell { return class })
		}
		t.Heads = append(t.Heads, s.form.Columns[c].Key)
		cells = append(cells, s.written(c))
	}
	for _, i := range s.exported() {
		row := make([]format.Cell, len(cells))
		for n, cell := range cells {
			row[n] = cell(i)
		}
		t.Rows = append(t.Rows, row)
	}
	return t, true
}

// exportedColumns returns the columns to export: those that the user has picked, or else
// also those that a narrow list lacks, and the uuid, by which other tools find a row, but no
// bars, which stand beside their numbers.
func (s *Screen) exportedColumns() []int {
	if s.picked != nil {
		return s.pickedColumns()
	}
	var out []int
	for i, c := range s.form.Columns {
		if c.Key == "uuid" || c.Key != "bar" && !s.form.spare(i) && (s.full || !s.form.Columns[i].Wide) {
			out = append(out, i)
		}
	}
	return out
}

// exported returns the rows to export: the marked ones, or else all that pass the filter,
// folded away or not.
func (s *Screen) exported() []int {
	var out []int
	if s.grid.Marked() > 0 {
		for _, id := range s.grid.Chosen() {
			if i := s.src.find(id); i >= 0 {
				out = append(out, i)
			}
		}
		return out
	}
	rows := s.src.order
	if s.form.Heads {
		rows = s.src.shown
	}
	for _, i := range rows {
		if !s.src.context(s.form, i) {
			out = append(out, int(i))
		}
	}
	return out
}

// written returns a function that returns the exported cell of a column.
func (s *Screen) written(column int) func(i int) format.Cell {
	at, all, own := s.src.at, s.src.all, s.form.Columns[column]
	if f, ok := s.form.field(own.Key); ok {
		get, of := f.Get(at), s.form.rowsOf(f, at)
		return func(i int) format.Cell {
			v := get(of(all[i])).Kept()
			return format.Cell{Text: v.String(), Value: v}
		}
	}
	// Only its drawn form is known.
	l := component.NewLine(style.NewPlain(s.env.Styles.Palette(), s.env.Styles.Glyphs), drawnWidth)
	return func(i int) format.Cell {
		l.Reset(drawnWidth)
		own.Cell(l, all[i], at)
		return format.Cell{Text: strings.TrimSpace(l.String())}
	}
}

// drawnWidth is the width of a cell that is exported in its drawn form, in cells.
const drawnWidth = 60

// Copies implements screen.Copier.
func (s *Screen) Copies() []screen.CopyMsg {
	at, i, ok := s.current()
	if !ok {
		return nil
	}
	if s.form.kind == nil {
		return []screen.CopyMsg{{What: "name", Text: s.form.Text(s.src.all[i])}, {What: "row", Text: s.rowText(i)}}
	}
	return panel.Copies(s.form.kind, at, s.form.Of(at)(s.src.all[i]))
}

// rowText returns a row as a line of text.
func (s *Screen) rowText(i int) string {
	var parts []string
	for _, c := range s.columns() {
		if text := s.written(c)(i).Text; text != "" {
			parts = append(parts, s.form.Columns[c].Key+" "+text)
		}
	}
	return strings.Join(parts, ", ")
}
