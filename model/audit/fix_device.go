package audit

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// mdevFixes lower the total of a card to what it can make, so that nothing more
// lands there, and then let an instance leave that is too many: for another card, or
// for another host. Which one is for people to decide.
func mdevFixes(s *cloud.Snapshot, f Finding) []Fix {
	p, iu, err := inventoryOf(s, f.Provider, f.Class)
	most, known := mdevsOf(s, p)
	switch {
	case err != nil || !known:
		return nil
	case iu.Total <= most || most < 1:
		full := iu
		full.Total, full.Reserved, full.AllocationRatio = most, 0, 1
		return relieve(s, f, p, full)
	}
	return choices(Fix{
		Name: "lower", Title: fmt.Sprintf("lower the total of %s from %d to %d, which the card has", f.Class, iu.Total, most), Prepares: true,
		plan: editInventory(f.Provider, f.Class, func(iu placement.InventoryUsage) placement.Inventory {
			return withTotal(iu, min(iu.Total, most))
		}),
	})
}

// handleTotalFixes set the total of a card of Cyborg's to the number of its attach
// handles. More may have drifted, which then stands.
func handleTotalFixes(f Finding, iu placement.InventoryUsage, handles int64, more bool) []Fix {
	if handles < 1 {
		return nil // an inventory has one unit at least
	}
	return []Fix{{
		Name: "total", Title: fmt.Sprintf("set the total of %s from %d to %d, one for each attach handle", f.Class, iu.Total, handles), Prepares: more,
		plan: editInventory(f.Provider, f.Class, func(iu placement.InventoryUsage) placement.Inventory {
			inv := withTotal(iu, handles)
			inv.MaxUnit = handles
			return inv
		}),
	}}
}

// withTotal returns an inventory with another total: its limits do not exceed it,
// and all of it is reserved where all of it was.
func withTotal(iu placement.InventoryUsage, total int64) placement.Inventory {
	inv := iu.Inventory
	inv.Total = total
	inv.Reserved, inv.MaxUnit = min(inv.Reserved, total), min(inv.MaxUnit, total)
	if iu.Reserved == iu.Total {
		inv.Reserved = total
	}
	return inv
}

// mdevsOf returns how many mediated devices the card of a provider can make, and
// false where no compute node has told.
func mdevsOf(s *cloud.Snapshot, p *placement.ResourceProvider) (most int64, known bool) {
	if p == nil || s.Placement().Owner(p) == placement.OwnedByCyborg || s.Placement().Owner(p) == placement.OwnedByBoth {
		return 0, false
	}
	root := s.Placement().Root(p)
	node, ok := s.Nova().ComputeNode(root.ID())
	if !ok {
		return 0, false
	}
	address, _, ok := pci.OfProvider(root.Name(), p.Name())
	if !ok {
		return 0, false
	}
	text := address.String()
	i := slices.IndexFunc(node.GPUs, func(g nova.GPU) bool { return g.Address == text })
	if i < 0 {
		return 0, false
	}
	return node.GPUs[i].Total, true
}
