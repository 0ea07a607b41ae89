package hw

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrDisagree reports that two sources contradict each other about one part of the
// machine.
var ErrDisagree = errors.New("sources disagree")

// numa uses sysfs, which lists the CPUs of each node twice: in its cpulist, and by the
// links cpuN in its folder. The second is compared with the first, and replaces it if
// that cannot be read.
func (p *prober) numa(ctx context.Context) part {
	nodes, gaps := p.tree.NUMANodes(ctx)
	at := Host{Gaps: gaps}
	for _, n := range nodes {
		node := NUMANode{ID: n.ID, HugePages: n.HugePages}
		if n.Memory != nil {
			node.TotalKiB = reading(n.Memory.TotalKiB, n.Path+"/meminfo")
			node.FreeKiB = reading(n.Memory.FreeKiB, n.Path+"/meminfo")
		}
		if n.Distances != nil {
			node.Distances = reading(n.Distances, n.Path+"/distance")
		}
		unread := slices.ContainsFunc(gaps, func(q Gap) bool { return q.Path == n.Path+"/cpulist" })
		switch {
		case !unread:
			node.CPUs = reading(n.CPUs, n.Path+"/cpulist")
			if len(n.Linked) > 0 && !slices.Equal(n.Linked, n.CPUs) {
				at.gap(n.Path+"/cpulist", "CPUs of the NUMA node", fmt.Errorf("%w: %s here, %s by the links cpu*", ErrDisagree, n.CPUs, n.Linked))
			}
		case len(n.Linked) > 0:
			node.CPUs = reading(n.Linked, n.Path+"/cpu*")
		}
		at.NUMA = append(at.NUMA, node)
	}
	return func(h *Host) {
		h.NUMA = at.NUMA
		h.Gaps = append(h.Gaps, at.Gaps...)
	}
}

// pci gets the devices from sysfs, and their names from the machine's database.
func (p *prober) pci(ctx context.Context) part {
	devices, gaps := p.tree.PCIDevices(ctx)
	at := Host{Gaps: gaps}
	names := p.pciNames(devices, &at)
	for _, d := range devices {
		vendor, device := names.of(d.Vendor, d.Device)
		at.PCI = append(at.PCI, PCIDevice{PCIDevice: d, VendorName: vendor, DeviceName: device})
	}
	return func(h *Host) {
		h.PCI = at.PCI
		h.Gaps = append(h.Gaps, at.Gaps...)
	}
}

// mediated uses sysfs.
func (p *prober) mediated(ctx context.Context) part {
	m, gaps := p.tree.Mediated(ctx)
	return func(h *Host) {
		h.Mediated = m
		h.Gaps = append(h.Gaps, gaps...)
	}
}
