// Package survey is what audit and insight both need to know of a cloud: who owns its
// providers, which trees have accelerators, what instances should hold, and a fast walk
// over all consumers.
package survey

import (
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// View is a cloud with cached answers to frequent questions. It is for one goroutine.
type View struct {
	Cloud        *cloud.Snapshot
	Ledger       *placement.Snapshot
	Accelerators ClassFlags
	Nova, Cyborg placement.Set // providers with OWNER_NOVA, with OWNER_CYBORG
	OneTime      placement.Set // providers with HW_PCI_ONE_TIME_USE
	RootSet      placement.Set // providers without parent
	Sharing      placement.Set // providers with MISC_SHARES_VIA_AGGREGATE

	trees  []*CardTree          // see CardTrees; nil until the first call
	wanted map[string]*wantedOf // by ref of the flavor; see Wants
}

// New returns a View of s.
func New(s *cloud.Snapshot) *View {
	p := s.Placement()
	v := &View{
		Cloud: s, Ledger: p, Accelerators: AcceleratorClasses(p),
		OneTime: p.Having(placement.HWPCIOneTimeUse), RootSet: p.RootSet(), Sharing: p.Having(placement.SharesViaAggregate),
		wanted: map[string]*wantedOf{},
	}
	v.Nova, v.Cyborg = OwnerSets(p)
	return v
}

// OwnerSets returns the providers with OWNER_NOVA and those with OWNER_CYBORG.
func OwnerSets(p *placement.Snapshot) (nova, cyborg placement.Set) {
	return p.Having(placement.OwnerNova), p.Having(placement.OwnerCyborg)
}

// OwnerOf says whose a provider is that has the given owner traits.
func OwnerOf(nova, cyborg bool) placement.Owner {
	switch {
	case nova && cyborg:
		return placement.OwnedByBoth
	case nova:
		return placement.OwnedByNova
	case cyborg:
		return placement.OwnedByCyborg
	default:
		return placement.OwnedByNone
	}
}

// HostProvider returns the provider of a host: that of its compute node, or else
// the root of the same name.
func (v *View) HostProvider(host string) (*placement.ResourceProvider, bool) {
	for node := range v.Cloud.Nova().ComputeNodesOf(host) {
		return v.Ledger.Provider(node.UUID)
	}
	p, ok := v.Ledger.ProviderByName(host)
	return p, ok && p.IsRoot()
}

// LikelyOwners returns both owners, the likelier first: that of the service that
// has reported the provider, by what it keeps of it and how it names it. It says so
// where that is plain, "" if it is not.
func LikelyOwners(s *cloud.Snapshot, p *placement.ResourceProvider) (owners []placement.Owner, why string) {
	rest := strings.TrimPrefix(p.Name(), s.Placement().Root(p).Name())
	_, reported := s.Cyborg().DeployableAt(p.ID())
	managed, _ := s.Placement().TraitID(placement.ComputeManagedPCI)
	switch {
	case reported:
		return []placement.Owner{placement.OwnedByCyborg, placement.OwnedByNova}, "Cyborg has a deployable for it"
	case p.IsRoot():
		return []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg}, "it is a root"
	case p.HasTrait(managed):
		return []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg}, "it has " + string(placement.ComputeManagedPCI)
	case strings.HasPrefix(rest, "_pci_") || rest != strings.ToLower(rest):
		return []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg}, "it is named the way Nova names cards"
	default:
		return []placement.Owner{placement.OwnedByCyborg, placement.OwnedByNova}, ""
	}
}

// NewestFlavors yields the flavors that a new instance may have.
func NewestFlavors(n *nova.Snapshot) func(yield func(*nova.Flavor) bool) {
	return func(yield func(*nova.Flavor) bool) {
		for f := range n.Flavors() {
			if newest, ok := n.FlavorNamed(f.Name); ok && newest == f && !yield(f) {
				return
			}
		}
	}
}

// Counted returns the capacity of an inventory and what is reserved of it as sums count them:
// a device for one time use, which Nova reserves all of while it is in use, counts as full and
// not as over-full.
//
// Source: nova/compute/pci_placement_translator.py, HW_PCI_ONE_TIME_USE.
func Counted(iu placement.InventoryUsage, oneTime bool) (capacity, reserved int64) {
	capacity = iu.Capacity()
	if oneTime && iu.Reserved == iu.Total && iu.Used > capacity {
		return iu.Used, max(iu.Total-iu.Used, 0)
	}
	return capacity, iu.Reserved
}
