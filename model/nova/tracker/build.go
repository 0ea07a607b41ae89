package tracker

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// The sources of the traits that every compute node has.
const (
	novas    = "nova-compute sets it on every provider it creates"
	ofRoots  = "nova-compute sets it on the compute node"
	ofPCI    = "nova-compute sets it on providers of PCI devices"
	bySpec   = "option device_spec"
	disabled = "the compute service is disabled"
)

// NewTree returns the tree of an empty compute node: its name is hypervisor_hostname,
// its uuid that of the compute node.
func NewTree(id placement.ProviderID, idSource, name string) Tree {
	return Tree{Root: Provider{
		ID: id, IDSource: idSource, Name: name, Kind: ComputeNode,
		Traits: []Trait{{placement.ComputeNode, ofRoots}, {placement.OwnerNova, novas}},
	}}
}

// Note adds what an operator should know.
func (t *Tree) Note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// Supply sets how much the machine has of one of the root's own classes, in units of
// the class. Nova does not report a class with nothing.
//
// Source: nova/virt/libvirt/driver.py, update_provider_tree; Launchpad bug
// 1784020 about the disk, which every compute node on a shared pool reports whole.
func (t *Tree) Supply(conf Conf, class placement.ResourceClass, total int64, source string) {
	if total <= 0 {
		return
	}
	var reserved int64
	var ratio, initial float64
	switch class {
	case placement.VCPU:
		reserved, ratio, initial = conf.ReservedCPUs, conf.Ratios.CPU, conf.InitialRatios.CPU
	case placement.MemoryMB:
		reserved, ratio, initial = conf.ReservedMemoryMB, conf.Ratios.RAM, conf.InitialRatios.RAM
	case placement.DiskGB:
		reserved, ratio, initial = conf.ReservedDiskGB(), conf.Ratios.Disk, conf.InitialRatios.Disk
	default:
		ratio = 1 // of classes that cannot be overcommitted
	}
	if reserved > total {
		t.Note("%s: the configuration reserves %d, but the machine has only %d; all of it is reserved", class, reserved, total)
		reserved = total
	}
	inv := units(total)
	inv.Reserved, inv.AllocationRatio = reserved, cmp.Or(ratio, initial, 1)
	t.Root.Inventories = append(t.Root.Inventories, Inventory{Class: class, Inventory: inv, Source: source, RatioSet: ratio != 0})
}

// units returns an inventory of total units as Nova reports it: max_unit is the total, so
// that one instance may take everything.
func units(total int64) placement.Inventory {
	inv := placement.NewInventory(total)
	inv.MaxUnit = total
	return inv
}

// CannotTell records that the driver could not tell how much there is of a class.
func (t *Tree) CannotTell(class placement.ResourceClass, why string) {
	t.Unknown = append(t.Unknown, Unknown{class, why})
}

// Leave records why a device is not reported; with remove, its provider is deleted if
// there is one.
func (t *Tree) Leave(a pci.Address, k Kind, remove bool, format string, args ...any) {
	t.Left = append(t.Left, SkippedDevice{Address: a, Kind: k, Why: fmt.Sprintf(format, args...), Remove: remove})
}

// child returns a new provider below the root.
func (t *Tree) child(k Kind, a pci.Address, suffix string) Provider {
	name := t.Root.Name + "_" + suffix
	id, source := childOf(t.Root.ID, name)
	return Provider{ID: id, IDSource: source, Name: name, Kind: k, Address: a}
}

// AddPGPU reports a card with a total of mediated devices of a type, existing and
// possible ones, as a class; "" is VGPU. With a total of 0 there is nothing to report.
//
// Source: nova/virt/libvirt/driver.py, _update_provider_tree_for_vgpu.
func (t *Tree) AddPGPU(a pci.Address, mdevType string, class placement.ResourceClass, total int64, source string) {
	p := t.child(PGPU, a, a.NodeDevice())
	p.MdevType = mdevType
	p.Inventories = []Inventory{{Class: cmp.Or(class, placement.VGPU), Inventory: units(total), Source: source, RatioSet: true}}
	p.Traits = []Trait{{placement.OwnerNova, novas}}
	t.Children = append(t.Children, p)
}

// AddPCI reports total passed-through devices of a class behind one function,
// with the traits that their device spec gives them.
//
// Source: nova/compute/pci_placement_translator.py.
func (t *Tree) AddPCI(a pci.Address, class placement.ResourceClass, total int64, traits []placement.Trait, source string) {
	p := t.child(PCI, a, a.Upper())
	p.Inventories = []Inventory{{Class: class, Inventory: units(total), Source: source, TotalOnly: true}}
	p.Traits = []Trait{{placement.OwnerNova, novas}, {placement.ComputeManagedPCI, ofPCI}}
	for _, name := range traits {
		p.Traits = append(p.Traits, Trait{name, bySpec})
	}
	t.Children = append(t.Children, p)
}

// Finish sorts the tree and checks it. The error matches placement.ErrInvalid.
func (t *Tree) Finish() error {
	slices.SortStableFunc(t.Children, func(p, q Provider) int { return cmp.Compare(p.Name, q.Name) })
	slices.SortStableFunc(t.Left, func(p, q SkippedDevice) int { return p.Address.Compare(q.Address) })
	for _, p := range t.All() {
		slices.SortStableFunc(p.Traits, func(a, b Trait) int { return cmp.Compare(a.Name, b.Name) })
		for _, inv := range p.Inventories {
			if err := inv.Validate(); err != nil {
				return fmt.Errorf("%s of %s: %w", inv.Class, p.Name, err)
			}
		}
	}
	slices.Sort(t.Root.Without)
	return nil
}
