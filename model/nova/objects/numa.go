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
	ID                    object.Field[int64]
	InstanceUUID          object.Field[uuid.UUID]
	Cells                 object.Field[[]*InstanceNUMACell]
	EmulatorThreadsPolicy object.Field[string]
}

// NewInstanceNUMATopology returns an InstanceNUMATopology with nothing set.
func NewInstanceNUMATopology() *InstanceNUMATopology {
	t := new(InstanceNUMATopology)
	t.Bind("InstanceNUMATopology",
		t.ID.As("id", object.Integer{}),
		t.InstanceUUID.As("instance_uuid", object.UUID{}),
		t.Cells.As("cells", object.ListOf[*InstanceNUMACell]("InstanceNUMACell")),
		t.EmulatorThreadsPolicy.As("emulator_threads_policy", object.OneOf("share", "isolate"), object.Nullable))
	return t
}

// InstanceNUMACell is the part of an instance on one NUMA node.
//
// Source: nova/objects/instance_numa.py.
type InstanceNUMACell struct {
	object.Header
	ID              object.Field[int64]
	CPUSet          object.Field[[]int64] // CPUs that share host CPUs
	PCPUSet         object.Field[[]int64] // CPUs that have a host CPU each
	CPUSetReserved  object.Field[[]int64]
	Memory          object.Field[int64] // MiB
	PageSize        object.Field[int64] // KiB
	CPUTopology     object.Field[*VirtCPUTopology]
	CPUPinning      object.Field[map[string]int64] // of a CPU, in decimal, to a host CPU
	CPUPolicy       object.Field[string]
	CPUThreadPolicy object.Field[string]
}

// The CPU policies whose meaning for CPUSet changed.
const (
	cpuDedicated = "dedicated"
	cpuMixed     = "mixed"
)

// NewInstanceNUMACell returns an InstanceNUMACell with nothing set.
func NewInstanceNUMACell() *InstanceNUMACell {
	c := new(InstanceNUMACell)
	c.Bind("InstanceNUMACell",
		c.ID.As("id", object.Integer{}),
		c.CPUSet.As("cpuset", object.IntegerSet{}),
		c.PCPUSet.As("pcpuset", object.IntegerSet{}),
		c.CPUSetReserved.As("cpuset_reserved", object.IntegerSet{}, object.Nullable),
		c.Memory.As("memory", object.Integer{}),
		c.PageSize.As("pagesize", object.Integer{}, object.Nullable),
		c.CPUTopology.As("cpu_topology", one[*VirtCPUTopology]("VirtCPUTopology"), object.Nullable),
		c.CPUPinning.As("cpu_pinning_raw", object.Dict(object.Integer{}), object.Nullable),
		c.CPUPolicy.As("cpu_policy", object.OneOf(cpuDedicated, "shared", cpuMixed), object.Nullable),
		c.CPUThreadPolicy.As("cpu_thread_policy", object.OneOf("prefer", "isolate", "require"), object.Nullable))
	return c
}

func numaClasses() []object.Class {
	return []object.Class{
		class(NewInstanceNUMATopology, "InstanceNUMATopology", 1,
			pins("InstanceNUMACell", "1.0"),
			pins("InstanceNUMACell", "1.1"),
			pins("InstanceNUMACell", "1.2"),
			adds("emulator_threads_policy"),
		),
		class(NewInstanceNUMACell, "InstanceNUMACell", 1,
			first(),
			adds("pagesize"),
			adds("cpu_pinning_raw", "cpu_topology"),
			adds("cpu_policy", "cpu_thread_policy"),
			adds("cpuset_reserved"),
			object.Note{Why: "cpuset has shared CPUs alone", Adds: []string{"pcpuset"}, Lower: mergeCPUSets},
			object.Note{Why: "added the CPU policy mixed", Lower: refuseWords("cpu_policy", cpuMixed)},
		),
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
