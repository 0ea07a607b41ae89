package kinds

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// node is a compute node as Nova would show it now: with the inventories of the provider
// with the same uuid or, if there are none, the columns of Nova's database.
type node struct {
	*nova.ComputeNode
	follows  bool      // it shows the inventories, not the columns
	provider *provider // nil for none
}

// newNode returns a compute node as it is now.
func newNode(f Finder, n *nova.ComputeNode) *node {
	current, follows := tracker.World{Placement: f.Placement(), Nova: f.Nova()}.Current(n)
	rp, _ := f.Placement().Provider(n.UUID)
	return &node{current, follows, rp}
}

// pools returns the pools of free PCI devices of a compute node; none if a newer release
// wrote them.
func (n *node) pools() []*objects.PciDevicePool {
	pools, err := objects.FromPCIStats(n.PCIStats)
	if err != nil {
		return nil
	}
	return pools.All()
}

// part returns a field for the used and the total amount in one cell: "2/8".
func part(name string, unit filter.Unit, used, total func(*node) int64) *Field {
	return showing(count(name, total).in(unit), func(_ At, n *node) string { return fmt.Sprintf("%d/%d", used(n), total(n)) })
}

func computeNodes() *Kind {
	whole := func(name string, unit filter.Unit, get func(*node) int64) *Field { return count(name, get).in(unit) }
	vcpus, mem, disk := func(n *node) int64 { return n.VCPUsUsed }, func(n *node) int64 { return n.MemoryMBUsed }, func(n *node) int64 { return n.LocalGBUsed }
	return &Kind{
		Name: ComputeNodes, Aliases: []string{"computenode", "cn", "hypervisors", "hypervisor"}, Things: "compute nodes",
		Short: "Compute nodes: what Nova records of each hypervisor",
		What:  "the name, the uuid or the host of a compute node",
		Told:  []cloud.Part{cloud.Hypervisors},
		Also:  []cloud.Part{cloud.Contents, cloud.Allocations},
		Fields: []*Field{
			id("uuid", func(n *node) placement.ProviderID { return n.UUID }),
			text("host", func(n *node) string { return n.Host }),
			text("hypervisor_hostname", func(n *node) string { return n.Hostname }).short("name"),
			text("hypervisor_type", func(n *node) string { return n.Type }).short("type"),
			count("hypervisor_version", func(n *node) int64 { return n.Version }),
			part("vcpus", filter.Count, vcpus, func(n *node) int64 { return n.VCPUs }),
			whole("vcpus_used", filter.Count, vcpus),
			whole("pcpus", filter.Count, func(n *node) int64 { return n.PCPUs }),
			part("memory_mb", filter.MB, mem, func(n *node) int64 { return n.MemoryMB }).short("mem"),
			whole("memory_mb_used", filter.MB, mem),
			part("local_gb", filter.GB, disk, func(n *node) int64 { return n.LocalGB }).short("disk"),
			whole("local_gb_used", filter.GB, disk),
			count("running_vms", func(n *node) int64 { return n.RunningVMs }).short("vms"),
			ratio("cpu_allocation_ratio", func(n *node) float64 { return n.CPURatio }).help("0 if not set"),
			ratio("ram_allocation_ratio", func(n *node) float64 { return n.RAMRatio }),
			ratio("disk_allocation_ratio", func(n *node) float64 { return n.DiskRatio }),
			yes("shared_storage", func(n *node) bool { return n.SharedStorage }),
			words("capabilities", func(_ At, n *node, words []string) []string {
				for _, t := range n.Capabilities {
					words = append(words, string(t))
				}
				return words
			}).short("trait"),
			nested("gpus", func(_ At, n *node) any { return filled(n.GPUs) }, func(_ At, n *node) string {
				var parts []string
				for _, g := range n.GPUs {
					parts = append(parts, fmt.Sprintf("%s=%s*%d", g.Address, g.Type, g.Total))
				}
				return strings.Join(parts, " ")
			}),
			countAt("pci_device_count", func(at At, n *node) (devices int64) {
				for range at.Snap.Nova().PciDevicesOf(n.UUID) {
					devices++
				}
				return devices
			}),
			plain("os-pci:pci_stats", Text, func(*node) Value { return Value{} }).as(inJSON(func(_ At, n *node) any {
				flat := []map[string]any{}
				for _, p := range n.pools() {
					flat = append(flat, p.ToDict())
				}
				return flat
			})).help("flat pools of free devices, as the os-pci API shows them"),
			text("read_from", func(n *node) string {
				if n.follows {
					return "inventories"
				}
				return "columns"
			}).help("where the amounts come from"),
			words("inventories", func(at At, n *node, words []string) []string {
				if n.provider != nil {
					words = appendClasses(at, n.provider, words)
				}
				return words
			}).short("class").as(inJSON(func(at At, n *node) any {
				if n.provider == nil {
					return map[placement.ResourceClass]inventory{}
				}
				return inventoriesOf(at, n.provider)
			})),
			text("object_version", func(n *node) string { return n.ObjectVersion }).help("of the class ComputeNode, in which the row is kept"),
			moment("updated_at", func(n *node) int64 { return n.Updated }).short("updated"),
			sharedField(func(n *node) *provider { return n.provider }),
			text("pci_stats", func(n *node) string {
				var parts []string
				for _, p := range n.pools() {
					parts = append(parts, poolText(p))
				}
				return strings.Join(parts, ", ")
			}).hidden(),
		},
		Columns: "hypervisor_hostname host vcpus memory_mb local_gb running_vms uuid | vcpus_used memory_mb_used local_gb_used " +
			"hypervisor_type gpus pci_device_count pci_stats object_version updated_at read_from shared",
		Flags: []string{ByHost},
		Rows: func(at At, _ bool) iter.Seq[Row] {
			all := slices.SortedStableFunc(at.Snap.Nova().ComputeNodes(), func(a, b *nova.ComputeNode) int {
				return cmp.Or(strings.Compare(a.Hostname, b.Hostname), a.UUID.Compare(b.UUID))
			})
			return func(yield func(Row) bool) {
				for _, n := range all {
					if !yield(newNode(Finder{at.Snap}, n)) {
						return
					}
				}
			}
		},
		Find: just(func(f Finder, name string) (*node, error) {
			n, err := f.ComputeNode(name)
			if err != nil {
				return nil, err
			}
			return newNode(f, n), nil
		}),
		Names: computeNodeNames,
		Parts: []Part{{poolKind(), func(_ At, row Row) []Row {
			return slices.Collect(rowsOf(slices.Values(row.(*node).pools()))) // a row of this kind
		}}},
		Check: func(row Row) error {
			n := row.(*node) // a row of this kind
			if _, err := objects.FromPCIStats(n.PCIStats); err != nil {
				return fmt.Errorf("the PCI pools of compute node %s are not shown: %w", n.Hostname, err)
			}
			return nil
		},
	}
}

// poolKind returns the kind for pools of identical free PCI devices of a compute node.
func poolKind() *Kind {
	type pool = objects.PciDevicePool
	return &Kind{
		Fields: []*Field{
			text("vendor_id", func(p *pool) string { return p.VendorID.Get() }),
			text("product_id", func(p *pool) string { return p.ProductID.Get() }),
			numaField(func(p *pool) *int64 {
				if n, ok := p.NUMANode.Lookup(); ok {
					return &n
				}
				return nil
			}),
			text("tags", func(p *pool) string { return properties(tagsOf(p)) }),
			count("count", func(p *pool) int64 { return p.Count.Get() }),
		},
		Columns: "vendor_id product_id numa_node tags count",
	}
}

// tagsOf returns the tags of a pool; null ones are "".
func tagsOf(p *objects.PciDevicePool) map[string]string {
	tags := map[string]string{}
	for tag, value := range p.Tags.Get() {
		tags[tag] = optional(value).text
	}
	return tags
}

// poolText writes a pool in one cell, as in "10de:1eb8=2 numa_node=0 dev_type=type-PCI".
func poolText(p *objects.PciDevicePool) string {
	text := fmt.Sprintf("%s:%s=%d", p.VendorID.Get(), p.ProductID.Get(), p.Count.Get())
	if n, ok := p.NUMANode.Lookup(); ok {
		text += fmt.Sprintf(" numa_node=%d", n)
	}
	if tags := properties(tagsOf(p)); tags != "" {
		text += " " + tags
	}
	return text
}

// numaField returns the field for the NUMA node, nothing if there is none.
func numaField[R any](of func(R) *int64) *Field {
	return plain("numa_node", Count, func(r R) Value {
		return given(of(r), func(n int64) Value { return countValue(n, filter.Count) })
	}).short("numa")
}

// pciDevice is a PCI device as the os-pci API shows it, with its record.
type pciDevice struct {
	*nova.PciDevice
	objects.OSPCIDeviceDetail
}

func newPCIDevice(d *nova.PciDevice) *pciDevice {
	out := &pciDevice{PciDevice: d}
	if o, err := tracker.ReadDevice(d); err == nil {
		out.OSPCIDeviceDetail = objects.OSPCIShowOf(o).PciDevice
	}
	return out
}

func pciDevices() *Kind {
	type device = pciDevice
	hostname := func(at At, d *device) string {
		if n, ok := at.Snap.Nova().ComputeNode(d.ComputeNode); ok {
			return n.Hostname
		}
		return ""
	}
	number := func(n int64) Value { return countValue(n, filter.Count) }
	return &Kind{
		Name: PCIDevices, Aliases: []string{"pcidevice", "pci"}, Things: "PCI devices",
		Short: "PCI devices: what Nova passes through, and to which instance",
		What:  "HOST:ADDRESS, such as compute1:0000:af:00.0, or an address that only one host has",
		Also:  []cloud.Part{cloud.Hypervisors, cloud.Instances},
		Fields: []*Field{
			plain("id", Count, func(d *device) Value { return given(d.ID, number) }),
			text("address", func(d *device) string { return d.OSPCIDevice.Address }),
			plain("compute_node_id", Count, func(d *device) Value { return given(d.ComputeNodeID, number) }),
			text("product_id", func(d *device) string { return d.OSPCIDevice.ProductID }).short("product"),
			text("vendor_id", func(d *device) string { return d.OSPCIDevice.VendorID }).short("vendor"),
			text("status", func(d *device) string { return d.OSPCIDevice.Status }),
			plain("dev_id", Text, func(d *device) Value { return optional(d.OSPCIDeviceDetail.DevID) }),
			text("dev_type", func(d *device) string { return d.OSPCIDeviceDetail.DevType }).short("type"),
			plain("label", Text, func(d *device) Value { return optional(d.OSPCIDeviceDetail.Label) }),
			nested("extra_info", func(_ At, d *device) any { return d.OSPCIDeviceDetail.ExtraInfo },
				func(_ At, d *device) string { return properties(d.OSPCIDeviceDetail.ExtraInfo) }),
			plain("server_uuid", ID, func(d *device) Value { return optional(d.ServerUUID) }),
			textAt("host", func(at At, d *device) string { return Finder{at.Snap}.hostOf(d.PciDevice) }),
			textAt("hypervisor_hostname", hostname),
			plain("compute_node_uuid", ID, func(d *device) Value { return textValue(uuid.UUID(d.ComputeNode).String()) }),
			numaField(func(d *device) *int64 { return d.PciDevice.NUMANode }),
			plain("parent_addr", Text, func(d *device) Value {
				if d.Parent == "" {
					return Value{}
				}
				return textValue(d.Parent)
			}).short("parent").help("of the physical function"),
			textAt("instance_name", func(at At, d *device) string { return Finder{at.Snap}.ConsumerName(d.Instance) }).short("instance"),
			id("instance_uuid", func(d *device) placement.ConsumerID { return d.Instance }).hidden(),
		},
		Columns: "host address vendor_id product_id dev_type numa_node status instance_name | " +
			"hypervisor_hostname parent_addr label extra_info compute_node_uuid instance_uuid",
		Flags: []string{ByHost},
		Rows: func(at At, _ bool) iter.Seq[Row] {
			var all []*pciDevice
			for d := range at.Snap.Nova().PciDevices() {
				all = append(all, newPCIDevice(d))
			}
			slices.SortStableFunc(all, func(a, b *pciDevice) int {
				return cmp.Or(strings.Compare(hostname(at, a), hostname(at, b)), strings.Compare(a.OSPCIDevice.Address, b.OSPCIDevice.Address))
			})
			return rowsOf(slices.Values(all))
		},
		Find: just(func(f Finder, name string) (*pciDevice, error) {
			d, err := f.PCIDevice(name)
			if err != nil {
				return nil, err
			}
			return newPCIDevice(d), nil
		}),
		Names: pciDeviceNames,
		Text: func(at At, row Row) string {
			d := row.(*pciDevice) // a row of this kind
			return Finder{at.Snap}.pciDeviceName(d.PciDevice)
		},
		Check: func(row Row) error {
			d := row.(*pciDevice) // a row of this kind
			if _, err := tracker.ReadDevice(d.PciDevice); err != nil {
				return fmt.Errorf("PCI device %s cannot be read: %w", d.PciDevice.Address, err)
			}
			return nil
		},
	}
}
