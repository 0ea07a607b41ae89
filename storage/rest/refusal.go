package rest

import (
	"strings"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/wire"
)

// stock is one class of one provider.
type stock struct {
	provider placement.ProviderID
	class    placement.ResourceClass
}

// tooMuch returns why claims do not fit: the first of several reasons in the service's
// order. It decides nothing: the ledger has refused the claims already. Nil if they would
// fit on s. Inventories are those that a reshape gives providers instead of their own;
// nil for none.
//
// Source: placement/objects/allocation.py, _check_capacity_exceeded.
func tooMuch(s *placement.Snapshot, sent []sentClaim, inventories func(stock) (placement.Inventory, bool)) *fault {
	used, before := map[stock]int64{}, map[stock]int64{}
	has := func(at stock) (placement.Inventory, bool) {
		p, _ := s.Provider(at.provider)
		class, _ := s.ClassID(at.class)
		iu, ok := p.Inventory(class)
		if _, seen := used[at]; !seen {
			used[at], before[at] = iu.Used, iu.Used
		}
		if inventories != nil {
			if inv, ok := inventories(at); ok {
				return inv, true
			}
		}
		return iu.Inventory, ok
	}
	for _, c := range sent {
		if held, ok := s.Consumer(c.consumer); ok {
			for a := range s.Allocations(held) {
				at := stock{a.Provider.ID(), s.ClassName(a.Class)}
				has(at)
				used[at] -= a.Used
			}
		}
	}
	if f := withoutInventory(s, sent, has); f != nil {
		return f
	}
	sum := map[stock]int64{}
	var f *fault
	eachSent(sent, func(at stock, n int64) bool {
		sum[at] += n
		f = refusedFor(at, n, used[at], sum[at], before[at], has)
		return f == nil
	})
	return f
}

// refusedFor returns why n units do not fit, nil if they do.
func refusedFor(at stock, n, used, sum, before int64, has func(stock) (placement.Inventory, bool)) *fault {
	const text = "Unable to allocate inventory: Unable to create allocation for '%s' on resource provider '%s'. The requested amount would %s."
	inv, ok := has(at)
	switch {
	case !ok:
		return conflict(wire.Undefined, "Unable to allocate inventory: Inventory for '%s' on resource provider '%s' invalid.", at.class, at.provider)
	case inv.CheckUnits(n) != "" || n > placement.MaxInt:
		return conflict(wire.Undefined, text, at.class, at.provider, "violate inventory constraints")
	case !inv.HasRoom(used, sum) && used+sum > before:
		return conflict(wire.Undefined, text, at.class, at.provider, "exceed the capacity")
	}
	return nil
}

// eachSent calls do for each amount in the claims, until it returns false.
func eachSent(sent []sentClaim, do func(at stock, n int64) bool) {
	for _, c := range sent {
		for _, p := range c.providers {
			id, _ := exactUUID(p.uuid)
			for _, m := range p.resources {
				if !do(stock{placement.ProviderID(id), placement.ResourceClass(m.Key)}, units(m.Value)) {
					return
				}
			}
		}
	}
}

// withoutInventory returns which providers have no inventory of the classes that were
// requested.
func withoutInventory(s *placement.Snapshot, sent []sentClaim, has func(stock) (placement.Inventory, bool)) *fault {
	var classes, providers []string
	seen := map[string]bool{}
	add := func(list []string, name string) []string {
		if seen[name] {
			return list
		}
		seen[name] = true
		return append(list, name)
	}
	ask := func(at stock, _ int64) bool {
		classes = add(classes, string(at.class))
		providers = add(providers, at.provider.String())
		return true
	}
	eachSent(sent, ask)
	for _, c := range sent {
		if held, ok := s.Consumer(c.consumer); ok && len(c.providers) == 0 { // releasing everything requests nothing
			for a := range s.Allocations(held) {
				ask(stock{a.Provider.ID(), s.ClassName(a.Class)}, 0)
			}
		}
	}
	var missing []string
	for _, p := range providers {
		id, _ := exactUUID(p)
		found := false
		for _, c := range classes {
			_, ok := has(stock{placement.ProviderID(id), placement.ResourceClass(c)})
			found = found || ok
		}
		if !found {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return conflict(wire.Undefined, "Unable to allocate inventory: Inventory for '%s' on resource provider '%s' invalid.",
		strings.Join(classes, ", "), strings.Join(missing, ", "))
}
