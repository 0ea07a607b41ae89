package providers

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/screen/panel"
)

// fields answers what a filter asks about the providers of an index. Without an
// index it can only tell whether a filter is sound.
type fields struct {
	s     *placement.Snapshot
	ix    *index
	class placement.ResourceClass
	found map[placement.ProviderID][]ops.Finding
}

// Names implements filter.Fields.
func (fields) Names() []string {
	return []string{"agg", "cap", "class", "free", "gen", "name", "owner", "problem", "root", "trait", "used", "used%", "uuid"}
}

// Field implements filter.Fields.
func (f fields) Field(name string) func(row int) filter.Value {
	at := func(get func(*placement.ResourceProvider) filter.Value) func(int) filter.Value {
		return func(row int) filter.Value { return get(f.s.ProviderAt(int(f.ix.numbers[row]))) }
	}
	switch name {
	case "name":
		return at(func(p *placement.ResourceProvider) filter.Value { return filter.Text(p.Name()) })
	case "uuid":
		return at(func(p *placement.ResourceProvider) filter.Value { return filter.Text(p.ID().String()) })
	case "owner":
		own := builder{s: f.s}
		own.resolveOwners()
		return func(row int) filter.Value { return filter.Text(own.owner(f.ix.numbers[row]).String()) }
	case "root":
		return at(func(p *placement.ResourceProvider) filter.Value { return filter.Text(f.s.Root(p).Name()) })
	case "gen":
		return at(func(p *placement.ResourceProvider) filter.Value {
			return filter.Number(float64(p.Generation()), component.UnitCount)
		})
	case "class":
		var names []string // of the row that was asked for last
		return at(func(p *placement.ResourceProvider) filter.Value {
			names = names[:0]
			for _, iu := range p.Inventories() {
				names = append(names, string(f.s.ClassName(iu.Class)))
			}
			return filter.List(names...)
		})
	case "problem":
		return at(func(p *placement.ResourceProvider) filter.Value {
			var names []string
			for _, found := range f.found[p.ID()] {
				names = append(names, string(found.Rule))
			}
			return filter.List(names...)
		})
	case "trait":
		return at(f.traits())
	case "agg":
		return at(func(p *placement.ResourceProvider) filter.Value {
			var names []string
			for _, a := range p.Aggregates() {
				names = append(names, a.String())
			}
			return filter.List(names...)
		})
	}
	return f.amount(name)
}

// traits returns how to get the traits of a provider. Filters ask for those of
// every provider on each key: names are brought to lower case once.
func (f fields) traits() func(*placement.ResourceProvider) filter.Value {
	lower := map[placement.TraitID]string{}
	var names []string // of the row that was asked for last
	return func(p *placement.ResourceProvider) filter.Value {
		names = names[:0]
		for _, t := range p.TraitIDs() {
			name, ok := lower[t]
			if !ok {
				name = strings.ToLower(string(f.s.TraitName(t)))
				lower[t] = name
			}
			names = append(names, name)
		}
		return filter.List(names...)
	}
}

// amount returns the fields about the class that the screen shows.
func (f fields) amount(name string) func(row int) filter.Value {
	i := slices.Index([]string{"used", "cap", "free", "used%"}, name)
	if i < 0 {
		return nil
	}
	class := panel.ClassID(f.s, f.class)
	unit := panel.Unit(f.class)
	return func(row int) filter.Value {
		p := f.s.ProviderAt(int(f.ix.numbers[row]))
		iu, ok := p.Inventory(class)
		if !ok {
			return filter.Value{}
		}
		l := panel.Load(f.s, p, iu)
		switch i {
		case 0:
			return filter.Number(float64(l.Used), unit)
		case 1:
			return filter.Number(float64(l.Capacity), unit)
		case 2:
			return filter.Number(float64(l.Free()), unit)
		}
		return filter.Number(float64(l.Percent()), component.UnitCount)
	}
}
