package providertree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// pciProvider gathers the devices behind one provider: a device itself, or
// virtual functions of it.
type pciProvider struct {
	address sysfs.Address
	class   placement.ResourceClass
	traits  []placement.Trait
	devices []hw.PCIDevice
	vfs     bool
}

// pciDevices reports the devices that are passed through whole. A virtual
// function counts on the provider of its PF.
//
// Source: nova/compute/pci_placement_translator.py.
func (b *builder) pciDevices() error {
	if !b.opts.ReportPCI {
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
		if why != "" {
			if d.Class.IsGPU() || len(b.opts.PCIDevices) > 0 {
				b.tree.Leave(d.Address, tracker.PCI, true, "%s", why)
			}
			continue
		}
		if err := collect(providers, d, spec); err != nil {
			return err
		}
	}
	addresses := make([]sysfs.Address, 0, len(providers))
	for a := range providers {
		addresses = append(addresses, a)
	}
	slices.SortFunc(addresses, sysfs.Address.Compare)
	for _, a := range addresses {
		b.pciChild(providers[a])
	}
	return nil
}

// spec returns the device spec that picks d, or why none does.
func (b *builder) spec(d hw.PCIDevice) (spec DeviceSpec, why string) {
	if d.Vendor == 0 || d.Class == 0 {
		return DeviceSpec{}, "the ids of the device could not be read"
	}
	if b.opts.ofCyborg(b.host, d.Address) {
		return DeviceSpec{}, HandedOut
	}
	if len(b.opts.PCIDevices) > 0 {
		i := slices.IndexFunc(b.opts.PCIDevices, func(s DeviceSpec) bool { return s.matches(d) })
		switch {
		case i < 0:
			return DeviceSpec{}, "no device_spec picks the device"
		case b.opts.PCIDevices[i].PhysicalNetwork != "":
			return DeviceSpec{}, "the device belongs to Neutron's network " + b.opts.PCIDevices[i].PhysicalNetwork
		}
		return b.opts.PCIDevices[i], ""
	}
	vf := d.DevType() == sysfs.TypeVF
	switch {
	case vf && d.VGPU != nil && d.VGPU.Current == 0 && len(d.VGPU.Creatable) == 0:
		return DeviceSpec{}, "no vGPU can be made on the virtual function now"
	case vf:
		return DeviceSpec{}, ""
	case !d.Class.IsGPU():
		return DeviceSpec{}, "no card"
	case d.BootVGA || onBoard(d.Vendor):
		return DeviceSpec{}, "the display of the machine's console"
	case d.SRIOV != nil && len(d.SRIOV.VFs) > 0:
		return DeviceSpec{}, "its virtual functions are reported"
	}
	return DeviceSpec{}, ""
}

// onBoard reports whether the vendor makes the displays of service processors:
// Matrox and ASPEED.
func onBoard(v sysfs.ID) bool {
	const aspeed sysfs.ID = 0x1a03
	return v == sysfs.VendorMatrox || v == aspeed
}

// matches reports whether s picks d.
func (s DeviceSpec) matches(d hw.PCIDevice) bool {
	return (s.Address == nil || *s.Address == d.Address) &&
		(s.Vendor == 0 || s.Vendor == d.Vendor) &&
		(s.Product == 0 || s.Product == d.Device)
}

// collect adds d to its provider. A device and its virtual functions cannot both
// be given out, and one provider has one class and one set of traits.
//
// Source: nova/compute/pci_placement_translator.py, PciResourceProvider.
func collect(providers map[sysfs.Address]*pciProvider, d hw.PCIDevice, s DeviceSpec) error {
	at, vf := d.Address, false
	if d.PhysFn != nil {
		at, vf = *d.PhysFn, true
	}
	class, traits, err := s.describe(d)
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
		return invalid(fmt.Sprintf("%s and its virtual functions are both picked; pick one of the two", at))
	case p.class != class:
		return invalid(fmt.Sprintf("its class would be %s, but %s of the same card has %s", class, p.devices[0].Address, p.class))
	case !slices.Equal(p.traits, traits):
		return invalid(fmt.Sprintf("its traits would not be those of %s of the same card", p.devices[0].Address))
	}
	p.devices = append(p.devices, d)
	return nil
}

// describe returns class and traits of the devices that s picks.
//
// Source: nova/compute/pci_placement_translator.py, _get_rc_for_dev and
// _get_traits_for_dev.
func (s DeviceSpec) describe(d hw.PCIDevice) (placement.ResourceClass, []placement.Trait, error) {
	class := placement.ResourceClass(strings.ToUpper(fmt.Sprintf("CUSTOM_PCI_%s_%s", d.Vendor, d.Device)))
	if s.ResourceClass != "" {
		class = placement.ResourceClass(strings.ToUpper(s.ResourceClass))
		if !slices.Contains(placement.StandardClasses(), class) {
			class = placement.NormalizeClass(s.ResourceClass)
		}
	}
	if err := class.Validate(); err != nil {
		return "", nil, fmt.Errorf("resource_class of device_spec: %w", err)
	}
	var traits []placement.Trait
	for _, text := range s.Traits {
		t := placement.Trait(strings.ToUpper(strings.TrimSpace(text)))
		if !slices.Contains(placement.StandardTraits(), t) {
			t = placement.NormalizeTrait(strings.TrimSpace(text))
		}
		if err := t.Validate(); err != nil {
			return "", nil, fmt.Errorf("traits of device_spec: %w", err)
		}
		traits = append(traits, t)
	}
	if s.OneTimeUse {
		traits = append(traits, placement.HWPCIOneTimeUse)
	}
	if s.LiveMigratable {
		traits = append(traits, "HW_PCI_LIVE_MIGRATABLE")
	}
	slices.Sort(traits)
	return class, slices.Compact(traits), nil
}

// pciChild reports the devices behind one provider.
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
