package form

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// GivenPart is what one provider would give.
type GivenPart struct {
	id      placement.ProviderID
	name    string
	owner   placement.Owner
	amounts map[placement.ResourceClass]int64
	order   int
	known   bool            // it is known which owner a card is requested from
	asked   placement.Owner // that owner
	groups  []string        // the names of those of a request that it serves
}

// ServeGroup notes with the part of a provider that it serves a group of a request, and reports
// whether there is such a part.
func ServeGroup(parts []GivenPart, group string, provider placement.ProviderID) bool {
	i := slices.IndexFunc(parts, func(p GivenPart) bool { return p.id == provider })
	if i >= 0 {
		parts[i].groups = append(parts[i].groups, group)
	}
	return i >= 0
}

// wrong reports whether a card does not have exactly the requested owner.
func (p GivenPart) wrong() bool {
	return p.known && (p.owner != p.asked || p.asked == placement.OwnedByBoth)
}

// GivenParts returns what each provider would give below a root: cards first, then the root, then by
// name. Asked are the owners that cards are requested from, as far as they are known.
func GivenParts(pl *placement.Snapshot, root placement.ProviderID, gives ops.Amounts, asked map[placement.ProviderID]placement.Owner) []GivenPart {
	var out []GivenPart
	for id, amounts := range gives {
		p := GivenPart{id: id, name: id.String(), amounts: amounts, order: 2}
		p.asked, p.known = asked[id]
		if id == root {
			p.order = 1
		}
		for class := range amounts {
			if class.IsAccelerator() {
				p.order = 0
			}
		}
		if rp, ok := pl.Provider(id); ok {
			p.name, p.owner = rp.Name(), pl.Owner(rp)
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b GivenPart) int {
		return cmp.Or(cmp.Compare(a.order, b.order), strings.Compare(a.name, b.name))
	})
	return out
}

// DrawGiven draws what providers other than the root give, each with its owner:
// "⬢ N VGPU 1 of pci_84". A pool of disk needs no owner. Where there is no room for the
// amounts, which the request says as well, only the providers are named.
func DrawGiven(l *component.Line, pl *placement.Snapshot, root placement.ProviderID, parts []GivenPart) {
	below := slices.DeleteFunc(slices.Clone(parts), func(p GivenPart) bool { return p.id == root })
	if len(below) == 0 {
		l.Add(themes.Text, "all from the host")
		return
	}
	whole := component.NewLine(l.Styles(), mostGiven)
	drawParts(whole, pl, below, true)
	drawParts(l, pl, below, whole.Pos() <= l.Left())
}

// mostGiven is the largest width of what a place gives, in cells.
const mostGiven = 400

func drawParts(l *component.Line, pl *placement.Snapshot, parts []GivenPart, amounts bool) {
	for i, p := range parts {
		if i > 0 {
			l.Add(themes.Dim, ", ")
		}
		rp, ok := pl.Provider(p.id)
		if !ok {
			l.Add(themes.Text, panel.Amounts(p.amounts))
			continue
		}
		if p.wrong() {
			l.Mark(style.SeverityWarn).Space(1)
		}
		if p.order == 0 || p.owner != placement.OwnedByNone {
			panel.OwnerBadge(l, p.owner).Space(1)
		}
		if amounts {
			l.Add(themes.Text, panel.Amounts(p.amounts)).Add(themes.Dim, " of ")
		}
		name := panel.ShortName(pl, rp)
		l.KeepEnds(true).AddFitting(themes.Text, name, panel.WithoutDomain(name)).KeepEnds(false)
	}
}

// GivenLines draws what each provider would give, with its bars now and after.
func GivenLines(a list.Area, parts []GivenPart) []string {
	pl := a.Snap.Placement()
	var lines []string
	for _, p := range parts {
		l := panel.OwnerBadge(a.Line().Space(1), p.owner).Space(1).Add(themes.Strong, p.name)
		for _, g := range p.groups {
			l.Space(2).Add(themes.Dim, "group ").Add(themes.Accent, g)
		}
		if p.wrong() {
			l.Space(2).Mark(style.SeverityWarn).Space(1)
			l.Add(themes.Warn, fmt.Sprintf("asked of %s, owned by %s", p.asked, p.owner))
		}
		lines = append(lines, l.String())
		for _, class := range panel.Ranked(p.amounts) {
			lines = append(lines, bars(a, pl, p.id, class, p.amounts[class]))
		}
	}
	return lines
}

// bars draws how full a class is now, and with more of it in use.
func bars(a list.Area, pl *placement.Snapshot, id placement.ProviderID, class placement.ResourceClass, more int64) string {
	l := a.Line().Space(5).Column(min(max(a.Width/5, 10), 24), themes.Text, string(class)).Space(1)
	now, ok := panel.LoadOf(pl, id, class)
	if !ok {
		return l.Add(themes.Dim, "gone").String()
	}
	then := panel.Then(now, more)
	number := max(panel.UsedWidth(class, now, then), 9)
	const spare = 13 // arrow, spaces, and the added amount
	return panel.NowThen(l, min((l.Left()-2*number-spare)/2, 20), number, now, then, class).
		Space(1).Add(themes.Changed, "+"+component.Amount(more, panel.Unit(class))).String()
}
