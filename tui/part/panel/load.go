package panel

import (
	"math"

	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
)

// Over reports whether more of an inventory of p is used than its capacity,
// except on a one-time-use device, all of which Nova reserves while it is in use.
//
// Source: nova/compute/pci_placement_translator.py, HW_PCI_ONE_TIME_USE.
func Over(s *placement.Snapshot, p *placement.ResourceProvider, iu placement.InventoryUsage) bool {
	return iu.OverCapacity() && !spent(s, p, iu)
}

// spent reports whether an inventory is that of a one-time-use device that was used.
func spent(s *placement.Snapshot, p *placement.ResourceProvider, iu placement.InventoryUsage) bool {
	if iu.Reserved != iu.Total {
		return false
	}
	once, ok := s.TraitID(placement.HWPCIOneTimeUse)
	return ok && p.HasTrait(once)
}

// Load returns an inventory of p as a bar shows it, accelerators in the colour of their
// owner. A one-time-use device counts as full while it is in use.
func Load(s *placement.Snapshot, p *placement.ResourceProvider, iu placement.InventoryUsage) component.Load {
	l := component.Load{Total: iu.Total, Reserved: iu.Reserved, Capacity: iu.Capacity(), Used: iu.Used}
	l.Token = LoadToken(s, p, s.ClassName(iu.Class))
	if l.Used > l.Capacity && spent(s, p, iu) {
		l.Capacity, l.Reserved = l.Used, max(l.Total-l.Used, 0)
	}
	return l
}

// LoadToken returns the colour of what is used of a class of p: accelerators have that of their
// owner.
func LoadToken(s *placement.Snapshot, p *placement.ResourceProvider, class placement.ResourceClass) themes.Token {
	if !class.IsAccelerator() {
		return themes.Blank
	}
	return Owner(s.Owner(p)).Token()
}

// mostHolders is up to how many consumers of a provider are checked for what moves hold:
// a pool may have as many as the cloud.
const mostHolders = 2000

// WithHeld returns a load of p with what of it moves hold until they are confirmed or
// reverted.
//
// Source: nova/compute/resource_tracker.py, _move_claim; the allocations of a migration.
func WithHeld(s *placement.Snapshot, p *placement.ResourceProvider, class placement.ClassID, l component.Load) component.Load {
	if l.Used == 0 || s.CountConsumersOf(p) > mostHolders {
		return l
	}
	for c := range s.ConsumersOf(p) {
		if c.Type() != placement.MigrationConsumer {
			continue
		}
		for a := range s.Allocations(c) {
			if a.Class == class && a.Provider.ID() == p.ID() {
				l.Held += a.Used
			}
		}
	}
	return l
}

// Sum returns two loads together. A capacity may be the largest number there is,
// as ratios may be; the sum does not exceed that.
func Sum(a, b component.Load) component.Load {
	sum := a.Add(b)
	if a.Capacity > 0 && b.Capacity > 0 && sum.Capacity < 0 {
		sum.Capacity = math.MaxInt64
	}
	return sum
}

// TreeLoad returns the sum of a class over p and all below it, and how many of
// them have it.
func TreeLoad(s *placement.Snapshot, p *placement.ResourceProvider, class placement.ClassID) (component.Load, int) {
	var sum component.Load
	n := 0
	for q := range s.Within(p) {
		if iu, ok := q.Inventory(class); ok {
			sum = Sum(sum, Load(s, q, iu))
			n++
		}
	}
	return sum, n
}

// TotalLoad returns the sum of a class over many providers as a bar shows it.
func TotalLoad(t insight.ClassTotal) component.Load {
	return component.Load{Total: t.Total, Reserved: t.Reserved, Capacity: t.Capacity, Used: t.Used}
}

// LoadOf returns how full a class of a provider is.
func LoadOf(s *placement.Snapshot, id placement.ProviderID, class placement.ResourceClass) (component.Load, bool) {
	p, ok := s.Provider(id)
	if !ok {
		return component.Load{}, false
	}
	number, ok := s.ClassID(class)
	if !ok {
		return component.Load{}, false
	}
	iu, ok := p.Inventory(number)
	return Load(s, p, iu), ok
}

// Then returns a load with more used.
func Then(now component.Load, more int64) component.Load {
	now.Used += more
	return now
}

// UsedWidth returns how many cells the numbers of loads need.
func UsedWidth(class placement.ResourceClass, loads ...component.Load) int {
	w := 0
	for _, a := range loads {
		w = max(w, len(component.Used(a, Unit(class))))
	}
	return w
}

// NowThen draws two bars of bar cells with their numbers, each of number
// cells: now → then. Without room for bars there are only the numbers.
func NowThen(l *component.Line, bar, number int, now, then component.Load, class placement.ResourceClass) *component.Line {
	unit := Unit(class)
	one := func(a component.Load) {
		if bar >= 3 {
			component.Bar(l, bar, a).Space(1)
		}
		t := themes.Text
		if a.Over() {
			t = themes.Critical
		}
		l.Cell(number).Add(t, component.Used(a, unit)).EndCell(component.AlignRight)
	}
	one(now)
	l.Space(1).Glyphs(themes.Dim, l.Styles().Glyphs.Arrow, 1).Space(1)
	one(then)
	return l
}

// LoadIn returns an inventory as a bar shows it; nil is none.
func LoadIn(inv *placement.Inventory, used int64) component.Load {
	if inv == nil {
		return component.Load{Used: used}
	}
	return component.Load{Total: inv.Total, Reserved: inv.Reserved, Capacity: inv.Capacity(), Used: used}
}
