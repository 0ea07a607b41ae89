package sysfs

import (
	"context"
	"slices"
	"strconv"
)

const cpuRoot = "sys/devices/system/cpu"

// CPUTopology is how the CPUs of a machine are arranged in sockets and cores.
type CPUTopology struct {
	Path   string // /sys/devices/system/cpu; "" where there is no such folder
	Online CPUSet // online
	CPUs   []CPU  // online ones, in the order of their numbers
}

// CPU is one logical CPU: a hardware thread. Numbers that the machine does not report
// are -1, as in some containers and on some ARM machines.
type CPU struct {
	ID       int
	Package  int    // topology/physical_package_id: the socket
	Die      int    // topology/die_id
	Core     int    // topology/core_id, unique in its die
	Siblings CPUSet // topology/core_cpus_list or thread_siblings_list: the threads of the same core
}

// Sockets returns the number of sockets; 0 where it is unknown.
func (t CPUTopology) Sockets() int {
	packages := make(map[int]bool)
	for _, c := range t.CPUs {
		if c.Package >= 0 {
			packages[c.Package] = true
		}
	}
	return len(packages)
}

// Cores returns the number of cores; 0 where it is unknown.
func (t CPUTopology) Cores() int {
	cores := make(map[string]bool)
	for _, c := range t.CPUs {
		switch {
		case len(c.Siblings) > 0:
			cores[c.Siblings.String()] = true
		case c.Core >= 0:
			cores[strconv.Itoa(c.Package)+"/"+strconv.Itoa(c.Die)+"/"+strconv.Itoa(c.Core)] = true
		}
	}
	return len(cores)
}

// CPUTopology returns the topology of the online CPUs. CPUs whose folder says
// they are offline are left out.
func (t Tree) CPUTopology(ctx context.Context) (CPUTopology, []Gap) {
	s := &scan{fsys: t.fsys}
	root, ok := s.list(cpuRoot, "CPU topology")
	if !ok {
		return CPUTopology{}, s.gaps
	}
	top := CPUTopology{
		Path:   "/" + cpuRoot,
		Online: s.cpus(root, "online", "online CPUs"),
	}
	for _, name := range root.names() {
		id, ok := numbered(name, "cpu")
		if !ok {
			continue
		}
		if s.stopped(ctx, cpuRoot, "CPUs from "+name+" on") {
			break
		}
		if len(top.Online) > 0 {
			if _, online := slices.BinarySearch(top.Online, id); !online {
				continue
			}
		}
		dir, ok := s.list(root.path(name)+"/topology", "topology of the CPU")
		if !ok {
			continue // an offline CPU has no topology
		}
		siblings := "core_cpus_list"
		if !dir.has(siblings) {
			siblings = "thread_siblings_list" // kernels before 5.3
		}
		top.CPUs = append(top.CPUs, CPU{
			ID:       id,
			Package:  s.number(dir, "physical_package_id", "socket of the CPU", -1),
			Die:      s.number(dir, "die_id", "die of the CPU", -1),
			Core:     s.number(dir, "core_id", "core of the CPU", -1),
			Siblings: s.cpus(dir, siblings, "threads of the core"),
		})
	}
	slices.SortStableFunc(top.CPUs, func(a, b CPU) int { return a.ID - b.ID })
	return top, s.gaps
}
