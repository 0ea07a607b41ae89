package hw

import (
	"context"
	"slices"

	"github.com/jaypipes/ghw/pkg/cpu"

	"github.com/placetop/placetop/hw/sysfs"
)

// ghwCPUs returns the CPUs of a NUMA node as ghw sees them, none where it does
// not. The cores are asked for alone: ghw's Topology reads caches and memory
// banks too, and drops all nodes after the first that lacks any of these.
func (p prober) ghwCPUs(ctx context.Context, node int) sysfs.CPUSet {
	cores, err := try(func() ([]*cpu.ProcessorCore, error) { return cpu.CoresForNode(p.ghw(ctx), node) })
	if err != nil {
		return nil // a second opinion may be missing; the first one has its own Problem
	}
	var cpus sysfs.CPUSet
	for _, c := range cores {
		cpus = append(cpus, c.LogicalProcessors...)
	}
	slices.Sort(cpus)
	return slices.Compact(cpus)
}
