package pulses

import (
	"cmp"
	"fmt"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// highPart is the used part of the capacity from which a class is nearly full.
const highPart = 0.9

// severity returns the severity of a total: over-full somewhere, nearly full, or fine.
func severity(t insight.ClassTotal) style.Severity {
	l := panel.TotalLoad(t)
	switch {
	case t.OverProviders > 0 || l.Over():
		return style.SeverityCritical
	case l.Used > 0 && float64(l.Used) >= highPart*float64(l.Capacity):
		return style.SeverityWarn
	}
	return style.SeverityNone
}

// grid is the positions of the parts of a line of the capacity pane, in cells; a part of
// width 0 is left out.
type grid struct {
	name, bar, used, free, spark int
	past                         string // what the sparkline covers
}

// sparkGap is the space before the sparkline.
const sparkGap = 2

// layout divides w cells. Names get what the longest of them needs, bars the rest.
func (s *Screen) layout(w int) grid {
	g := grid{used: 15, free: 9, spark: 9}
	most := 16
	switch {
	case w < 46:
		g, most = grid{used: 12}, 9
	case w < normalFromW:
		g, most = grid{used: 15}, 12
	case w >= 100:
		g.spark, most = steps, 28
	case w >= 68:
		most = 20
	}
	g.name, g.past = 9, s.past
	for _, c := range s.facts.classes {
		g.name = max(g.name, len(c.Class))
	}
	g.name = min(g.name, most)
	const numbers = 22 // the most cells that they take
	for _, c := range s.facts.classes {
		g.used = max(g.used, min(len(component.Used(panel.TotalLoad(c), panel.Unit(c.Class))), numbers))
	}
	g.bar = w - 2 - g.name - 1 - 1 - g.used - g.free - g.spark
	if g.spark > 0 {
		g.bar -= sparkGap
	}
	g.bar = max(g.bar, 4)
	return g
}

// usedEnd returns the column after the numbers.
func (g grid) usedEnd() int { return 2 + g.name + 1 + g.bar + 1 + g.used }

// capacityRule is the title of the pane with the headings of its columns.
func (s *Screen) capacityRule(w, shown int) string {
	g := s.layout(w)
	title := "CAPACITY"
	if n := len(s.facts.classes); n > shown {
		title = fmt.Sprintf("CAPACITY  %d of %d", shown, n)
	}
	labels := []component.Label{{Text: title}}
	for _, head := range g.heads() {
		labels = append(labels, component.Label{Text: head.text, At: head.end - len(head.text) - 1})
	}
	return component.Rule(s.env.Styles, w, labels...)
}

// head is the heading of a column and where it ends.
type head struct {
	text string
	end  int
}

func (g grid) heads() []head {
	heads := []head{{"used/capacity", g.usedEnd()}}
	if g.free > 0 {
		heads = append(heads, head{"free", g.usedEnd() + g.free})
	}
	if g.spark > 0 {
		heads = append(heads, head{g.past, g.usedEnd() + g.free + sparkGap + len(g.past)})
	}
	return heads
}

// capacityHead is the headings of the columns on a line of their own.
func (s *Screen) capacityHead(w int) string {
	l := component.NewLine(s.env.Styles, w)
	for _, head := range s.layout(w).heads() {
		l.To(head.end-len(head.text)).Add(themes.Header, head.text)
	}
	return l.String()
}

// capacityLines returns up to n classes, those around the cursor.
func (s *Screen) capacityLines(w, n int) []string {
	all := s.facts.classes
	switch {
	case len(all) > 0:
	case s.facts.unread != "":
		return []string{panel.Text(s.env.Styles, w, themes.Dim, "  not counted yet: "+s.facts.unread)}
	default:
		return []string{panel.Text(s.env.Styles, w, themes.Faint, "  "+cmp.Or(s.unreadOf(cloud.Contents), "no inventory yet"))}
	}
	g := s.layout(w)
	l := component.NewLine(s.env.Styles, w)
	var out []string
	from, to := window(len(all), s.cursor[capacity], n)
	for i := from; i < to; i++ {
		l.Reset(w).Select(s.pane == capacity && i == s.cursor[capacity])
		s.capacityLine(l, g, all[i])
		out = append(out, l.String())
	}
	return out
}

func (s *Screen) capacityLine(l *component.Line, g grid, t insight.ClassTotal) {
	unit, sum := panel.Unit(t.Class), panel.TotalLoad(t)
	tok := themes.Text
	if severity(t) == style.SeverityCritical {
		tok = themes.Critical
	}
	l.Mark(severity(t)).Space(1)
	l.Column(g.name, themes.Text, string(t.Class)).Space(1)
	component.Bar(l, g.bar, sum)
	l.Space(1).Cell(g.used).Add(tok, component.Used(sum, unit)).EndCell(component.AlignRight)
	if g.free > 0 {
		l.Cell(g.free).Add(themes.Dim, component.Amount(t.Free, unit)).EndCell(component.AlignRight)
	}
	if g.spark > 0 {
		l.Space(sparkGap)
		component.Spark(l, g.spark, s.hist.last(t.Class, g.spark), float64(max(sum.Capacity, sum.Used, 1)))
	}
}

// ownershipLines returns a line for each owner: how full its accelerators are, and how
// many there are.
func (s *Screen) ownershipLines(w int) []string {
	l := component.NewLine(s.env.Styles, w)
	var out []string
	for i, o := range owners() {
		t := s.facts.totals.Owners[o]
		var sum component.Load
		for _, c := range t.Classes {
			sum = panel.Sum(sum, panel.TotalLoad(c))
		}
		mark := style.SeverityNone
		switch {
		case t.Providers > 0 && o == placement.OwnedByBoth:
			mark = style.SeverityCritical
		case t.Providers > 0 && o == placement.OwnedByNone:
			mark = style.SeverityWarn
		}
		l.Reset(w).Select(s.pane == ownership && s.cursor[ownership] == i)
		l.Mark(mark).Space(1)
		panel.OwnerBadge(l, o).Space(1)
		l.Column(7, panel.Owner(o).Token(), o.String())
		used := 0
		if w >= 46 {
			used = 14
		}
		if t.Providers > 0 {
			sum.Token = panel.Owner(o).Token()
			component.Bar(l, max(w-l.Pos()-5-7-used, 4), sum)
			l.Number(5, themes.Text, fmt.Sprintf("%d%%", sum.Percent()))
		} else {
			l.To(w - 7 - used)
		}
		if used > 0 {
			l.Cell(used)
			if t.Providers > 0 {
				l.Add(themes.Dim, component.Used(sum, component.UnitCount))
			}
			l.EndCell(component.AlignRight)
		}
		l.Cell(7).Add(themes.Text, component.Count(int64(t.Providers))).EndCell(component.AlignRight)
		out = append(out, l.String())
	}
	twice := int64(s.facts.found(audit.RuleCardTwice))
	token := themes.OK
	if twice > 0 {
		token = themes.Critical
	}
	return append(out, component.Spread(s.env.Styles, w,
		[]component.Seg{{Token: themes.Dim, Text: "  reported twice "}, {Token: token, Text: component.Count(twice)}},
		[]component.Seg{{Token: themes.Dim, Text: "mixed hosts "}, {Token: themes.Text, Text: component.Count(s.facts.rollout.mixed)}}))
}
