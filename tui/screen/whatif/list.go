package whatif

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
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
				l.Mark(style.SeverityWarn).Space(1)
			}
			more := ""
			if row.more > 0 {
				more = fmt.Sprintf("+%d alike", row.more)
			}
			room, how := max(l.Left()-len(more)-1, 0), partsWhole
			if l.Left() < 70 {
				how = partsGroups
			}
			for how < partsCards && s.drawParts(component.NewLine(s.env.Styles, mostParts), row, how).Pos() > room {
				how++
			}
			l.Cell(room)
			s.drawParts(l, row, how)
			l.EndCell(component.AlignLeft).Space(1).Add(themes.Faint, more)
		},
	}
}

// parts is how much is said about the providers of a candidate.
type parts uint8

const (
	partsWhole  parts = iota // who serves each group, and what they give
	partsGroups              // who serves each group
	partsCards               // whose card it takes, and which
)

// mostParts is the largest width of the providers of a candidate, in cells.
const mostParts = 400

// drawParts draws the providers of a candidate, group by group, with the owner of those
// below the host.
func (s *Screen) drawParts(l *component.Line, row listRow, how parts) *component.Line {
	pl := s.ans.snap.Placement()
	suffix, started := "", false
	var last *placement.ResourceProvider
	all := s.ans.found.Parts(row.i)
	below := slices.ContainsFunc(all, func(p candidates.Part) bool { return p.Provider != row.root })
	for _, p := range all {
		if how == partsCards && below && p.Provider == row.root {
			continue // the row begins with its name
		}
		same := started && p.Suffix == suffix && p.Provider == last
		if started && !same {
			l.Add(themes.Faint, "; ")
		}
		if how != partsCards && p.Suffix != "" && (!started || p.Suffix != suffix) {
			l.Add(themes.Accent, p.Suffix).Space(1)
		}
		name := "root"
		if p.Provider != row.root {
			name = panel.ShortName(pl, p.Provider)
		}
		if !same {
			if p.Provider != row.root {
				panel.OwnerBadge(l, pl.Owner(p.Provider)).Space(1)
			}
			l.Add(themes.Dim, name)
		}
		if how == partsWhole {
			l.Space(1).Add(themes.Text, fmt.Sprintf("%s=%d", p.Class, p.Amount))
		}
		suffix, last, started = p.Suffix, p.Provider, true
	}
	return l
}

// detailLines draws the mappings of the candidate under the cursor: group by group what
// each provider gives, and its usage now and then.
func (s *Screen) detailLines(w int) []string {
	row := s.row(sectionList)
	if row < 0 {
		return nil
	}
	i := s.listed[row].i
	pl := s.ans.snap.Placement()
	type given struct{ suffix, term, provider, before, then, of string }
	var all []given
	terms, names, figures, capacities := 0, 0, 0, 0
	for _, p := range s.ans.found.Parts(i) {
		g := given{suffix: suffixText(p.Suffix), term: fmt.Sprintf("%s=%d", p.Class, p.Amount), provider: displayName(pl, p.Provider)}
		if iu, ok := p.Provider.Inventory(panel.ClassID(pl, p.Class)); ok {
			unit := panel.Unit(p.Class)
			g.before, g.then, g.of = component.Amount(iu.Used, unit)+" > ", component.Amount(iu.Used+p.Amount, unit), " of "+component.Amount(iu.Capacity(), unit)
		}
		terms, names, figures = max(terms, len(g.term)), max(names, component.Width(s.env.Styles, g.provider)), max(figures, len(g.before+g.then+g.of))
		capacities = max(capacities, len(g.of))
		all = append(all, g)
	}
	suffix := min(s.suffixWidth(), w/4)
	room := w - 2 - suffix - 3 - figures // what the names and terms do not need is blank, so that figures stay in place
	term, name := min(w/4, 30), min(w*3/10, 50)
	if over := term + name - room; over > 0 {
		spare := min(over, max(name-names, 0))
		name, over = name-spare, over-spare
		spare = min(over, max(term-terms, 0))
		term, over = term-spare, over-spare
		if over > 0 { // no figure is cut
			for i := range all {
				all[i].of = ""
			}
			name -= min(max(over-capacities, 0), name)
		}
	}
	var out []string
	if why := s.listed[row].phantom; why != "" {
		l := component.NewLine(s.env.Styles, w).Space(2)
		out = append(out, l.Mark(style.SeverityWarn).Space(1).Add(themes.Warn, why).String())
	}
	for _, g := range all {
		l := component.NewLine(s.env.Styles, w).Space(2)
		l.Column(suffix, themes.Accent, g.suffix).Space(1)
		l.Column(term, themes.Text, g.term).Space(1)
		l.Column(name, themes.Strong, g.provider).Space(1)
		out = append(out, l.Add(themes.Dim, g.before).Add(themes.Text, g.then).Add(themes.Dim, g.of).String())
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
