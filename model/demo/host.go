package demo

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// provider is what planning instances needs of a resource provider.
type provider struct {
	id      placement.ProviderID
	name    string
	stock   []stock
	owner   placement.Trait // OWNER_NOVA, OWNER_CYBORG; "" if none
	oneTime bool            // a one-time-use device
	closed  bool            // instances are kept off it
	device  *nova.PciDevice // nova-compute's record, if it passes it through
}

// stock is one inventory of a provider, and what instances take of it.
type stock struct {
	class placement.ResourceClass
	inv   placement.Inventory
	used  int64
}

// of returns the stock of a class, nil if p has none.
func (p *provider) of(c placement.ResourceClass) *stock {
	for i := range p.stock {
		if p.stock[i].class == c {
			return &p.stock[i]
		}
	}
	return nil
}

// fits reports whether p has room for n more of a class.
func (p *provider) fits(c placement.ResourceClass, n int64) bool {
	s := p.of(c)
	return s != nil && s.inv.Fits(s.used, n) == ""
}

// share returns how full a class of p is, 0 to 1; 0 if p has none.
func (p *provider) share(c placement.ResourceClass) float64 {
	s := p.of(c)
	if s == nil || s.inv.Capacity() == 0 {
		return 0
	}
	return float64(s.used) / float64(s.inv.Capacity())
}

// units returns an inventory as Nova and Cyborg report it: max_unit is the total.
//
// Source: nova/virt/libvirt/driver.py, update_provider_tree.
func units(c placement.ResourceClass, total, reserved int64) stock {
	inv := placement.NewInventory(total)
	inv.Reserved, inv.MaxUnit = reserved, total
	return stock{class: c, inv: inv}
}

// host is a compute node with everything below it.
type host struct {
	name    string
	rack    int
	version int // of its nova-compute
	tree    tracker.Tree
	cards   []cyborg.Card
	numa    [][]*provider // the devices of each NUMA node; nil if not known
	root    *provider
	nova    []*provider // cards and devices that nova-compute reports
	cyborg  []*provider // those that the Cyborg agent reports
	bridge  *provider   // whose bandwidth Neutron counts; nil if it counts none
	pool    *provider   // where its disks are; nil for a local disk
	disk    int64       // in GB: its own, or what the pool grew by for it
	fill    float64     // how full it is to be, 0 to 1
	last    time.Time   // when the last instance may start; the zero time for no limit
	started time.Time   // when the last one does
	pci     []*nova.PciDevice
	far     bool     // it joins with its guests, see fleet.near
	guests  []*guest // of a far host
}

// kind is what a compute node is made for.
type kind int

const (
	plainLocal   kind = iota // CPU and memory, own disk
	plainCeph                // the same, disk from a pool
	pinned                   // dedicated and shared CPUs
	novaCards                // two cards of Nova, disk from a pool
	novaNUMA                 // two NUMA nodes, two cards of Nova below each
	cyborgCards              // three cards of Cyborg
	mixedCards               // cards of both
	mixedNUMA                // cards of Nova below one NUMA node, of Cyborg below the other
	passthrough              // whole PCI devices, one of them for one-time use
	wholeDevices             // an FPGA and a whole GPU of Cyborg
	contested                // cards about which the services disagree
	oldCompute               // a compute from before owner traits
)

// showcase returns the kinds of the first twelve hosts.
func showcase() []kind {
	return []kind{
		novaCards, plainLocal, cyborgCards, mixedCards,
		plainCeph, pinned, mixedNUMA, plainLocal,
		passthrough, wholeDevices, contested, oldCompute,
	}
}

// kindOf returns the kind of host i: first the showcase, then one host in eight with
// cards.
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

// conf returns what nova.conf says on every host.
func conf() tracker.Conf {
	c := tracker.DefaultConf()
	c.ReservedMemoryMB, c.ReservedDiskMB = 8192, 50*1024
	return c
}

// hostName returns the name of the host with a number, from 1, among so many.
func hostName(hosts, number int) string {
	return fmt.Sprintf("cmp-%0*d", max(3, len(strconv.Itoa(hosts))), number)
}

// host returns compute node i with all its providers.
func (f *fleet) host(i int) *host {
	k := kindOf(i)
	h := &host{
		name: hostName(f.hosts, i+1), rack: i * f.racks / f.hosts, version: nova.ServiceVersion,
		fill: f.fillOf(i), far: !f.near(i),
	}
	h.root = &provider{id: placement.ProviderID(f.uuid()), name: h.name, owner: placement.OwnerNova}
	h.tree = tracker.NewTree(h.root.id, "the uuid of the compute node", h.name)
	h.tree.ReportsPCI = k == passthrough
	const network = 254 // hosts of an IPv4 network with 24 bits
	ip := netip.AddrFrom4([4]byte{10, byte(20 + i/network>>8), byte(i / network), byte(i%network + 1)})
	// Source: nova/virt/libvirt/driver.py, get_available_resource.
	h.tree.Hypervisor = object.ComputeNode{HypervisorType: object.Value("QEMU"), HypervisorVersion: object.Value(int64(8_002_002)), HostIP: object.Value(&ip)}
	cpus, memory := int64(24), int64(256)
	h.disk = 1200
	switch {
	case k >= novaCards && k <= contested:
		cpus, memory, h.disk = 48, 512, 2000
	case k == pinned:
		cpus = 8
		h.tree.Supply(conf(), placement.PCPU, 32, driver)
	case k == oldCompute:
		h.version = oldVersion
	}
	h.tree.Supply(conf(), placement.VCPU, cpus, driver)
	h.tree.Supply(conf(), placement.MemoryMB, memory*1024, driver)
	if k == plainCeph || k == novaCards {
		h.pool = f.pool
	} else {
		h.tree.Supply(conf(), placement.DiskGB, h.disk, driver)
	}
	for _, inv := range h.tree.Root.Inventories {
		h.root.stock = append(h.root.stock, stock{class: inv.Class, inv: inv.Inventory})
	}
	for _, t := range capabilities(k, f.rng.IntN(2) == 0) {
		h.tree.Root.Traits = append(h.tree.Root.Traits, tracker.Trait{Name: t, Source: driver})
	}
	h.addCards(k)
	if err := h.tree.Finish(); err != nil {
		panic("demo: " + err.Error())
	}
	if withBandwidth(i) {
		h.bridge = &provider{
			id: placement.ProviderID(named("neutron", bridgeName(h.name))), name: bridgeName(h.name),
			stock: []stock{units(bandwidthOut, 10_000_000, 0), units(bandwidthIn, 10_000_000, 0)},
		}
	}
	return h
}

// driver is the source of everything that nova-compute reports.
const driver = "the driver of libvirt"

// oldVersion is the version of the only nova-compute that is not upgraded.
const oldVersion = 66

// addCards gives h the cards of its kind.
func (h *host) addCards(k kind) {
	switch k {
	case novaCards:
		h.novaCard(0x41)
		h.novaCard(0x42)
	case novaNUMA:
		h.numa = [][]*provider{{h.novaCard(0x41), h.novaCard(0x42)}, {h.novaCard(0xc1), h.novaCard(0xc2)}}
	case cyborgCards:
		h.cyborgCard(0x81)
		h.cyborgCard(0x82)
		h.cyborgCard(0x83)
	case mixedCards:
		h.novaCard(0x41)
		h.cyborgCard(0xaf)
	case mixedNUMA:
		h.numa = [][]*provider{{h.novaCard(0x41), h.novaCard(0x42)}, {h.cyborgCard(0x81), h.cyborgCard(0x82)}}
	case passthrough:
		h.pciDevice(0xaf, classT4)
		h.pciDevice(0xd8, classT4)
		h.pciDevice(0x5e, classNVMe, placement.HWPCIOneTimeUse).oneTime = true
	case wholeDevices:
		h.cyborgDevice(placement.FPGA, 2, cyborg.Card{
			Address: pci.Address{Bus: 0x3b}, Type: cyborg.FPGA, Vendor: "8086", Product: "09c4", Model: "PAC Arria 10 GX",
			Parts: []cyborg.Part{{Units: 2, Traits: []placement.Trait{"CUSTOM_FPGA_INTEL_PAC_ARRIA10"}}},
		})
		for _, bus := range []uint8{0x5e, 0x86} {
			h.cyborgDevice(placement.PGPU, 1, cyborg.Card{Address: pci.Address{Bus: bus}, Type: cyborg.GPU, Vendor: "10de", Product: "20b0", Model: "A100"})
		}
	case contested:
		h.novaCard(0x84)
		h.cyborgCard(0x81)
	case pinned:
		if !h.far {
			h.pciRecord(0x3d, "8086", "0435")
			h.pciRecord(0x3f, "8086", "0435")
		}
	case oldCompute:
		card := h.novaCard(0x41)
		card.owner, card.closed = "", true
	default:
	}
}

// Resource classes of devices that Nova passes through whole.
const (
	classT4   placement.ResourceClass = "CUSTOM_PCI_10DE_1EB8"
	classNVMe placement.ResourceClass = "CUSTOM_PCI_144D_A80A"
)

// vgpusOfCard is how many virtual GPUs a card has, whichever service divides it.
const vgpusOfCard = 8

// novaCard adds a card that nova-compute divides into virtual GPUs.
func (h *host) novaCard(bus uint8) *provider {
	h.tree.AddPGPU(pci.Address{Bus: bus}, "nvidia-471", placement.VGPU, vgpusOfCard, driver)
	return h.novaChild()
}

// pciDevice adds a device that Nova passes through whole.
func (h *host) pciDevice(bus uint8, c placement.ResourceClass, more ...placement.Trait) *provider {
	h.tree.AddPCI(pci.Address{Bus: bus}, c, 1, more, driver)
	ids := strings.Split(strings.ToLower(string(c)), "_") // custom, pci, vendor, product
	p := h.novaChild()
	p.device = h.pciRecord(bus, ids[2], ids[3])
	return p
}

// pciRecord adds nova-compute's record of a device that it passes through.
func (h *host) pciRecord(bus uint8, vendor, product string) *nova.PciDevice {
	h.pci = append(h.pci, &nova.PciDevice{
		ComputeNode: h.root.id, Address: pci.Address{Bus: bus}.String(), VendorID: vendor, ProductID: product,
		DevType: nova.TypePCI, Status: nova.DeviceAvailable,
	})
	return h.pci[len(h.pci)-1]
}

// novaChild returns a provider for the last child added to the tree, to plan instances
// on.
func (h *host) novaChild() *provider {
	c := h.tree.Children[len(h.tree.Children)-1]
	p := &provider{
		id: c.ID, name: c.Name, owner: placement.OwnerNova,
		stock: []stock{{class: c.Inventories[0].Class, inv: c.Inventories[0].Inventory}},
	}
	h.nova = append(h.nova, p)
	return p
}

// cyborgCard adds a card that Cyborg divides into virtual GPUs.
func (h *host) cyborgCard(bus uint8) *provider {
	return h.cyborgDevice(placement.VGPU, vgpusOfCard, cyborg.Card{
		Address: pci.Address{Bus: bus}, Type: cyborg.GPU, Vendor: "10de", Product: "1eb8", Model: "T4",
		Parts: []cyborg.Part{{MdevType: "nvidia-233", MdevName: "GRID T4-2B", Units: vgpusOfCard}},
	})
}

// cyborgDevice adds a card of Cyborg's with n units of a class.
func (h *host) cyborgDevice(c placement.ResourceClass, n int64, card cyborg.Card) *provider {
	name := h.name + "_" + card.Address.String()
	p := &provider{id: cyborg.ProviderID(name), name: name, owner: placement.OwnerCyborg, stock: []stock{units(c, n, 0)}}
	h.cards, h.cyborg = append(h.cards, card), append(h.cyborg, p)
	return p
}

// devices returns the cards and devices of h, Nova's before Cyborg's.
func (h *host) devices() []*provider { return slices.Concat(h.nova, h.cyborg) }

// below returns the device of h whose name ends in suffix.
func (h *host) below(suffix string) *provider {
	for _, p := range h.devices() {
		if strings.HasSuffix(p.name, suffix) {
			return p
		}
	}
	panic("demo: " + h.name + " has no provider " + suffix)
}

// capabilities returns the traits of hypervisor and processor of a host.
//
// Source: nova/virt/libvirt/driver.py, _get_cpu_traits and
// static_traits.
func capabilities(k kind, newCPU bool) []placement.Trait {
	const common = `COMPUTE_ADDRESS_SPACE_EMULATED COMPUTE_ADDRESS_SPACE_PASSTHROUGH
		COMPUTE_ARCH_X86_64 COMPUTE_CONFIG_DRIVE_REGENERATION COMPUTE_DEVICE_TAGGING
		COMPUTE_FIRMWARE_BIOS COMPUTE_FIRMWARE_UEFI COMPUTE_GRAPHICS_MODEL_BOCHS
		COMPUTE_GRAPHICS_MODEL_VGA COMPUTE_GRAPHICS_MODEL_VIRTIO COMPUTE_IMAGE_TYPE_ISO
		COMPUTE_IMAGE_TYPE_QCOW2 COMPUTE_IMAGE_TYPE_RAW COMPUTE_MIGRATE_AUTO_CONVERGE
		COMPUTE_NET_ATTACH_INTERFACE COMPUTE_NET_ATTACH_INTERFACE_WITH_TAG
		COMPUTE_NET_VIF_MODEL_E1000 COMPUTE_NET_VIF_MODEL_VIRTIO
		COMPUTE_RESCUE_BFV COMPUTE_SECURITY_UEFI_SECURE_BOOT COMPUTE_STORAGE_BUS_SATA
		COMPUTE_STORAGE_BUS_SCSI COMPUTE_STORAGE_BUS_USB COMPUTE_STORAGE_BUS_VIRTIO
		COMPUTE_TRUSTED_CERTS COMPUTE_VOLUME_ATTACH COMPUTE_VOLUME_ATTACH_WITH_TAG
		COMPUTE_VOLUME_EXTEND COMPUTE_VOLUME_MULTI_ATTACH HW_ARCH_X86_64
		HW_CPU_HYPERTHREADING HW_CPU_X86_AESNI HW_CPU_X86_AVX HW_CPU_X86_AVX2
		HW_CPU_X86_SSE42 HW_CPU_X86_VMX`
	const newer = `COMPUTE_VIOMMU_MODEL_INTEL HW_CPU_X86_AVX512BW HW_CPU_X86_AVX512F
		HW_CPU_X86_AVX512VNNI`
	words := strings.Fields(common)
	if k != oldCompute && newCPU {
		words = append(words, strings.Fields(newer)...)
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
