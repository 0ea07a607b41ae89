package ops_test

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
)

// TestAddUnknownHost adds a host to a host aggregate: whether it exists, only services that
// were read as a whole say.
func TestAddUnknownHost(t *testing.T) {
	t.Parallel()
	a := nova.HostAggregate{UUID: agg("rack"), Name: "rack"}
	s := newWorld(t).Record(&a).Snapshot
	for why, want := range map[string]string{
		"":    "compute host h does not exist",
		"403": "whether compute host h exists is not known: services: 403",
	} {
		s := s.ReadAs(cloud.NewReadings([]cloud.Reading{{Part: cloud.Services, Why: why}}, nil))
		_, err := ops.EditableHostAggregate{ID: a.UUID}.PlanState(s, ops.HostAggregateState{Hosts: []string{"h"}}, late)
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v", why, err)
		}
	}
}

// TestPlacesOnUnknownHost looks for places on a host: whether it exists, only hypervisors
// that were read as a whole say.
func TestPlacesOnUnknownHost(t *testing.T) {
	t.Parallel()
	for why, want := range map[string]string{
		"":    "compute host h does not exist",
		"403": "whether compute host h exists is not known: hypervisors: 403",
	} {
		s := newWorld(t).ReadAs(cloud.NewReadings([]cloud.Reading{{Part: cloud.Hypervisors, Why: why}}, nil))
		if _, err := ops.RequestsFor(s, nova.RequestSpec{Host: "h", Flavor: &nova.Flavor{Name: "f", VCPUs: 1, MemoryMB: 1}}, nova.AskOptions{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v", why, err)
		}
	}
}
