package demo

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
)

// provider is a resource provider in the making.
type provider struct {
	id     placement.ProviderID
	name   string
	parent *provider
	stock  []stock
	traits []placement.Trait
	aggs   []placement.AggregateID
	closed bool // instances are kept off it
}

// stock is one inventory of a provider, and what instances take of it.
type stock struct {
	class placement.ResourceClass
	inv   placement.Inventory
	used  int64
}

// of returns the stock of a class, nil where p has none.
func (p *provider) of(c placement.ResourceClass) *stock {
	for i := range p.stock {
		if p.stock[i].class == c {
			return &p.stock[i]
		}
	}
	return nil
}

// inventories returns the inventories as they are written.
func (p *provider) inventories() map[placement.ResourceClass]placement.Inventory {
	out := make(map[placement.ResourceClass]placement.Inventory, len(p.stock))
	for _, s := range p.stock {
		out[s.class] = s.inv
	}
	return out
}

// has reports whether p has a trait.
func (p *provider) has(t placement.Trait) bool {
	for _, has := range p.traits {
		if has == t {
			return true
		}
	}
	return false
}

// units returns an inventory as Nova and Cyborg report it: max_unit is the total.
//
// Source: nova/virt/libvirt/driver.py, update_provider_tree.
func units(c placement.ResourceClass, total, reserved int64, ratio float64) stock {
	inv := placement.NewInventory(total)
	inv.Reserved, inv.AllocationRatio, inv.MaxUnit = reserved, ratio, total
	return stock{class: c, inv: inv}
}

// host is a compute node with all that stands below it.
type host struct {
	name   string
	rack   int
	root   *provider
	nova   []*provider // children that nova-compute reports, parents first
	cyborg []*provider // children that the Cyborg agent reports
	net    []*provider // children that Neutron reports: the agent, its bridge
	pool   *provider   // where its disks are; nil for a local disk
	fill   float64     // how full instances shall make it, 0 to 1
}

// kind is what a compute node is made for.
type kind int

const (
	plainLocal   kind = iota // CPU and memory, own disk
	plainCeph                // the same, disk from a pool
	pinned                   // dedicated CPUs beside shared ones
	novaCards                // two cards of Nova
	novaNUMA                 // two NUMA nodes, two cards of Nova below each
	cyborgCards              // three cards of Cyborg
	mixedCards               // cards of both
	mixedNUMA                // cards of Nova below one NUMA node, of Cyborg below the other
	passthrough              // whole PCI devices, one of them for one time use
	wholeDevices             // an FPGA and a whole GPU of Cyborg
	contested                // cards over which the services do not agree
	oldCompute               // a compute from before owners
)

// showcase is what the first twelve hosts are.
func showcase() []kind {
	return []kind{
		novaCards, plainLocal, cyborgCards, mixedCards,
		plainCeph, pinned, mixedNUMA, plainLocal,
		passthrough, wholeDevices, contested, oldCompute,
	}
}

// kindOf returns what host i is: the showcase, then one host in eight with cards.
func kindOf(i int) kind {
	if first := showcase(); i < len(first) {
		return first[i]
	}
	plain := []kind{plainLocal, plainLocal, plainCeph, pinned, plainLocal, plainCeph, plainLocal}
	cards := []kind{novaCards, cyborgCards, mixedCards, novaNUMA, mixedNUMA, passthrough, wholeDevices}
	if i%8 == 0 {
		return cards[i/8%len(cards)]
	}
	return plain[i%8-1]
}

// withBandwidth reports whether Neutron counts the bandwidth of host i: two of
// the showcase, and all further hosts without cards.
func withBandwidth(i int) bool {
	if i < len(showcase()) {
		return i == 1 || i == 5
	}
	return i%8 != 0
}

// host returns compute node i with all its providers.
func (f *fleet) host(i int) *host {
	k := kindOf(i)
	h := &host{name: fmt.Sprintf("cmp-%0*d", f.digits, i+1), rack: i * f.racks / f.hosts}
	h.fill = f.fillOf(i)
	h.root = &provider{id: placement.ProviderID(f.uuid()), name: h.name}
	cpus, memory, disk := int64(24), int64(256), int64(1200)
	switch {
	case k >= novaCards && k <= contested:
		cpus, memory, disk = 48, 512, 2000
	case k == pinned:
		cpus = 8
		h.root.stock = append(h.root.stock, units(placement.PCPU, 32, 0, 1))
	}
	h.root.stock = append(h.root.stock, units(placement.VCPU, cpus, 0, 4))
	h.root.stock = append(h.root.stock, units(placement.MemoryMB, memory*1024, 8192, 1))
	if k == plainCeph {
		h.pool = f.pool
	} else {
		h.root.stock = append(h.root.stock, units(placement.DiskGB, disk, 50, 1))
	}
	h.root.traits = rootTraits(k, f.rng.IntN(2) == 0)
	f.addCards(h, k)
	if withBandwidth(i) {
		h.addBandwidth()
	}
	return h
}

// addCards gives h the cards of its kind.
func (f *fleet) addCards(h *host, k kind) {
	switch k {
	case novaCards:
		f.novaCard(h, h.root, "0000:41:00.0")
		f.novaCard(h, h.root, "0000:42:00.0")
	case novaNUMA:
		a, b := f.numa(h, 0), f.numa(h, 1)
		f.novaCard(h, a, "0000:41:00.0")
		f.novaCard(h, a, "0000:42:00.0")
		f.novaCard(h, b, "0000:c1:00.0")
		f.novaCard(h, b, "0000:c2:00.0")
	case cyborgCards:
		h.cyborgCard(h.root, "0000:81:00.0")
		h.cyborgCard(h.root, "0000:82:00.0")
		h.cyborgCard(h.root, "0000:83:00.0")
	case mixedCards:
		f.novaCard(h, h.root, "0000:41:00.0")
		h.cyborgCard(h.root, "0000:af:00.0")
	case mixedNUMA:
		a, b := f.numa(h, 0), f.numa(h, 1)
		f.novaCard(h, a, "0000:41:00.0")
		f.novaCard(h, a, "0000:42:00.0")
		h.cyborgCard(b, "0000:81:00.0")
		h.cyborgCard(b, "0000:82:00.0")
	case passthrough:
		f.pciDevice(h, "0000:AF:00.0", classT4)
		f.pciDevice(h, "0000:D8:00.0", classT4)
		f.pciDevice(h, "0000:5E:00.0", classNVMe, placement.HWPCIOneTimeUse)
	case wholeDevices:
		fpga := h.cyborgDevice(h.root, "0000:3b:00.0", placement.FPGA, 2)
		fpga.traits = append(fpga.traits, "CUSTOM_FPGA_INTEL", "CUSTOM_FPGA_INTEL_PAC_ARRIA10")
		gpu := h.cyborgDevice(h.root, "0000:5e:00.0", placement.PGPU, 1)
		gpu.traits = append(gpu.traits, "CUSTOM_NVIDIA_20B0")
		gpu = h.cyborgDevice(h.root, "0000:86:00.0", placement.PGPU, 1)
		gpu.traits = append(gpu.traits, "CUSTOM_NVIDIA_20B0")
	case contested:
		f.novaCard(h, h.root, "0000:84:00.0")
		h.cyborgCard(h.root, "0000:81:00.0")
	case oldCompute:
		card := f.novaCard(h, h.root, "0000:41:00.0")
		card.traits, card.closed = nil, true
	default:
	}
}

// Resource classes of devices that Nova passes through whole.
const (
	classT4   placement.ResourceClass = "CUSTOM_PCI_10DE_1EB8"
	classNVMe placement.ResourceClass = "CUSTOM_PCI_144D_A80A"
)

// numa adds NUMA node n of h.
func (f *fleet) numa(h *host, n int) *provider {
	return f.novaChild(h, &provider{
		name: fmt.Sprintf("%s_numa%d", h.name, n), parent: h.root,
		traits: []placement.Trait{placement.HWNUMARoot, placement.OwnerNova},
	})
}

// novaCard adds a card that nova-compute divides into virtual GPUs, with the
// traits that an operator adds to it.
func (f *fleet) novaCard(h *host, parent *provider, address string) *provider {
	return f.novaChild(h, &provider{
		name: h.name + "_pci_" + strings.NewReplacer(":", "_", ".", "_").Replace(address), parent: parent,
		stock: []stock{units(placement.VGPU, 8, 0, 1)},
		traits: []placement.Trait{
			placement.OwnerNova, "CUSTOM_NVIDIA_20B0_A100",
			"HW_GPU_API_VULKAN", "HW_GPU_CUDA_SDK_V10_0", "HW_GPU_MAX_DISPLAY_HEADS_4",
		},
	})
}

// pciDevice adds a device that Nova passes through whole.
func (f *fleet) pciDevice(h *host, address string, c placement.ResourceClass, more ...placement.Trait) {
	f.novaChild(h, &provider{
		name: h.name + "_" + strings.ToUpper(address), parent: h.root,
		stock:  []stock{units(c, 1, 0, 1)},
		traits: append([]placement.Trait{placement.ComputeManagedPCI, placement.OwnerNova}, more...),
	})
}

func (f *fleet) novaChild(h *host, p *provider) *provider {
	p.id = placement.ProviderID(f.uuid())
	h.nova = append(h.nova, p)
	return p
}

// cyborgCard adds a card that Cyborg divides into virtual GPUs.
func (h *host) cyborgCard(parent *provider, address string) *provider {
	p := h.cyborgDevice(parent, address, placement.VGPU, 8)
	p.traits = append(p.traits, "CUSTOM_NVIDIA_1EB8_T4_2B")
	return p
}

// cyborgDevice adds a device of Cyborg, whose uuid follows from its name.
//
// Source: cyborg/conductor/manager.py, provider_report.
func (h *host) cyborgDevice(parent *provider, address string, c placement.ResourceClass, n int64) *provider {
	name := h.name + "_" + address
	p := &provider{
		id: placement.ProviderID(uuid.NewMD5(uuid.NameSpaceDNS, []byte(name))), name: name, parent: parent,
		stock: []stock{units(c, n, 0, 1)}, traits: []placement.Trait{placement.OwnerCyborg},
	}
	h.cyborg = append(h.cyborg, p)
	return p
}

// Resource classes of the bandwidth of a bridge, in kilobit per second.
const (
	bandwidthOut placement.ResourceClass = "NET_BW_EGR_KILOBIT_PER_SEC"
	bandwidthIn  placement.ResourceClass = "NET_BW_IGR_KILOBIT_PER_SEC"
)

// addBandwidth adds the Open vSwitch agent of h and its bridge of 10 Gbit/s.
//
// Source: neutron/agent/common/placement_report.py.
func (h *host) addBandwidth() {
	name := h.name + ":Open vSwitch agent"
	agent := &provider{id: placement.ProviderID(named("neutron", name)), name: name, parent: h.root}
	name += ":br-physnet0"
	bridge := &provider{
		id: placement.ProviderID(named("neutron", name)), name: name, parent: agent,
		stock:  []stock{units(bandwidthOut, 10_000_000, 0, 1), units(bandwidthIn, 10_000_000, 0, 1)},
		traits: []placement.Trait{"CUSTOM_PHYSNET_PHYSNET0", "CUSTOM_VNIC_TYPE_NORMAL"},
	}
	h.net = append(h.net, agent, bridge)
}

// bridge returns the bridge whose bandwidth is counted, nil where none is.
func (h *host) bridge() *provider {
	if len(h.net) == 0 {
		return nil
	}
	return h.net[len(h.net)-1]
}

// rootTraits returns what nova-compute reports of a compute node.
//
// Source: nova/virt/libvirt/driver.py, _get_cpu_traits and
// static_traits.
func rootTraits(k kind, newCPU bool) []placement.Trait {
	const common = `COMPUTE_ADDRESS_SPACE_EMULATED COMPUTE_ADDRESS_SPACE_PASSTHROUGH
		COMPUTE_ARCH_X86_64 COMPUTE_CONFIG_DRIVE_REGENERATION COMPUTE_DEVICE_TAGGING
		COMPUTE_FIRMWARE_BIOS COMPUTE_FIRMWARE_UEFI COMPUTE_GRAPHICS_MODEL_BOCHS
		COMPUTE_GRAPHICS_MODEL_VGA COMPUTE_GRAPHICS_MODEL_VIRTIO COMPUTE_IMAGE_TYPE_ISO
		COMPUTE_IMAGE_TYPE_QCOW2 COMPUTE_IMAGE_TYPE_RAW COMPUTE_MIGRATE_AUTO_CONVERGE
		COMPUTE_NET_ATTACH_INTERFACE COMPUTE_NET_ATTACH_INTERFACE_WITH_TAG
		COMPUTE_NET_VIF_MODEL_E1000 COMPUTE_NET_VIF_MODEL_VIRTIO COMPUTE_NODE
		COMPUTE_RESCUE_BFV COMPUTE_SECURITY_UEFI_SECURE_BOOT COMPUTE_STORAGE_BUS_SATA
		COMPUTE_STORAGE_BUS_SCSI COMPUTE_STORAGE_BUS_USB COMPUTE_STORAGE_BUS_VIRTIO
		COMPUTE_TRUSTED_CERTS COMPUTE_VOLUME_ATTACH COMPUTE_VOLUME_ATTACH_WITH_TAG
		COMPUTE_VOLUME_EXTEND COMPUTE_VOLUME_MULTI_ATTACH HW_ARCH_X86_64
		HW_CPU_HYPERTHREADING HW_CPU_X86_AESNI HW_CPU_X86_AVX HW_CPU_X86_AVX2
		HW_CPU_X86_SSE42 HW_CPU_X86_VMX`
	const newer = `COMPUTE_VIOMMU_MODEL_INTEL HW_CPU_X86_AVX512BW HW_CPU_X86_AVX512F
		HW_CPU_X86_AVX512VNNI`
	words := strings.Fields(common)
	if k != oldCompute {
		words = append(words, string(placement.OwnerNova))
		if newCPU {
			words = append(words, strings.Fields(newer)...)
		}
	}
	if k == cyborgCards || k == mixedCards || k == mixedNUMA || k == wholeDevices || k == contested {
		words = append(words, string(placement.ComputeAccelerators))
	}
	out := make([]placement.Trait, len(words))
	for i, w := range words {
		out[i] = placement.Trait(w)
	}
	return out
}
