package page

import (
	"strings"

	"github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Table implements screen.Tabler: the focused table.
func (s *Screen[T]) Table() (format.Table, bool) {
	if s.lost != "" || s.page.Focused().Grid == nil {
		return format.Table{}, false
	}
	return gridTable(s.spec.Name, s.page.Focused(), s.env.Styles), true
}

// Copies implements screen.Copier.
func (s *Screen[T]) Copies() []screen.CopyMsg {
	switch {
	case s.lost != "":
		return nil
	case s.spec.Kind == "":
		return []screen.CopyMsg{{What: "name", Text: s.title}}
	}
	t := s.described()
	return panel.Copies(t.Kind, t.At, t.Row)
}

// described returns the thing as its kind sees it.
func (s *Screen[T]) described() panel.Subject {
	return panel.Subject{Kind: s.kind, At: s.at(), Row: s.spec.Of(s.thing)}
}

// told returns the keys for details of the thing, except those that the page itself uses.
func (s *Screen[T]) told(own []action.Action) []action.Action {
	if s.spec.Kind == "" {
		return nil
	}
	return panel.Describing(s.spec.Name, s.env, s.kind, own, "", s.described)
}

// cellWidth is the width of an exported cell in its drawn form, in cells.
const cellWidth = 80

// gridTable returns a table in its drawn form.
func gridTable(name string, section *Section, st *style.Styles) format.Table {
	title, _, _ := strings.Cut(strings.ToLower(section.Title), " ")
	t := format.Table{Name: name + "-" + title}
	src, cols := section.Grid.Rows(), section.Grid.Columns()
	for _, c := range cols {
		t.Heads = append(t.Heads, c.Key)
	}
	l := component.NewLine(style.NewPlain(st.Palette(), st.Glyphs), cellWidth)
	for r := range section.Grid.Len() {
		row := make([]format.Cell, len(cols))
		for i := range cols {
			src.Draw(l.Reset(cellWidth), r, i)
			row[i].Text = strings.TrimSpace(l.String())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
