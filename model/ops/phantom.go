package ops

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// Phantoms finds capacity that Placement counts though no guest can have it: of a card
// that is counted twice, of VGPU on a root beside its cards, of a disk that is a pool's
// too, of a host that Nova no longer has. Placement offers it all the same. It is for one
// goroutine.
type Phantoms struct {
	ledger  *placement.Snapshot
	nova    *nova.Snapshot
	sharing placement.Set // providers with MISC_SHARES_VIA_AGGREGATE
	partly  bool          // Nova may have compute nodes that were not read

	cards map[placement.ProviderID][]Card // those counted twice, by root; filled as they are asked for
	nodes map[string]placement.ProviderID // Nova's compute nodes, by name; nil until they are asked for
}

// NewPhantoms returns the Phantoms of s.
func NewPhantoms(s *cloud.Snapshot) *Phantoms {
	return &Phantoms{ledger: s.Placement(), nova: s.Nova(), sharing: s.Placement().Having(placement.SharesViaAggregate), cards: map[placement.ProviderID][]Card{}, partly: s.Gap(cloud.Hypervisors) != ""}
}

// The rules of the audit about capacity that is counted though no guest can have it.
const (
	CardTwice      = "o03"
	VGPUTwice      = "o07"
	DiskTwice      = "s02"
	NameTaken      = "v05"
	OrphanProvider = "v06"
)

// Phantom says why capacity is counted that no guest can have.
type Phantom struct {
	Rule  string // of the audit that reports it, such as "o03"
	Words string // "PCI 0000:84:00.0 is counted as cmp-011_pci_0000_84_00_0 too"
}

func (p Phantom) String() string { return p.Rule + ": " + p.Words }

// Of says what is wrong with the capacity that a candidate takes, after the rule of the
// audit that reports it: "o03: PCI 0000:84:00.0 is counted as cmp-011_pci_0000_84_00_0
// too". It returns "" if nothing is.
func (f *Phantoms) Of(takes []candidates.Part) string {
	for _, part := range takes {
		if why, is := f.Phantom(part.Provider, part.Class); is {
			return why.String()
		}
	}
	return ""
}

// Order returns the numbers of candidates with those last that take phantom capacity, and
// what is wrong with each, "" for most.
func (f *Phantoms) Order(n int, takes func(i int) []candidates.Part) (order []int, why []string) {
	var last []int
	why = make([]string, n)
	for i := range n {
		if why[i] = f.Of(takes(i)); why[i] == "" {
			order = append(order, i)
		} else {
			last = append(last, i)
		}
	}
	return append(order, last...), why
}

// Phantom reports whether what a provider has of a class is counted though no guest can
// have it, and why.
func (f *Phantoms) Phantom(p *placement.ResourceProvider, class placement.ResourceClass) (Phantom, bool) {
	root := f.ledger.Root(p)
	if why, orphan := f.Orphan(root); orphan {
		return why, true
	}
	if class == placement.DiskGB {
		if pool, twice := f.DiskTwice(p); twice {
			return Phantom{DiskTwice, "its disk is counted as that of " + pool.Name() + " too"}, true
		}
		return Phantom{}, false
	}
	cards, ok := f.cards[root.ID()]
	if !ok {
		cards = CardsTwice(f.ledger, f.ledger.Within(root))
		f.cards[root.ID()] = cards
	}
	if i := slices.IndexFunc(cards, func(c Card) bool { return c.Provider == p }); i >= 0 {
		for _, c := range cards {
			if c.Provider != p && c.Address == cards[i].Address {
				return Phantom{CardTwice, fmt.Sprintf("PCI %s is counted as %s too", c.Address, c.Provider.Name())}, true
			}
		}
	}
	if class == placement.VGPU && p.IsRoot() {
		for card := range f.ledger.Within(root) {
			if _, has := f.ledger.InventoryOf(card, class); has && card != p {
				return Phantom{VGPUTwice, "VGPU is counted on " + card.Name() + " below it too"}, true
			}
		}
	}
	return Phantom{}, false
}

// Orphan reports whether a root is the provider of a compute node that Nova does not
// know, so that Nova's scheduler passes over it, and why. Nothing is said where Nova's
// compute nodes are not known, or not all of them.
//
// Source: nova/scheduler/manager.py, _get_all_host_states.
func (f *Phantoms) Orphan(root *placement.ResourceProvider) (Phantom, bool) {
	if f.nodes == nil {
		f.nodes = map[string]placement.ProviderID{}
		for node := range f.nova.ComputeNodes() {
			f.nodes[node.Hostname] = node.UUID
		}
	}
	compute, _ := f.ledger.TraitID(placement.ComputeNode)
	if f.partly || len(f.nodes) == 0 || !root.HasTrait(compute) {
		return Phantom{}, false
	}
	if _, ok := f.nova.ComputeNode(root.ID()); ok {
		return Phantom{}, false
	}
	if id, ok := f.nodes[root.Name()]; ok {
		return Phantom{NameTaken, fmt.Sprintf("the compute node of that name is %s", id)}, true
	}
	return Phantom{OrphanProvider, "Nova has no compute node for it"}, true
}

// Orphans returns the roots that Orphan reports.
func (f *Phantoms) Orphans() []placement.ProviderID {
	var out []placement.ProviderID
	for n := range f.ledger.Having(placement.ComputeNode).All() {
		root := f.ledger.ProviderAt(n)
		if _, orphan := f.Orphan(root); orphan && root.IsRoot() {
			out = append(out, root.ID())
		}
	}
	return out
}

// DiskTwice returns the pool whose disk a host reports as its own.
func (f *Phantoms) DiskTwice(host *placement.ResourceProvider) (pool *placement.ResourceProvider, twice bool) {
	disk, ok := f.ledger.ClassID(placement.DiskGB)
	own, has := host.Inventory(disk)
	if !ok || !has || f.sharing.Has(host.Number()) {
		return nil, false
	}
	for _, agg := range host.Aggregates() {
		members := f.ledger.InAggregate(agg)
		for n := range f.sharing.All() { // few, where an aggregate may have every host
			if !members.Has(n) {
				continue
			}
			pool := f.ledger.ProviderAt(n)
			if shared, has := pool.Inventory(disk); has && f.sameDisk(host, own.Total, shared.Total) {
				return pool, true
			}
		}
	}
	return nil, false
}

// sameDisk reports whether the disk that a host reports is that of a pool: more than its
// local one where that is known, else about as large as the pool's.
func (f *Phantoms) sameDisk(host *placement.ResourceProvider, own, shared int64) bool {
	if node, ok := f.nova.ComputeNode(host.ID()); ok && node.SharesDisk() {
		return own > tracker.World{Placement: f.ledger, Nova: f.nova}.LocalDisk(host)
	}
	return max(own, shared)-min(own, shared) <= shared/20
}

// Card is a provider whose name has a PCI address.
type Card struct {
	Provider *placement.ResourceProvider
	Address  pci.Address
}

// CardsTwice returns those of the given providers that are PCI devices and in one tree
// more than once, those of one device side by side. Names are compared by their PCI
// address, since each service writes it in its own way.
func CardsTwice(s *placement.Snapshot, providers iter.Seq[*placement.ResourceProvider]) []Card {
	var cards []Card
	for p := range providers {
		if p.IsRoot() || len(p.Inventories()) == 0 {
			continue
		}
		if addr, _, ok := pci.OfProvider(p.Name()); ok {
			cards = append(cards, Card{p, addr})
		}
	}
	slices.SortFunc(cards, func(x, y Card) int {
		if order := cmp.Compare(x.Provider.RootNumber(), y.Provider.RootNumber()); order != 0 {
			return order // most often, and the rest costs more
		}
		return cmp.Or(x.Address.Compare(y.Address), strings.Compare(x.Provider.Name(), y.Provider.Name()))
	})
	same := func(i, j int) bool {
		return i >= 0 && j < len(cards) && cards[i].Provider.RootNumber() == cards[j].Provider.RootNumber() && cards[i].Address == cards[j].Address
	}
	var out []Card
	for i, c := range cards {
		if same(i-1, i) || same(i, i+1) {
			out = append(out, c)
		}
	}
	return out
}
