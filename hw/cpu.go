package hw

import (
	"context"
	"errors"
	"slices"

	"github.com/shirou/gopsutil/v3/cpu"
	"github.com/shirou/gopsutil/v3/mem"

	"github.com/placetop/placetop/model/sorted"
)

// errNothing reports that a source answered without content.
var errNothing = errors.New("nothing there")

// cpu gets counts, model and flags from gopsutil, and the topology from sysfs.
func (p *prober) cpu(ctx context.Context) part {
	var at Host
	gctx := p.gopsutil(ctx)
	c := &at.CPU
	n, err := try(func() (int, error) { return cpu.CountsWithContext(gctx, true) })
	if err != nil || n == 0 {
		at.gap("/proc/cpuinfo", "number of CPUs", reason(orNothing(err)))
	} else {
		c.Threads = reading(n, "gopsutil cpu.Counts(logical)")
	}
	n, err = try(func() (int, error) { return cpu.CountsWithContext(gctx, false) })
	if err != nil {
		at.gap("/proc/cpuinfo", "number of cores", reason(err))
	} else if n > 0 {
		c.Cores = reading(n, "gopsutil cpu.Counts(physical)")
	}
	infos, err := try(func() ([]cpu.InfoStat, error) { return cpu.InfoWithContext(gctx) })
	if err != nil || len(infos) == 0 {
		at.gap("/proc/cpuinfo", "model and flags of the CPUs", reason(orNothing(err)))
	}
	c.describe(infos)

	top, gaps := p.tree.CPUTopology(ctx)
	at.Gaps = append(at.Gaps, gaps...)
	c.Topology = top
	if n := top.Sockets(); n > 0 {
		c.Sockets = reading(n, top.Path+"/cpu*/topology/physical_package_id")
	}
	if n := top.Cores(); n > 0 && !c.Cores.Known() {
		c.Cores = reading(n, top.Path+"/cpu*/topology/core_cpus_list")
	}
	return func(h *Host) {
		h.CPU = at.CPU
		h.Gaps = append(h.Gaps, at.Gaps...)
	}
}

// describe takes the model of the first CPU and the flags that all have: an instance may
// run on any of them.
func (c *CPU) describe(infos []cpu.InfoStat) {
	const source = "gopsutil cpu.Info"
	if len(infos) == 0 {
		return
	}
	if v := infos[0].VendorID; v != "" {
		c.Vendor = reading(v, source)
	}
	if m := infos[0].ModelName; m != "" {
		c.Model = reading(m, source)
	}
	sockets := make(map[string]bool)
	count := make(map[string]int)
	for _, info := range infos {
		if info.PhysicalID != "" {
			sockets[info.PhysicalID] = true
		}
		flags := slices.Clone(info.Flags)
		sorted.Ascending(flags)
		for _, f := range slices.Compact(flags) {
			count[f]++
		}
	}
	if len(sockets) > 0 {
		c.Sockets = reading(len(sockets), source)
	}
	var common []string
	for f, n := range count {
		if n == len(infos) {
			common = append(common, f)
		}
	}
	if len(count) > 0 {
		sorted.Ascending(common)
		c.Flags = reading(common, source)
	}
}

func orNothing(err error) error {
	if err == nil {
		return errNothing
	}
	return err
}

// memory uses gopsutil.
func (p *prober) memory(ctx context.Context) part {
	v, err := mem.VirtualMemoryWithContext(p.gopsutil(ctx))
	return func(h *Host) {
		const source = "gopsutil mem.VirtualMemory"
		if err != nil || v.Total == 0 {
			h.gap("/proc/meminfo", "memory", reason(orNothing(err)))
			return
		}
		h.Memory = Memory{Total: reading(v.Total, source), Available: reading(v.Available, source)}
		if v.HugePageSize > 0 {
			h.Memory.HugePages = reading(v.HugePagesTotal, source)
			h.Memory.HugePagesFree = reading(v.HugePagesFree, source)
			h.Memory.HugePageSize = reading(v.HugePageSize, source)
		}
	}
}
