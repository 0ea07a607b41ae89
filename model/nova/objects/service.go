package objects

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned/object"
)

// Service is one running Nova process that reports that it is up.
//
// Source: nova/objects/service.py.
type Service struct {
	object.Header
	object.Persistent
	ID               object.Field[int64]        `field:"id,once"`
	UUID             object.Field[uuid.UUID]    `field:"uuid"`
	Host             object.Field[string]       `field:"host,null"`
	Binary           object.Field[string]       `field:"binary,null"` // such as nova-compute
	Topic            object.Field[string]       `field:"topic,null"`
	ReportCount      object.Field[int64]        `field:"report_count"`
	Disabled         object.Field[bool]         `field:"disabled"`
	DisabledReason   object.Field[string]       `field:"disabled_reason,null"`
	AvailabilityZone object.Field[string]       `field:"availability_zone,null"`
	ComputeNode      object.Field[*ComputeNode] `field:"compute_node"`
	LastSeenUp       object.Field[time.Time]    `field:"last_seen_up,null"`
	ForcedDown       object.Field[bool]         `field:"forced_down"`
	ServiceVersion   object.Field[int64]        `field:"version"` // of the release, see the minimum version gate
}

// NewService returns a Service with nothing set.
func NewService() *Service { return object.Make[Service]() }

// ServiceList is a list of services.
type ServiceList struct{ object.Sequence[*Service] }

//nolint:gochecknoglobals // tables that nothing writes
var (
	// Before and after the version whose note asks a Source.
	serviceBefore = []object.Note{
		first(),
		pins("ComputeNode", "1.4"),
		unicode(),
		pins("ComputeNode", "1.5"),
		why("added use_slave to get_by_compute_host"),
		pins("ComputeNode", "1.6"),
		pins("ComputeNode", "1.7"),
		pins("ComputeNode", "1.8"),
		pins("ComputeNode", "1.9"),
		pins("ComputeNode", "1.10"),
	}
	serviceAfter = []object.Note{
		why("added get_by_host_and_binary"),
		pins("ComputeNode", "1.11"),
		adds("last_seen_up"),
		adds("forced_down"),
		pins("ComputeNode", "1.12"),
		adds("version"),
		pins("ComputeNode", "1.13"),
		pins("ComputeNode", "1.14"),
		why("added get_minimum_version"),
		why("added get_minimum_version_multi"),
		adds("uuid"),
		why("added get_by_uuid"),
	}
	serviceListHistory = []object.Note{
		pins("Service", "1.2"),
		pins("Service", "1.3"),
		pins("Service", "1.4"),
		pins("Service", "1.5"),
		pins("Service", "1.6"),
		pins("Service", "1.7"),
		pins("Service", "1.8"),
		pins("Service", "1.9"),
		pins("Service", "1.10"),
		pins("Service", "1.11"),
		pins("Service", "1.12"),
		pins("Service", "1.13"),
		pins("Service", "1.14"),
		pins("Service", "1.15"),
		pins("Service", "1.16"),
		pins("Service", "1.17"),
		pins("Service", "1.18"),
		pins("Service", "1.19"),
		why("added include_disabled to get_by_binary"),
		why("added get_all_computes_by_hv_type"),
	}
)

func serviceClasses(source Source) []object.Class {
	return []object.Class{
		class(NewService, "Service", 1, slices.Concat(
			serviceBefore, []object.Note{{Why: "compute_node is loaded when it is read", Lower: source.embedComputeNode}}, serviceAfter,
		)...),
		list[*ServiceList](1, serviceListHistory...),
	}
}

// embedComputeNode gives readers before 1.10, which do not load compute_node when they
// need it, the compute node of the host, if there is one.
func (s Source) embedComputeNode(data map[string]any, l object.Lowering) error {
	host, ok := data["host"].(string)
	if data["compute_node"] != nil || !ok || s.ComputeNode == nil {
		return nil
	}
	node, ok := s.ComputeNode(host)
	if !ok {
		return nil
	}
	p, err := l.Nested(node)
	if err != nil {
		return err
	}
	data["compute_node"] = p
	return nil
}
