package objects

import (
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned/object"
)

// InstancePCIRequest is what an instance asks of one alias or port.
//
// Source: nova/objects/instance_pci_requests.py.
type InstancePCIRequest struct {
	object.Header
	Count       object.Field[int64]
	Spec        object.Field[[]map[string]*string]
	AliasName   object.Field[string] // null for a port
	IsNew       object.Field[bool]
	RequestID   object.Field[uuid.UUID]
	RequesterID object.Field[string]
	NUMAPolicy  object.Field[string]
}

// NewInstancePCIRequest returns an InstancePCIRequest with nothing set.
func NewInstancePCIRequest() *InstancePCIRequest {
	r := new(InstancePCIRequest)
	r.Bind("InstancePCIRequest",
		r.Count.As("count", object.Integer{}),
		r.Spec.As("spec", object.List(nullableDict())),
		r.AliasName.As("alias_name", object.String{}, object.Nullable),
		r.IsNew.AsDefault("is_new", object.Boolean{}, false),
		r.RequestID.As("request_id", object.UUID{}, object.Nullable),
		r.RequesterID.As("requester_id", object.String{}, object.Nullable),
		r.NUMAPolicy.As("numa_policy", object.OneOf("required", "legacy", "preferred", "socket"), object.Nullable))
	return r
}

// InstancePCIRequests is all that an instance asks of PCI devices.
//
// Source: nova/objects/instance_pci_requests.py.
type InstancePCIRequests struct {
	object.Header
	InstanceUUID object.Field[uuid.UUID]
	Requests     object.Field[[]*InstancePCIRequest]
}

// NewInstancePCIRequests returns an InstancePCIRequests with nothing set.
func NewInstancePCIRequests() *InstancePCIRequests {
	r := new(InstancePCIRequests)
	r.Bind("InstancePCIRequests",
		r.InstanceUUID.As("instance_uuid", object.UUID{}),
		r.Requests.As("requests", object.ListOf[*InstancePCIRequest]("InstancePCIRequest")))
	return r
}

func pciRequestClasses() []object.Class {
	return []object.Class{
		class(NewInstancePCIRequest, "InstancePCIRequest", 1,
			first(),
			adds("request_id"),
			adds("numa_policy"),
			adds("requester_id"),
			why("added the policy socket"),
		),
		class(NewInstancePCIRequests, "InstancePCIRequests", 1,
			pins("InstancePCIRequest", "1.0"),
			pins("InstancePCIRequest", "1.1"),
		),
	}
}
