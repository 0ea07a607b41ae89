package objects

import "github.com/placetop/placetop/model/versioned/object"

// VirtCPUModel is the processor that an instance sees.
//
// Source: nova/objects/vcpu_model.py.
type VirtCPUModel struct {
	object.Header
	Arch     object.Field[string]
	Vendor   object.Field[string]
	Topology object.Field[*VirtCPUTopology]
	Features object.Field[[]*VirtCPUFeature]
	Mode     object.Field[string]
	Model    object.Field[string]
	Match    object.Field[string]
}

// NewVirtCPUModel returns a VirtCPUModel with nothing set.
func NewVirtCPUModel() *VirtCPUModel {
	m := new(VirtCPUModel)
	m.Bind("VirtCPUModel",
		m.Arch.As("arch", architecture(), object.Nullable),
		m.Vendor.As("vendor", object.String{}, object.Nullable),
		m.Topology.As("topology", one[*VirtCPUTopology]("VirtCPUTopology"), object.Nullable),
		m.Features.AsDefault("features", object.ListOf[*VirtCPUFeature]("VirtCPUFeature"), []*VirtCPUFeature{}),
		m.Mode.As("mode", object.OneOf("custom", "host-model", "host-passthrough"), object.Nullable),
		m.Model.As("model", object.String{}, object.Nullable),
		m.Match.As("match", object.OneOf("minimum", "exact", "strict"), object.Nullable))
	return m
}

// VirtCPUTopology is the shape of an instance's processors.
//
// Source: nova/objects/virt_cpu_topology.py.
type VirtCPUTopology struct {
	object.Header
	Sockets object.Field[int64]
	Cores   object.Field[int64]
	Threads object.Field[int64]
}

// NewVirtCPUTopology returns a VirtCPUTopology with nothing set.
func NewVirtCPUTopology() *VirtCPUTopology {
	t := new(VirtCPUTopology)
	t.Bind("VirtCPUTopology",
		t.Sockets.AsDefault("sockets", object.Integer{}, 1, object.Nullable),
		t.Cores.AsDefault("cores", object.Integer{}, 1, object.Nullable),
		t.Threads.AsDefault("threads", object.Integer{}, 1, object.Nullable))
	return t
}

// VirtCPUFeature is a feature of a processor, and what becomes of it.
//
// Source: nova/objects/vcpu_model.py.
type VirtCPUFeature struct {
	object.Header
	Policy object.Field[string]
	Name   object.Field[string]
}

// NewVirtCPUFeature returns a VirtCPUFeature with nothing set.
func NewVirtCPUFeature() *VirtCPUFeature {
	f := new(VirtCPUFeature)
	f.Bind("VirtCPUFeature",
		f.Policy.As("policy", object.OneOf("force", "require", "optional", "disable", "forbid"), object.Nullable),
		f.Name.As("name", object.String{}))
	return f
}

func cpuModelClasses() []object.Class {
	return []object.Class{
		class(NewVirtCPUModel, "VirtCPUModel", 1, first()),
		class(NewVirtCPUTopology, "VirtCPUTopology", 1, first()),
		class(NewVirtCPUFeature, "VirtCPUFeature", 1, first()),
	}
}
