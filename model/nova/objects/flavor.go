package objects

import "github.com/placetop/placetop/model/versioned/object"

// Flavor is a size that instances may have.
//
// Source: nova/objects/flavor.py.
type Flavor struct {
	object.Header
	object.Persistent
	ID          object.Field[int64]
	Name        object.Field[string]
	MemoryMB    object.Field[int64] // MiB
	VCPUs       object.Field[int64]
	RootGB      object.Field[int64] // GiB
	EphemeralGB object.Field[int64] // GiB
	FlavorID    object.Field[string]
	Swap        object.Field[int64] // MiB
	RxTxFactor  object.Field[float64]
	VCPUWeight  object.Field[int64]
	Disabled    object.Field[bool]
	IsPublic    object.Field[bool]
	ExtraSpecs  object.Field[map[string]string]
	Projects    object.Field[[]string]
	Description object.Field[string]
}

// NewFlavor returns a Flavor with nothing set.
func NewFlavor() *Flavor {
	f := new(Flavor)
	f.Bind("Flavor", f.Members(
		f.ID.As("id", object.Integer{}),
		f.Name.As("name", object.String{}, object.Nullable),
		f.MemoryMB.As("memory_mb", object.Integer{}),
		f.VCPUs.As("vcpus", object.Integer{}),
		f.RootGB.As("root_gb", object.Integer{}),
		f.EphemeralGB.As("ephemeral_gb", object.Integer{}),
		f.FlavorID.As("flavorid", object.String{}),
		f.Swap.As("swap", object.Integer{}),
		f.RxTxFactor.AsDefault("rxtx_factor", object.Float{}, 1.0, object.Nullable),
		f.VCPUWeight.As("vcpu_weight", object.Integer{}, object.Nullable),
		f.Disabled.As("disabled", object.Boolean{}),
		f.IsPublic.As("is_public", object.Boolean{}),
		f.ExtraSpecs.As("extra_specs", stringDict()),
		f.Projects.As("projects", object.List(object.String{})),
		f.Description.As("description", object.String{}, object.Nullable),
	)...)
	return f
}

// FlavorList is a list of flavors.
type FlavorList struct{ object.Sequence[*Flavor] }

func flavorClasses() []object.Class {
	return []object.Class{
		class(NewFlavor, "Flavor", 1,
			first(),
			why("added save_projects and save_extra_specs"),
			adds("description"),
		),
		list[*FlavorList]("Flavor", 1,
			pins("Flavor", "1.0"),
			pins("Flavor", "1.1"),
		),
	}
}
