package tracker

import (
	"fmt"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// AnyComputeNode is the ID of a ProviderConfig for compute nodes that no other names.
const AnyComputeNode = "$COMPUTE_NODE"

// ProviderConfig is what an operator adds to a provider in a file on the compute host.
//
// Source: nova/compute/provider_config.py.
type ProviderConfig struct {
	File        string
	ID          string // uuid or name of a provider of the host's tree, or AnyComputeNode
	Inventories map[placement.ResourceClass]placement.Inventory
	Traits      []placement.Trait
}

// configure merges what operators have configured into the providers of the tree, and
// returns the other providers of the host that they name, such as those that operators
// have made below the root and sharing ones. A provider that is in neither is noted and
// ignored. Each of them becomes Nova's.
//
// The error matches placement.ErrInvalid: a provider is named twice, or a class is the
// driver's.
//
// Source: nova/compute/resource_tracker.py, _merge_provider_configs.
func (p *planner) configure() ([]pair, error) {
	if len(p.tree.Configs) == 0 {
		return nil, nil
	}
	root := p.tree.Root.ID
	if p.root != nil {
		root = p.root.ID()
	}
	p.tree.Children = slices.Clone(p.tree.Children)
	named := map[string]bool{}
	for _, c := range p.tree.Configs {
		named[c.ID] = true
	}
	by := map[placement.ProviderID]string{} // file
	var others []pair
	for _, c := range p.tree.Configs {
		want, has := p.named(c.ID, root)
		switch {
		case c.ID == AnyComputeNode && (named[p.tree.Root.Name] || named[root.String()]):
			continue
		case want == nil && has == nil:
			p.differ(Difference{
				Provider: c.ID, What: "provider config", Want: c.File, Source: c.File, Verdict: Conflict,
				Why: "the provider is not in the tree of this compute node: ignored",
			})
			continue
		}
		if want == nil {
			others = append(others, pair{Provider{ID: has.ID(), Name: has.Name(), Kind: Other}, has})
			want = &others[len(others)-1].want
		}
		if file, ok := by[want.ID]; ok {
			return nil, placement.Invalid("provider config "+c.File, c.ID, fmt.Sprintf("%s names the same provider by its name or uuid", file))
		}
		by[want.ID] = c.File
		if err := p.add(want, has, c); err != nil {
			return nil, err
		}
	}
	return others, nil
}

// Merged returns the tree with its configs merged into its own providers, to be looked at
// without Placement; it notes those that are for others.
//
// Errors: as Report.
func (t Tree) Merged() (Tree, error) {
	p := newPlanner(placement.Empty(), t)
	if _, err := p.configure(); err != nil {
		return Tree{}, err
	}
	p.tree.Notes = slices.Clone(p.tree.Notes)
	for _, d := range p.diffs {
		p.tree.Note("%s: provider %s is none of this machine's own; it is looked for in Placement", d.Source, d.Provider)
	}
	return p.tree, p.tree.Finish()
}

// named returns the provider of the tree that an ID means, or the one that only Placement
// has; want and has are nil if there is none.
func (p *planner) named(id string, root placement.ProviderID) (want *Provider, has *placement.ResourceProvider) {
	if id == AnyComputeNode || id == p.tree.Root.Name || id == root.String() {
		return &p.tree.Root, nil
	}
	for i := range p.tree.Children {
		c := &p.tree.Children[i]
		is, err := p.findChild(*c)
		if id == c.Name || id == c.ID.String() || err == nil && is != nil && (id == is.Name() || id == is.ID().String()) {
			return c, nil
		}
	}
	if p.root == nil {
		return nil, nil
	}
	for _, rp := range p.s.Tree(p.root) {
		if id == rp.Name() || id == rp.ID().String() {
			return nil, rp
		}
	}
	for n := range p.s.Having(placement.SharesViaAggregate).All() {
		rp := p.s.ProviderAt(n)
		if (id == rp.Name() || id == rp.ID().String()) && slices.ContainsFunc(p.root.Aggregates(), rp.InAggregate) {
			return nil, rp
		}
	}
	return nil, nil
}

// add adds a config to a provider; has is the one in Placement, for those that only that
// has.
func (p *planner) add(want *Provider, has *placement.ResourceProvider, c ProviderConfig) error {
	want.Inventories, want.Traits = slices.Clone(want.Inventories), slices.Clone(want.Traits)
	for _, class := range slices.SortedStableFunc(maps.Keys(c.Inventories), func(a, b placement.ResourceClass) int {
		if a < b {
			return -1
		}
		return 1
	}) {
		if _, taken := want.Inventory(class); taken {
			return placement.Invalid("provider config "+c.File, string(class), "the class is reported by the driver: remove it from the file")
		}
		want.Inventories = append(want.Inventories, Inventory{Class: class, Inventory: c.Inventories[class], Source: c.File, RatioSet: true})
	}
	set := func(name placement.Trait) {
		if !slices.ContainsFunc(want.Traits, func(t Trait) bool { return t.Name == name }) {
			want.Traits = append(want.Traits, Trait{name, c.File})
		}
	}
	for _, name := range c.Traits {
		set(name)
	}
	if slices.ContainsFunc(p.tree.Root.Traits, func(t Trait) bool { return t.Name == placement.OwnerNova }) { // the release knows owners
		set(placement.OwnerNova)
	}
	if has != nil && p.s.Owner(has) == placement.OwnedByCyborg {
		p.differ(Difference{
			Provider: has.Name(), What: "owner", Has: placement.OwnedByCyborg.String(), Want: placement.OwnedByBoth.String(), Source: c.File,
			Verdict: Conflict, Why: "the provider is Cyborg's, and becomes Nova's too, as " + c.File + " names it",
		})
	}
	return nil
}
