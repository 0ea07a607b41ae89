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
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/pci"
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
func (n *node) pools() []*object.PciDevicePool {
	pools, _, err := object.ReadPools(n.PCIStats)
	if err != nil {
		return nil
	}
	return pools
}

// part returns a field for the used and the total amount in one cell: "2/8".
func part(total *Field, get func(*node) (used, total int64)) *Field {
	return showing(total, func(_ At, n *node) string {
		used, total := get(n)
		return fmt.Sprintf("%d/%d", used, total)
	})
}

func computeNodes() *Kind {
	record := recorded[node]()
	return &Kind{
		Name: ComputeNodes, Aliases: []string{"computenode", "cn", "hypervisors", "hypervisor"}, Things: "compute nodes",
		Short: "Compute nodes: what Nova records of each hypervisor",
		What:  "the name, the uuid or the host of a compute node",
		Told:  []cloud.Part{cloud.Hypervisors},
		Also:  []cloud.Part{cloud.Contents, cloud.Allocations},
		Fields: record.with("uuid host hypervisor_hostname:name hypervisor_type:type hypervisor_version vcpus vcpus_used pcpus memory_mb memory_mb_used local_gb local_gb_used running_vms:vms cpu_allocation_ratio ram_allocation_ratio disk_allocation_ratio shared_storage capabilities:trait gpus pci_device_count os-pci:pci_stats read_from inventories object_version updated_at:updated",
			part(record("vcpus"), func(n *node) (used, total int64) { return n.VCPUsUsed, n.VCPUs }),
			part(record("memory_mb"), func(n *node) (used, total int64) { return n.MemoryMBUsed, n.MemoryMB }).short("mem").in(filter.MB),
			record("memory_mb_used").in(filter.MB),
			part(record("local_gb"), func(n *node) (used, total int64) { return n.LocalGBUsed, n.LocalGB }).short("disk").in(filter.GB),
			record("local_gb_used").in(filter.GB),
			record("cpu_allocation_ratio").help("0 if not set"),
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
					flat = append(flat, p.Flat())
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
			record("object_version").help("of the class ComputeNode, in which the row is kept"),
			sharedField(func(n *node) *provider { return n.provider }),
			text("pci_stats", func(n *node) string {
				var parts []string
				for _, p := range n.pools() {
					parts = append(parts, poolText(p))
				}
				return strings.Join(parts, ", ")
			}).hidden(),
		),
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
		Names: namesIn(ComputeNodes, "name"),
		Parts: []Part{{poolKind(), func(_ At, row Row) []Row {
			return slices.Collect(rowsOf(slices.Values(row.(*node).pools()))) // a row of this kind
		}}},
		Check: func(row Row) error {
			n := row.(*node) // a row of this kind
			if _, _, err := object.ReadPools(n.PCIStats); err != nil {
				return fmt.Errorf("the PCI pools of compute node %s are not shown: %w", n.Hostname, err)
			}
			return nil
		},
	}
}

// poolKind returns the kind for pools of identical free PCI devices of a compute node.
func poolKind() *Kind {
	type pool = object.PciDevicePool
	return &Kind{
		Things: "pools of PCI devices",
		Fields: []*Field{
			text("vendor_id", func(p *pool) string { return p.VendorID }),
			text("product_id", func(p *pool) string { return p.ProductID }),
			numaField(func(p *pool) *int64 { return p.NUMANode }),
			text("tags", func(p *pool) string { return properties(tagsOf(p)) }),
			count("count", func(p *pool) int64 { return p.Count }),
		},
		Columns: "vendor_id product_id numa_node tags count",
	}
}

// tagsOf returns the tags of a pool; null ones are "".
func tagsOf(p *object.PciDevicePool) map[string]string {
	tags := map[string]string{}
	for tag, value := range p.Tags {
		tags[tag] = optional(value).text
	}
	return tags
}

// poolText writes a pool in one cell, as in "10de:1eb8=2 numa_node=0 dev_type=type-PCI".
func poolText(p *object.PciDevicePool) string {
	text := fmt.Sprintf("%s:%s=%d", p.VendorID, p.ProductID, p.Count)
	if n := p.NUMANode; n != nil {
		text += fmt.Sprintf(" numa_node=%d", *n)
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

func pciDevices() *Kind {
	type device = nova.PciDevice
	hostname := func(at At, d *device) string {
		if n, ok := at.Snap.Nova().ComputeNode(d.ComputeNode); ok {
			return n.Hostname
		}
		return ""
	}
	record := recorded[device]()
	return &Kind{
		Name: PCIDevices, Aliases: []string{"pcidevice", "pci"}, Things: "PCI devices",
		Short: "PCI devices: what Nova passes through, and to which instance",
		What:  "HOST:ADDRESS, such as compute1:0000:af:00.0, or an address that only one host has",
		Also:  []cloud.Part{cloud.Hypervisors, cloud.Instances},
		Fields: record.with("id address compute_node_id product_id:product vendor_id:vendor status dev_id dev_type:type",
			plain("id", Count, func(*device) Value { return Value{} }),
			plain("compute_node_id", Count, func(*device) Value { return Value{} }),
			plain("dev_id", Text, func(d *device) Value {
				at, err := pci.ParseAddress(d.Address)
				if err != nil {
					return Value{}
				}
				return textValue(at.NodeDevice())
			}),
			text("label", func(d *device) string { return "label_" + d.VendorID + "_" + d.ProductID }),
			nested("extra_info", func(_ At, d *device) any {
				if d.Tags == nil {
					return map[string]string{}
				}
				return d.Tags
			}, func(_ At, d *device) string { return properties(d.Tags) }),
			plain("server_uuid", ID, func(d *device) Value {
				if d.Instance.IsZero() {
					return Value{}
				}
				return textValue(d.Instance.String())
			}),
			textAt("host", func(at At, d *device) string { return Finder{at.Snap}.hostOf(d) }),
			textAt("hypervisor_hostname", hostname),
			plain("compute_node_uuid", ID, func(d *device) Value { return textValue(uuid.UUID(d.ComputeNode).String()) }),
			numaField(func(d *device) *int64 { return d.NUMANode }),
			plain("parent_addr", Text, func(d *device) Value {
				if d.Parent == "" {
					return Value{}
				}
				return textValue(d.Parent)
			}).short("parent").help("of the physical function"),
			textAt("instance_name", func(at At, d *device) string { return Finder{at.Snap}.ConsumerName(d.Instance) }).short("instance"),
			record("instance_uuid").hidden(),
		),
		Columns: "host address vendor_id product_id dev_type numa_node status instance_name | " +
			"hypervisor_hostname parent_addr label extra_info compute_node_uuid instance_uuid",
		Flags: []string{ByHost},
		Rows: func(at At, _ bool) iter.Seq[Row] {
			all := slices.SortedStableFunc(at.Snap.Nova().PciDevices(), func(a, b *nova.PciDevice) int {
				return cmp.Or(strings.Compare(hostname(at, a), hostname(at, b)), strings.Compare(a.Address, b.Address))
			})
			return rowsOf(slices.Values(all))
		},
		Find:  just(Finder.PCIDevice),
		Names: pciDeviceNames,
		Text: func(at At, row Row) string {
			d := row.(*nova.PciDevice) // a row of this kind
			return Finder{at.Snap}.pciDeviceName(d)
		},
	}
}
