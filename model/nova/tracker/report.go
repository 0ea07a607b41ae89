package tracker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// Report returns what has to be written so that s says of the machine what t says,
// and every difference between the two. A second Report, on the snapshot after the
// Change, returns an empty Change. The time of the Change is left to the caller.
//
// What belongs to others stays: traits that are not ours, inventories of classes that are
// not ours, aggregates, providers of Cyborg, Neutron and operators. A ratio in Placement
// stays unless the configuration sets one. A provider whose device is gone is removed;
// while it has allocations, it shrinks to what is allocated. What the probe could not
// tell stays as it is.
//
// The compute node is looked for by uuid and by name, and both must lead to the
// same provider: the error is an *IdentityError otherwise. It is a *StillReportedError
// if PCI devices were reported and are not to be any longer. A child is looked for
// by uuid, then by name below the root, since nova-compute gives its children
// random uuids.
//
// Source: nova/compute/resource_tracker.py, _update_to_placement;
// nova/virt/libvirt/driver.py, _get_allocation_ratios;
// nova/compute/pci_placement_translator.py.
func Report(s *placement.Snapshot, t Tree) (placement.Change, []Difference, error) {
	p := newPlanner(s, t)
	c, err := p.plan()
	return c, p.diffs, err
}

func newPlanner(s *placement.Snapshot, t Tree) *planner {
	return &planner{
		s: s, tree: t, matched: make(map[placement.ProviderID]bool),
		classes: make(map[placement.ResourceClass]bool), made: make(map[placement.Trait]bool),
	}
}

// plan returns what to write.
func (p *planner) plan() (placement.Change, error) {
	root, err := p.findRoot()
	if err != nil {
		return placement.Change{}, err
	}
	p.root = root
	if err := p.stillReported(); err != nil {
		return placement.Change{}, err
	}
	others, err := p.configure()
	if err != nil {
		return placement.Change{}, err
	}
	pairs, err := p.match()
	if err != nil {
		return placement.Change{}, err
	}
	p.write(p.tree.Root, root)
	p.vanished()
	for _, pair := range pairs {
		if pair.has == nil && p.blocked(pair.want) {
			continue
		}
		p.write(pair.want, pair.has)
	}
	for _, pair := range others {
		if !p.gone(pair.has) {
			p.write(pair.want, pair.has)
		}
	}
	for _, u := range p.tree.Unknown {
		p.unknown(u)
	}
	return placement.Change{Ops: append(p.before, p.ops...)}, nil
}

// planner makes one plan.
type planner struct {
	s    *placement.Snapshot
	tree Tree
	root *placement.ResourceProvider // nil if it does not exist yet

	matched map[placement.ProviderID]bool    // children of root that are in the tree
	classes map[placement.ResourceClass]bool // those created in before
	made    map[placement.Trait]bool         // traits created in before

	before []placement.Op // creates classes and traits
	ops    []placement.Op
	diffs  []Difference
}

// pair is a child of the tree, and its provider in Placement.
type pair struct {
	want Provider
	has  *placement.ResourceProvider // nil if there is none
}

func (p *planner) differ(d Difference) {
	p.diffs = append(p.diffs, d)
}

// inUse reports whether a provider may be in use, so that what d says of it is not written.
func (p *planner) inUse(id placement.ProviderID, d *Difference) bool {
	why, used := p.tree.InUse[id]
	if used {
		d.Verdict, d.Why = Conflict, why
	}
	return used
}

// match finds the provider of each child. Those that Cyborg has too are left out: first
// it must be decided whose they are.
func (p *planner) match() ([]pair, error) {
	var pairs []pair
	for _, c := range p.tree.Children {
		has, err := p.findChild(c)
		if err != nil {
			return nil, err
		}
		if has != nil {
			p.matched[has.ID()] = true
			if o := p.s.Owner(has); o == placement.OwnedByCyborg || o == placement.OwnedByBoth {
				p.differ(Difference{
					Provider: has.Name(), What: "owner", Has: o.String(), Want: placement.OwnedByNova.String(), Source: novas,
					Verdict: Conflict, Why: "Cyborg also reports the device; remove it from one of the two configurations",
				})
				continue
			}
			if has.Name() != c.Name {
				p.differ(Difference{
					Provider: has.Name(), What: "name", Has: has.Name(), Want: c.Name, Source: string(c.Kind) + " " + c.Address.String(),
					Verdict: Kept, Why: "providers are matched by uuid",
				})
			}
		}
		pairs = append(pairs, pair{c, has})
	}
	return pairs, nil
}

// blocked reports whether a new child would count a device twice.
func (p *planner) blocked(c Provider) bool {
	if p.root == nil {
		return false
	}
	conflict := func(has, why string) bool {
		p.differ(Difference{
			Provider: c.Name, What: "provider", Has: has, Want: summary(c), Source: c.Inventories[0].Source,
			Verdict: Conflict, Why: why,
		})
		return true
	}
	for _, inv := range c.Inventories {
		if id, ok := p.s.ClassID(inv.Class); ok && c.Kind == PGPU {
			if _, on := p.root.Inventory(id); on {
				return conflict(p.root.Name(), fmt.Sprintf("%s is on the compute node itself, as before Stein; reshape it to the cards first", inv.Class))
			}
		}
	}
	for _, sibling := range p.s.Children(p.root) {
		a, _, ok := pci.OfProvider(sibling.Name())
		if !ok || a != c.Address || p.gone(sibling) {
			continue
		}
		return conflict(sibling.Name(), fmt.Sprintf("%s stands for the same device (owner %s) and would count it twice", sibling.Name(), p.s.Owner(sibling)))
	}
	return false
}

// gone reports whether the plan removes a provider.
func (p *planner) gone(has *placement.ResourceProvider) bool {
	return slices.ContainsFunc(p.ops, func(op placement.Op) bool {
		d, ok := op.(placement.DeleteProvider)
		return ok && d.ID == has.ID()
	})
}

// write makes a provider match want; has is nil for a new one.
func (p *planner) write(want Provider, has *placement.ResourceProvider) {
	t := target{id: want.ID, name: want.Name}
	if has != nil {
		t = target{id: has.ID(), name: has.Name(), generation: has.Generation()}
	} else {
		create := placement.CreateProvider{ID: want.ID, Name: want.Name}
		if want.Kind != ComputeNode {
			create.Parent = p.tree.Root.ID
			if p.root != nil {
				create.Parent = p.root.ID()
			}
		}
		p.ops = append(p.ops, create)
		p.differ(Difference{Provider: want.Name, What: "provider", Want: string(want.Kind) + " " + want.ID.String(), Source: want.IDSource, Verdict: Written})
	}
	p.inventories(&t, want, has)
	p.traits(&t, want, has)
}

// target is a provider with its generation after the planned writes.
type target struct {
	id         placement.ProviderID
	name       string
	generation int64
}

// next returns the generation that the next write must expect.
func (t *target) next() placement.Expect {
	t.generation++
	return placement.Generation(t.generation - 1)
}

// device returns the PCI device of a provider that Nova named after the root: PGPU if the
// name has libvirt's form.
func device(root, name string) (pci.Address, Kind, bool) {
	a, libvirt, ok := pci.OfProvider(name)
	switch {
	case !ok || !strings.HasPrefix(name, root+"_"):
		return pci.Address{}, "", false
	case libvirt:
		return a, PGPU, true
	}
	return a, PCI, true
}
