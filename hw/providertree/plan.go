package providertree

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// Verdict says what Plan does about a Difference.
type Verdict string

// The verdicts.
const (
	Written  Verdict = "written"  // the Change makes Placement say what the machine says
	Kept     Verdict = "kept"     // Placement says something else, and rightly so
	Untold   Verdict = "unknown"  // the machine does not say, so that Placement is left alone
	Conflict Verdict = "conflict" // left alone until somebody decides: Why says what stands in the way
)

// Difference is one thing that Placement and the machine say differently.
type Difference struct {
	Provider string // name
	What     string // such as "VCPU total" or "trait HW_CPU_X86_AVX2"
	Has      string // what Placement says; "" for nothing
	Want     string // what the machine says; "" for nothing
	Source   string // where Want comes from
	Verdict  Verdict
	Why      string // for every verdict but Written
}

// Plan returns what has to be written so that s says of the machine what t says,
// and every difference between the two. A second Plan, on the snapshot after the
// Change, returns an empty Change. The time of the Change is left to the caller.
//
// What belongs to others stays: traits that are not ours, inventories of classes
// that are not ours, aggregates, providers of Cyborg, Neutron and operators. A
// ratio that stands in Placement stays unless the configuration sets one. A
// provider whose device is gone is removed; while somebody holds an allocation
// on it, it stays with as much as is allocated. What the probe could not tell
// stays as it is.
//
// The compute node is looked for by uuid and by name, and both must lead to the
// same provider: the error is an *IdentityError otherwise. A child is looked for
// by uuid, then by name below the root, since nova-compute gives its children
// uuids by chance.
//
// Source: nova/compute/resource_tracker.py, _update_to_placement;
// nova/virt/libvirt/driver.py, _get_allocation_ratios;
// nova/compute/pci_placement_translator.py.
func Plan(s *placement.Snapshot, t Tree) (placement.Change, []Difference, error) {
	p := planner{
		s: s, tree: t, matched: make(map[placement.ProviderID]bool),
		classes: make(map[placement.ResourceClass]bool), made: make(map[placement.Trait]bool),
	}
	root, err := p.findRoot()
	if err != nil {
		return placement.Change{}, nil, err
	}
	p.root = root
	pairs, err := p.match()
	if err != nil {
		return placement.Change{}, nil, err
	}
	p.write(t.Root, root)
	p.vanished()
	for _, pair := range pairs {
		if pair.has == nil && p.blocked(pair.want) {
			continue
		}
		p.write(pair.want, pair.has)
	}
	for _, u := range t.Unknown {
		p.unknown(u)
	}
	return placement.Change{Ops: append(p.before, p.ops...)}, p.diffs, nil
}

// planner makes one plan.
type planner struct {
	s    *placement.Snapshot
	tree Tree
	root *placement.ResourceProvider // nil where it does not exist yet

	matched map[placement.ProviderID]bool    // children of root that the tree has
	classes map[placement.ResourceClass]bool // those that before makes
	made    map[placement.Trait]bool         // traits that before makes

	before []placement.Op // makes classes and traits
	ops    []placement.Op
	diffs  []Difference
}

// pair is a child of the tree with the provider that stands for it.
type pair struct {
	want Provider
	has  *placement.ResourceProvider // nil where there is none
}

func (p *planner) differ(d Difference) { p.diffs = append(p.diffs, d) }

// match finds the provider of each child. Those that Cyborg has too are left
// out: whose they are has to be decided first.
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
					Verdict: Conflict, Why: "Cyborg reports the device; take it away from one of the two",
				})
				continue
			}
			if has.Name() != c.Name {
				p.differ(Difference{
					Provider: has.Name(), What: "name", Has: has.Name(), Want: c.Name, Source: string(c.Kind) + " " + c.Address.String(),
					Verdict: Kept, Why: "the provider is known by its uuid",
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
				return conflict(p.root.Name(), fmt.Sprintf("%s is on the compute node itself, as before release Stein; reshape it to the cards first", inv.Class))
			}
		}
	}
	for _, sibling := range p.s.Children(p.root) {
		a, _, ok := device(p.root.Name(), sibling.Name())
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

// write makes a provider say what want says; has is nil for a new one.
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

// target is a provider with the generation that it will have reached.
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

// inventories plans the inventories of one provider as a whole, as nova-compute
// writes them.
func (p *planner) inventories(t *target, want Provider, has *placement.ResourceProvider) {
	set := make(map[placement.ResourceClass]placement.Inventory)
	changed := false
	if has != nil {
		for _, iu := range has.Inventories() {
			class := p.s.ClassName(iu.Class)
			if _, reported := want.Inventory(class); reported {
				continue
			}
			if keep, inv := p.unreported(want, class, iu); keep {
				set[class] = inv
				changed = changed || inv != iu.Inventory
			} else {
				changed = true
			}
		}
	}
	for _, inv := range want.Inventories {
		var (
			had    placement.InventoryUsage
			exists bool
		)
		if id, ok := p.s.ClassID(inv.Class); ok && has != nil {
			had, exists = has.Inventory(id)
		}
		is := inv.settle(had.Inventory, exists)
		set[inv.Class] = is
		if !exists {
			p.ensureClass(inv.Class)
			changed = true
			p.differ(Difference{Provider: t.name, What: string(inv.Class), Want: amounts(is), Source: inv.Source, Verdict: Written})
			continue
		}
		changed = changed || is != had.Inventory
		p.compare(t.name, inv, had, is)
	}
	if changed {
		p.ops = append(p.ops, placement.SetInventories{Provider: t.id, Generation: t.next(), Inventories: set})
	}
}

// unreported decides on a class that a provider has and the tree does not: what
// is not ours stays; what is ours goes, or shrinks to what is allocated.
func (p *planner) unreported(want Provider, class placement.ResourceClass, iu placement.InventoryUsage) (keep bool, inv placement.Inventory) {
	ours := want.Kind != ComputeNode || slices.Contains(want.managed, class)
	untold := want.Kind == ComputeNode && slices.ContainsFunc(p.tree.Unknown, func(u Unknown) bool { return u.Class == class })
	if !ours || untold {
		return true, iu.Inventory
	}
	d := Difference{Provider: want.Name, What: string(class), Has: amounts(iu.Inventory), Source: "the machine reports none", Verdict: Written}
	if iu.Used == 0 {
		p.differ(d)
		return false, placement.Inventory{}
	}
	inv = shrunk(iu)
	d.Want = amounts(inv)
	if inv == iu.Inventory {
		d.Verdict = Kept
	}
	d.Why = fmt.Sprintf("%d are allocated", iu.Used)
	p.differ(d)
	return true, inv
}

// shrunk returns an inventory with as much as is allocated of it, so that nothing
// new fits.
func shrunk(iu placement.InventoryUsage) placement.Inventory {
	inv := iu.Inventory
	inv.Total, inv.MaxUnit, inv.AllocationRatio = iu.Used, iu.Used, 1
	inv.MinUnit = min(inv.MinUnit, inv.MaxUnit)
	inv.Reserved = min(inv.Reserved, inv.Total)
	return inv
}

// settle returns the inventory to write, where the provider has the class
// already or not.
func (inv Inventory) settle(had placement.Inventory, exists bool) placement.Inventory {
	is := inv.Inventory
	switch {
	case !exists:
	case inv.TotalOnly:
		is = had
		is.Total, is.MaxUnit = inv.Total, inv.MaxUnit
		is.Reserved = min(is.Reserved, is.Total)
	case !inv.RatioSet:
		is.AllocationRatio = had.AllocationRatio
	}
	return is
}

// compare notes the fields in which an inventory differs from what the machine
// says, written or not.
func (p *planner) compare(name string, inv Inventory, had placement.InventoryUsage, is placement.Inventory) {
	for _, f := range []struct {
		name          string
		had, is, says string
	}{
		{"total", number(had.Total), number(is.Total), number(inv.Total)},
		{"reserved", number(had.Reserved), number(is.Reserved), number(inv.Reserved)},
		{"min_unit", number(had.MinUnit), number(is.MinUnit), number(inv.MinUnit)},
		{"max_unit", number(had.MaxUnit), number(is.MaxUnit), number(inv.MaxUnit)},
		{"step_size", number(had.StepSize), number(is.StepSize), number(inv.StepSize)},
		{"allocation_ratio", ratio(had.AllocationRatio), ratio(is.AllocationRatio), ratio(inv.AllocationRatio)},
	} {
		d := Difference{Provider: name, What: string(inv.Class) + " " + f.name, Has: f.had, Want: f.is, Source: inv.Source, Verdict: Written}
		switch {
		case f.had != f.is:
			if f.name == "total" && !is.HasRoom(had.Used, 0) {
				d.Why = fmt.Sprintf("%d are allocated: the provider is then over capacity", had.Used)
			}
		case f.had != f.says:
			d.Want, d.Verdict, d.Why = f.says, Kept, "set in Placement, and not by the configuration"
		default:
			continue
		}
		p.differ(d)
	}
}

// traits plans the traits of one provider: ours are added, those of ours that
// the machine lacks are taken away, all others stay.
func (p *planner) traits(t *target, want Provider, has *placement.ResourceProvider) {
	set := make(map[placement.Trait]bool)
	if has != nil {
		for _, name := range p.s.TraitsOf(has) {
			set[name] = true
		}
	}
	changed := false
	for _, trait := range want.Traits {
		if set[trait.Name] {
			continue
		}
		d := Difference{Provider: t.name, What: "trait " + string(trait.Name), Want: string(trait.Name), Source: trait.Source, Verdict: Written}
		if p.ensureTrait(trait.Name) {
			set[trait.Name], changed = true, true
		} else {
			d.Verdict, d.Why = Conflict, "this cloud does not know the standard trait; its Placement is older"
		}
		p.differ(d)
	}
	for _, name := range want.Without {
		if set[name] {
			delete(set, name)
			changed = true
			p.differ(Difference{Provider: t.name, What: "trait " + string(name), Has: string(name), Source: "the processors lack it", Verdict: Written})
		}
	}
	if !changed {
		return
	}
	names := make([]placement.Trait, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	p.ops = append(p.ops, placement.SetTraits{Provider: t.id, Generation: t.next(), Traits: names})
}

// ensureClass plans to make a custom class that the cloud does not know.
func (p *planner) ensureClass(c placement.ResourceClass) {
	if _, known := p.s.ClassID(c); !known && !p.classes[c] {
		p.classes[c] = true
		p.before = append(p.before, placement.CreateClass{Name: c, IfAbsent: true})
	}
}

// ensureTrait is ensureClass for traits; it reports whether the trait will be
// there.
func (p *planner) ensureTrait(t placement.Trait) bool {
	if _, known := p.s.TraitID(t); known || p.made[t] {
		return true
	}
	if !t.IsCustom() {
		return false
	}
	p.made[t] = true
	p.before = append(p.before, placement.CreateTrait{Name: t})
	return true
}

// unknown notes what Placement says of a class that the probe could not tell.
func (p *planner) unknown(u Unknown) {
	d := Difference{Provider: p.tree.Root.Name, What: string(u.Class), Verdict: Untold, Why: u.Why}
	if id, ok := p.s.ClassID(u.Class); ok && p.root != nil {
		if iu, ok := p.root.Inventory(id); ok {
			d.Has = amounts(iu.Inventory)
		}
	}
	p.differ(d)
}

// device returns the PCI device that a provider below the root stands for, by
// its name, and in whose way it is named.
func device(root, name string) (sysfs.Address, Kind, bool) {
	a, libvirt, ok := pci.OfProvider(root, name)
	switch {
	case !ok:
		return sysfs.Address{}, "", false
	case libvirt:
		return a, PGPU, true
	}
	return a, PCI, true
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func ratio(r float64) string { return strconv.FormatFloat(r, 'g', -1, 64) }

// amounts writes an inventory in short.
func amounts(inv placement.Inventory) string {
	return fmt.Sprintf("total %d, reserved %d, ratio %s", inv.Total, inv.Reserved, ratio(inv.AllocationRatio))
}

// summary writes the inventories of a child in short.
func summary(c Provider) string {
	text := ""
	for _, inv := range c.Inventories {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%s %s", inv.Class, amounts(inv.Inventory))
	}
	return text
}
