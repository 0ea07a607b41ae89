package whatif

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// numbered names rows by position.
func numbered(row int) string { return fmt.Sprint(row) }

// newTable returns the empty table of a section.
func newTable(st *style.Styles, columns []component.Column) *component.Grid {
	g := component.NewGrid(st, nil, columns)
	g.Shy = true
	return g
}

// newTables returns the tables of the sections that have one.
func newTables(st *style.Styles) [sections]*component.Grid {
	return [sections]*component.Grid{
		sectionFilters: newTable(st, filterColumns()),
		sectionList:    newTable(st, listColumns()),
		sectionFunnel:  newTable(st, funnelColumns()),
		sectionWays:    newTable(st, wayColumns()),
		sectionMisses:  newTable(st, missColumns(nil, 0)),
	}
}

// fill fills the tables: after each answer, and when other rows of it are to be shown.
// Each cursor stays on its row.
func (s *Screen) fill() {
	s.tables[sectionFilters].SetSource(s.filterSource())
	if s.ans == nil {
		return
	}
	s.arrange()
	s.tables[sectionList].SetSource(s.listSource())
	s.tables[sectionFunnel].SetSource(s.funnelSource(s.ans))
	s.tables[sectionWays].SetSource(s.waySource())
	s.tables[sectionWays].Empty = component.Seg{Token: themes.Dim, Text: s.noWays()}
	s.tests = testsOf(s.near)
	s.tables[sectionMisses].SetColumns(missColumns(s.tests, 0))
	s.tables[sectionMisses].SetSource(s.missSource(s.tests))
	s.tables[sectionMisses].Empty = component.Seg{Token: themes.Dim, Text: s.noMisses()}
}

// row returns the row under the cursor of a section, -1 for none.
func (s *Screen) row(p section) int {
	if p == sectionQuery {
		group, _ := s.amountAt(s.cell)
		return group
	}
	row, _ := s.tables[p].Cursor()
	return row
}

// rows returns how many rows of a section the cursor can be on.
func (s *Screen) rows(p section) int {
	if p == sectionQuery {
		return len(s.query.Groups)
	}
	return s.tables[p].Len()
}

// table draws the table of a section as h lines.
func (s *Screen) table(p section, w, h int) []string {
	if p == sectionMisses {
		s.tables[p].SetColumns(missColumns(s.tests, w)) // their heads are as long as there is room
	}
	return drawn(s.tables[p], s.panel == p, w, h)
}

// headFrom is from how many lines a table has headings, if its columns are titled.
const headFrom = 6

// drawn draws a table as h lines. What it shows may depend on more than its rows.
func drawn(g *component.Grid, focused bool, w, h int) []string {
	if h <= 0 {
		return nil
	}
	g.Blurred, g.NoHeader = !focused, h < headFrom || g.Columns()[0].Title == ""
	g.Invalidate()
	return strings.Split(g.View(w, h), "\n")
}
