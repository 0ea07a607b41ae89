package journal

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/style"
)

// mostTouched is how many inventories are shown one by one: if an event affected more,
// the totals of the cloud are shown.
const mostTouched = 12

// moment is how full what an event affected was right after it.
type moment struct {
	snap    *cloud.Snapshot
	touched []inventory
	totals  []insight.ClassTotal // of the cloud, of the affected classes
}

// inventory is a class of a provider.
type inventory struct {
	provider placement.ProviderID
	class    placement.ResourceClass
}

// momentOf finds the cloud as an event left it. It is empty if the event affected no
// inventory, or the journal does not go back to it.
func momentOf(ctx context.Context, journal cloud.Historian, now *cloud.Snapshot, ev *cloud.Event) *moment {
	touched := touchedBy(ev)
	if len(touched) == 0 {
		return &moment{}
	}
	then, err := cloud.NewRecall(journal).At(ctx, now, ev.Revision)
	if err != nil {
		return &moment{}
	}
	m := &moment{snap: then}
	classes := map[placement.ResourceClass]bool{}
	for _, t := range touched {
		classes[t.class] = true
	}
	for _, t := range insight.Totals(then).Classes {
		if classes[t.Class] {
			m.totals = append(m.totals, t)
		}
	}
	slices.SortStableFunc(m.totals, func(a, b insight.ClassTotal) int { return kinds.Rank(a.Class) - kinds.Rank(b.Class) })
	if len(touched) <= mostTouched {
		m.touched = touched
	}
	return m
}

// touchedBy returns the inventories that an event affected, the most telling first.
func touchedBy(ev *cloud.Event) []inventory {
	seen := map[inventory]bool{}
	for _, c := range ev.Changes {
		of, _ := c.Record().(*placement.ProviderRecord)
		for _, f := range delta.Of(c.Before, c.After) {
			switch f.Path[0] {
			case "allocations":
				if id, err := uuid.Parse(f.Path[1]); err == nil {
					seen[inventory{placement.ProviderID(id), placement.ResourceClass(f.Path[2])}] = true
				}
			case "inventories":
				seen[inventory{of.UUID, placement.ResourceClass(f.Path[1])}] = true
			}
		}
	}
	var out []inventory
	for i := range seen {
		out = append(out, i)
	}
	slices.SortStableFunc(out, func(a, b inventory) int {
		return cmp.Or(kinds.Rank(a.class)-kinds.Rank(b.class), cmp.Compare(a.class, b.class), cmp.Compare(a.provider.String(), b.provider.String()))
	})
	return out
}

// lines draws it.
func (m moment) lines(st *style.Styles, w int) []string {
	if m.snap == nil {
		return nil
	}
	lines := []string{component.Titled(st, w, "AS IT WAS THEN", "here   in the cloud")}
	pl := m.snap.Placement()
	in := map[placement.ResourceClass]component.Load{}
	number := 11
	for _, t := range m.totals {
		in[t.Class] = panel.TotalLoad(t)
		number = max(number, sheet.UsedWidth(t.Class, in[t.Class]))
	}
	name, class := min(max(w/4, 14), 40), min(max(w/6, 8), 24)
	used := func(l *component.Line, of placement.ResourceClass, load component.Load) {
		token := themes.Text
		if load.Over() {
			token = themes.Critical
		}
		l.Cell(number).Add(token, component.Used(load, panel.Unit(of))).EndCell(component.AlignRight)
	}
	for _, t := range m.touched {
		p, ok := pl.Provider(t.provider)
		load, has := sheet.LoadOf(pl, t.provider, t.class)
		if !ok || !has {
			continue // it is gone
		}
		l := panel.OwnerBadge(component.NewLine(st, w).Space(1), pl.Owner(p)).Space(1)
		l.Column(name, themes.Strong, panel.ShortName(pl, p)).Space(1)
		l.Column(class, themes.Text, string(t.class)).Space(1)
		if bar := min(l.Left()-2*number-3, 24); bar >= 4 {
			component.Bar(l, bar, load).Space(1)
		}
		used(l, t.class, load)
		used(l.Space(1), t.class, in[t.class])
		lines = append(lines, l.String())
	}
	for _, t := range m.totals {
		if len(m.touched) > 0 {
			break
		}
		l := component.NewLine(st, w).Space(5).Column(class, themes.Text, string(t.Class)).Space(1)
		if bar := min(l.Left()-number-2, 24); bar >= 4 {
			component.Bar(l, bar, in[t.Class]).Space(1)
		}
		used(l, t.Class, in[t.Class])
		lines = append(lines, l.String())
	}
	return lines
}
