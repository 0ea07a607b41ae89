package objects

import (
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned/object"
)

// Resource is a named thing of a resource class that an instance was given, such
// as a namespace of persistent memory.
//
// Source: nova/objects/resource.py.
type Resource struct {
	object.Header
	ProviderUUID  object.Field[uuid.UUID]     `field:"provider_uuid"`
	ResourceClass object.Field[string]        `field:"resource_class"`
	Identifier    object.Field[string]        `field:"identifier"`
	Metadata      object.Field[object.Object] `field:"metadata"` // ResourceMetadata or LibvirtVPMEMDevice
}

// NewResource returns a Resource with nothing set.
func NewResource() *Resource {
	r := new(Resource)
	r.ResourceClass.Of(resourceClass())
	r.Metadata.Of(object.Instance[object.Object]("ResourceMetadata", "LibvirtVPMEMDevice"))
	return object.Bind(r, "Resource")
}

func resourceClass() *object.Pattern {
	return &object.Pattern{Name: "ResourceClass", Fold: strings.ToUpper, Match: func(s string) bool {
		return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
	}}
}

// ResourceList is a list of resources.
type ResourceList struct{ object.Sequence[*Resource] }

// ResourceMetadata is metadata without any fields.
//
// Source: nova/objects/resource.py.
type ResourceMetadata struct{ object.Header }

// LibvirtVPMEMDevice describes a namespace of persistent memory.
//
// Source: nova/objects/resource.py.
type LibvirtVPMEMDevice struct {
	object.Header
	Label   object.Field[string] `field:"label"`
	Name    object.Field[string] `field:"name"`
	Size    object.Field[int64]  `field:"size"` // bytes
	DevPath object.Field[string] `field:"devpath"`
	Align   object.Field[int64]  `field:"align"` // bytes
}

func resourceClasses() []object.Class {
	return []object.Class{
		class(NewResource, "Resource", 1, initial...),
		list[*ResourceList](1, initial...),
		plain[*ResourceMetadata](1, initial...),
		plain[*LibvirtVPMEMDevice](1, initial...),
	}
}
