package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// pciDeviceRow is a PCI device that instances may have as it is printed: as the os-pci
// API shows it, and beside it what that has no words for.
type pciDeviceRow struct {
	objects.OSPCIDeviceDetail

	Host         string     `json:"host"`
	Hostname     string     `json:"hypervisor_hostname"`
	ComputeNode  uuid.UUID  `json:"compute_node_uuid"`
	NUMANode     *int64     `json:"numa_node"`
	ParentAddr   *string    `json:"parent_addr"` // of the physical function
	InstanceName string     `json:"instance_name"`
	Instance     *uuid.UUID `json:"-"`
}

func pciDevicesKind() kind {
	return kind{
		name: "pcidevices", aliases: []string{"pcidevice", "pci"},
		short:   "PCI devices: what Nova passes through to instances, and to which",
		what:    "HOST:ADDRESS, such as compute1:0000:af:00.0, or an address that one host has",
		filters: []string{byHost, byLimit},
		names:   pciDeviceNames,
		print: func(q query) error {
			var only *nova.PciDevice
			if q.name != "" {
				var err error
				if only, err = q.pciDevice(q.name); err != nil {
					return err
				}
			}
			var rows []pciDeviceRow
			for d := range q.Nova().PciDevices() {
				if only != nil && d != only || q.by.host != "" && q.hostOf(d) != q.by.host {
					continue
				}
				r, err := newPciDeviceRow(q.finder, d)
				if err != nil {
					return err
				}
				rows = append(rows, r)
			}
			slices.SortFunc(rows, func(a, b pciDeviceRow) int {
				return cmp.Or(strings.Compare(a.Hostname, b.Hostname), strings.Compare(a.Address, b.Address))
			})
			return list(q, "PCI devices", pciDeviceColumns(), rows)
		},
	}
}

func newPciDeviceRow(f finder, d *nova.PciDevice) (pciDeviceRow, error) {
	o, err := tracker.ReadDevice(d)
	if err != nil {
		return pciDeviceRow{}, err
	}
	r := pciDeviceRow{
		OSPCIDeviceDetail: objects.OSPCIShowOf(o).PciDevice, Host: f.hostOf(d), ComputeNode: uuid.UUID(d.ComputeNode),
		NUMANode: d.NUMANode, Instance: given(uuid.UUID(d.Instance)), InstanceName: f.consumerName(d.Instance),
	}
	if node, ok := f.Nova().ComputeNode(d.ComputeNode); ok {
		r.Hostname = node.Hostname
	}
	if d.Parent != "" {
		r.ParentAddr = &d.Parent
	}
	return r, nil
}

func pciDeviceColumns() []column[pciDeviceRow] {
	status := text("status", func(r pciDeviceRow) string { return r.Status })
	return []column[pciDeviceRow]{
		text("host", func(r pciDeviceRow) string { return r.Host }),
		text("address", func(r pciDeviceRow) string { return r.Address }),
		text("vendor_id", func(r pciDeviceRow) string { return r.VendorID }),
		text("product_id", func(r pciDeviceRow) string { return r.ProductID }),
		text("dev_type", func(r pciDeviceRow) string { return r.DevType }),
		numaColumn(func(r pciDeviceRow) *int64 { return r.NUMANode }),
		status,
		text("instance_name", func(r pciDeviceRow) string { return r.InstanceName }),
		wide(text("hypervisor_hostname", func(r pciDeviceRow) string { return r.Hostname })),
		wide(text("parent_addr", func(r pciDeviceRow) string { return said(r.ParentAddr) })),
		wide(text("label", func(r pciDeviceRow) string { return said(r.Label) })),
		wide(text("extra_info", func(r pciDeviceRow) string { return properties(r.ExtraInfo) })),
		wide(dim(text("compute_node_uuid", func(r pciDeviceRow) string { return r.ComputeNode.String() }))),
		wide(dim(text("instance_uuid", func(r pciDeviceRow) string { return idText(r.Instance) }))),
	}
}

// numaColumn is the column of a NUMA node, "" where it has none.
func numaColumn[T any](node func(T) *int64) column[T] {
	return column[T]{name: "numa_node", right: true, cell: func(row T) string {
		if n := node(row); n != nil {
			return fmt.Sprint(*n)
		}
		return ""
	}}
}

// said returns what a field says, "" where it says nothing.
func said(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// poolRow is a pool of PCI devices of a compute node that are alike, and free.
type poolRow struct {
	vendor, product string
	numa            *int64
	count           int64
	tags            map[string]string
}

// newPoolRows returns the pools of a compute node.
func newPoolRows(pools *objects.PciDevicePoolList) []poolRow {
	var rows []poolRow
	for _, p := range pools.All() {
		r := poolRow{vendor: p.VendorID.Get(), product: p.ProductID.Get(), count: p.Count.Get(), tags: map[string]string{}}
		if n, ok := p.NUMANode.Lookup(); ok {
			r.numa = &n
		}
		for tag, value := range p.Tags.Get() {
			r.tags[tag] = said(value)
		}
		rows = append(rows, r)
	}
	return rows
}

// String writes a pool in one cell, as in "10de:1eb8=2 numa_node=0 dev_type=type-PCI".
func (r poolRow) String() string {
	text := fmt.Sprintf("%s:%s=%d", r.vendor, r.product, r.count)
	if r.numa != nil {
		text += fmt.Sprintf(" numa_node=%d", *r.numa)
	}
	for _, tag := range slices.Sorted(maps.Keys(r.tags)) {
		text += " " + tag + "=" + r.tags[tag]
	}
	return text
}

// poolColumns are those of the pools of one compute node, below it.
func poolColumns() []column[poolRow] {
	return []column[poolRow]{
		text("vendor_id", func(r poolRow) string { return r.vendor }),
		text("product_id", func(r poolRow) string { return r.product }),
		numaColumn(func(r poolRow) *int64 { return r.numa }),
		text("tags", func(r poolRow) string { return properties(r.tags) }),
		number("count", func(r poolRow) int64 { return r.count }),
	}
}

// pciDevice returns the PCI device that text names: by its host and address, or by its
// address alone.
func (f finder) pciDevice(text string) (*nova.PciDevice, error) {
	var there []*nova.PciDevice
	var names []string
	for d := range f.Nova().PciDevices() {
		switch name := f.pciDeviceName(d); {
		case name == text:
			return d, nil
		case d.Address == text:
			there = append(there, d)
			fallthrough
		default:
			names = append(names, name)
		}
	}
	switch len(there) {
	case 0:
		return nil, &placement.NotFoundError{What: "PCI device", Name: text, Like: alike(text, slices.Values(names))}
	case 1:
		return there[0], nil
	default:
		return nil, usageErrorf("name the host too, as in "+f.pciDeviceName(there[0]), "%d hosts have a PCI device %s", len(there), text)
	}
}

// pciDeviceName returns what people call a PCI device: the host that it is in, and
// where there.
func (f finder) pciDeviceName(d *nova.PciDevice) string { return f.hostOf(d) + ":" + d.Address }

// hostOf returns the host of a PCI device, "" where its compute node is gone.
func (f finder) hostOf(d *nova.PciDevice) string {
	if node, ok := f.Nova().ComputeNode(d.ComputeNode); ok {
		return node.Host
	}
	return ""
}

func pciDeviceNames(f finder) []string {
	var out []string
	for d := range f.Nova().PciDevices() {
		out = append(out, f.pciDeviceName(d))
	}
	slices.Sort(out)
	return out
}
