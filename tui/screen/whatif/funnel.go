package whatif

import (
	"fmt"
	"math"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// funnelWidths are the widths of the columns of a funnel in cells.
type funnelWidths struct {
	words, bar, left, lost, why int
}

// widthsOf lays the columns of a funnel out: the bar goes first where there is
// no room, then what was lost; reasons come where there is room to spare.
func widthsOf(w int) funnelWidths {
	f := funnelWidths{left: 7, lost: 7}
	rest := w - 5 - f.left
	if w < 50 {
		f.lost = 0
		f.words = rest
		return f
	}
	rest -= f.lost
	f.bar = min(24, w/4)
	f.words = rest - f.bar - 1
	if w >= 90 {
		f.words = min(f.words, 38)
		f.bar = min(20, rest-f.words-17)
		f.why = rest - f.words - f.bar - 1
	}
	return f
}

// funnelRule is the head of a funnel on a small screen.
func (s *Screen) funnelRule(w int, title string) string {
	f := widthsOf(w)
	if title == "" {
		title = "WHY"
	}
	labels := []component.Label{{Text: title}}
	if f.bar > 0 {
		labels = append(labels, component.Label{Text: "trees", At: 4 + f.words})
	}
	labels = append(labels, component.Label{Text: "left", At: -max(f.why+f.lost+2, 2)})
	if f.lost > 0 {
		labels = append(labels, component.Label{Text: "lost", At: -f.why - 2})
	}
	return component.Rule(s.env.Styles, w, labels...)
}

// funnelLines draws the stages of an answer on h lines, the one that removes most
// and the one that removes the last tree marked.
func (s *Screen) funnelLines(a *answer, w, h int, focused bool) []string {
	f := widthsOf(w)
	st := s.env.Styles
	most, emptied := worst(a.why.Stages)
	cursor, at := 0, 0 // the row, and its place among the rows to draw
	switch {
	case focused:
		cursor = s.cursor[sectionFunnel]
	case emptied >= 0:
		cursor = emptied + 1
	}
	rows := make([]int, 0, len(a.why.Stages)+1)
	short := !focused && len(a.why.Stages)+1 > h // then only what removes something is drawn
	for row := range len(a.why.Stages) + 1 {
		if row == cursor {
			at = len(rows)
		}
		if !short || row == 0 || a.why.Stages[row-1].LostTrees > 0 {
			rows = append(rows, row)
		}
	}
	from, to := window(len(rows), at, h)
	var out []string
	for _, row := range rows[from:to] {
		l := component.NewLine(st, w).Select(focused && row == cursor)
		i := row - 1
		sev := style.SeverityNone
		switch {
		case i >= 0 && i == emptied:
			sev = style.SeverityCritical
		case i >= 0 && i == most:
			sev = style.SeverityWarn
		}
		if focused && row == cursor {
			l.Glyphs(themes.Gutter, st.Glyphs.RowCursor, 1)
		} else {
			l.Space(1)
		}
		component.SeverityMark(l, sev)
		l.Cell(3).Add(themes.Faint, fmt.Sprint(row)).EndCell(component.AlignRight).Space(1)
		stage := candidates.Stage{Trees: a.why.Trees}
		words, t := "all trees", themes.Text
		if i >= 0 {
			stage = a.why.Stages[i]
			words = stage.Condition.Words()
		}
		if i >= 0 && emptied >= 0 && i > emptied {
			t = themes.Faint
		}
		l.Cell(f.words-1).Add(t, words).EndCell(component.AlignLeft).Space(1)
		if f.bar > 0 {
			drawShare(l, f.bar, stage.Trees, a.why.Trees)
			l.Space(1)
		}
		l.Cell(f.left).Add(t, component.Count(int64(stage.Trees))).EndCell(component.AlignRight)
		lost := ""
		if stage.LostTrees > 0 {
			lost = "-" + component.Count(int64(stage.LostTrees))
		}
		if f.lost > 0 {
			l.Cell(f.lost).Add(themes.Dim, lost).EndCell(component.AlignRight)
		}
		if f.why > 0 {
			l.Space(2)
			for n, c := range stage.Causes {
				if n > 0 {
					l.Add(themes.Dim, ", ")
				}
				l.Add(themes.Dim, c.Words())
			}
		}
		out = append(out, l.String())
	}
	return out
}

// worst returns the stage that removes most trees and the one that removes the
// last, -1 where there is none.
func worst(stages []candidates.Stage) (most, emptied int) {
	most, emptied = -1, -1
	for i, st := range stages {
		if st.LostTrees > 0 && (most < 0 || st.LostTrees > stages[most].LostTrees) {
			most = i
		}
		if emptied < 0 && st.Trees == 0 && st.LostTrees > 0 {
			emptied = i
		}
	}
	return most, emptied
}

// drawShare draws n of all as a bar of w cells, on a logarithmic scale: one of
// many is still seen.
func drawShare(l *component.Line, w, n, all int) {
	full := 0
	if n > 0 && all > 0 {
		full = max(int(math.Round(float64(w)*math.Log1p(float64(n))/math.Log1p(float64(all)))), 1)
	}
	drawBar(l, w, full)
}

// drawBar draws a bar of w cells of which full are full.
func drawBar(l *component.Line, w, full int) {
	g := l.Styles().Glyphs
	l.Glyphs(themes.BarUsed, g.Bar[8], full).Glyphs(themes.BarFree, g.Bar[0], w-full)
}

// wayLines draws the ways out on at most h lines, with how many candidates each
// gives and what it costs.
func (s *Screen) wayLines(w, h int) []string {
	st := s.env.Styles
	ways := s.ans.why.Ways
	if len(ways) == 0 {
		text := "  none is needed: this is all there is"
		switch why := s.ans.why; {
		case why.More:
			text = fmt.Sprintf("  ways to more than %d candidates are not looked for", why.Candidates)
		case why.Candidates == 0:
			text = "  no few changes of the query would help"
		}
		return []string{component.NewLine(st, w).Add(themes.Dim, text).String()}
	}
	focused := s.panel == sectionWays
	from, to := window(len(ways), s.cursor[sectionWays], h)
	var out []string
	for i := from; i < to; i++ {
		way := ways[i]
		l := component.NewLine(st, w).Select(focused && i == s.cursor[sectionWays])
		if focused && i == s.cursor[sectionWays] {
			l.Glyphs(themes.Gutter, st.Glyphs.RowCursor, 1)
		} else {
			l.Space(1)
		}
		l.Cell(3).Add(themes.Faint, fmt.Sprint(i+1)).EndCell(component.AlignRight).Space(1)
		l.Cell(w-5-8-6).Add(themes.Text, way.Words()).EndCell(component.AlignLeft)
		l.Cell(8).Add(themes.OK, counted(way.Gives, way.More())).EndCell(component.AlignRight)
		l.Cell(6).Add(themes.Dim, fmt.Sprint(way.Cost)).EndCell(component.AlignRight)
		out = append(out, l.String())
	}
	return out
}
