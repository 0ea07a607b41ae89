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
	ProviderUUID  object.Field[uuid.UUID]
	ResourceClass object.Field[string]
	Identifier    object.Field[string]
	Metadata      object.Field[object.Object] // ResourceMetadata or LibvirtVPMEMDevice
}

// NewResource returns a Resource with nothing set.
func NewResource() *Resource {
	r := new(Resource)
	r.Bind("Resource",
		r.ProviderUUID.As("provider_uuid", object.UUID{}),
		r.ResourceClass.As("resource_class", resourceClass()),
		r.Identifier.As("identifier", object.String{}),
		r.Metadata.As("metadata", one[object.Object]("ResourceMetadata", "LibvirtVPMEMDevice")))
	return r
}

func resourceClass() object.Pattern {
	return object.Pattern{Name: "ResourceClass", Fold: strings.ToUpper, Match: func(s string) bool {
		return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
	}}
}

// ResourceList is a list of resources.
type ResourceList struct{ object.Sequence[*Resource] }

// ResourceMetadata says nothing more about a Resource.
//
// Source: nova/objects/resource.py.
type ResourceMetadata struct{ object.Header }

// NewResourceMetadata returns a ResourceMetadata.
func NewResourceMetadata() *ResourceMetadata {
	m := new(ResourceMetadata)
	m.Bind("ResourceMetadata")
	return m
}

// LibvirtVPMEMDevice describes a namespace of persistent memory.
//
// Source: nova/objects/resource.py.
type LibvirtVPMEMDevice struct {
	object.Header
	Label   object.Field[string]
	Name    object.Field[string]
	Size    object.Field[int64] // bytes
	DevPath object.Field[string]
	Align   object.Field[int64] // bytes
}

// NewLibvirtVPMEMDevice returns a LibvirtVPMEMDevice with nothing set.
func NewLibvirtVPMEMDevice() *LibvirtVPMEMDevice {
	d := new(LibvirtVPMEMDevice)
	d.Bind("LibvirtVPMEMDevice",
		d.Label.As("label", object.String{}),
		d.Name.As("name", object.String{}),
		d.Size.As("size", object.Integer{}),
		d.DevPath.As("devpath", object.String{}),
		d.Align.As("align", object.Integer{}))
	return d
}

func resourceClasses() []object.Class {
	return []object.Class{
		class(NewResource, "Resource", 1, first()),
		list[*ResourceList]("Resource", 1, first()),
		class(NewResourceMetadata, "ResourceMetadata", 1, first()),
		class(NewLibvirtVPMEMDevice, "LibvirtVPMEMDevice", 1, first()),
	}
}
