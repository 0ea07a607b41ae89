package objects

import (
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned/object"
)

// InstanceNUMATopology is how an instance is spread over NUMA nodes.
//
// Source: nova/objects/instance_numa.py.
type InstanceNUMATopology struct {
	object.Header
	ID                    object.Field[int64]               `field:"id"`
	InstanceUUID          object.Field[uuid.UUID]           `field:"instance_uuid"`
	Cells                 object.Field[[]*InstanceNUMACell] `field:"cells"`
	EmulatorThreadsPolicy object.Field[string]              `field:"emulator_threads_policy,null"`
}

// NewInstanceNUMATopology returns an InstanceNUMATopology with nothing set.
func NewInstanceNUMATopology() *InstanceNUMATopology {
	t := new(InstanceNUMATopology)
	t.EmulatorThreadsPolicy.Of(object.OneOf("share", "isolate"))
	return object.Bind(t, "InstanceNUMATopology")
}

// InstanceNUMACell is the part of an instance on one NUMA node.
//
// Source: nova/objects/instance_numa.py.
type InstanceNUMACell struct {
	object.Header
	ID              object.Field[int64]            `field:"id"`
	CPUSet          object.Field[[]int64]          `field:"cpuset"`  // CPUs that share host CPUs
	PCPUSet         object.Field[[]int64]          `field:"pcpuset"` // CPUs that have a host CPU each
	CPUSetReserved  object.Field[[]int64]          `field:"cpuset_reserved,null"`
	Memory          object.Field[int64]            `field:"memory"`        // MiB
	PageSize        object.Field[int64]            `field:"pagesize,null"` // KiB
	CPUTopology     object.Field[*VirtCPUTopology] `field:"cpu_topology,null"`
	CPUPinning      object.Field[map[string]int64] `field:"cpu_pinning_raw,null"` // of a CPU, in decimal, to a host CPU
	CPUPolicy       object.Field[string]           `field:"cpu_policy,null"`
	CPUThreadPolicy object.Field[string]           `field:"cpu_thread_policy,null"`
}

// The CPU policies under which the meaning of CPUSet changed.
const (
	cpuDedicated = "dedicated"
	cpuMixed     = "mixed"
)

// NewInstanceNUMACell returns an InstanceNUMACell with nothing set.
func NewInstanceNUMACell() *InstanceNUMACell {
	c := new(InstanceNUMACell)
	c.CPUSet.Of(new(object.IntegerSet))
	c.PCPUSet.Of(new(object.IntegerSet))
	c.CPUSetReserved.Of(new(object.IntegerSet))
	c.CPUPolicy.Of(object.OneOf(cpuDedicated, "shared", cpuMixed))
	c.CPUThreadPolicy.Of(object.OneOf("prefer", "isolate", "require"))
	return object.Bind(c, "InstanceNUMACell")
}

//nolint:gochecknoglobals // tables that nothing writes
var (
	instanceNUMATopologyHistory = []object.Note{
		pins("InstanceNUMACell", "1.0"),
		pins("InstanceNUMACell", "1.1"),
		pins("InstanceNUMACell", "1.2"),
		adds("emulator_threads_policy"),
	}
	instanceNUMACellHistory = []object.Note{
		first(),
		adds("pagesize"),
		adds("cpu_pinning_raw", "cpu_topology"),
		adds("cpu_policy", "cpu_thread_policy"),
		adds("cpuset_reserved"),
		{Why: "cpuset has shared CPUs alone", Adds: []string{"pcpuset"}, Lower: mergeCPUSets},
		{Why: "added the CPU policy mixed", Lower: refuseWords("cpu_policy", cpuMixed)},
	}
)

func numaClasses() []object.Class {
	return []object.Class{
		class(NewInstanceNUMATopology, "InstanceNUMATopology", 1, instanceNUMATopologyHistory...),
		class(NewInstanceNUMACell, "InstanceNUMACell", 1, instanceNUMACellHistory...),
	}
}

// mergeCPUSets gives readers before 1.5 the CPUs of a dedicated cell where they
// look.
func mergeCPUSets(data map[string]any, _ object.Lowering) error {
	if pinned, ok := data["pcpuset"]; ok && data["cpu_policy"] == cpuDedicated {
		data["cpuset"] = pinned
	}
	return nil
}
