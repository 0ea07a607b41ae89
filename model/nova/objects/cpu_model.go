package objects

import "github.com/placetop/placetop/model/versioned/object"

// VirtCPUModel is the processor that an instance sees.
//
// Source: nova/objects/vcpu_model.py.
type VirtCPUModel struct {
	object.Header
	Arch     object.Field[string]            `field:"arch,null"`
	Vendor   object.Field[string]            `field:"vendor,null"`
	Topology object.Field[*VirtCPUTopology]  `field:"topology,null"`
	Features object.Field[[]*VirtCPUFeature] `field:"features,default=[]"`
	Mode     object.Field[string]            `field:"mode,null"`
	Model    object.Field[string]            `field:"model,null"`
	Match    object.Field[string]            `field:"match,null"`
}

// NewVirtCPUModel returns a VirtCPUModel with nothing set.
func NewVirtCPUModel() *VirtCPUModel {
	m := new(VirtCPUModel)
	m.Arch.Of(architecture())
	m.Mode.Of(object.OneOf("custom", "host-model", "host-passthrough"))
	m.Match.Of(object.OneOf("minimum", "exact", "strict"))
	return object.Bind(m, "VirtCPUModel")
}

// VirtCPUTopology is the shape of an instance's processors.
//
// Source: nova/objects/virt_cpu_topology.py.
type VirtCPUTopology struct {
	object.Header
	Sockets object.Field[int64] `field:"sockets,null,default=1"`
	Cores   object.Field[int64] `field:"cores,null,default=1"`
	Threads object.Field[int64] `field:"threads,null,default=1"`
}

// VirtCPUFeature is a feature of a processor, and what becomes of it.
//
// Source: nova/objects/vcpu_model.py.
type VirtCPUFeature struct {
	object.Header
	Policy object.Field[string] `field:"policy,null"`
	Name   object.Field[string] `field:"name"`
}

// NewVirtCPUFeature returns a VirtCPUFeature with nothing set.
func NewVirtCPUFeature() *VirtCPUFeature {
	f := new(VirtCPUFeature)
	f.Policy.Of(object.OneOf("force", "require", "optional", "disable", "forbid"))
	return object.Bind(f, "VirtCPUFeature")
}

func cpuModelClasses() []object.Class {
	return []object.Class{
		class(NewVirtCPUModel, "VirtCPUModel", 1, initial...),
		plain[*VirtCPUTopology](1, initial...),
		class(NewVirtCPUFeature, "VirtCPUFeature", 1, initial...),
	}
}
