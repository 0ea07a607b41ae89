package tracker

import (
	"slices"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// World is what the tracker decides on: both ledgers.
type World struct {
	Placement *placement.Snapshot
	Nova      *nova.Snapshot
	// Live says that the instances are as the API of a Nova tells them: without what their
	// images, ports and aliases ask for.
	Live bool
}

// after returns w with Placement as it is after ops.
func (w World) after(ops ...placement.Op) (World, error) {
	ours := slices.DeleteFunc(slices.Clone(ops), func(op placement.Op) bool { return !placement.Owns(op) })
	next, _, err := w.Placement.Apply(placement.Change{Ops: ours})
	if err != nil {
		return w, err
	}
	w.Placement = next
	return w, nil
}

// ours reports whether a provider in the tree of a compute node is Nova's, so that what
// an instance holds of it follows from its flavor. Providers from before the owner traits
// are recognised by libvirt's form of their names.
func (w World) ours(root, p *placement.ResourceProvider) bool {
	if p == root {
		return true
	}
	switch w.Placement.Owner(p) {
	case placement.OwnedByNova:
		return true
	case placement.OwnedByNone:
		_, libvirt, ok := pci.OfProvider(p.Name())
		return ok && libvirt
	default:
		return false
	}
}

// has reports whether a provider has an inventory of a class.
func (w World) has(p *placement.ResourceProvider, class placement.ResourceClass) bool {
	_, ok := w.Placement.InventoryOf(p, class)
	return ok
}

// pools returns the sharing providers of DISK_GB that the operator has linked to
// a compute node by an aggregate, by name.
func (w World) pools(root *placement.ResourceProvider) []*placement.ResourceProvider {
	var out []*placement.ResourceProvider
	for n := range w.Placement.Having(placement.SharesViaAggregate).All() {
		if p := w.Placement.ProviderAt(n); p != root && slices.ContainsFunc(root.Aggregates(), p.InAggregate) && w.has(p, placement.DiskGB) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, placement.ByName)
	return out
}

// root returns the provider of a compute node. The error matches
// placement.ErrNotFound.
func (w World) root(node *Node) (*placement.ResourceProvider, error) {
	p, ok := w.Placement.Provider(node.Provider())
	if !ok {
		return nil, placement.NotFound("resource provider", node.Hostname)
	}
	return p, nil
}
