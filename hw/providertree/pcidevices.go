package providertree

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// pciProvider collects the devices of one provider: a device itself, or its virtual
// functions.
type pciProvider struct {
	address sysfs.Address
	class   placement.ResourceClass
	traits  []placement.Trait
	devices []hw.PCIDevice
	vfs     bool
}

// pciDevices notes the devices that are passed through whole, and reports them if
// Placement is to have them: a virtual function counts on the provider of its PF.
//
// Source: nova/pci/manager.py, update_devices_from_hypervisor_resources;
// nova/compute/pci_placement_translator.py.
func (b *builder) pciDevices() error {
	if !b.opts.ReportPCI && len(b.opts.PCIDevices) == 0 {
		return nil
	}
	mediated := make(map[sysfs.Address]bool)
	for _, p := range b.host.Mediated.Parents {
		if p.Address != nil {
			mediated[*p.Address] = true
		}
	}
	providers := make(map[sysfs.Address]*pciProvider)
	for _, d := range b.host.PCI {
		spec, why := b.spec(d)
		if why == "" && mediated[d.Address] {
			why = "the device has mediated devices, which are reported by type"
		}
		if why == "" {
			b.tree.Devices = append(b.tree.Devices, record(d, spec))
			if network := spec.Tags[pci.KeyNetwork]; network != "" {
				why = "the device belongs to Neutron's network " + network
			}
		}
		switch {
		case !b.opts.ReportPCI:
		case why == "":
			if err := collect(providers, function(b.host, d), d, spec); err != nil {
				return err
			}
		case d.IsGPU() || why != unpicked:
			b.tree.Leave(d.Address, tracker.PCI, true, "%s", why)
		}
	}
	addresses := make([]sysfs.Address, 0, len(providers))
	for a := range providers {
		addresses = append(addresses, a)
	}
	slices.SortStableFunc(addresses, sysfs.Address.Compare)
	for _, a := range addresses {
		b.pciChild(providers[a])
	}
	return nil
}

// unpicked is why most devices of a machine are not passed through: worth reporting only
// for cards.
const unpicked = "no device_spec matches the device"

// spec returns the first device spec that matches d, or why none does.
func (b *builder) spec(d hw.PCIDevice) (spec pci.DeviceSpec, why string) {
	switch {
	case d.Vendor == 0 || d.Class == 0:
		return pci.DeviceSpec{}, "the ids of the device could not be read"
	case b.opts.ofCyborg(b.host, d.Address):
		return pci.DeviceSpec{}, HandedOut
	}
	f := function(b.host, d)
	i := slices.IndexFunc(b.opts.PCIDevices, func(s pci.DeviceSpec) bool { return s.Matches(f) })
	switch {
	case i < 0:
		return pci.DeviceSpec{}, unpicked
	case d.Address.Domain > math.MaxUint16:
		// Source: nova/pci/manager.py, update_devices_from_hypervisor_resources.
		return pci.DeviceSpec{}, "Nova skips devices whose PCI domain has more than 16 bits, such as those behind Intel's VMD"
	}
	return b.opts.PCIDevices[i], ""
}

// vfio notes what Nova does not see of the virtual functions of recent NVIDIA cards, whose
// vGPUs are no mediated devices: Nova reports those functions as PCI devices, and all that
// a device_spec picks as free.
func (b *builder) vfio() error {
	reported := map[string]bool{}
	for _, row := range b.tree.Devices {
		reported[row.Address] = b.opts.ReportPCI
	}
	for _, g := range b.host.GPUs {
		made, stuck, picked, all := 0, 0, false, 0
		for _, vf := range g.VFs {
			if vf.VGPU == nil {
				continue
			}
			all++
			picked = picked || reported[vf.Address.String()]
			switch v := *vf.VGPU; {
			case v.Current > 0:
				made++
			case v.Current == 0 && len(v.Creatable) == 0:
				stuck++
			}
		}
		switch {
		case all == 0:
		case picked && stuck > 0:
			b.tree.Note("%s: %d of %d virtual functions have no vGPU, and no type can be created on them now; they are reported all the same, as Nova does", g.Address, stuck, all)
		case !picked:
			b.tree.Leave(g.Address, tracker.PCI, false,
				"%d of its %d virtual functions have a vGPU of the vendor-specific VFIO framework; Nova reports them only as PCI devices: give device_spec and report_in_placement", made, all)
		}
	}
	return nil
}

// function returns what specs match against of a device.
func function(h hw.Host, d hw.PCIDevice) pci.Function {
	f := pci.Function{Address: d.Address, Parent: d.PhysFn, Vendor: d.Vendor.String(), Product: d.Device.String(), Nets: d.Nets}
	if d.PhysFn != nil {
		if parent, ok := h.Device(*d.PhysFn); ok {
			f.ParentNets = parent.Nets
		}
	}
	return f
}

// record returns nova-compute's record of a device that matches a spec.
//
// Source: nova/virt/libvirt/host.py, _get_pcidev_info; nova/objects/pci_device.py,
// create.
func record(d hw.PCIDevice, s pci.DeviceSpec) nova.PciDevice {
	row := nova.PciDevice{
		Address: d.Address.String(), VendorID: d.Vendor.String(), ProductID: d.Device.String(), DevType: string(d.DevType()),
		Status: nova.DeviceAvailable,
	}
	if len(s.Tags) > 0 {
		row.Tags = maps.Clone(s.Tags)
	}
	if d.PhysFn != nil {
		row.Parent = d.PhysFn.String()
	}
	if d.NUMANode >= 0 {
		node := int64(d.NUMANode)
		row.NUMANode = &node
	}
	return row
}

// collect adds d to its provider. A device and its virtual functions cannot both
// be given out, and one provider has one class and one set of traits.
//
// Source: nova/compute/pci_placement_translator.py, PciResourceProvider.
func collect(providers map[sysfs.Address]*pciProvider, f pci.Function, d hw.PCIDevice, s pci.DeviceSpec) error {
	at, vf := d.Address, false
	if d.PhysFn != nil {
		at, vf = *d.PhysFn, true
	}
	class, err := s.Class(f)
	if err != nil {
		return err
	}
	traits, err := s.Traits()
	if err != nil {
		return err
	}
	p := providers[at]
	invalid := func(why string) error {
		return &placement.InvalidError{Field: "device_spec", Value: d.Address.String(), Why: why}
	}
	switch {
	case p == nil:
		p = &pciProvider{address: at, class: class, traits: traits, vfs: vf}
		providers[at] = p
	case p.vfs != vf:
		return invalid(fmt.Sprintf("device_spec matches both %s and its virtual functions; match only one of the two", at))
	case p.class != class:
		return invalid(fmt.Sprintf("its class would be %s, but %s of the same card has %s", class, p.devices[0].Address, p.class))
	case !slices.Equal(p.traits, traits):
		return invalid(fmt.Sprintf("its traits would differ from those of %s of the same card", p.devices[0].Address))
	}
	p.devices = append(p.devices, d)
	return nil
}

// pciChild reports the devices of one provider.
func (b *builder) pciChild(p *pciProvider) {
	first := p.devices[0]
	source := fmt.Sprintf("%s (%s)", first.Path, first.Title())
	if p.vfs {
		made := 0
		for _, d := range p.devices {
			if d.VGPU != nil && d.VGPU.Current > 0 {
				made++
			}
		}
		source = fmt.Sprintf("%d virtual functions of %s from %s on (%s)", len(p.devices), p.address, first.Path, first.Title())
		if first.VGPU != nil {
			source += fmt.Sprintf(", %d with a vGPU", made)
		}
	}
	b.tree.AddPCI(p.address, p.class, int64(len(p.devices)), p.traits, source)
}
