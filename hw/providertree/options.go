// Package providertree says what nova-compute would report to Placement about a
// machine. It plays the virt driver that the resource tracker asks.
//
//	hw.Host --Build--> tracker.Tree --tracker.Report--> operations + differences
//	            ^                            ^
//	         Options                     Snapshot
//
// The root provider is the compute node with VCPU, MEMORY_MB, DISK_GB and the
// traits of its processors. Each card that can have vGPUs gives a child with
// VGPU, and with Options.ReportPCI each passed-through card or set of virtual
// functions another. Every provider carries OWNER_NOVA, and every number and
// trait says where it comes from.
//
// Build is pure: no I/O, no clock. What the probe could not read stays "unknown" and
// is never taken for "gone".
package providertree

import (
	"net/netip"

	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// Options are the parts of nova.conf that decide what is reported. The zero
// value reserves nothing; DefaultOptions has Nova's defaults.
type Options struct {
	Hostname string               // hypervisor_hostname; "" is the machine's host name
	RootID   placement.ProviderID // uuid of the compute node; the zero id derives one from the machine

	// MyIP is [DEFAULT]my_ip; the zero address is the one at which other machines
	// reach this one.
	MyIP netip.Addr

	tracker.Conf

	SharedCPUs    sysfs.CPUSet // [compute]cpu_shared_set; none is all, or none if there are dedicated ones
	DedicatedCPUs sysfs.CPUSet // [compute]cpu_dedicated_set: reported as PCPU

	// MdevTypes is [devices]enabled_mdev_types with their groups. Without any, Nova
	// reports no vGPUs.
	MdevTypes []MdevType
	// OnlyEnabled is as Nova does. Without it and without MdevTypes a card is reported by
	// the type that it has in use, if there is exactly one: to show what could be enabled.
	OnlyEnabled bool

	ReportPCI bool // [pci]report_in_placement
	// PCIDevices is [pci]device_spec: the devices that may be passed through. Without
	// any there are none: only the operator knows which devices the machine itself
	// needs.
	PCIDevices []pci.DeviceSpec

	// FileBackedMemoryMB is [libvirt]file_backed_memory, which is reported instead of the
	// machine's memory; 0 is none.
	FileBackedMemoryMB int64
	// ImagesType is [libvirt]images_type where that keeps the disks of instances
	// elsewhere than in a file system: rbd or lvm.
	ImagesType string

	// ProviderConfigs add to the providers that they name what operators have written for
	// these in /etc/nova/provider_config.
	ProviderConfigs []tracker.ProviderConfig
	// Notes are what an operator should know of these options.
	Notes []string

	// Cyborg picks the devices that Cyborg hands out. Nova reports none of them, only
	// that instances may have accelerators here; Cards returns what Cyborg reports.
	Cyborg []pci.DeviceSpec
}

// MdevType is an enabled type of mediated devices.
type MdevType struct {
	ID           string                  // such as nvidia-35
	Addresses    []sysfs.Address         // [mdev_<ID>]device_addresses; none is all cards, if this is the only type
	Class        placement.ResourceClass // [mdev_<ID>]mdev_class; "" is VGPU
	MaxInstances int64                   // [mdev_<ID>]max_instances, of all cards together; 0 is as many as there can be
}

// DefaultOptions returns Nova's defaults.
func DefaultOptions() Options {
	return Options{Conf: tracker.DefaultConf(), OnlyEnabled: true}
}
