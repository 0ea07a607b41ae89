package panel

import (
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
)

// AcceleratorCounts is how many accelerators a consumer holds, by placement.Owner of their providers.
type AcceleratorCounts [4]int64

// OwnedBy returns how many accelerators a consumer holds, none if s does not have it.
func OwnedBy(s *placement.Snapshot, id placement.ConsumerID) AcceleratorCounts {
	return kinds.DevicesOf(s, id)
}

// Draw draws what is held by owner, as far as there is room: ⬢ N 2 ⬡ C 1.
func (o AcceleratorCounts) Draw(l *component.Line) {
	first := true
	for _, owner := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone} {
		if o[owner] == 0 {
			continue
		}
		if !first {
			l.Space(1)
		}
		first = false
		OwnerBadge(l, owner).Space(1).Add(themes.Text, component.Count(o[owner]))
	}
	if first {
		l.Add(themes.Faint, "-")
	}
}

// AskedOf says which owner a flavor asks for devices.
func AskedOf(nova, cyborg bool) placement.Owner {
	switch {
	case nova && cyborg:
		return placement.OwnedByBoth
	case nova:
		return placement.OwnedByNova
	case cyborg:
		return placement.OwnedByCyborg
	}
	return placement.OwnedByNone
}

// AskedOfBadge draws which owner a flavor asks for devices. Asking both is not a
// fault, unlike a provider of both.
func AskedOfBadge(l *component.Line, of placement.Owner) {
	switch of {
	case placement.OwnedByBoth:
		l.Add(themes.OwnerNova, "N").Add(themes.Dim, "+").Add(themes.OwnerCyborg, "C")
	case placement.OwnedByNova, placement.OwnedByCyborg:
		OwnerBadge(l, of)
	case placement.OwnedByNone:
		l.Add(themes.Faint, "-")
	}
}
