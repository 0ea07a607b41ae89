package cyborg

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// placementWriter collects what a report writes to Placement.
type placementWriter struct {
	p        *placement.Snapshot
	root     *placement.ResourceProvider // of the host; nil if there is none
	made     map[string]bool             // classes and traits created in before
	before   []placement.Op
	ops      []placement.Op
	troubles []Trouble
}

func newPlacementWriter(p *placement.Snapshot, host string) placementWriter {
	w := placementWriter{p: p, made: map[string]bool{}}
	root, ok := p.ProviderByName(host)
	if !ok {
		w.trouble(NoRoot, host, fmt.Sprintf("there is no resource provider called %s: the agent's host must be the hypervisor_hostname of the compute node", host))
		return w
	}
	w.root = root
	return w
}

func (w *placementWriter) trouble(kind TroubleKind, name, why string) {
	w.troubles = append(w.troubles, Trouble{Kind: kind, Name: name, Why: why})
}

// operations returns everything to write.
func (w *placementWriter) operations() []placement.Op { return append(w.before, w.ops...) }

// providerContent is what a provider is to have.
type providerContent struct {
	class   placement.ResourceClass
	traits  []placement.Trait
	before  []placement.Trait // that the driver reported before
	total   int64             // units of class
	drained bool              // all of it is reserved
}

// write makes the provider of a deployable have what want says, and returns its uuid, or
// the one that the deployable already has if it cannot be reported.
func (w *placementWriter) write(d *Deployable, want providerContent) placement.ProviderID {
	if w.root == nil {
		return d.Provider
	}
	has, ok := w.find(d)
	if !ok {
		return d.Provider
	}
	w.twins(d.Name, has)
	id, generation := ProviderID(d.Name), int64(0)
	if has != nil {
		id, generation = has.ID(), has.Generation()
	} else {
		w.ops = append(w.ops, placement.CreateProvider{ID: id, Name: d.Name, Parent: w.root.ID()})
	}
	if set, changed := w.inventories(d.Name, has, want); changed {
		w.ops = append(w.ops, placement.SetInventories{Provider: id, Generation: placement.Generation(generation), Inventories: set})
		generation++
	}
	if traits, changed := w.traits(d.Name, has, want); changed {
		w.ops = append(w.ops, placement.SetTraits{Provider: id, Generation: placement.Generation(generation), Traits: traits})
	}
	return id
}

// find returns the provider of a deployable, nil if it has to be created; false if
// another one is in the way.
func (w *placementWriter) find(d *Deployable) (*placement.ResourceProvider, bool) {
	has, ok := w.p.Provider(d.Provider)
	if !ok {
		has, ok = w.p.Provider(ProviderID(d.Name))
	}
	if !ok {
		if has, ok = w.p.ProviderByName(d.Name); !ok {
			return nil, true
		}
		if o := w.p.Owner(has); o != placement.OwnedByCyborg {
			w.trouble(NameTaken, d.Name, fmt.Sprintf("provider %s already has the name, and its owner is %s", has.ID(), o))
			return nil, false
		}
	}
	if has.RootNumber() != w.root.RootNumber() {
		w.trouble(NameTaken, d.Name, fmt.Sprintf("provider %s is in the tree of %s", has.ID(), w.p.Root(has).Name()))
		return nil, false
	}
	return has, true
}

// twins reports other providers of the tree for the same PCI function as has, the
// provider with the given name; has is nil if that does not exist yet.
func (w *placementWriter) twins(name string, has *placement.ResourceProvider) {
	address, _, ok := pci.OfProvider(name)
	if !ok {
		return
	}
	for _, p := range w.p.Tree(w.root) {
		if p == has || p.IsRoot() {
			continue
		}
		if other, _, ok := pci.OfProvider(p.Name()); ok && other == address {
			w.trouble(CountedTwice, name, fmt.Sprintf("%s stands for the same device, and its owner is %s: remove it from one of the two configurations", p.Name(), w.p.Owner(p)))
		}
	}
}

// inventories returns the inventories that a provider is to have, and whether they differ
// from what it has. A class that the card had before shrinks to what is allocated.
func (w *placementWriter) inventories(name string, has *placement.ResourceProvider, want providerContent) (map[placement.ResourceClass]placement.Inventory, bool) {
	set := map[placement.ResourceClass]placement.Inventory{}
	if has != nil {
		for _, iu := range has.Inventories() {
			set[w.p.ClassName(iu.Class)] = iu.Inventory
		}
	}
	changed := false
	for _, old := range reportedClasses() {
		iu, ok := w.inventory(has, old)
		if !ok || old == want.class {
			continue
		}
		if iu.Used == 0 {
			delete(set, old)
			changed = true
			continue
		}
		w.trouble(ClassUsed, name, fmt.Sprintf("%d %s are allocated, so Placement answers 409", iu.Used, old))
		set[old] = resized(iu.Inventory, iu.Used, want.drained)
		changed = changed || set[old] != iu.Inventory
	}
	is, ok := w.inventory(has, want.class)
	inv := placement.NewInventory(want.total)
	if ok {
		inv = is.Inventory
	} else if _, known := w.p.ClassID(want.class); !known && !w.made[string(want.class)] {
		w.made[string(want.class)] = true
		w.before = append(w.before, placement.CreateClass{Name: want.class, IfAbsent: true})
	}
	set[want.class] = resized(inv, want.total, want.drained)
	return set, changed || !ok || set[want.class] != is.Inventory
}

// resized returns inv with another total, all of it reserved if drained.
func resized(inv placement.Inventory, total int64, drained bool) placement.Inventory {
	inv.Total, inv.MaxUnit = total, total
	inv.Reserved = min(inv.Reserved, total)
	if drained {
		inv.Reserved = total
	}
	return inv
}

// inventory returns the inventory of a class, and false if there is none.
func (w *placementWriter) inventory(has *placement.ResourceProvider, class placement.ResourceClass) (placement.InventoryUsage, bool) {
	id, ok := w.p.ClassID(class)
	if !ok || has == nil {
		return placement.InventoryUsage{}, false
	}
	return has.Inventory(id)
}

// traits returns the traits that a provider is to have, and whether they differ from what
// it has: those that the driver reports, and those that it never reported.
func (w *placementWriter) traits(name string, has *placement.ResourceProvider, want providerContent) ([]placement.Trait, bool) {
	var is, out []placement.Trait
	if has != nil {
		is = w.p.TraitsOf(has)
	}
	for _, t := range is {
		if !slices.Contains(want.before, t) || slices.Contains(want.traits, t) {
			out = append(out, t)
		}
	}
	for _, t := range want.traits {
		if slices.Contains(out, t) || !w.ensure(name, t) {
			continue
		}
		out = append(out, t)
	}
	slices.Sort(out)
	return out, !slices.Equal(is, out)
}

// ensure creates a trait that Placement does not know, and reports whether it can be set.
func (w *placementWriter) ensure(name string, t placement.Trait) bool {
	if _, known := w.p.TraitID(t); known || w.made[string(t)] {
		return true
	}
	if err := t.Validate(); err != nil || !t.IsCustom() {
		w.trouble(NoSuchTrait, name, fmt.Sprintf("this Placement does not know the trait %s, and cannot create it", t))
		return false
	}
	w.made[string(t)] = true
	w.before = append(w.before, placement.CreateTrait{Name: t})
	return true
}

// drop removes the provider of a deployable that is gone, and reports whether the
// deployable can go too. If not, the provider shrinks to what is in use: handles is the
// number of attach handles in use.
func (w *placementWriter) drop(d *Deployable, handles int64, class placement.ResourceClass, drained bool) bool {
	has, ok := w.p.Provider(d.Provider)
	if !ok {
		if handles > 0 {
			w.trouble(StillUsed, d.Name, fmt.Sprintf("%d attach handles are in use", handles))
		}
		return handles == 0
	}
	consumers, children := w.p.CountConsumersOf(has), len(w.p.Children(has))
	if handles == 0 && consumers == 0 && children == 0 {
		w.ops = append(w.ops, placement.DeleteProvider{ID: has.ID()})
		return true
	}
	w.trouble(StillUsed, d.Name, fmt.Sprintf("it is no longer reported, as the card is gone or offers it no more, but cannot be removed: attach handles in use: %d, consumers with allocations: %d, child providers: %d; Placement answers 409", handles, consumers, children))
	iu, ok := w.inventory(has, class)
	total := max(handles, iu.Used)
	if inv := resized(iu.Inventory, total, drained); ok && total > 0 && inv != iu.Inventory {
		w.ops = append(w.ops, placement.SetInventory{Provider: has.ID(), Generation: has.Expect(), Class: class, Inventory: inv})
	}
	return false
}
