package whatif

import (
	"fmt"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
)

// listLines draws the candidates on h lines, grouped by tree.
func (s *Screen) listLines(w, h int) []string {
	st := s.env.Styles
	rows := s.listed
	if len(rows) == 0 {
		return []string{panel.Text(st, w, themes.Dim, "  none")}
	}
	name := min(24, w/3)
	focused := s.panel == sectionList
	from, to := window(len(rows), s.cursor[sectionList], h)
	var out []string
	for n := from; n < to; n++ {
		row := rows[n]
		l := component.NewLine(st, w).Select(focused && n == s.cursor[sectionList])
		if focused && n == s.cursor[sectionList] {
			l.Glyphs(themes.Gutter, st.Glyphs.RowCursor, 1).Space(1)
		} else {
			l.Space(2)
		}
		l.Cell(name - 1)
		if row.first || n == from {
			l.Add(themes.Strong, row.root.Name())
		}
		l.EndCell(component.AlignLeft).Space(1)
		more := ""
		if row.more > 0 {
			more = fmt.Sprintf("%d more of the same kind", row.more)
		}
		room := max(l.Left()-len(more)-1, 0)
		l.Cell(room)
		s.drawParts(l, row, w >= 100)
		l.EndCell(component.AlignLeft)
		if more != "" {
			l.Space(1).Add(themes.Faint, more)
		}
		out = append(out, l.String())
	}
	return out
}

// drawParts draws who serves a candidate, group by group, and whose it is where that is
// not the host; with amounts what each gives.
func (s *Screen) drawParts(l *component.Line, row listRow, amounts bool) {
	pl := s.ans.snap.Placement()
	suffix, started := "", false
	var last *placement.ResourceProvider
	for _, p := range s.ans.found.Parts(row.i) {
		same := started && p.Suffix == suffix && p.Provider == last
		if started && !same {
			l.Add(themes.Faint, "; ")
		}
		if p.Suffix != "" && (!started || p.Suffix != suffix) {
			l.Add(themes.Accent, p.Suffix).Space(1)
		}
		name := "root"
		if p.Provider != row.root {
			name = panel.ShortName(pl, p.Provider)
		}
		if !same {
			if p.Provider != row.root {
				component.OwnerBadge(l, panel.Owner(pl.Owner(p.Provider))).Space(1)
			}
			l.Add(themes.Dim, name)
		}
		if amounts {
			l.Space(1).Add(themes.Text, fmt.Sprintf("%s=%d", p.Class, p.Amount))
		}
		suffix, last, started = p.Suffix, p.Provider, true
	}
}

// detailLines draws the mappings of the candidate under the cursor: group by
// group who gives what, and what is used there now and then.
func (s *Screen) detailLines(w int) []string {
	rows := s.listed
	if s.cursor[sectionList] >= len(rows) {
		return nil
	}
	i := rows[s.cursor[sectionList]].i
	pl := s.ans.snap.Placement()
	var out []string
	for _, p := range s.ans.found.Parts(i) {
		l := component.NewLine(s.env.Styles, w).Space(2)
		suffix := p.Suffix
		if suffix == "" {
			suffix = "-"
		}
		l.Cell(min(9, w/6)).Add(themes.Accent, suffix).EndCell(component.AlignLeft).Space(1)
		l.Cell(min(w/4, 30)).Add(themes.Text, fmt.Sprintf("%s=%d", p.Class, p.Amount)).EndCell(component.AlignLeft).Space(1)
		l.Cell(min(w*3/10, 50)).Add(themes.Strong, displayName(pl, p.Provider)).EndCell(component.AlignLeft)
		if iu, ok := p.Provider.Inventory(panel.ClassID(pl, p.Class)); ok {
			unit := panel.Unit(p.Class)
			l.Space(1).Add(themes.Dim, component.Amount(iu.Used, unit)+" > ").Add(themes.Text, component.Amount(iu.Used+p.Amount, unit))
			l.Add(themes.Dim, " of "+component.Amount(iu.Capacity(), unit))
		}
		out = append(out, l.String())
	}
	for suffix, providers := range s.ans.found.Mappings(i) {
		if g, ok := s.ans.query.Group(suffix); ok && len(g.Resources) == 0 {
			l := component.NewLine(s.env.Styles, w).Space(2).Add(themes.Accent, suffix).Space(2).Add(themes.Dim, "no resources, mapped to")
			for _, p := range providers {
				l.Space(1).Add(themes.Strong, displayName(pl, p))
			}
			out = append(out, l.String())
		}
	}
	return out
}
