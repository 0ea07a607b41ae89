package whatif

import (
	"fmt"
	"math"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

func funnelColumns() []component.Column {
	return []component.Column{
		{Key: "number", Title: "#", Min: 2, Align: component.AlignRight},
		{Key: "stage", Title: "STAGE", Min: 18, Max: 44, Flex: 8},
		{Key: "trees", Title: "TREES (LOG)", Min: 12, Max: 24, Flex: 3, Priority: 3},
		{Key: "left", Title: "LEFT", Min: 6, Align: component.AlignRight},
		{Key: "lost", Title: "LOST", Min: 6, Align: component.AlignRight, Priority: 2},
		{Key: "why", Title: "WHY", Min: 24, Flex: 1, Priority: 4},
	}
}

// funnelSource is the stages of an answer, with the one that removes most and the one
// that removes the last tree marked.
func (s *Screen) funnelSource(a *answer) component.Rows {
	most, emptied := worst(a.why.Stages)
	return component.Rows{
		N: len(a.why.Stages) + 1, Name: numbered,
		Grade: func(row int) style.Severity {
			switch row - 1 {
			case -1:
			case emptied:
				return style.SeverityCritical
			case most:
				return style.SeverityWarn
			}
			return style.SeverityNone
		},
		Draw: func(l *component.Line, row, col int) {
			stage, words, token := candidates.Stage{Trees: a.why.Trees}, "all trees", themes.Text
			if row > 0 {
				stage = a.why.Stages[row-1]
				words = stage.Condition.Words()
			}
			if emptied >= 0 && row > emptied+1 {
				token = themes.Faint
			}
			switch col {
			case 0:
				l.Add(themes.Faint, fmt.Sprint(row))
			case 1:
				l.Add(token, words)
			case 2:
				drawShare(l, l.Left(), stage.Trees, a.why.Trees)
			case 3:
				l.Add(token, component.Count(stage.Trees))
			case 4:
				if stage.LostTrees > 0 {
					l.Add(themes.Dim, "-"+component.Count(stage.LostTrees))
				}
			default:
				for n, c := range stage.Causes {
					if n > 0 {
						l.Add(themes.Dim, ", ")
					}
					l.Add(themes.Dim, c.Words())
				}
			}
		},
	}
}

// worst returns the stage that removes most trees and the one that removes the last, or
// -1 if there is none.
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

// drawShare draws n of all as a bar of w cells, on a logarithmic scale: one of many is
// still visible.
func drawShare(l *component.Line, w, n, all int) {
	full := 0
	if n > 0 && all > 0 {
		full = max(int(math.Round(float64(w)*math.Log1p(float64(n))/math.Log1p(float64(all)))), 1)
	}
	drawBar(l, w, full)
}

// drawBar draws a bar of w cells, full of which are filled.
func drawBar(l *component.Line, w, full int) {
	g := l.Styles().Glyphs
	l.Glyphs(themes.BarUsed, g.Bar[8], full).Glyphs(themes.BarFree, g.Bar[0], w-full)
}

func wayColumns() []component.Column {
	return []component.Column{
		{Key: "number", Min: 2, Align: component.AlignRight},
		{Key: "way", Min: 16, Flex: 1},
		{Key: "gives", Min: 6, Align: component.AlignRight},
	}
}

// waySource is the ways out, with how many candidates each gives.
func (s *Screen) waySource() component.Rows {
	ways := s.ans.why.Ways
	return component.Rows{N: len(ways), Name: numbered, Draw: func(l *component.Line, row, col int) {
		switch way := ways[row]; col {
		case 0:
			l.Add(themes.Faint, fmt.Sprint(row+1))
		case 1:
			l.Add(themes.Text, way.Words())
		default:
			l.Add(themes.OK, counted(way.Gives, way.More()))
		}
	}}
}

// noWays says why there is no way out.
func (s *Screen) noWays() string {
	switch why := s.ans.why; {
	case why.More:
		return fmt.Sprintf("with more than %d candidates, no ways out are sought", why.Candidates)
	case why.Candidates == 0:
		return "no small change to the query would help"
	}
	return "none is needed: these are all there are"
}
