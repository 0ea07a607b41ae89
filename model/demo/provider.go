package demo

import (
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// provider is what planning instances needs of a resource provider.
type provider struct {
	id      placement.ProviderID
	name    string
	stock   []stock
	owner   placement.Trait // OWNER_NOVA, OWNER_CYBORG; "" if none
	oneTime bool            // a one-time-use device
	closed  bool            // instances are kept off it
	// handles are its free attach handles, if it is a card of Cyborg's on a far host.
	handles []*cyborg.AttachHandle
	device  *nova.PciDevice // nova-compute's record, if it passes it through
}

// stock is one inventory of a provider, and what instances take of it.
type stock struct {
	class placement.ResourceClass
	inv   placement.Inventory
	used  int64
}

// of returns the stock of a class, nil if p has none.
func (p *provider) of(c placement.ResourceClass) *stock {
	for i := range p.stock {
		if p.stock[i].class == c {
			return &p.stock[i]
		}
	}
	return nil
}

// share returns how full a class of p is, 0 to 1; 0 if p has none.
func (p *provider) share(c placement.ResourceClass) float64 {
	s := p.of(c)
	if s == nil || s.inv.Capacity() == 0 {
		return 0
	}
	return float64(s.used) / float64(s.inv.Capacity())
}

// units returns an inventory as Nova and Cyborg report it: max_unit is the total.
//
// Source: nova/virt/libvirt/driver.py, update_provider_tree.
func units(c placement.ResourceClass, total, reserved int64) stock {
	inv := placement.NewInventory(total)
	inv.Reserved, inv.MaxUnit = reserved, total
	return stock{class: c, inv: inv}
}

// part is an amount of a class that a consumer holds on a provider.
type part struct {
	p     *provider
	class placement.ResourceClass
	n     int64
}

// take counts parts as used.
func take(parts []part) {
	for _, pt := range parts {
		pt.p.of(pt.class).used += pt.n
	}
}

// amounts returns parts as in a claim.
func amounts(parts []part) map[placement.ProviderID]map[placement.ResourceClass]int64 {
	out := make(map[placement.ProviderID]map[placement.ResourceClass]int64, 2)
	for _, pt := range parts {
		of := out[pt.p.id]
		if of == nil {
			of = make(map[placement.ResourceClass]int64, 3)
			out[pt.p.id] = of
		}
		of[pt.class] += pt.n
	}
	return out
}
