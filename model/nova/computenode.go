package nova

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// The kinds of ComputeNode and PciDevice.
const (
	KindComputeNode versioned.Kind = "compute_node"
	KindPciDevice   versioned.Kind = "pci_device"
)

// ComputeNode is the row of a hypervisor in Nova's database: what it has, and, in the
// columns from before Placement, how much of it is used.
//
// Source: nova/db/main/models.py, ComputeNode.
type ComputeNode struct {
	UUID     placement.ProviderID `json:"uuid" cbor:"1,keyasint"` // of the provider too
	Host     string               `json:"host" cbor:"2,keyasint"`
	Hostname string               `json:"hypervisor_hostname" cbor:"3,keyasint"` // name of the provider
	Type     string               `json:"hypervisor_type,omitempty" cbor:"4,keyasint,omitempty"`
	Version  int64                `json:"hypervisor_version,omitempty" cbor:"5,keyasint,omitempty"`

	VCPUs    int64 `json:"vcpus" cbor:"6,keyasint"`
	PCPUs    int64 `json:"pcpus,omitempty" cbor:"7,keyasint,omitempty"` // [compute]cpu_dedicated_set
	MemoryMB int64 `json:"memory_mb" cbor:"8,keyasint"`
	// LocalGB is 0 if the only disk is a pool. A real host on RBD reports the size of the
	// pool, as every other host on it does, so that a sum counts it once for each.
	LocalGB      int64 `json:"local_gb" cbor:"9,keyasint"`
	VCPUsUsed    int64 `json:"vcpus_used" cbor:"10,keyasint"`
	MemoryMBUsed int64 `json:"memory_mb_used" cbor:"11,keyasint"`
	LocalGBUsed  int64 `json:"local_gb_used" cbor:"12,keyasint"`
	RunningVMs   int64 `json:"running_vms" cbor:"13,keyasint"`

	CPURatio  float64 `json:"cpu_allocation_ratio,omitempty" cbor:"14,keyasint,omitempty"` // 0 for not set
	RAMRatio  float64 `json:"ram_allocation_ratio,omitempty" cbor:"15,keyasint,omitempty"`
	DiskRatio float64 `json:"disk_allocation_ratio,omitempty" cbor:"16,keyasint,omitempty"`

	// What [DEFAULT]reserved_host_* of its nova.conf keep back, in the units of
	// those options.
	ReservedCPUs     int64 `json:"reserved_host_cpus,omitempty" cbor:"17,keyasint,omitempty"`
	ReservedMemoryMB int64 `json:"reserved_host_memory_mb,omitempty" cbor:"18,keyasint,omitempty"`
	ReservedDiskMB   int64 `json:"reserved_host_disk_mb,omitempty" cbor:"19,keyasint,omitempty"`

	SharedStorage bool              `json:"shared_storage,omitempty" cbor:"20,keyasint,omitempty"` // instances' disks are on a shared pool
	Capabilities  []placement.Trait `json:"capabilities,omitempty" cbor:"21,keyasint,omitempty"`   // traits of hypervisor and processor
	GPUs          []GPU             `json:"gpus,omitempty" cbor:"22,keyasint,omitempty"`           // that Nova hands out as mdevs
	PCIStats      string            `json:"pci_stats,omitempty" cbor:"23,keyasint,omitempty"`      // in any form that a release ever wrote
	ObjectVersion string            `json:"object_version,omitempty" cbor:"24,keyasint,omitempty"` // of the ComputeNode that wrote it; "" if that did not say: today's
	Updated       int64             `json:"updated_at_ms,omitempty" cbor:"25,keyasint,omitempty"`
	Kept          ExtraFields       `json:"kept,omitempty" cbor:"30,keyasint,omitempty"` // of objects, beyond these columns
}

// BareMetal is the Type of the nodes of Ironic, of which a nova-compute has many.
//
// Source: nova/virt/ironic/driver.py, _node_resource.
const BareMetal = "ironic"

// GPU is a card whose driver makes mediated devices for Nova, as set by
// [devices]enabled_mdev_types.
//
// Source: nova/virt/libvirt/driver.py, _get_gpu_inventories.
type GPU struct {
	Address string                  `json:"address" cbor:"1,keyasint"` // 0000:84:00.0
	Type    string                  `json:"mdev_type" cbor:"2,keyasint"`
	Total   int64                   `json:"total" cbor:"3,keyasint"` // mdevs made and to be made
	Class   placement.ResourceClass `json:"mdev_class,omitempty" cbor:"4,keyasint,omitempty"`
}

// RecordKind implements versioned.Record.
func (*ComputeNode) RecordKind() versioned.Kind { return KindComputeNode }

// RecordKey implements versioned.Record.
func (n *ComputeNode) RecordKey() []byte { return slices.Clone(n.UUID[:]) }

// RecordName implements versioned.Named.
func (n *ComputeNode) RecordName() string { return n.Hostname }

// Validate implements ledger.Row: a compute node has a uuid, a host and a name,
// and amounts that are not negative.
func (n *ComputeNode) Validate() error {
	if n.UUID.IsZero() {
		return placement.Invalid("compute node", n.Hostname, "needs a uuid")
	}
	if err := named("compute node host", n.Host); err != nil {
		return err
	}
	if err := named("compute node hypervisor_hostname", n.Hostname); err != nil {
		return err
	}
	for _, col := range []struct {
		field string
		v     int64
	}{
		{"vcpus", n.VCPUs},
		{"pcpus", n.PCPUs},
		{"memory_mb", n.MemoryMB},
		{"local_gb", n.LocalGB},
		{"reserved_host_cpus", n.ReservedCPUs},
		{"reserved_host_memory_mb", n.ReservedMemoryMB},
		{"reserved_host_disk_mb", n.ReservedDiskMB},
	} {
		if col.v < 0 {
			return placement.Invalid("compute node "+n.Hostname+" "+col.field, fmt.Sprint(col.v), "must not be negative")
		}
	}
	return nil
}

// Edit returns a copy of n as edit leaves it.
func (n *ComputeNode) Edit(edit func(*ComputeNode)) *ComputeNode { return versioned.Edited(n, edit) }

// OwnDiskGB returns how much disk of its own the node offers, in GiB: its disk less
// reserved_host_disk_mb.
func (n *ComputeNode) OwnDiskGB() int64 {
	const mibPerGiB = 1024
	return max(n.LocalGB-(n.ReservedDiskMB+mibPerGiB-1)/mibPerGiB, 0)
}

// SharesDisk reports whether the node has only the disk of a pool: its record says
// that the disks of its instances are shared, or that it has none itself.
func (n *ComputeNode) SharesDisk() bool { return n.SharedStorage || n.LocalGB == 0 }

// What kind of function a PCI device is.
const (
	TypePCI  = "type-PCI"
	TypePF   = "type-PF" // physical function
	TypeVF   = "type-VF" // virtual function, of the physical function at Parent
	TypeVDPA = "vdpa"    // vDPA function, also of the physical function at Parent
)

// Whether a PCI device may be used.
const (
	DeviceAvailable   = "available"
	DeviceClaimed     = "claimed"     // an instance is about to get it
	DeviceAllocated   = "allocated"   // an instance has it
	DeviceRemoved     = "removed"     // no longer found on the host
	DeviceDeleted     = "deleted"     // as DeviceRemoved, and its row is gone
	DeviceUnclaimable = "unclaimable" // its parent or a child is claimed
	DeviceUnavailable = "unavailable" // its parent or a child is allocated
)

// PciDevice is a device of a compute node that may be passed through.
//
// Source: nova/db/main/models.py, PciDevice.
type PciDevice struct {
	ComputeNode placement.ProviderID `json:"compute_node_uuid" cbor:"1,keyasint"`
	Address     string               `json:"address" cbor:"2,keyasint"` // 0000:af:00.0
	VendorID    string               `json:"vendor_id" cbor:"3,keyasint"`
	ProductID   string               `json:"product_id" cbor:"4,keyasint"`
	DevType     string               `json:"dev_type" cbor:"5,keyasint"` // type-PCI, type-PF, type-VF, vdpa
	Status      string               `json:"status" cbor:"6,keyasint"`
	Instance    placement.ConsumerID `json:"instance_uuid,omitzero" cbor:"7,keyasint"`
	NUMANode    *int64               `json:"numa_node,omitempty" cbor:"8,keyasint,omitempty"`
	Parent      string               `json:"parent_addr,omitempty" cbor:"9,keyasint,omitempty"`
	Tags        map[string]string    `json:"tags,omitempty" cbor:"10,keyasint,omitempty"`       // such as physical_network
	RequestID   string               `json:"request_id,omitempty" cbor:"11,keyasint,omitempty"` // uuid of the PCIRequest that it serves
}

// RecordKind implements versioned.Record.
func (*PciDevice) RecordKind() versioned.Kind { return KindPciDevice }

// RecordKey implements versioned.Record.
func (d *PciDevice) RecordKey() []byte { return append(slices.Clone(d.ComputeNode[:]), d.Address...) }

// RecordName implements versioned.Named.
func (d *PciDevice) RecordName() string {
	return d.Address + " of compute node " + d.ComputeNode.String()
}

// Validate implements ledger.Row: a device has a compute node and an address.
func (d *PciDevice) Validate() error {
	if d.ComputeNode.IsZero() || d.Address == "" {
		return placement.Invalid("pci device", d.Address, "needs a compute node uuid and an address")
	}
	return nil
}
