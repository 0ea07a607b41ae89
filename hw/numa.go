package hw

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrDisagree reports that two sources say different things of one part of the
// machine.
var ErrDisagree = errors.New("sources disagree")

// numa asks sysfs, and ghw for a second opinion on the CPUs of each node: ghw
// finds them by the links cpuN in the node's folder, hw/sysfs in its cpulist.
func (p prober) numa(ctx context.Context) part {
	nodes, problems := p.tree.NUMANodes(ctx)
	at := Host{Problems: problems}
	for _, n := range nodes {
		node := NUMANode{ID: n.ID, HugePages: n.HugePages}
		if n.Memory.TotalKiB > 0 {
			node.TotalKiB = reading(n.Memory.TotalKiB, n.Path+"/meminfo")
			node.FreeKiB = reading(n.Memory.FreeKiB, n.Path+"/meminfo")
		}
		if n.Distances != nil {
			node.Distances = reading(n.Distances, n.Path+"/distance")
		}
		unread := slices.ContainsFunc(problems, func(q Problem) bool { return q.Path == n.Path+"/cpulist" })
		other := p.ghwCPUs(ctx, n.ID)
		switch {
		case !unread:
			node.CPUs = reading(n.CPUs, n.Path+"/cpulist")
			if len(other) > 0 && !slices.Equal(other, n.CPUs) {
				at.problem(n.Path+"/cpulist", "CPUs of the NUMA node", fmt.Errorf("%w: %s here, %s by ghw", ErrDisagree, n.CPUs, other))
			}
		case len(other) > 0:
			node.CPUs = reading(other, "ghw cpu.CoresForNode")
		}
		at.NUMA = append(at.NUMA, node)
	}
	return func(h *Host) {
		h.NUMA = at.NUMA
		h.Problems = append(h.Problems, at.Problems...)
	}
}

// pci asks sysfs for the devices and a data base of the machine for their names.
func (p prober) pci(ctx context.Context) part {
	devices, problems := p.tree.PCIDevices(ctx)
	at := Host{Problems: problems}
	names := p.pciNames(devices, &at)
	for _, d := range devices {
		vendor, device := names.of(d.Vendor, d.Device)
		at.PCI = append(at.PCI, PCIDevice{PCIDevice: d, VendorName: vendor, DeviceName: device})
	}
	return func(h *Host) {
		h.PCI = at.PCI
		h.Problems = append(h.Problems, at.Problems...)
	}
}

// mediated asks sysfs.
func (p prober) mediated(ctx context.Context) part {
	m, problems := p.tree.Mediated(ctx)
	return func(h *Host) {
		h.Mediated = m
		h.Problems = append(h.Problems, problems...)
	}
}
