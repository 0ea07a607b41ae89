package nova

import (
	"fmt"

	"github.com/placetop/placetop/model/versioned"
)

// The amounts in Nova's records are in columns of 32 bits; a flavor checks its own.
//
// Source: nova/db/main/models.py.
var (
	_ versioned.Bounded = (*Service)(nil)
	_ versioned.Bounded = (*Flavor)(nil)
	_ versioned.Bounded = (*ComputeNode)(nil)
	_ versioned.Bounded = (*PciDevice)(nil)
	_ versioned.Bounded = (*Instance)(nil)
	_ versioned.Bounded = (*Migration)(nil)
)

// Bounds implements versioned.Bounded.
func (s *Service) Bounds(b *versioned.Bounds) {
	b.Int32("version", int64(s.Version))
	b.Time("last_seen_up_ms", s.LastSeenUp)
	b.Counter("report_count", s.ReportCount)
	b.Time("created_at_ms", s.Created)
	b.Wait("report_interval_ms", s.ReportInterval)
	b.Time("updated_at_ms", s.Updated)
}

// Bounds implements versioned.Bounded.
func (f *Flavor) Bounds(b *versioned.Bounds) {
	b.Counter("revision", f.Revision)
	b.Time("created_at_ms", f.Created)
}

// Bounds implements versioned.Bounded.
func (n *ComputeNode) Bounds(b *versioned.Bounds) {
	b.Int32("hypervisor_version", n.Version)
	b.Int32("vcpus", n.VCPUs)
	b.Int32("pcpus", n.PCPUs)
	b.Int32("memory_mb", n.MemoryMB)
	b.Int32("local_gb", n.LocalGB)
	b.Int32("vcpus_used", n.VCPUsUsed)
	b.Int32("memory_mb_used", n.MemoryMBUsed)
	b.Int32("local_gb_used", n.LocalGBUsed)
	b.Int32("running_vms", n.RunningVMs)
	b.Ratio("cpu_allocation_ratio", n.CPURatio)
	b.Ratio("ram_allocation_ratio", n.RAMRatio)
	b.Ratio("disk_allocation_ratio", n.DiskRatio)
	b.Int32("reserved_host_cpus", n.ReservedCPUs)
	b.Int32("reserved_host_memory_mb", n.ReservedMemoryMB)
	b.Int32("reserved_host_disk_mb", n.ReservedDiskMB)
	for i, g := range n.GPUs {
		if g.Total != int64(int32(g.Total)) {
			b.Int32(fmt.Sprintf("gpus[%d].total", i), g.Total)
		}
	}
	b.Time("updated_at_ms", n.Updated)
}

// Bounds implements versioned.Bounded.
func (d *PciDevice) Bounds(b *versioned.Bounds) {
	if d.NUMANode != nil {
		b.Int32("numa_node", *d.NUMANode)
	}
}

// Bounds implements versioned.Bounded.
func (i *Instance) Bounds(b *versioned.Bounds) {
	b.Time("created_at_ms", i.Created)
	b.Time("deleted_at_ms", i.Deleted)
	b.Time("updated_at_ms", i.Updated)
	i.Requested.bounds(b)
}

// Bounds implements versioned.Bounded.
func (m *Migration) Bounds(b *versioned.Bounds) {
	b.Time("created_at_ms", m.Created)
	b.Time("updated_at_ms", m.Updated)
	b.Time("revert_at_ms", m.Deadline)
	b.Wait("revert_after_ms", m.RevertAfter)
	m.Requested.bounds(b)
}

// bounds names the numbers of d, which may be nil.
func (d *Destination) bounds(b *versioned.Bounds) {
	if d == nil {
		return
	}
	for _, of := range d.Allocations {
		for class, n := range of {
			b.Int32("requested_destination.allocations "+string(class), n)
		}
	}
}

// Bounds implements versioned.Bounded.
func (c *Config) Bounds(b *versioned.Bounds) { b.Time("read_at_ms", c.Read) }
