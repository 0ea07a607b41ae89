package objects

import (
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned/object"
)

// InstancePCIRequest is what an instance asks for through one alias or port.
//
// Source: nova/objects/instance_pci_requests.py.
type InstancePCIRequest struct {
	object.Header
	Count       object.Field[int64]                `field:"count"`
	Spec        object.Field[[]map[string]*string] `field:"spec"`
	AliasName   object.Field[string]               `field:"alias_name,null"` // null for a port
	IsNew       object.Field[bool]                 `field:"is_new,default=false"`
	RequestID   object.Field[uuid.UUID]            `field:"request_id,null"`
	RequesterID object.Field[string]               `field:"requester_id,null"`
	NUMAPolicy  object.Field[string]               `field:"numa_policy,null"`
}

// NewInstancePCIRequest returns an InstancePCIRequest with nothing set.
func NewInstancePCIRequest() *InstancePCIRequest {
	r := new(InstancePCIRequest)
	r.NUMAPolicy.Of(object.OneOf("required", "legacy", "preferred", "socket"))
	return object.Bind(r, "InstancePCIRequest")
}

// InstancePCIRequests are all PCI devices that an instance asks for.
//
// Source: nova/objects/instance_pci_requests.py.
type InstancePCIRequests struct {
	object.Header
	InstanceUUID object.Field[uuid.UUID]             `field:"instance_uuid"`
	Requests     object.Field[[]*InstancePCIRequest] `field:"requests"`
}

//nolint:gochecknoglobals // tables that nothing writes
var (
	instancePCIRequestHistory = []object.Note{
		first(),
		adds("request_id"),
		adds("numa_policy"),
		adds("requester_id"),
		why("added the policy socket"),
	}
	instancePCIRequestsHistory = []object.Note{
		pins("InstancePCIRequest", "1.0"),
		pins("InstancePCIRequest", "1.1"),
	}
)

func pciRequestClasses() []object.Class {
	return []object.Class{
		class(NewInstancePCIRequest, "InstancePCIRequest", 1, instancePCIRequestHistory...),
		plain[*InstancePCIRequests](1, instancePCIRequestsHistory...),
	}
}
