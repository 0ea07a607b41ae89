package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/tui/screen"
)

// machine probes this machine for the dashboard, as "placetop probe" without flags does.
func (p *program) machine(ctx context.Context) (screen.Machine, error) {
	o := probeOptions{writes: true}
	host, tree, err := p.look(ctx, &o)
	if err != nil {
		return screen.Machine{}, err
	}
	m := screen.Machine{At: host.ProbedAt, Reports: o.tick(tree, "register"), Load: screen.MachineLoad(hw.Sample(ctx))}
	for _, f := range host.Facts() {
		m.Facts = append(m.Facts, screen.MachineFact(f))
	}
	m.Parts = machineParts(host)
	for _, pr := range newMachineReport(host, tree).Problems {
		m.Gaps = append(m.Gaps, strings.Join(nonEmpty(pr.Path, pr.What, pr.Why), ": "))
	}
	return m, nil
}

// machineParts returns what can fill up on a machine, besides its processors and memory.
func machineParts(h hw.Host) []screen.MachinePart {
	const gib, kib = 1 << 30, 1 << 20
	var out []screen.MachinePart
	if d := h.Instances; d.Source != "" {
		// As df: the blocks that are reserved for root are neither used nor free.
		out = append(out, screen.MachinePart{Name: "disk", Note: d.Path, Used: int64(d.Used / gib), Total: int64((d.Used + d.Free) / gib), Unit: "GiB"}) // sizes of disks
	}
	if of := h.Memory; of.HugePages.Known() && of.HugePages.Value > 0 {
		total, free := of.HugePages.Value, of.HugePagesFree.Value
		out = append(out, screen.MachinePart{Name: "huge", Note: "huge pages", Used: int64(total - min(free, total)), Total: int64(total), Unit: "pages"}) // pages are few
	}
	for _, n := range h.NUMA {
		if len(h.NUMA) > 1 && n.TotalKiB.Known() && n.FreeKiB.Known() {
			out = append(out, screen.MachinePart{
				Name: fmt.Sprintf("numa%d", n.ID), Note: "memory, caches counted", Used: (n.TotalKiB.Value - n.FreeKiB.Value) / kib, Total: n.TotalKiB.Value / kib, Unit: "GiB",
			})
		}
	}
	for _, g := range h.GPUs {
		out = append(out, screen.MachinePart{Name: g.Address.String(), Note: g.Title(), Used: int64(g.VGPUs()), Total: int64(g.MostVGPUs()), Unit: "vGPUs"})
	}
	return out
}
