package main

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/screen"
)

// demoCompute is a compute node of a demo cloud, as busy as its guests would make it.
type demoCompute struct {
	reports ops.Tick
	of      cloud.Reader
	now     func() time.Time

	mu   sync.Mutex
	last screen.Machine // as it was looked at before
}

// guestBusy is the part of the time in which a guest's processors are busy.
const guestBusy = 0.15

// probe implements screen.Probe.
func (d *demoCompute) probe(context.Context) (screen.Machine, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := screen.Machine{At: d.now(), Reports: d.reports, Facts: []screen.MachineFact{{Name: "host", Value: "made up, like this cloud"}}}
	pl := d.of.Snapshot().Placement()
	root, ok := pl.ProviderByName(d.reports.Tree.Root.Name)
	if !ok {
		return m, nil
	}
	for _, inv := range root.Inventories() {
		switch pl.ClassName(inv.Class) {
		case placement.VCPU:
			m.Facts = append(m.Facts, screen.MachineFact{Name: "cpu.threads", Value: strconv.FormatInt(inv.Total, 10)})
			since := max(m.At.Sub(d.last.At).Seconds(), 0)
			m.Load.One = min(float64(inv.Used)*guestBusy, float64(inv.Total))
			m.Load.Busy, m.Load.All = d.last.Load.Busy+m.Load.One*since, d.last.Load.All+float64(inv.Total)*since
		case placement.MemoryMB:
			const mib = 1 << 20
			m.Load.MemoryTotal, m.Load.MemoryUsed = uint64(inv.Total*mib), uint64((inv.Used+inv.Reserved)*mib) // sizes of memory
		default:
		}
	}
	d.last = m
	return m, nil
}
