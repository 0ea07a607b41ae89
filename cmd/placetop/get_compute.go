package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// computeNodeRow is a compute node as it is printed: what Placement says of the provider
// with the same uuid, and the columns of Nova's own database where it says nothing.
type computeNodeRow struct {
	UUID          placement.ProviderID                        `json:"uuid"`
	Host          string                                      `json:"host"`
	Hostname      string                                      `json:"hypervisor_hostname"`
	Type          string                                      `json:"hypervisor_type"`
	Version       int64                                       `json:"hypervisor_version"`
	VCPUs         int64                                       `json:"vcpus"`
	VCPUsUsed     int64                                       `json:"vcpus_used"`
	PCPUs         int64                                       `json:"pcpus"`
	MemoryMB      int64                                       `json:"memory_mb"`
	MemoryMBUsed  int64                                       `json:"memory_mb_used"`
	LocalGB       int64                                       `json:"local_gb"`
	LocalGBUsed   int64                                       `json:"local_gb_used"`
	RunningVMs    int64                                       `json:"running_vms"`
	CPURatio      float64                                     `json:"cpu_allocation_ratio"` // 0 for not set
	RAMRatio      float64                                     `json:"ram_allocation_ratio"`
	DiskRatio     float64                                     `json:"disk_allocation_ratio"`
	SharedStorage bool                                        `json:"shared_storage"`
	Capabilities  []placement.Trait                           `json:"capabilities"`
	GPUs          []nova.GPU                                  `json:"gpus"`
	PciDevices    int                                         `json:"pci_device_count"`
	PciStats      []map[string]any                            `json:"os-pci:pci_stats"` // flat pools of free devices, as the os-pci API shows them
	ReadFrom      string                                      `json:"read_from"`        // what the amounts are read from: inventories or columns
	Inventories   map[placement.ResourceClass]inventoryFields `json:"inventories"`      // of the provider; empty where it has none
	ObjectVersion string                                      `json:"object_version"`   // of the class ComputeNode, in which the row is kept; "" where its writer did not say
	Updated       *time.Time                                  `json:"updated_at,omitempty"`

	// Shared is what its tree has of pools: Nova's columns of a host on a pool cannot
	// say it.
	Shared []shareRow `json:"shared,omitempty"`

	pools []poolRow
}

func computeNodesKind() kind {
	return kind{
		name: "computenodes", aliases: []string{"computenode", "cn", "hypervisors", "hypervisor"},
		short:   "Compute nodes: what Nova says of each hypervisor",
		what:    "the name, the uuid or the host of a compute node",
		filters: []string{byHost, byLimit},
		names:   computeNodeNames,
		print: func(q query) error {
			var only *nova.ComputeNode
			if q.name != "" {
				var err error
				if only, err = q.computeNode(q.name); err != nil {
					return err
				}
			}
			var rows []computeNodeRow
			shares := insight.NewShares(q.Snapshot)
			for n := range q.Nova().ComputeNodes() {
				if (only == nil || n == only) && (q.by.host == "" || n.Host == q.by.host) {
					r, err := newComputeNodeRow(q.finder, shares, n)
					if err != nil {
						q.say("the pools of compute node %s are not shown: %v", n.Hostname, err)
					}
					rows = append(rows, r)
				}
			}
			slices.SortFunc(rows, func(a, b computeNodeRow) int {
				return cmp.Or(strings.Compare(a.Hostname, b.Hostname), a.UUID.Compare(b.UUID))
			})
			if err := list(q, "compute nodes", computeNodeColumns(), rows); err != nil {
				return err
			}
			if table := q.out.format == formatTable || q.out.format == formatWide; !table || only == nil || len(rows[0].pools) == 0 {
				return nil
			}
			if err := blank(q.out); err != nil {
				return err
			}
			return printList(q.out, poolColumns(), rows[0].pools, false)
		},
	}
}

// newComputeNodeRow returns how a compute node is printed, without its pools where the
// error says that a newer release wrote them.
func newComputeNodeRow(f finder, shares insight.Shares, n *nova.ComputeNode) (computeNodeRow, error) {
	n, follows := tracker.World{Placement: f.Placement(), Nova: f.Nova()}.Current(n)
	r := computeNodeRow{
		ReadFrom: "columns", UUID: n.UUID, Host: n.Host, Hostname: n.Hostname, Type: n.Type, Version: n.Version,
		VCPUs: n.VCPUs, VCPUsUsed: n.VCPUsUsed, PCPUs: n.PCPUs, MemoryMB: n.MemoryMB, MemoryMBUsed: n.MemoryMBUsed,
		LocalGB: n.LocalGB, LocalGBUsed: n.LocalGBUsed, RunningVMs: n.RunningVMs,
		CPURatio: n.CPURatio, RAMRatio: n.RAMRatio, DiskRatio: n.DiskRatio, SharedStorage: n.SharedStorage,
		Capabilities: filled(n.Capabilities), GPUs: filled(n.GPUs),
		Inventories: map[placement.ResourceClass]inventoryFields{}, ObjectVersion: n.ObjectVersion, Updated: moment(n.Updated),
	}
	if follows {
		r.ReadFrom = "inventories"
	}
	for range f.Nova().PciDevicesOf(n.UUID) {
		r.PciDevices++
	}
	if rp, ok := f.Placement().Provider(n.UUID); ok {
		for _, iu := range rp.Inventories() {
			r.Inventories[f.Placement().ClassName(iu.Class)] = fieldsOf(iu)
		}
		r.Shared = sharesOf(shares, rp)
	}
	r.PciStats = []map[string]any{}
	pools, err := objects.FromPCIStats(n.PCIStats)
	if err != nil {
		return r, err
	}
	r.pools = newPoolRows(pools)
	for _, p := range pools.All() {
		r.PciStats = append(r.PciStats, p.ToDict())
	}
	return r, nil
}

func computeNodeColumns() []column[computeNodeRow] {
	// Tables show "used/total" where CSV has a column for each.
	share := func(name string, used, all func(computeNodeRow) int64) column[computeNodeRow] {
		c := number(name, all)
		c.shown = func(r computeNodeRow) string { return fmt.Sprintf("%d/%d", used(r), all(r)) }
		return c
	}
	return []column[computeNodeRow]{
		text("hypervisor_hostname", func(r computeNodeRow) string { return r.Hostname }),
		text("host", func(r computeNodeRow) string { return r.Host }),
		share("vcpus", func(r computeNodeRow) int64 { return r.VCPUsUsed }, func(r computeNodeRow) int64 { return r.VCPUs }),
		share("memory_mb", func(r computeNodeRow) int64 { return r.MemoryMBUsed }, func(r computeNodeRow) int64 { return r.MemoryMB }),
		share("local_gb", func(r computeNodeRow) int64 { return r.LocalGBUsed }, func(r computeNodeRow) int64 { return r.LocalGB }),
		number("running_vms", func(r computeNodeRow) int64 { return r.RunningVMs }),
		dim(text("uuid", func(r computeNodeRow) string { return r.UUID.String() })),
		wide(number("vcpus_used", func(r computeNodeRow) int64 { return r.VCPUsUsed })),
		wide(number("memory_mb_used", func(r computeNodeRow) int64 { return r.MemoryMBUsed })),
		wide(number("local_gb_used", func(r computeNodeRow) int64 { return r.LocalGBUsed })),
		wide(text("hypervisor_type", func(r computeNodeRow) string { return r.Type })),
		wide(text("gpus", func(r computeNodeRow) string {
			var parts []string
			for _, g := range r.GPUs {
				parts = append(parts, fmt.Sprintf("%s=%s*%d", g.Address, g.Type, g.Total))
			}
			return strings.Join(parts, " ")
		})),
		wide(number("pci_device_count", func(r computeNodeRow) int64 { return int64(r.PciDevices) })),
		wide(text("pci_stats", func(r computeNodeRow) string {
			var parts []string
			for _, p := range r.pools {
				parts = append(parts, p.String())
			}
			return strings.Join(parts, ", ")
		})),
		wide(text("object_version", func(r computeNodeRow) string { return r.ObjectVersion })),
		wide(text("updated_at", func(r computeNodeRow) string { return stamp(r.Updated) })),
		wide(text("read_from", func(r computeNodeRow) string { return r.ReadFrom })),
		sharedColumn(func(r computeNodeRow) []shareRow { return r.Shared }),
	}
}
