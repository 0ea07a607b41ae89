package tracker

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// Tree is what the driver of a hypervisor sees, as the provider tree that Nova
// reports of it. NewTree starts one.
type Tree struct {
	Root     Provider
	Children []Provider      // in the order of their names, after Finish
	Left     []SkippedDevice // devices that are there and not reported, with the reason, by address
	Unknown  []Unknown       // classes of the root that the driver could not tell
	Notes    []string        // what an operator should know of the configuration
	// KeepOthers says that others may have made providers below the root, with names as
	// nova-compute gives them: only those whose uuid is one that we give are removed.
	KeepOthers bool
	// InUse are providers that guests may use although nothing of them is allocated, and why:
	// they stay, with their classes and their owner.
	InUse map[placement.ProviderID]string
	// Alone are instances that get no claim, and why; the zero id stands for all.
	Alone map[placement.ConsumerID]string
	// UnknownStatus is why it is not known whether the host is disabled: the trait stays as it is.
	UnknownStatus string
	// Configs are merged into the providers that they name when the tree is reported: some
	// of these only Placement knows.
	Configs []ProviderConfig

	Present    map[pci.Address]bool // the PCI devices that the driver saw
	Doubts     []ReportGap          // why it may have missed some
	ReportsPCI bool                 // [pci]report_in_placement
	OwnID      bool                 // the machine keeps the uuid of the root, or was told it: it is not derived

	// Hypervisor has the fields of the compute node about the hypervisor, apart from classes.
	// What the driver cannot tell is not set.
	Hypervisor object.Fields
	// Devices are those that [pci]device_spec lets be passed through, as nova-compute
	// keeps them but for its own uuid, where SeesPCI: a record alone does not say.
	Devices []nova.PciDevice
	SeesPCI bool
}

// Kind is the kind of a provider of a Tree.
type Kind string

// The kinds.
const (
	ComputeNode Kind = "compute node"
	PGPU        Kind = "pGPU"       // a card, or a virtual function of one, with mediated devices
	PCI         Kind = "PCI device" // a passed-through device, or the virtual functions of one
	Other       Kind = "other"      // somebody else's, to which an operator adds something
)

// Provider is one resource provider as Nova would report it.
type Provider struct {
	ID          placement.ProviderID
	IDSource    string // what ID was derived from
	Name        string
	Kind        Kind
	Address     pci.Address       // of a child; the zero address for the root
	MdevType    string            // of a pGPU, such as nvidia-35
	Inventories []Inventory       // in the order of Nova's report
	Traits      []Trait           // in alphabetical order, after Finish
	Without     []placement.Trait // traits of ours that it does not have: they are taken away
	// Lacks are classes beyond those that every root may have which are ours and
	// which it does not have: they are taken away.
	Lacks []placement.ResourceClass
}

// Inventory is what a provider has of one class. Its JSON, and that
// of Trait and Unknown, is a contract with those who read the report of a machine.
type Inventory struct {
	Class placement.ResourceClass `json:"resource_class"`
	placement.Inventory
	Source string `json:"source"` // where the total comes from
	// RatioSet says that the configuration sets the ratio; without it, a ratio in
	// Placement survives.
	RatioSet bool `json:"-"`
	// TotalOnly says that only Total and MaxUnit are ours: everything else in Placement
	// survives, such as the reserved of a one-time-use device.
	TotalOnly bool `json:"-"`
}

// Trait is a trait with where it comes from.
type Trait struct {
	Name   placement.Trait `json:"name"`
	Source string          `json:"source"`
}

// SkippedDevice is a device of the machine without a provider in the Tree.
type SkippedDevice struct {
	Address pci.Address
	Name    string // of a device that is no PCI function, such as "matrix" on s390x
	Kind    Kind
	Why     string
	// Remove says that the configuration rules the device out, so that a
	// provider it has from before goes; without it such a provider stays.
	Remove bool
}

// Unknown is a class that the driver could not tell.
type Unknown struct {
	Class placement.ResourceClass `json:"resource_class"`
	Why   string                  `json:"why"`
}

// ReportGap says why devices may exist although they are not reported: their providers are
// left alone.
type ReportGap struct {
	Kind Kind   // "" for any
	Path string // whose address is in it; "" for all devices
	Why  string
}

// covers reports whether the doubt applies to a device.
func (d ReportGap) covers(a pci.Address, k Kind) bool {
	return (d.Kind == "" || d.Kind == k) && (d.Path == "" || strings.Contains(d.Path, a.String()))
}

// doubt returns why the device at a may exist although it is not reported.
func (t Tree) doubt(a pci.Address, k Kind) (string, bool) {
	for _, d := range t.Doubts {
		if d.covers(a, k) {
			return d.Why, true
		}
	}
	return "", false
}

// Device returns the name of the device.
func (l SkippedDevice) Device() string {
	if l.Name != "" {
		return l.Name
	}
	return l.Address.String()
}

// All returns the providers of the tree, the root first.
func (t Tree) All() []Provider { return append([]Provider{t.Root}, t.Children...) }

// Inventory returns the inventory of a class.
func (p Provider) Inventory(c placement.ResourceClass) (Inventory, bool) {
	for _, inv := range p.Inventories {
		if inv.Class == c {
			return inv, true
		}
	}
	return Inventory{}, false
}

// owns reports whether Nova may remove a class that is not reported from the provider: on
// the root those that it creates itself, on a child all.
func (p Provider) owns(c placement.ResourceClass) bool {
	switch p.Kind {
	case ComputeNode:
	case Other:
		return false
	default:
		return true
	}
	switch c {
	case placement.VCPU, placement.PCPU, placement.MemoryMB, placement.DiskGB:
		return true
	default:
		return slices.Contains(p.Lacks, c)
	}
}

// childOf derives the uuid of a child from that of its root, as Cyborg does from the
// name, so that a provider which was removed comes back with the same uuid. It also
// returns an explanation.
func childOf(root placement.ProviderID, name string) (placement.ProviderID, string) {
	return placement.ProviderID(uuid.NewSHA1(uuid.UUID(root), []byte(name))), "uuid5 of " + root.String() + " and the name"
}
