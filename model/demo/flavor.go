package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// flavor is what an instance asks for.
type flavor struct {
	name    string
	vcpus   int64
	pinned  bool // vcpus are dedicated
	gib     int64
	disk    int64 // GiB
	cards   []device
	profile string       // for Cyborg's devices
	alias   string       // of PCI devices that are counted together, with their number; "" if none
	sizes   *nova.Flavor // the result of counts
}

// device is a device that a flavor asks for.
type device struct {
	class placement.ResourceClass
	owner placement.Trait
	n     int64
	trait placement.Trait // that the device profile requires; "" if none
}

// sort is a class of devices of one owner.
type sort struct {
	class placement.ResourceClass
	owner placement.Trait
}

// The flavors, by what they are for.
func cpuFlavors() []flavor {
	return []flavor{
		{name: "cpu.small", vcpus: 2, gib: 4, disk: 20},
		{name: "cpu.medium", vcpus: 4, gib: 8, disk: 40},
		{name: "cpu.large", vcpus: 8, gib: 16, disk: 80},
		{name: "cpu.large", vcpus: 8, gib: 16, disk: 80},
		{name: "cpu.xlarge", vcpus: 16, gib: 32, disk: 160},
		{name: "mem.large", vcpus: 4, gib: 16, disk: 80},
		{name: "mem.xlarge", vcpus: 8, gib: 32, disk: 160},
	}
}

func pinnedFlavors() []flavor {
	return []flavor{
		{name: "pin.medium", vcpus: 4, pinned: true, gib: 16, disk: 40},
		{name: "pin.large", vcpus: 8, pinned: true, gib: 32, disk: 80},
	}
}

// traitT4 is the trait that Cyborg reports for the virtual GPUs of its cards.
const traitT4 placement.Trait = "CUSTOM_NVIDIA_1EB8_T4_2B"

// gpu returns a flavor with n virtual GPUs of one owner.
func gpu(owner placement.Trait, n int64) flavor {
	f := flavor{name: fmt.Sprintf("gpu.a100.%d", n), vcpus: 4 * n, gib: 16 * n, disk: 80, cards: []device{{placement.VGPU, owner, n, ""}}}
	if owner == placement.OwnerCyborg {
		f.name, f.profile, f.cards[0].trait = fmt.Sprintf("gpu.t4.%dc", n), fmt.Sprintf("t4-2b-x%d", n), traitT4
	}
	return f
}

// gpuBoth returns a flavor with one virtual GPU of each owner.
func gpuBoth() flavor {
	return flavor{name: "gpu.both", vcpus: 8, gib: 32, disk: 80, profile: gpu(placement.OwnerCyborg, 1).profile, cards: []device{
		{placement.VGPU, placement.OwnerNova, 1, ""}, {placement.VGPU, placement.OwnerCyborg, 1, traitT4},
	}}
}

// whole returns the flavor with one whole device of a class.
func whole(c placement.ResourceClass) flavor {
	f := flavor{vcpus: 8, gib: 32, disk: 80, cards: []device{{c, placement.OwnerNova, 1, ""}}}
	switch c {
	case placement.FPGA:
		f.name, f.profile, f.cards[0].owner, f.cards[0].trait = "fpga.1", "fpga-arria10", placement.OwnerCyborg, "CUSTOM_FPGA_INTEL_PAC_ARRIA10"
	case placement.PGPU:
		f.name, f.profile, f.cards[0].owner, f.cards[0].trait = "gpu.whole.1", "a100-whole", placement.OwnerCyborg, "CUSTOM_NVIDIA_20B0"
	case classNVMe:
		f.name = "nvme.1"
	default:
		f.name = "pci.t4.1"
	}
	return f
}

// aliasQAT says in nova.conf which devices the flavor of qat asks for.
const aliasQAT = `{"name": "qat", "vendor_id": "8086", "product_id": "0435"}`

// qat returns the flavor with a device for cryptography, which Nova passes through but
// does not report as a provider.
func qat() flavor { return flavor{name: "qat.1", vcpus: 2, gib: 4, disk: 20, alias: "qat:1"} }

// cardFlavors returns all flavors with devices.
func cardFlavors() []flavor {
	return []flavor{
		gpu(placement.OwnerNova, 1), gpu(placement.OwnerNova, 2), gpu(placement.OwnerCyborg, 1), gpu(placement.OwnerCyborg, 2), gpuBoth(),
		whole(placement.FPGA), whole(placement.PGPU), whole(classT4), whole(classNVMe),
	}
}

// extraSpecs returns what is asked for in addition to CPU, memory and disk, with a group
// for each of Nova's devices, as one mediated device serves one group.
//
// Source: nova/doc/source/admin/virtual-gpu.rst.
func (fl flavor) extraSpecs() map[string]string {
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
	return specs
}

// counts returns the flavor by which compute nodes count instances of fl.
func (fl *flavor) counts() *nova.Flavor {
	if fl.sizes == nil {
		fl.sizes = fl.record("")
	}
	return fl.sizes
}

// record returns fl as Nova keeps it.
func (fl flavor) record(id string) *nova.Flavor {
	return &nova.Flavor{
		Name: fl.name, FlavorID: id, VCPUs: fl.vcpus, MemoryMB: fl.gib * 1024, RootGB: fl.disk, ExtraSpecs: fl.extraSpecs(),
	}
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

// offer makes the flavors, and the device profiles of those with Cyborg's devices. Those
// for which no host has the devices are left out.
func (f *fleet) offer() {
	all := append(append(append(cpuFlavors(), pinnedFlavors()...), cardFlavors()...), qat())
	profiles, flavors := f.ago(age).Add(firstOffer), f.ago(age).Add(firstOffer+5*time.Minute)
	f.add(event{at: profiles, actor: "cyborg-api", note: "make the device profiles", write: func(w *world) error {
		for _, fl := range all {
			if _, made := w.snap.Cyborg().DeviceProfile(fl.profile); made || fl.profile == "" || !f.has(fl) {
				continue
			}
			create := cyborg.CreateDeviceProfile{Profile: fl.deviceProfile()}
			if err := w.write(cloud.Change{Ops: []cloud.Op{create}}); err != nil {
				return err
			}
		}
		return nil
	}})
	if f.has(qat()) {
		f.says(flavors.Add(-time.Minute), "nova-api", "say which devices flavors call qat", func(w *world) error {
			return w.write(cloud.Change{Ops: []cloud.Op{nova.Configure{PCIAliases: []string{aliasQAT}}}})
		})
	}
	f.add(event{at: flavors, actor: "nova-api", note: "make the flavors", write: func(w *world) error {
		for _, fl := range all {
			if _, made := w.snap.Nova().FlavorNamed(fl.name); made || !f.has(fl) {
				continue
			}
			create := nova.CreateFlavor{Flavor: fl.record(fmt.Sprint(len(slices.Collect(w.snap.Nova().Flavors())) + 1))}
			if err := w.write(cloud.Change{Ops: []cloud.Op{create}}); err != nil {
				return err
			}
		}
		return nil
	}})
}

// has reports whether a host of the cloud has the devices of a flavor.
func (f *fleet) has(fl flavor) bool {
	if fl.alias != "" && !slices.ContainsFunc(f.nodes, func(h *host) bool { return len(h.pci) > 0 && !h.tree.ReportsPCI }) {
		return false
	}
	return !slices.ContainsFunc(fl.cards, func(d device) bool { return !f.sorts[sort{d.class, d.owner}] })
}
