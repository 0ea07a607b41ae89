package sysfs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

const pciDevices = "sys/bus/pci/devices"

// ID is a vendor, device or subsystem id of PCI.
type ID uint16

// String returns four lower-case hex digits, such as 10de.
func (id ID) String() string { return fmt.Sprintf("%04x", uint16(id)) }

// Vendor ids that say what a device is.
const (
	VendorAMD    ID = 0x1002
	VendorNVIDIA ID = 0x10de
	VendorXilinx ID = 0x10ee
	VendorIntel  ID = 0x8086
)

// Class is the class of a PCI device: base class, subclass and programming
// interface, 8 bits each.
type Class uint32

// String returns six hex digits, such as 030200.
func (c Class) String() string { return fmt.Sprintf("%06x", uint32(c)) }

// The classes, without programming interface, that GPUs have.
const (
	classVGA         = 0x0300
	class3D          = 0x0302
	classDisplay     = 0x0380 // "other": GPUs without a display, such as Intel's Flex and AMD's MI210
	classAccelerator = 0x1200
)

// IsAccelerator reports whether c is a processing accelerator: some GPUs, FPGAs, chips
// for neural networks.
func (c Class) IsAccelerator() bool { return c>>8 == classAccelerator }

// IsGPU reports whether the device is a GPU, by class and maker: the displays of
// management controllers and of virtual machines have the same classes, and so have FPGAs
// and other accelerators.
//
// Source: pci.ids.
func (d PCIDevice) IsGPU() bool {
	switch d.Class >> 8 {
	case classAccelerator:
		return d.Vendor == VendorAMD || d.Vendor == VendorNVIDIA
	case classVGA, class3D, classDisplay:
	default:
		return false
	}
	switch d.Vendor {
	case VendorAMD:
		const es1000, rn50 = 0x5969, 0x515e // in management controllers
		return d.Device != es1000 && d.Device != rn50
	case VendorNVIDIA, VendorIntel,
		0x0731, // Jingjia
		0x1d17, // Zhaoxin
		0x1e3e, // Iluvatar
		0x1ed5, // Moore Threads
		0x1ee0, // Biren
		0x9999: // MetaX
		return true
	default:
		return false
	}
}

// DevType is Nova's type of a PCI device.
//
// Source: nova/objects/fields.py, PciDeviceType.
type DevType string

// The types, decided by PCIDevice.DevType.
const (
	TypePCI DevType = "type-PCI" // neither a PF nor a VF
	TypePF  DevType = "type-PF"  // can have virtual functions, whether any are enabled or not
	TypeVF  DevType = "type-VF"  // a virtual function of a PF
)

// PCIDevice is one PCI function. The file that each field comes from has the kernel's
// name, below Path.
type PCIDevice struct {
	Address  Address
	Path     string // /sys/bus/pci/devices/0000:84:00.0
	Vendor   ID     // vendor; 0 where it could not be read
	Device   ID     // device; 0 where it could not be read
	Class    Class  // class
	NUMANode int    // numa_node; -1 where the kernel does not say
	Driver   string // driver; "" where none is bound
	BootVGA  bool   // boot_vga: the display of the machine's console

	Nets []string // net/: the names of its network interfaces, in ascending order

	SRIOV  *SRIOV    // nil unless the device can have virtual functions
	PhysFn *Address  // physfn: the PF of a VF; nil for every other device
	VGPU   *VFIOVGPU // nvidia/: nil unless the device is a VF of NVIDIA's vendor-specific VFIO
}

// SRIOV is what a physical function (PF) reports about its virtual functions (VF).
type SRIOV struct {
	TotalVFs int       // sriov_totalvfs: how many there can be
	NumVFs   int       // sriov_numvfs: how many are enabled
	VFs      []Address // virtfn0, virtfn1, ... in this order
}

// DevType returns Nova's type of the device.
//
// Source: nova/virt/libvirt/host.py, _get_pcidev_info.
func (d PCIDevice) DevType() DevType {
	switch {
	case d.PhysFn != nil:
		return TypeVF
	case d.SRIOV != nil && d.SRIOV.TotalVFs > 0:
		return TypePF
	}
	return TypePCI
}

// PCIDevices returns the PCI devices of the machine in the order of their
// addresses. A machine without a PCI bus has none, and no Gap.
func (t Tree) PCIDevices(ctx context.Context) ([]PCIDevice, []Gap) {
	s := &scan{fsys: t.fsys}
	root, ok := s.list(pciDevices, "PCI devices")
	if !ok {
		return nil, s.gaps
	}
	var devices []PCIDevice
	for _, name := range root.names() {
		if s.stopped(ctx, pciDevices, "PCI devices from "+name+" on") {
			break
		}
		a, err := ParseAddress(name)
		if err != nil {
			s.gap(root.path(name), "PCI device", err)
			continue
		}
		if d, ok := s.pciDevice(root.path(name), a); ok {
			devices = append(devices, d)
		}
	}
	slices.SortStableFunc(devices, func(a, b PCIDevice) int { return a.Address.Compare(b.Address) })
	return devices, s.gaps
}

// pciDevice reads one device; ok is false if it has gone meanwhile.
func (s *scan) pciDevice(name string, a Address) (PCIDevice, bool) {
	before := len(s.gaps)
	d := PCIDevice{Address: a, Path: "/" + name, NUMANode: -1}
	dir, ok := s.list(name, "PCI device")
	if !ok {
		if len(s.gaps) == before {
			s.gap(name, "PCI device", ErrVanished)
			return PCIDevice{}, false
		}
		return d, true // it exists, but its folder cannot be listed
	}
	for _, need := range []string{"vendor", "device", "class"} {
		if !dir.has(need) {
			s.gap(dir.path(need), "PCI "+need+" id", ErrNoFile)
		}
	}
	d.Vendor = ID(s.hex(dir, "vendor", "vendor id", 16))
	d.Device = ID(s.hex(dir, "device", "device id", 16))
	d.Class = Class(s.hex(dir, "class", "class", 24))
	d.NUMANode = s.number(dir, "numa_node", "NUMA node", -1)
	d.Driver = s.link(dir, "driver", "driver")
	d.BootVGA = s.number(dir, "boot_vga", "console display", 0) == 1
	if pf, ok := s.linkAddress(dir, "physfn", "physical function"); ok {
		d.PhysFn = &pf
	}
	d.Nets = s.nets(dir)
	d.SRIOV = s.sriov(dir)
	d.VGPU = s.vfioVGPU(dir)

	// Reading a device while it is unplugged fails for each file; one Gap says it better
	// than ten.
	if len(s.gaps) > before && s.vanished(name, "PCI device") {
		s.gaps = append(s.gaps[:before], s.gaps[len(s.gaps)-1])
		return PCIDevice{}, false
	}
	return d, true
}

// nets returns the network interfaces of a device: its own, and those of its virtio
// device.
func (s *scan) nets(dir folder) []string {
	var out []string
	for _, entry := range dir.names() {
		at := dir.name + "/" + entry
		switch {
		case strings.HasPrefix(entry, "virtio"):
			at += "/net"
		case entry != "net":
			continue
		}
		if nets, ok := s.list(at, "network interfaces"); ok {
			out = append(out, nets.names()...)
		}
	}
	return out
}

// sriov reads the SR-IOV files of a PF; nil if the device is not one.
func (s *scan) sriov(dir folder) *SRIOV {
	if !dir.has("sriov_totalvfs") {
		return nil
	}
	v := &SRIOV{
		TotalVFs: max(0, s.number(dir, "sriov_totalvfs", "number of possible VFs", 0)),
		NumVFs:   max(0, s.number(dir, "sriov_numvfs", "number of enabled VFs", 0)),
	}
	type vf struct {
		n int
		a Address
	}
	var vfs []vf
	for entry := range dir.entries {
		n, ok := numbered(entry, "virtfn")
		if !ok {
			continue
		}
		if a, ok := s.linkAddress(dir, entry, "virtual function"); ok {
			vfs = append(vfs, vf{n, a})
		}
	}
	slices.SortStableFunc(vfs, func(a, b vf) int { return cmp.Compare(a.n, b.n) })
	for _, f := range vfs {
		v.VFs = append(v.VFs, f.a)
	}
	return v
}
