package hw

import (
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/hw/sysfs"
)

// Gap is one thing that could not be read. Everything else was still read.
type Gap = sysfs.Gap

// Reading is one fact about the machine, with its source.
type Reading[T any] struct {
	Value  T
	Source string // a file of the machine, or a function of a library; "" where the fact is not known
}

// Known reports whether the fact could be read.
func (r Reading[T]) Known() bool { return r.Source != "" }

func reading[T any](value T, source string) Reading[T] { return Reading[T]{value, source} }

// Host is what one probe found on a machine. It is a value: a later probe does not
// change it.
type Host struct {
	ProbedAt time.Time // the zero time without Options.Clock

	Hostname    Reading[string]
	ComputeID   Reading[uuid.UUID]  // what nova-compute on this machine keeps as its uuid, if it ever ran
	MachineID   Reading[string]     // 32 hex digits; systemd asks that it not be shown to others
	ProductUUID Reading[uuid.UUID]  // of the mainboard; only root may read it
	Kernel      Reading[string]     // release, such as 6.8.0-45-generic
	Arch        Reading[string]     // as uname -m prints it, such as x86_64
	Address     Reading[netip.Addr] // at which other machines reach it

	Configuration Configuration

	CPU       CPU
	Memory    Memory
	Instances Filesystem
	NUMA      []sysfs.NUMANode // in the order of their ids; none where the kernel lists none
	PCI       []PCIDevice      // in the order of their addresses
	GPUs      []GPU            // physical ones, in the order of their addresses
	Mediated  sysfs.Mediated
	Gaps      []Gap // in the order of their paths
}

// CPU is the processors of a machine. The counts are of those that are online.
type CPU struct {
	Sockets  Reading[int]
	Cores    Reading[int]
	Threads  Reading[int] // logical CPUs: what Nova counts as VCPU
	Vendor   Reading[string]
	Model    Reading[string]
	Flags    Reading[[]string] // those that all CPUs have, as the kernel names them, in alphabetical order
	Topology sysfs.CPUTopology
}

// Memory is the memory of a machine in bytes, and its default huge pages.
type Memory struct {
	Total         Reading[uint64]
	Available     Reading[uint64] // what new workloads could use without swapping
	HugePages     Reading[uint64] // number of pages
	HugePagesFree Reading[uint64] // number of pages
}

// Filesystem is the file system that holds the instances' disks, in bytes.
type Filesystem struct {
	Path   string // where the instances are
	Asked  string // the folder that was asked about: Path, or its nearest parent that exists
	Type   string // such as ext4; "" where the type has no name
	Total  uint64
	Used   uint64
	Free   uint64 // for users other than root
	Source string // "" where it could not be asked
}

// PCIDevice is one PCI function with its names. Its facts come from files below
// its Path.
type PCIDevice struct {
	sysfs.PCIDevice
	VendorName string // "" where the database of names is missing, or does not have it
	DeviceName string
}

// GPU is a physical card.
type GPU struct {
	PCIDevice
	// Parents are what vGPUs can be created on as mediated devices: the card itself,
	// or some of its virtual functions.
	Parents []sysfs.MdevParent
	// VFs are the virtual functions that are enabled.
	VFs []PCIDevice
}

// VGPUs returns how many vGPUs exist on the card, of whatever type.
func (g GPU) VGPUs() int {
	n := 0
	for _, p := range g.Parents {
		for _, t := range p.Types {
			n += len(t.Devices)
		}
	}
	for _, vf := range g.VFs {
		if vf.VGPU != nil && vf.VGPU.Current > 0 {
			n++
		}
	}
	return n
}

// MostVGPUs returns how many vGPUs the card could have if all were of the type that
// allows the most; 0 where it supports none, or does not say.
func (g GPU) MostVGPUs() int {
	n := 0
	for _, p := range g.Parents {
		most := 0
		for _, t := range p.Types {
			if can, ok := t.Capacity(); ok {
				most = max(most, can)
			}
		}
		n += most
	}
	for _, vf := range g.VFs {
		if vf.VGPU != nil {
			n++
		}
	}
	return n
}

// Device returns the PCI device at an address.
func (h Host) Device(a sysfs.Address) (PCIDevice, bool) {
	i, ok := slices.BinarySearchFunc(h.PCI, a, func(d PCIDevice, a sysfs.Address) int { return d.Address.Compare(a) })
	if !ok {
		return PCIDevice{}, false
	}
	return h.PCI[i], true
}

// vfs returns the virtual functions of a device, by either of two links: a PF names its
// VFs, and a VF its PF.
func (h Host) vfs(pf PCIDevice) []PCIDevice {
	var out []PCIDevice
	for _, d := range h.PCI {
		named := pf.SRIOV != nil && slices.Contains(pf.SRIOV.VFs, d.Address)
		if named || d.PhysFn != nil && *d.PhysFn == pf.Address {
			out = append(out, d)
		}
	}
	return out
}

// gpus returns the physical cards among the PCI devices.
func (h Host) gpus() []GPU {
	parents := make(map[sysfs.Address]sysfs.MdevParent, len(h.Mediated.Parents))
	for _, p := range h.Mediated.Parents {
		if p.Address != nil {
			parents[*p.Address] = p
		}
	}
	var out []GPU
	for _, d := range h.PCI {
		p, mediated := parents[d.Address]
		if d.DevType() == sysfs.TypeVF || !mediated && !d.IsGPU() {
			continue
		}
		g := GPU{PCIDevice: d, VFs: h.vfs(d)}
		if mediated {
			g.Parents = append(g.Parents, p)
		}
		for _, vf := range g.VFs {
			if p, ok := parents[vf.Address]; ok {
				g.Parents = append(g.Parents, p)
			}
		}
		if d.IsGPU() {
			out = append(out, g)
		}
	}
	return out
}
