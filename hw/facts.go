package hw

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/placetop/placetop/hw/sysfs"
)

// Fact is one line of what a probe found: for tables, files and screens.
type Fact struct {
	Name   string // such as "memory.total_mib"; the unit is at its end
	Value  string // "?" where it is unknown
	Source string // "" where it is unknown
}

const mib = 1 << 20

// Facts returns what the Host holds, in a fixed order, without its Gaps and without
// the ids of machine and mainboard, which are not for publication.
func (h Host) Facts() []Fact {
	var f facts
	add(&f, "host.name", h.Hostname, plain)
	add(&f, "host.compute_id", h.ComputeID, plain)
	add(&f, "host.kernel", h.Kernel, plain)
	add(&f, "host.arch", h.Arch, plain)
	add(&f, "host.address", h.Address, plain)
	add(&f, "cpu.sockets", h.CPU.Sockets, plain)
	add(&f, "cpu.cores", h.CPU.Cores, plain)
	add(&f, "cpu.threads", h.CPU.Threads, plain)
	add(&f, "cpu.vendor", h.CPU.Vendor, plain)
	add(&f, "cpu.model", h.CPU.Model, plain)
	add(&f, "cpu.flags", h.CPU.Flags, func(v []string) string { return strings.Join(v, " ") })
	add(&f, "memory.total_mib", h.Memory.Total, inMiB)
	add(&f, "memory.available_mib", h.Memory.Available, inMiB)
	add(&f, "memory.hugepages", h.Memory.HugePages, plain)
	f.put("instances.path", h.Instances.Path, "options")
	if i := h.Instances; i.Source != "" {
		source := i.Source + " " + i.Asked
		f.put("instances.total_gib", gib(i.Total), source)
		f.put("instances.free_gib", gib(i.Free), source)
	} else {
		f.put("instances.total_gib", "?", "")
	}
	for _, n := range h.NUMA {
		name := "numa" + strconv.Itoa(n.ID)
		if n.CPUs != nil {
			f.put(name+".cpus", n.CPUs.String(), n.Path+"/cpulist")
		}
		if n.Memory != nil {
			f.put(name+".memory_kib", plain(n.Memory.TotalKiB), n.Path+"/meminfo")
		}
	}
	for _, d := range h.PCI {
		f.pci(d)
	}
	for _, p := range h.Mediated.Parents {
		for _, t := range p.Types {
			f.put("mdev."+p.Name+"."+t.ID, mdevText(t), t.Path)
		}
	}
	for _, d := range h.Mediated.Devices {
		f.put("mdev."+d.UUID.String(), fmt.Sprintf("%s on %s", orUnknown(d.Type), orUnknown(d.Parent)), d.Path)
	}
	for _, g := range h.GPUs {
		f.put("gpu."+g.Address.String(), fmt.Sprintf("%s, vGPUs %d, mdev parents %d, VFs %d", g.Title(), g.VGPUs(), len(g.Parents), len(g.VFs)), g.Path)
	}
	return f
}

// Title returns the names of vendor and device where they are known, and otherwise
// their ids.
func (d PCIDevice) Title() string {
	vendor, device := d.VendorName, d.DeviceName
	if vendor == "" {
		vendor = d.Vendor.String()
	}
	if device == "" {
		device = d.Device.String()
	}
	return vendor + " " + device
}

type facts []Fact

func (f *facts) put(name, value, source string) { *f = append(*f, Fact{name, value, source}) }

func add[T any](f *facts, name string, r Reading[T], text func(T) string) {
	if !r.Known() {
		f.put(name, "?", "")
		return
	}
	f.put(name, text(r.Value), r.Source)
}

// pci adds one device with its details.
func (f *facts) pci(d PCIDevice) {
	words := []string{fmt.Sprintf("%s:%s class %s %s", d.Vendor, d.Device, d.Class, d.DevType())}
	if d.VendorName != "" || d.DeviceName != "" {
		words = append(words, fmt.Sprintf("%q", d.Title()))
	}
	if d.NUMANode >= 0 {
		words = append(words, "node "+strconv.Itoa(d.NUMANode))
	}
	if d.Driver != "" {
		words = append(words, "driver "+d.Driver)
	}
	if d.BootVGA {
		words = append(words, "console")
	}
	if v := d.SRIOV; v != nil {
		words = append(words, fmt.Sprintf("%d of %d VFs", v.NumVFs, v.TotalVFs))
	}
	if d.PhysFn != nil {
		words = append(words, "VF of "+d.PhysFn.String())
	}
	if v := d.VGPU; v != nil {
		words = append(words, vfioText(*v))
	}
	f.put("pci."+d.Address.String(), strings.Join(words, ", "), d.Path)
}

func vfioText(v sysfs.VFIOVGPU) string {
	switch {
	case v.Current < 0:
		return "vGPU type unknown"
	case v.Current > 0:
		return "vGPU of type " + strconv.Itoa(v.Current)
	}
	ids := make([]string, len(v.Creatable))
	for i, t := range v.Creatable {
		ids[i] = strconv.Itoa(t.ID)
	}
	return "no vGPU, creatable: " + strings.Join(ids, " ")
}

func mdevText(t sysfs.MdevType) string {
	available := "?"
	if t.Available >= 0 {
		available = strconv.Itoa(t.Available)
	}
	text := fmt.Sprintf("%d made, %s available", len(t.Devices), available)
	if t.Name != "" {
		text += fmt.Sprintf(", %q", t.Name)
	}
	return text
}

func plain[T any](v T) string { return fmt.Sprint(v) }

func inMiB(bytes uint64) string { return strconv.FormatUint(bytes/mib, 10) }

func gib(bytes uint64) string { return strconv.FormatUint(bytes>>30, 10) }

func orUnknown(s string) string {
	if s == "" {
		return "?"
	}
	return s
}
