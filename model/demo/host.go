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
	"github.com/placetop/placetop/model/versioned"
)

// provider is what planning instances needs of a resource provider.
type provider struct {
	id      placement.ProviderID
	name    string
	stock   []stock
	owner   placement.Trait   // OWNER_NOVA, OWNER_CYBORG; "" if none
	marks   []placement.Trait // that an operator adds
	oneTime bool              // a one-time-use device
	closed  bool              // instances are kept off it
	device  *nova.PciDevice   // nova-compute's record, if it passes it through
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

// share returns how full s is with n more, 0 to 1.
func (s *stock) share(n int64) float64 {
	return float64(s.used)/float64(s.inv.Capacity()) + float64(n)/float64(s.inv.Capacity())
}

// units returns an inventory as Nova and Cyborg report it: max_unit is the total.
//
// Source: nova/virt/libvirt/driver.py, update_provider_tree.
func units(total, reserved int64) placement.Inventory {
	inv := placement.NewInventory(total)
	inv.Reserved, inv.MaxUnit = reserved, total
	return inv
}

// host is a compute node with everything below it.
type host struct {
	name    string
	rack    int
	version int // of its nova-compute
	tree    tracker.Tree
	cards   []cyborg.Card
	numa    [2][]*provider // the devices of each NUMA node, if known
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

// driver is the source of everything that nova-compute reports.
const driver = "the driver of libvirt"

// host returns compute node i with all its providers. After the showcase, one host in
// eight has cards, and all others count bandwidth.
func (f *fleet) host(i int) *host {
	h := &host{name: hostName(f.hosts, i+1), rack: i * f.racks / f.hosts, version: nova.ServiceVersion, far: !f.near(i)}
	var name string
	bandwidth := i%8 != 0
	switch {
	case i < len(f.Showcase):
		row := f.Showcase[i]
		name, bandwidth, h.fill = row.Kind, row.Bandwidth, row.Fill
	case bandwidth:
		name, h.fill = f.WithoutCards[i%8-1], f.someFill()
	default:
		name, h.fill = f.WithCards[i/8%len(f.WithCards)], f.someFill()
	}
	k := f.Kinds[name]
	h.root = &provider{id: placement.ProviderID(f.uuid()), name: h.name, owner: placement.OwnerNova}
	h.tree = tracker.NewTree(h.root.id, "the uuid of the compute node", h.name)
	const network = 254 // hosts of an IPv4 network with 24 bits
	ip := netip.AddrFrom4([4]byte{10, byte(20 + i/network>>8), byte(i / network), byte(i%network + 1)})
	// Source: nova/virt/libvirt/driver.py, get_available_resource.
	h.tree.Hypervisor = object.Fields{"hypervisor_type": "QEMU", "hypervisor_version": int64(8_002_002), "host_ip": ip}
	h.disk = k.Disk
	h.tree.Supply(conf(), placement.PCPU, k.PCPUs, driver)
	h.tree.Supply(conf(), placement.VCPU, k.VCPUs, driver)
	h.tree.Supply(conf(), placement.MemoryMB, k.GiB*1024, driver)
	if k.Pool {
		h.pool = f.pool
	} else {
		h.tree.Supply(conf(), placement.DiskGB, k.Disk, driver)
	}
	for _, inv := range h.tree.Root.Inventories {
		h.root.stock = append(h.root.stock, stock{class: inv.Class, inv: inv.Inventory})
	}
	traits := f.Capabilities
	if newer := f.rng.IntN(2) == 0; k.Version != 0 {
		h.version = k.Version
	} else if newer {
		traits = slices.Concat(traits, f.Newer)
	}
	for _, c := range k.Cards {
		p := h.add(f.Models[c.Model], c.Bus)
		if c.NUMA > 0 {
			h.numa[c.NUMA-1] = append(h.numa[c.NUMA-1], p)
		}
		if c.Unowned {
			p.owner, p.marks, p.closed = "", nil, true
		}
	}
	if len(h.cards) > 0 {
		traits = append(slices.Clip(traits), placement.ComputeAccelerators)
	}
	for _, t := range traits {
		h.tree.Root.Traits = append(h.tree.Root.Traits, tracker.Trait{Name: t, Source: driver})
	}
	if err := h.tree.Finish(); err != nil {
		panic("demo: " + err.Error())
	}
	if bandwidth {
		const kbit = 10_000_000
		name := h.name + agentSuffix + ":br-physnet0"
		h.bridge = &provider{
			id: placement.ProviderID(named("neutron", name)), name: name,
			stock: []stock{{class: bandwidthOut, inv: units(kbit, 0)}, {class: bandwidthIn, inv: units(kbit, 0)}},
		}
	}
	return h
}

// add adds a device on a bus. It returns the provider, nil if there is none.
func (h *host) add(m model, bus uint8) *provider {
	at := m.Card
	at.Address = pci.Address{Bus: bus}
	p := &provider{owner: m.Owner, marks: m.Marks, oneTime: slices.Contains(m.Traits, placement.HWPCIOneTimeUse)}
	if m.Owner == placement.OwnerCyborg {
		p.name = h.name + "_" + at.Address.String()
		p.id, p.stock = cyborg.ProviderID(p.name), []stock{{class: m.Class, inv: units(m.Units, 0)}}
		h.cards, h.cyborg = append(h.cards, at), append(h.cyborg, p)
		return p
	}
	switch {
	case m.Mdev != "":
		h.tree.AddPGPU(at.Address, m.Mdev, m.Class, m.Units, driver)
	case m.Class == "" && h.far:
		return nil
	default:
		p.device = &nova.PciDevice{
			ComputeNode: h.root.id, Address: at.Address.String(), VendorID: at.Vendor, ProductID: at.Product,
			DevType: nova.TypePCI, Status: nova.DeviceAvailable,
		}
		h.pci = append(h.pci, p.device)
		if m.Class == "" {
			return nil
		}
		h.tree.ReportsPCI = true
		h.tree.AddPCI(at.Address, m.Class, 1, m.Traits, driver)
	}
	c := h.tree.Children[len(h.tree.Children)-1]
	p.id, p.name, p.stock = c.ID, c.Name, []stock{{class: c.Inventories[0].Class, inv: c.Inventories[0].Inventory}}
	h.nova = append(h.nova, p)
	return p
}

// devices returns the cards and devices of h, Nova's before Cyborg's.
func (h *host) devices() []*provider { return slices.Concat(h.nova, h.cyborg) }

// below returns the device of h whose name ends in suffix.
func (h *host) below(suffix string) *provider {
	all := h.devices()
	return all[slices.IndexFunc(all, func(p *provider) bool { return strings.HasSuffix(p.name, suffix) })]
}

// cell is the cell of all computes of a demo cloud.
const cell = "cell1"

// heartbeat is how often the services of a demo cloud report that they are up. As they do
// not really run, the report when the cloud is made must last.
const heartbeat = 365 * day

// beats returns the operations with which nova-compute reports that it is up.
func (h *host) beats() []placement.Op {
	return []placement.Op{
		nova.StartService{Host: h.name, Binary: nova.Compute, Cell: cell, Version: h.version},
		nova.ReportState{Host: h.name, Binary: nova.Compute, Every: heartbeat},
	}
}

// start starts nova-compute, which reports the compute node and its own devices.
func (h *host) start(w *world) {
	all := h.beats()
	for _, d := range h.pci {
		all = append(all, nova.ReportPciDevice{Device: versioned.Clone(d)})
	}
	w.write(all...)
	h.tick(w)
}

// tick lets the resource tracker of h report what the driver sees.
func (h *host) tick(w *world) {
	t := tracker.World{Placement: w.snap.Placement(), Nova: w.snap.Nova()}
	node, err := t.NodeOf(h.name, h.tree, conf())
	w.check(err)
	node.SharedStorage = h.pool != nil
	out, err := t.Tick(node, h.tree, w.at)
	w.check(err)
	w.write(append(out.Ops, out.Nova...)...)
}

// discover lets the Cyborg agent report the cards that it finds.
func (h *host) discover(w *world) {
	d, err := cyborg.Discover(w.snap.Cyborg(), w.snap.Placement(), h.name, h.cards)
	w.check(err)
	w.write(append(d.Placement, d.Cyborg...)...)
}

// Resource classes of the bandwidth of a bridge, in kilobit per second.
const (
	bandwidthOut placement.ResourceClass = "NET_BW_EGR_KILOBIT_PER_SEC"
	bandwidthIn  placement.ResourceClass = "NET_BW_IGR_KILOBIT_PER_SEC"
)

const agentSuffix = ":Open vSwitch agent"

// bandwidth lets Neutron report the Open vSwitch agent of h and its bridge of
// 10 Gbit/s, if it has one.
//
// Source: neutron/agent/common/placement_report.py.
func (h *host) bandwidth(w *world) {
	if h.bridge == nil {
		return
	}
	name := h.name + agentSuffix
	agent := placement.ProviderID(named("neutron", name))
	inventories := map[placement.ResourceClass]placement.Inventory{}
	for _, s := range h.bridge.stock {
		inventories[s.class] = s.inv
	}
	w.write(
		placement.CreateProvider{ID: agent, Name: name, Parent: h.root.id},
		placement.CreateProvider{ID: h.bridge.id, Name: h.bridge.name, Parent: agent},
		placement.SetInventories{Provider: h.bridge.id, Generation: placement.Generation(0), Inventories: inventories},
		placement.SetTraits{
			Provider: h.bridge.id, Generation: placement.Generation(1),
			Traits: []placement.Trait{"CUSTOM_PHYSNET_PHYSNET0", "CUSTOM_VNIC_TYPE_NORMAL"},
		},
	)
}
