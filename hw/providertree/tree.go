// Package providertree says what nova-compute would report of a machine to
// Placement, and what has to be written so that Placement says the same.
//
//	hw.Host --Build--> Tree --Plan--> placement.Change + []Difference
//	            ^               ^
//	         Options         Snapshot
//
// The root provider is the compute node with VCPU, MEMORY_MB, DISK_GB and the
// traits of its processors. Each card that can have vGPUs gives a child with
// VGPU, and with Options.ReportPCI each passed-through card or set of virtual
// functions another. Every provider carries OWNER_NOVA, and every number and
// trait says where it comes from.
//
// Both functions are pure: no I/O, no clock. What the probe could not tell is
// kept as "unknown" and never taken for "gone": Plan leaves it as it stands in
// Placement.
package providertree

import (
	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/placement"
)

// Tree is what nova-compute would report of one machine.
type Tree struct {
	Root     Provider
	Children []Provider // in the order of their names
	Left     []Left     // devices that are there and not reported, with the reason, by address
	Unknown  []Unknown  // classes of the root that the probe could not tell
	Notes    []string   // what an operator should know of the configuration

	present    map[sysfs.Address]bool // the PCI devices that the probe saw
	doubts     []hw.Problem           // why some of them may have been missed
	reportsPCI bool
}

// Kind is what a provider of a Tree stands for.
type Kind string

// The kinds.
const (
	ComputeNode Kind = "compute node"
	PGPU        Kind = "pGPU"       // a card, or a virtual function of one, with mediated devices
	PCI         Kind = "PCI device" // a passed-through device, or the virtual functions of one
)

// Provider is one resource provider as nova-compute would report it.
type Provider struct {
	ID          placement.ProviderID
	IDSource    string // what ID was derived from
	Name        string
	Kind        Kind
	Address     sysfs.Address             // of a child; the zero address for the root
	Inventories []Inventory               // in the order of Nova's report
	Traits      []Trait                   // in alphabetical order
	Without     []placement.Trait         // traits of ours that the machine does not have: they are taken away; in alphabetical order
	managed     []placement.ResourceClass // classes that are ours to take away when they are not reported
}

// Inventory is what a provider has of one class.
type Inventory struct {
	Class placement.ResourceClass
	placement.Inventory
	Source string // where the total comes from
	// RatioSet says that the configuration sets the ratio; without it, a ratio
	// that stands in Placement survives.
	RatioSet bool
	// TotalOnly says that only Total and MaxUnit are ours: whatever else stands
	// in Placement survives, such as the reserved of a one-time-use device.
	TotalOnly bool
}

// Trait is a trait with where it comes from.
type Trait struct {
	Name   placement.Trait
	Source string
}

// Left is a device of the machine that the Tree has no provider for.
type Left struct {
	Address sysfs.Address
	Kind    Kind
	Why     string
	// Remove says that the configuration rules the device out, so that a
	// provider it has from before goes; without it such a provider stays.
	Remove bool
}

// Unknown is a class that the probe could not tell.
type Unknown struct {
	Class placement.ResourceClass
	Why   string
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

// Options are the parts of nova.conf that decide what is reported. The zero
// value reserves nothing; DefaultOptions has Nova's defaults.
type Options struct {
	Hostname string               // hypervisor_hostname; "" is the machine's host name
	RootID   placement.ProviderID // uuid of the compute node; the zero id derives one from the machine

	Ratios        Ratios // cpu_allocation_ratio and so on: win over what stands in Placement
	InitialRatios Ratios // initial_cpu_allocation_ratio and so on: for inventories that are new

	ReservedCPUs     int64 // reserved_host_cpus
	ReservedMemoryMB int64 // reserved_host_memory_mb, MiB
	ReservedDiskMB   int64 // reserved_host_disk_mb, MiB; reported in GiB, rounded up

	SharedCPUs    sysfs.CPUSet // [compute]cpu_shared_set; none is all, or none if there are dedicated ones
	DedicatedCPUs sysfs.CPUSet // [compute]cpu_dedicated_set: reported as PCPU

	// MdevTypes is [devices]enabled_mdev_types with their groups. Without any,
	// a card is reported by the type that it has in use, if there is just one;
	// nova-compute would report none.
	MdevTypes []MdevType

	ReportPCI bool // [pci]report_in_placement
	// PCIDevices is [pci]device_spec. Without any, ReportPCI reports cards
	// without vGPUs, other than the console's, and enabled virtual functions.
	PCIDevices []DeviceSpec
}

// Ratios are allocation ratios; 0 is "not set", as in nova.conf.
type Ratios struct{ CPU, RAM, Disk float64 }

// MdevType is an enabled type of mediated devices.
type MdevType struct {
	ID           string                  // such as nvidia-35
	Addresses    []sysfs.Address         // [mdev_<ID>]device_addresses; none is all cards, if this is the only type
	Class        placement.ResourceClass // [mdev_<ID>]mdev_class; "" is VGPU
	MaxInstances int64                   // [mdev_<ID>]max_instances, per card; 0 is as many as there can be
}

// DeviceSpec picks PCI devices to be passed through. Its zero fields match
// everything.
type DeviceSpec struct {
	Address         *sysfs.Address
	Vendor, Product sysfs.ID
	ResourceClass   string   // free text, normalised; "" is CUSTOM_PCI_<VENDOR>_<PRODUCT>
	Traits          []string // free text, normalised
	PhysicalNetwork string   // set for devices of Neutron, which Nova does not report
	OneTimeUse      bool     // adds HW_PCI_ONE_TIME_USE
	LiveMigratable  bool     // adds HW_PCI_LIVE_MIGRATABLE
}

// DefaultOptions returns Nova's defaults.
//
// Source: nova/conf/compute.py (release 27 and later).
func DefaultOptions() Options {
	return Options{InitialRatios: Ratios{CPU: 4, RAM: 1, Disk: 1}, ReservedMemoryMB: 512}
}
