package nova

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// The kinds of HostAggregate and Config.
const (
	KindAggregate versioned.Kind = "aggregate"
	KindConfig    versioned.Kind = "config"
)

// HostAggregate is a named set of hosts. Its uuid is that of the aggregate in
// Placement, which knows neither name nor metadata.
//
// Source: nova/objects/aggregate.py.
type HostAggregate struct {
	UUID     placement.AggregateID `json:"uuid" cbor:"1,keyasint"`
	Name     string                `json:"name" cbor:"2,keyasint"`
	Hosts    []string              `json:"hosts,omitempty" cbor:"3,keyasint,omitempty"`
	Metadata map[string]string     `json:"metadata,omitempty" cbor:"4,keyasint,omitempty"` // availability_zone, filter_tenant_id...
	Number   int64                 `json:"id,omitempty" cbor:"5,keyasint,omitempty"`       // by which the API names it; 0 if no Nova has given it one
}

// ZoneMetadata is the metadata of a host aggregate that makes it an availability zone.
//
// Source: nova/objects/aggregate.py, availability_zone.
const ZoneMetadata = "availability_zone"

// Zone returns the availability zone of the aggregate, "" if it has none.
func (a *HostAggregate) Zone() string { return a.Metadata[ZoneMetadata] }

// ZoneOf returns the availability zone of a host according to its aggregates. If none
// sets one, it is in the default zone of nova.conf, which only the API of a Nova tells:
// else it is "".
//
// Source: nova/availability_zones.py, get_host_availability_zone.
func (s *Snapshot) ZoneOf(host string) string {
	for a := range s.AggregatesOf(host) {
		if zone := a.Zone(); zone != "" {
			return zone
		}
	}
	if svc, ok := s.Service(host, Compute); ok {
		return svc.Zone
	}
	return ""
}

// ServiceZone returns the availability zone of a service: those of the control plane are
// in one of their own.
func (s *Snapshot) ServiceZone(svc *Service) string {
	if svc.Binary != Compute && svc.Zone != "" {
		return svc.Zone
	}
	return s.ZoneOf(svc.Host)
}

// InstanceZone returns the availability zone that was requested for i, or else the one
// it is in.
func (s *Snapshot) InstanceZone(i *Instance) string {
	return cmp.Or(i.Zone, i.HostZone, s.ZoneOf(i.Host))
}

// RecordKind implements versioned.Record.
func (*HostAggregate) RecordKind() versioned.Kind { return KindAggregate }

// RecordKey implements versioned.Record.
func (a *HostAggregate) RecordKey() []byte { return slices.Clone(a.UUID[:]) }

// RecordName implements versioned.Named.
func (a *HostAggregate) RecordName() string { return a.Name }

// Validate implements ledger.Row: an aggregate has a uuid and a name, and hosts
// have names. The number is one of Nova's database.
func (a *HostAggregate) Validate() error {
	if a.UUID.IsZero() {
		return placement.Invalid("host aggregate", a.Name, "needs a uuid")
	}
	if a.Number < 0 || a.Number > placement.MaxInt {
		return placement.Invalid("host aggregate "+a.Name+" id", fmt.Sprint(a.Number), fmt.Sprintf("must be from 0 to %d", placement.MaxInt))
	}
	for _, h := range a.Hosts {
		if err := named("host of aggregate "+a.Name, h); err != nil {
			return err
		}
	}
	return named("host aggregate", a.Name)
}
