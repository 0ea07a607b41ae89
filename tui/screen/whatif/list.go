package whatif

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/style"
)

func listColumns() []component.Column {
	return []component.Column{{Key: "tree", Min: 12, Max: 24, Flex: 1}, {Key: "parts", Min: 12, Flex: 4}}
}

// listSource is the candidates, grouped by tree.
func (s *Screen) listSource() component.Rows {
	listed := s.listed
	return component.Rows{
		N:    len(listed),
		Name: func(row int) string { return fmt.Sprintf("%s %d", listed[row].root.ID(), listed[row].i) },
		Draw: func(l *component.Line, n, col int) {
			row := listed[n]
			if col == 0 {
				token := themes.Faint
				if row.first {
					token = themes.Strong
				}
				l.Add(token, row.root.Name())
				return
			}
			if row.phantom != "" {
				rule, _, _ := strings.Cut(row.phantom, ":")
				l.Mark(style.SeverityWarn).Space(1).Add(themes.Warn, rule).Space(1)
			}
			more := ""
			if row.more > 0 {
				more = fmt.Sprintf("+%d alike", row.more)
			}
			l.Cell(max(l.Left()-len(more)-1, 0))
			form.DrawGiven(l, s.ans.snap.Placement(), row.root.ID(), s.parts(row))
			l.EndCell(component.AlignLeft).Space(1).Add(themes.Faint, more)
		},
	}
}

// parts returns what each provider of a candidate would give.
func (s *Screen) parts(row listRow) []form.GivenPart {
	return form.GivenParts(s.ans.snap.Placement(), row.root.ID(), s.ans.found.Allocations(row.i), nil)
}

// detailLines draws what each provider of the candidate under the cursor would give, and to
// which groups that have a name, with its usage now and then.
func (s *Screen) detailLines(w int) (out []string) {
	at := s.row(sectionList)
	if at < 0 {
		return nil
	}
	row, a := s.listed[at], list.Area{At: list.At{Snap: s.ans.snap}, Styles: s.env.Styles, Width: w}
	if row.phantom != "" {
		out = append(out, a.Line().Space(2).Mark(style.SeverityWarn).Space(1).Add(themes.Warn, row.phantom).String())
	}
	parts := s.parts(row)
	for suffix, providers := range s.ans.found.Mappings(row.i) {
		for _, p := range providers {
			if suffix != "" && !form.ServeGroup(parts, suffix, p.ID()) { // of a group without resources
				out = append(out, a.Line().Space(1).Add(themes.Accent, suffix).Space(2).Add(themes.Text, displayName(s.ans.snap.Placement(), p)).String())
			}
		}
	}
	return append(out, form.GivenLines(a, parts)...)
}
