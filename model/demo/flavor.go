package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// flavor is what an instance asks for.
type flavor struct {
	name             string
	vcpus, gib, disk int64
	cards            []device
	profile          string // for Cyborg's devices
	pinned           bool   // vcpus are dedicated
	alias            string // of PCI devices that are counted together, with their number; "" if none
}

// device is a device that a flavor asks for.
type device struct {
	class placement.ResourceClass
	owner placement.Trait
	n     int64
	trait placement.Trait // that the device profile requires; "" if none
}

// traitT4 is the trait that Cyborg reports for the virtual GPUs of its cards.
const traitT4 placement.Trait = "CUSTOM_NVIDIA_1EB8_T4_2B"

// aliasQAT says in nova.conf which devices the flavor qat.1 asks for: devices for
// cryptography, which Nova passes through but does not report as providers.
const aliasQAT = `{"name": "qat", "vendor_id": "8086", "product_id": "0435"}`

// flavors returns all flavors.
func flavors() []flavor {
	ofNova, ofCyborg := placement.OwnerNova, placement.OwnerCyborg
	return []flavor{
		{name: "cpu.small", vcpus: 2, gib: 4, disk: 20},
		{name: "cpu.medium", vcpus: 4, gib: 8, disk: 40},
		{name: "cpu.large", vcpus: 8, gib: 16, disk: 80},
		{name: "cpu.xlarge", vcpus: 16, gib: 32, disk: 160},
		{name: "mem.large", vcpus: 4, gib: 16, disk: 80},
		{name: "mem.xlarge", vcpus: 8, gib: 32, disk: 160},
		{name: "pin.medium", vcpus: 4, gib: 16, disk: 40, pinned: true},
		{name: "pin.large", vcpus: 8, gib: 32, disk: 80, pinned: true},
		{name: novaFlavor, vcpus: 4, gib: 16, disk: 80, cards: []device{{placement.VGPU, ofNova, 1, ""}}},
		{name: "gpu.a100.2", vcpus: 8, gib: 32, disk: 80, cards: []device{{placement.VGPU, ofNova, 2, ""}}},
		{name: cyborgFlavor, vcpus: 4, gib: 16, disk: 80, cards: []device{{placement.VGPU, ofCyborg, 1, traitT4}}, profile: "t4-2b-x1"},
		{name: "gpu.t4.2c", vcpus: 8, gib: 32, disk: 80, cards: []device{{placement.VGPU, ofCyborg, 2, traitT4}}, profile: "t4-2b-x2"},
		{name: bothFlavor, vcpus: 8, gib: 32, disk: 80, cards: []device{{placement.VGPU, ofNova, 1, ""}, {placement.VGPU, ofCyborg, 1, traitT4}}, profile: "t4-2b-x1"},
		{name: "fpga.1", vcpus: 8, gib: 32, disk: 80, cards: []device{{placement.FPGA, ofCyborg, 1, "CUSTOM_FPGA_INTEL_PAC_ARRIA10"}}, profile: "fpga-arria10"},
		{name: "gpu.whole.1", vcpus: 8, gib: 32, disk: 80, cards: []device{{placement.PGPU, ofCyborg, 1, "CUSTOM_NVIDIA_20B0"}}, profile: "a100-whole"},
		{name: "pci.t4.1", vcpus: 8, gib: 32, disk: 80, cards: []device{{classT4, ofNova, 1, ""}}},
		{name: "nvme.1", vcpus: 8, gib: 32, disk: 80, cards: []device{{classNVMe, ofNova, 1, ""}}},
		{name: "qat.1", vcpus: 2, gib: 4, disk: 20, alias: "qat:1"},
	}
}

// plainFlavors returns what most instances ask for: more often by being there twice.
func plainFlavors() []string {
	return []string{"cpu.small", "cpu.medium", "cpu.large", "cpu.large", "cpu.xlarge", "mem.large", "mem.xlarge"}
}

// flavor returns a flavor by its name.
func (f *fleet) flavor(name string) *flavor {
	return &f.flavors[slices.IndexFunc(f.flavors, func(fl flavor) bool { return fl.name == name })]
}

// flavorOf returns the flavor with nothing but n devices of a class of one owner.
func (f *fleet) flavorOf(class placement.ResourceClass, owner placement.Trait, n int64) *flavor {
	return &f.flavors[slices.IndexFunc(f.flavors, func(fl flavor) bool {
		return len(fl.cards) == 1 && fl.cards[0].class == class && fl.cards[0].owner == owner && fl.cards[0].n == n
	})]
}

// record returns fl as Nova keeps it, with a group for each of Nova's devices, as one
// mediated device serves one group.
//
// Source: nova/doc/source/admin/virtual-gpu.rst.
func (fl flavor) record(id string) *nova.Flavor {
	specs := map[string]string{}
	if fl.pinned {
		specs["hw:cpu_policy"] = "dedicated"
	}
	if fl.alias != "" {
		specs["pci_passthrough:alias"] = fl.alias
	}
	groups := 0
	for _, d := range fl.cards {
		if d.owner == placement.OwnerCyborg {
			groups++
			specs["accel:device_profile"] = fl.profile
			continue
		}
		for range d.n {
			groups++
			specs[fmt.Sprintf("resources%d:%s", groups, d.class)] = "1"
		}
	}
	if groups > 1 {
		specs["group_policy"] = "none"
	}
	return &nova.Flavor{Name: fl.name, FlavorID: id, VCPUs: fl.vcpus, MemoryMB: fl.gib * 1024, RootGB: fl.disk, ExtraSpecs: specs}
}

// deviceProfile returns the device profile of fl.
func (fl flavor) deviceProfile() *cyborg.DeviceProfile {
	p := &cyborg.DeviceProfile{UUID: named("device profile", fl.profile), Name: fl.profile, Description: "made for flavor " + fl.name}
	for _, d := range fl.cards {
		if d.owner == placement.OwnerCyborg {
			p.Groups = append(p.Groups, map[string]string{
				"resources:" + string(d.class): fmt.Sprint(d.n), "trait:" + string(placement.OwnerCyborg): "required", "trait:" + string(d.trait): "required",
			})
		}
	}
	return p
}

// offer adds the events that make the flavors, and the device profiles of those with
// Cyborg's devices. Those for which no host has the devices are left out.
func (f *fleet) offer() {
	offered := slices.DeleteFunc(slices.Clone(f.flavors), func(fl flavor) bool { return !f.has(fl) })
	at := f.ago(age - firstOffer)
	f.says(at, "cyborg-api", "make the device profiles", func(w *world) error {
		for _, fl := range offered {
			if _, made := w.snap.Cyborg().DeviceProfile(fl.profile); made || fl.profile == "" {
				continue
			}
			if err := w.write(cyborg.CreateDeviceProfile{Profile: fl.deviceProfile()}); err != nil {
				return err
			}
		}
		return nil
	})
	if f.has(*f.flavor("qat.1")) {
		f.says(at.Add(4*time.Minute), "nova-api", "say which devices flavors call qat", func(w *world) error {
			return w.write(nova.Configure{PCIAliases: []string{aliasQAT}})
		})
	}
	f.says(at.Add(5*time.Minute), "nova-api", "make the flavors", func(w *world) error {
		for n, fl := range offered {
			if err := w.write(nova.CreateFlavor{Flavor: fl.record(fmt.Sprint(n + 1))}); err != nil {
				return err
			}
		}
		return nil
	})
}

// has reports whether a host of the cloud has the devices of a flavor.
func (f *fleet) has(fl flavor) bool {
	if fl.alias != "" {
		return slices.ContainsFunc(f.nodes, func(h *host) bool { return len(h.pci) > 0 && !h.tree.ReportsPCI })
	}
	return !slices.ContainsFunc(fl.cards, func(d device) bool {
		return !slices.ContainsFunc(f.nodes, func(h *host) bool {
			return slices.ContainsFunc(h.devices(), func(p *provider) bool { return p.stock[0].class == d.class && p.owner == d.owner })
		})
	})
}
