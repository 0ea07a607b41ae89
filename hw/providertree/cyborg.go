package providertree

import (
	"slices"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// HandedOut is the reason given for a device that is left out of a Tree because it is
// Cyborg's.
const HandedOut = "the device is Cyborg's"

// ofCyborg reports whether Options.Cyborg includes the function at an address, or its
// physical function.
func (o Options) ofCyborg(h hw.Host, a sysfs.Address) bool {
	d, ok := h.Device(a)
	if ok && d.PhysFn != nil {
		if pf, known := h.Device(*d.PhysFn); known && o.picks(h, pf) {
			return true
		}
	}
	return ok && o.picks(h, d)
}

func (o Options) picks(h hw.Host, d hw.PCIDevice) bool {
	return slices.ContainsFunc(o.Cyborg, func(s pci.DeviceSpec) bool { return s.Matches(function(h, d)) })
}

// accelerators reports that Cyborg's devices can be attached to instances here.
//
// Source: nova/virt/libvirt/driver.py, capabilities, supports_accelerators;
// nova/virt/driver.py, CAPABILITY_TRAITS_MAP.
func (b *builder) accelerators() error {
	if len(b.opts.Cyborg) > 0 {
		b.tree.Root.Traits = append(b.tree.Root.Traits, tracker.Trait{Name: placement.ComputeAccelerators, Source: "libvirt attaches accelerators"})
	}
	return nil
}

// Cards returns the devices of a machine that are Cyborg's, as the drivers of its
// agent find them, by address. A card that can have vGPUs of an enabled type is handed
// out by that type, with one part for each function that they are created on; any
// other as a whole. What could not be read is left out, as if it were not there.
//
// Source: cyborg/accelerator/drivers/gpu/utils.py, discover_gpus; the same of fpga,
// nic, ssd and pci.
func Cards(h hw.Host, o Options) []cyborg.Card {
	var out []cyborg.Card
	for _, d := range h.PCI {
		if d.DevType() == sysfs.TypeVF || d.Vendor == 0 || !o.picks(h, d) {
			continue
		}
		card := cyborg.Card{Address: d.Address, Vendor: d.Vendor.String(), Product: d.Device.String(), Model: d.DeviceName}
		card.Type, card.Generic = deviceType(d)
		if card.Type == cyborg.GPU && d.Vendor == sysfs.VendorNVIDIA {
			card.Parts = vgpuParts(h, o, d)
		}
		out = append(out, card)
	}
	return out
}

// deviceType returns the type of a device by its class, and whether it takes the driver
// for any PCI device.
func deviceType(d hw.PCIDevice) (t cyborg.DeviceType, generic bool) {
	switch base := d.Class >> 16; {
	case d.IsGPU():
		return cyborg.GPU, false
	case d.Class.IsAccelerator() && (d.Vendor == sysfs.VendorIntel || d.Vendor == sysfs.VendorXilinx):
		return cyborg.FPGA, false
	case base == 0x0b && d.Vendor == sysfs.VendorIntel:
		return cyborg.QAT, false
	case base == 0x02:
		return cyborg.NIC, false
	case base == 0x01:
		return cyborg.SSD, false
	default:
		return cyborg.AIChip, true
	}
}

// vgpuParts returns the parts of a card that are given out as vGPUs of the chosen type;
// nil if none is chosen.
func vgpuParts(h hw.Host, o Options, d hw.PCIDevice) []cyborg.Part {
	var parts []cyborg.Part
	for _, parent := range h.Mediated.Parents {
		if parent.Address == nil {
			continue
		}
		f, ok := h.Device(*parent.Address)
		if !ok || f.Address != d.Address && (f.PhysFn == nil || *f.PhysFn != d.Address) {
			continue
		}
		chosen, why := o.choose(parent, o.MdevTypes)
		t, ok := parent.Type(chosen.ID)
		if why != "" || !ok {
			continue
		}
		units, known := t.Capacity()
		if most := int(chosen.MaxInstances); most > 0 {
			units = min(units, most)
		}
		if known {
			parts = append(parts, cyborg.Part{Function: f.Address, MdevType: t.ID, MdevName: t.Name, Units: int64(units)})
		}
	}
	return parts
}
