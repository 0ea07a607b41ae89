package nova

import (
	"fmt"
	"strconv"
	"strings"
)

// maxNUMANodes is how many NUMA nodes a guest may have.
//
// Source: nova/objects/image_meta.py, NUMA_NODES_MAX.
const maxNUMANodes = 128

// checkNUMA refuses a guest NUMA topology that Nova's API refuses. NUMATopologyFilter
// fits the others to each host: Placement is asked for none of it.
//
// Source: nova/virt/hardware.py, numa_get_constraints.
func (d *draft) checkNUMA(policy string) {
	specs, image := d.spec.Flavor.ExtraSpecs, d.spec.Image
	nodes, ok := d.numaNodes()
	if !ok {
		return
	}
	flavorPages, imagePages := specs[memPageSize], image["hw_mem_page_size"]
	if imagePages != "" && flavorPages != "any" && flavorPages != "large" {
		d.refuse(d.imageFault("hw_mem_page_size", "needs a flavor with "+memPageSize+"=large or any"))
	}
	if locked, ok := d.valueOf(lockedMemory); ok && isTrue(locked.text) && flavorPages == "" && imagePages == "" {
		d.refuse(d.faultAt(locked, "needs "+memPageSize))
	}
	if nodes == 0 && flavorPages == "" && strings.Trim(specs["hw:pmem"], " ,") == "" && policy != cpusDedicated && policy != cpusMixed {
		return
	}
	nodes = max(nodes, 1)
	f := d.spec.Flavor
	cpus, cpusBy := d.perNode(numaCPUs, "hw_numa_cpus.")
	memory, memoryBy := d.perNode(numaMemory, "hw_numa_mem.")
	switch {
	case len(cpus) == 0 && len(memory) == 0:
		if f.VCPUs%nodes > 0 || f.MemoryMB%nodes > 0 {
			d.refuse(d.faultAt(d.whereOf(numaNodes), fmt.Sprintf("%d nodes do not divide %d vcpus and %d MB", nodes, f.VCPUs, f.MemoryMB)))
		}
	case int64(len(cpus)) != nodes || int64(len(memory)) != nodes:
		by := cpusBy + "0"
		if len(cpus) == 0 {
			by = memoryBy + "0"
		}
		d.refuse(d.faultAt(d.whereOf(by), fmt.Sprintf("CPUs and memory must be given for all %d nodes", nodes)))
	default:
		d.checkNodes(cpus, memory, cpusBy, memoryBy)
	}
}

// numaNodes returns how many NUMA nodes are asked for, 0 if none are, and false if that
// is refused.
func (d *draft) numaNodes() (int64, bool) {
	flavor, image := d.spec.Flavor.ExtraSpecs[numaNodes], d.spec.Image["hw_numa_nodes"]
	text := flavor
	switch {
	case flavor != "" && image != "":
		d.refuse(d.imageFault("hw_numa_nodes", "the flavor has "+numaNodes+": an image cannot override it"))
		return 0, false
	case flavor == "" && image == "":
		return 0, true
	case flavor == "":
		text = image
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
	if err != nil || n < 1 {
		d.refuse(d.faultAt(d.whereOf(numaNodes), "must be a whole number of at least 1"))
		return 0, false
	}
	return n, true
}

// whereOf returns where a key is set: in the flavor, or as a property of the image.
func (d *draft) whereOf(key string) value {
	if text, ok := d.spec.Flavor.ExtraSpecs[key]; ok {
		return value{text, extraSpecOrigin + key}
	}
	property := strings.ReplaceAll(key, ":", "_")
	return value{d.spec.Image[property], "image " + property + "=" + d.spec.Image[property]}
}

// perNode returns what the flavor, or else the image, says for each node from 0 on, and
// the prefix of the key or property that says it.
//
// Source: nova/virt/hardware.py, _get_numa_cpu_constraint and _get_numa_mem_constraint.
func (d *draft) perNode(key, property string) (list []string, by string) {
	read := func(from map[string]string, head string) (list []string) {
		for i := range maxNUMANodes {
			text, ok := from[head+strconv.Itoa(i)]
			if !ok {
				break
			}
			list = append(list, text)
		}
		return list
	}
	own, image := read(d.spec.Flavor.ExtraSpecs, key), read(d.spec.Image, property)
	if len(own) > 0 && len(image) > 0 {
		d.refuse(d.imageFault(property+"0", "the flavor has "+key+"0: an image cannot override it"))
	}
	if len(own) > 0 {
		return own, key
	}
	return image, key
}

// checkNodes refuses CPUs that are out of range, given twice or left over, and memory
// that is not the flavor's in total.
//
// Source: nova/virt/hardware.py, _get_numa_topology_manual.
func (d *draft) checkNodes(cpus, memory []string, cpusBy, memoryBy string) {
	f := d.spec.Flavor
	left, sum := cpuSet{{0, f.VCPUs - 1}}, int64(0)
	for i := range cpus {
		refuse := func(by, why string) { d.refuse(d.faultAt(d.whereOf(by+strconv.Itoa(i)), why)) }
		set, bad := parseCPUs(cpus[i])
		mb, err := strconv.ParseInt(strings.TrimSpace(memory[i]), 10, 32)
		switch {
		case bad != "":
			refuse(cpusBy, bad+" must be a CPU, a range a-b, or ^ and one of these")
		case set.last() >= f.VCPUs:
			refuse(cpusBy, fmt.Sprintf("names CPUs that the flavor does not have: its last one is %d", f.VCPUs-1))
		case left.without(set).count()+set.count() != left.count():
			refuse(cpusBy, "names CPUs that an earlier node has")
		case err != nil:
			refuse(memoryBy, "must be a whole number")
		}
		left, sum = left.without(set), sum+mb
	}
	switch last := strconv.Itoa(len(cpus) - 1); {
	case left.count() > 0:
		d.refuse(d.faultAt(d.whereOf(cpusBy+last), fmt.Sprintf("CPU %d of the flavor is in no node", left[0].from)))
	case sum != f.MemoryMB:
		d.refuse(d.faultAt(d.whereOf(memoryBy+last), fmt.Sprintf("the nodes have %d MB in total, but the flavor has %d", sum, f.MemoryMB)))
	}
}
