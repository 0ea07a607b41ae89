package objects

import "github.com/placetop/placetop/model/versioned/object"

// Flavor is a size that instances may have.
//
// Source: nova/objects/flavor.py.
type Flavor struct {
	object.Header
	object.Persistent
	ID          object.Field[int64]             `field:"id"`
	Name        object.Field[string]            `field:"name,null"`
	MemoryMB    object.Field[int64]             `field:"memory_mb"` // MiB
	VCPUs       object.Field[int64]             `field:"vcpus"`
	RootGB      object.Field[int64]             `field:"root_gb"`      // GiB
	EphemeralGB object.Field[int64]             `field:"ephemeral_gb"` // GiB
	FlavorID    object.Field[string]            `field:"flavorid"`
	Swap        object.Field[int64]             `field:"swap"` // MiB
	RxTxFactor  object.Field[float64]           `field:"rxtx_factor,null,default=1"`
	VCPUWeight  object.Field[int64]             `field:"vcpu_weight,null"`
	Disabled    object.Field[bool]              `field:"disabled"`
	IsPublic    object.Field[bool]              `field:"is_public"`
	ExtraSpecs  object.Field[map[string]string] `field:"extra_specs"`
	Projects    object.Field[[]string]          `field:"projects"`
	Description object.Field[string]            `field:"description,null"`
}

// NewFlavor returns a Flavor with nothing set.
func NewFlavor() *Flavor { return object.Make[Flavor]() }

// FlavorList is a list of flavors.
type FlavorList struct{ object.Sequence[*Flavor] }

//nolint:gochecknoglobals // tables that nothing writes
var (
	flavorHistory = []object.Note{
		first(),
		why("added save_projects and save_extra_specs"),
		adds("description"),
	}
	flavorListHistory = []object.Note{
		pins("Flavor", "1.0"),
		pins("Flavor", "1.1"),
	}
)

func flavorClasses() []object.Class {
	return []object.Class{
		class(NewFlavor, "Flavor", 1, flavorHistory...),
		list[*FlavorList](1, flavorListHistory...),
	}
}
