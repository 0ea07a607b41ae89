package pulses

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// barsFrom is from how many columns the line of a host has room for its bars.
const barsFrom = 50

// hostLines draws the hosts as h lines of at most w cells, and returns a title: a line
// with bars for each host if they fit, else a map with a cell for each or for several,
// and below it bars of the fullest if there is room.
func (s *Screen) hostLines(w, h int) (title string, lines []string) {
	n := s.facts.hosts
	title = "HOSTS " + component.Count(int64(n)) + " by " + s.facts.by.String()
	switch {
	case n == 0:
		return title, []string{panel.Text(s.env.Styles, w, themes.Faint, "no provider is a compute node")}
	case n+1 <= h && w >= barsFrom:
		lines = s.hostBars(w, "", s.facts.each())
		if racks := len(s.facts.racks); racks > 1 && racks+2 <= h-len(lines) {
			lines = append(append(lines, strings.Repeat(" ", w)), s.heatLines(w, racks+1)...)
		}
		return title, lines
	}
	lines = s.heatLines(w, h)
	if room := h - len(lines) - 2; room > 0 && w >= barsFrom {
		full := s.facts.fullest[:min(len(s.facts.fullest), room)]
		lines = append(append(lines, strings.Repeat(" ", w)), s.hostBars(w, "fullest", full)...)
	}
	return title, lines
}

// each returns the hosts, which may be in several aggregates, once each.
func (f *facts) each() []host {
	var out []host
	known := map[string]bool{}
	for _, r := range f.racks {
		for _, one := range r.hosts {
			if !known[one.name] {
				known[one.name] = true
				out = append(out, one)
			}
		}
	}
	return out
}

// hostBars draws a line for each of hosts: how full it is of what matters most. Above
// them it says which they are.
func (s *Screen) hostBars(w int, which string, hosts []host) []string {
	name := 9
	for _, one := range hosts {
		name = max(name, component.Width(s.env.Styles, one.name))
	}
	name = min(name, w/3)
	each := (w - 4 - name) / hostClassCount
	l := component.NewLine(s.env.Styles, w).Space(4).Cell(name).Add(themes.Dim, which).EndCell(component.AlignLeft)
	for _, c := range hostClasses() {
		l.Cell(each).Space(1).Add(themes.Header, string(c)).EndCell(component.AlignLeft)
	}
	out := []string{l.String()}
	for _, one := range hosts {
		component.OwnerBadge(l.Reset(w), panel.Owner(one.owner)).Space(1)
		l.Cell(name).Add(themes.Text, one.name).EndCell(component.AlignLeft)
		for i := range hostClassCount {
			l.Cell(each)
			if one.has[i] {
				t := themes.Dim
				if one.loads[i].Over() {
					t = themes.Critical
				}
				component.Bar(l.Space(1), max(each-6, 3), one.loads[i])
				l.Add(t, fmt.Sprintf("%4d%%", one.loads[i].Percent()))
			}
			l.EndCell(component.AlignLeft)
		}
		out = append(out, l.String())
	}
	return out
}

// The parts of a line of the map, in cells: the number after the hosts, and the gap
// between two columns of lines.
const (
	rackUsed = 5
	rackGap  = 2
)

// heat is the layout of a map of hosts: lines of each cells after a name, in columns,
// with one host in a cell or the worst of per.
type heat struct{ name, each, per, columns int }

// heatOf lays racks out in lines of at most w cells, in rows.
func heatOf(racks []rack, w, rows int) heat {
	m := heat{columns: 1, per: 1}
	most := 1
	for _, r := range racks {
		m.name = max(m.name, min(len(r.name), 16)+1)
		most = max(most, len(r.hosts))
	}
	room := max(w-m.name-rackUsed, 1)
	m.per = (most + room - 1) / room
	m.each = m.name + (most+m.per-1)/m.per + rackUsed
	for m.columns*max(rows, 1) < len(racks) && m.width()+rackGap+m.each <= w {
		m.columns++
	}
	return m
}

// width is how wide the map is.
func (m heat) width() int { return m.columns*(m.each+rackGap) - rackGap }

// hostsWidth returns how much of w cells the hosts get on h lines: a map what it needs,
// bars what problems leave them.
func (s *Screen) hostsWidth(w, h int) int {
	most := w*45/100 - 4
	if racks := s.facts.racks; len(racks) > 1 && len(racks)+2 > h && s.facts.hosts >= h {
		return min(max(heatOf(racks, most, h-1).width(), leastHeat), most)
	}
	return min(max(w-9-s.problemsWidth(h), barsFrom, w/3-4), most)
}

// leastHeat is the least width of the map, so that its legend is readable.
const leastHeat = 42

// heatLines draws hosts as cells as dark as their fullest class, a line for each rack. If
// a rack has more hosts than fit, a cell stands for the worst of several, in all racks
// alike. Racks without a line are counted.
func (s *Screen) heatLines(w, h int) []string {
	racks := shelve(s.facts.racks, max(w-rackUsed-11, 1), h-1)
	m := heatOf(racks, w, h-1)
	out := []string{s.legend(w, m.per)}
	l := component.NewLine(s.env.Styles, w)
	rows := max(h-1, 0)
	for i := range min(rows, len(racks)) {
		l.Reset(w)
		for c := range m.columns {
			at := c*rows + i
			switch last := c == m.columns-1 && i == rows-1; {
			case at >= len(racks):
			case last && len(racks)-at > 1:
				l.To(c*(m.each+rackGap)).Add(themes.Dim, fmt.Sprintf("%s %s more %ss", s.env.Styles.Glyphs.More, component.Count(int64(len(racks)-at)), s.facts.by))
			default:
				s.drawRack(l.To(c*(m.each+rackGap)), racks[at], m)
			}
		}
		out = append(out, l.String())
	}
	return out[:min(len(out), max(h, 1))]
}

// drawRack draws a line of the map.
func (s *Screen) drawRack(l *component.Line, r rack, m heat) {
	end := l.Pos() + m.each
	if m.columns == 1 {
		end = l.Pos() + l.Left()
	}
	l.Cell(m.name-1).Add(themes.Dim, r.name).EndCell(component.AlignLeft).Space(1)
	sum := 0.0
	for at := 0; at < len(r.hosts); at += m.per {
		some := r.hosts[at:min(at+m.per, len(r.hosts))]
		for _, one := range some {
			sum += one.full
		}
		s.heatCell(l, some)
	}
	mean := fmt.Sprintf("%.0f%%", 100*sum/float64(max(len(r.hosts), 1)))
	l.To(end-rackUsed).Cell(rackUsed).Add(themes.Text, mean).EndCell(component.AlignRight)
}

// shelve divides hosts without racks into lines so that the map uses its room.
func shelve(racks []rack, room, lines int) []rack {
	if len(racks) != 1 || racks[0].name != noRack || len(racks[0].hosts) <= room || lines < 2 {
		return racks
	}
	hosts := racks[0].hosts
	each := max((len(hosts)+lines-1)/lines, room)
	var out []rack
	for at := 0; at < len(hosts); at += each {
		out = append(out, rack{name: hosts[at].name, hosts: hosts[at:min(at+each, len(hosts))]})
	}
	return out
}

// heatCell draws the worst of some hosts: over-full, then wrong owners, then the fullest.
func (s *Screen) heatCell(l *component.Line, hosts []host) {
	g := &s.env.Styles.Glyphs
	full, over, both, none := 0.0, false, false, false
	for _, one := range hosts {
		full = max(full, one.full)
		over = over || one.over
		both = both || one.wrong == placement.OwnedByBoth
		none = none || one.wrong == placement.OwnedByNone
	}
	switch {
	case over:
		l.Glyphs(themes.BarOver, g.Severities[style.SeverityCritical], 1)
	case both:
		component.OwnerShape(l, style.OwnerBoth)
	case none:
		component.OwnerShape(l, style.OwnerNone)
	case full >= highPart:
		component.Heat(l, themes.BarHigh, min(full, 0.99))
	default:
		component.Heat(l, themes.BarUsed, max(full, 0.01)) // an empty host must not look like a gap
	}
}

// legend explains the cells of the map.
func (s *Screen) legend(w, per int) string {
	st := s.env.Styles
	l := component.NewLine(st, w).Add(themes.Faint, "0 ")
	for i := range 4 {
		component.Heat(l, themes.BarUsed, float64(i)/4+0.01)
	}
	l.Add(themes.Faint, " full  ").Glyphs(themes.BarOver, st.Glyphs.Severities[style.SeverityCritical], 1).Add(themes.Faint, " over  ")
	component.OwnerShape(l, style.OwnerBoth).Space(1)
	component.OwnerShape(l, style.OwnerNone).Add(themes.Faint, " owner")
	text := "  a cell is a host"
	if per > 1 {
		text = fmt.Sprintf("  a cell is the worst of %d", per)
	}
	if component.Width(st, text) > l.Left() {
		text = fmt.Sprintf("  %d a cell", per)
	}
	if component.Width(st, text) <= l.Left() {
		l.Add(themes.Faint, text)
	}
	return l.String()
}
