package sysfs

import (
	"context"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

const numaNodes = "sys/devices/system/node"

// NUMANode is one NUMA node.
type NUMANode struct {
	ID        int
	Path      string      // /sys/devices/system/node/node0
	CPUs      CPUSet      // cpulist; empty for a node with only memory
	Linked    CPUSet      // cpuN: the online CPUs by the links in the folder; empty if there is none
	Memory    *NodeMemory // meminfo; nil where it could not be read
	Distances []int       // distance: to each online node, in the order of their ids; 10 is the node itself
	HugePages []HugePages // hugepages/, by page size
}

// NodeMemory is the memory of a NUMA node in KiB. A node may have none: a processor
// whose channels are empty, or a place for the memory of a GPU that has not been set up.
type NodeMemory struct {
	TotalKiB int64
	FreeKiB  int64
}

// HugePages is one size of huge pages of a NUMA node.
type HugePages struct {
	SizeKiB int
	Total   int // nr_hugepages
	Free    int // free_hugepages
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
	n.Linked = s.linked(dir)
	if text, ok := s.text(dir, "meminfo", "memory of the NUMA node"); ok {
		m, err := ParseNodeMemory(text)
		if err != nil {
			s.gap(dir.path("meminfo"), "memory of the NUMA node", err)
		} else {
			n.Memory = &m
		}
	}
	if text, ok := s.text(dir, "distance", "distances of the NUMA node"); ok {
		d, err := ParseDistances(text)
		if err != nil {
			s.gap(dir.path("distance"), "distances of the NUMA node", err)
		}
		n.Distances = d
	}
	if !dir.has("hugepages") {
		return n
	}
	sizes, ok := s.list(dir.path("hugepages"), "huge pages")
	if !ok {
		return n
	}
	for _, name := range sizes.names() {
		size, ok := numbered(strings.TrimSuffix(name, "kB"), "hugepages-")
		if !ok {
			continue
		}
		if pages, ok := s.list(sizes.path(name), "huge pages"); ok {
			n.HugePages = append(n.HugePages, HugePages{
				SizeKiB: size,
				Total:   max(0, s.number(pages, "nr_hugepages", "number of huge pages", 0)),
				Free:    max(0, s.number(pages, "free_hugepages", "number of free huge pages", 0)),
			})
		}
	}
	slices.SortStableFunc(n.HugePages, func(a, b HugePages) int { return a.SizeKiB - b.SizeKiB })
	return n
}

// linked returns the CPUs that a node's folder links to, except offline ones. A CPU that
// does not say, such as the first, or any on an old kernel, is online.
func (s *scan) linked(dir folder) CPUSet {
	var set CPUSet
	for entry := range dir.entries {
		id, ok := numbered(entry, "cpu")
		if !ok {
			continue
		}
		if online, err := s.read(dir.path(entry)+"/online", fs.ModeSymlink); err == nil && online == "0" {
			continue
		}
		set = append(set, id)
	}
	slices.Sort(set)
	return set
}

// cpus reads a list of CPUs; nil if it is missing or unreadable.
func (s *scan) cpus(dir folder, entry, what string) CPUSet {
	text, ok := s.text(dir, entry, what)
	if !ok {
		return nil
	}
	set, err := ParseCPUList(text)
	if err != nil {
		s.gap(dir.path(entry), what, err)
	}
	return set
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

// ParseDistances reads the distances of a NUMA node, such as "10 21". The error
// matches ErrSyntax.
func ParseDistances(text string) ([]int, error) {
	var out []int
	for _, word := range strings.Fields(text) {
		n, err := parseInt(word)
		if err != nil || n < 0 {
			return nil, syntaxError(text, "distances such as 10 21")
		}
		out = append(out, n)
	}
	return out, nil
}
