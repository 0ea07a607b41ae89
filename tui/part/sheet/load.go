package sheet

import (
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
)

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
	return panel.Load(s, p, iu), ok
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
		w = max(w, len(component.Used(a, panel.Unit(class))))
	}
	return w
}

// NowThen draws two bars of bar cells with their numbers, each of number
// cells: now → then. Without room for bars there are only the numbers.
func NowThen(l *component.Line, bar, number int, now, then component.Load, class placement.ResourceClass) *component.Line {
	unit := panel.Unit(class)
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
