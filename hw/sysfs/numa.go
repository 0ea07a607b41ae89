package sysfs

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

const numaNodes = "sys/devices/system/node"

// NUMANode is one NUMA node.
type NUMANode struct {
	ID     int
	Path   string      // /sys/devices/system/node/node0
	CPUs   CPUSet      // cpulist; empty for a node with only memory, nil where it could not be read
	Memory *NodeMemory // meminfo; nil where it could not be read
}

// NodeMemory is the memory of a NUMA node in KiB. A node may have none: a processor
// whose channels are empty, or a place for the memory of a GPU that has not been set up.
type NodeMemory struct {
	TotalKiB int64
	FreeKiB  int64
}

// NUMANodes returns the NUMA nodes in the order of their ids. Containers and small
// machines have no such folder: they have no nodes, and no Gap.
func (t Tree) NUMANodes(ctx context.Context) ([]NUMANode, []Gap) {
	s := &scan{fsys: t.fsys}
	root, ok := s.list(numaNodes, "NUMA nodes")
	if !ok {
		return nil, s.gaps
	}
	var nodes []NUMANode
	for _, name := range root.names() {
		id, ok := numbered(name, "node")
		if !ok {
			continue
		}
		if s.stopped(ctx, numaNodes, "NUMA nodes from "+name+" on") {
			break
		}
		dir, ok := s.list(root.path(name), "NUMA node")
		if !ok {
			continue
		}
		nodes = append(nodes, s.numaNode(dir, id))
	}
	slices.SortStableFunc(nodes, func(a, b NUMANode) int { return a.ID - b.ID })
	return nodes, s.gaps
}

func (s *scan) numaNode(dir folder, id int) NUMANode {
	n := NUMANode{ID: id, Path: "/" + dir.name}
	n.CPUs = s.cpus(dir, "cpulist", "CPUs of the NUMA node")
	if text, ok := s.text(dir, "meminfo", "memory of the NUMA node"); ok {
		m, err := ParseNodeMemory(text)
		if err != nil {
			s.gap(dir.path("meminfo"), "memory of the NUMA node", err)
		} else {
			n.Memory = &m
		}
	}
	return n
}

// cpus reads a list of CPUs, which may be empty; nil if it is missing or unreadable.
func (s *scan) cpus(dir folder, entry, what string) CPUSet {
	text, ok := s.text(dir, entry, what)
	if !ok {
		return nil
	}
	set, err := ParseCPUList(text)
	if err != nil {
		s.gap(dir.path(entry), what, err)
		return nil
	}
	return append(CPUSet{}, set...)
}

// ParseNodeMemory reads the meminfo of a NUMA node: lines such as
// "Node 0 MemTotal: 65689460 kB". The error matches ErrSyntax.
func ParseNodeMemory(text string) (NodeMemory, error) {
	var m NodeMemory
	for _, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) < 4 || words[0] != "Node" {
			continue
		}
		var into *int64
		switch words[2] {
		case "MemTotal:":
			into = &m.TotalKiB
		case "MemFree:":
			into = &m.FreeKiB
		default:
			continue
		}
		n, err := strconv.ParseInt(words[3], 10, 64)
		if err != nil || n < 0 || len(words) > 4 && words[4] != "kB" {
			return NodeMemory{}, syntaxError(line, "an amount such as 65689460 kB")
		}
		*into = n
	}
	if m.TotalKiB == 0 && !strings.Contains(text, "MemTotal:") {
		return NodeMemory{}, syntaxError(text, "a line with MemTotal")
	}
	return m, nil
}
