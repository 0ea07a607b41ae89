package nova

import (
	"fmt"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// CreateAggregate returns the change that adds a host aggregate. AggregateOps
// returns what goes with its hosts in Placement.
//
// Errors: placement.ErrExists for a uuid or name that is taken;
// placement.ErrNotFound for a host without nova-compute; placement.ErrInvalid.
//
// Source: nova/objects/aggregate.py, create.
func (s *Snapshot) CreateAggregate(a *HostAggregate) (PutRecords, error) {
	if err := CheckName("name of the host aggregate", a.Name); err != nil {
		return PutRecords{}, err
	}
	if _, taken := s.Aggregate(a.UUID); taken {
		return PutRecords{}, &placement.ExistsError{What: "host aggregate", Field: "uuid", Value: a.UUID.String()}
	}
	for _, host := range a.Hosts {
		if err := s.isCompute(host); err != nil {
			return PutRecords{}, err
		}
	}
	var c PutRecords
	c.Put(s, a)
	return s.planned(c)
}

// DeleteAggregate returns the change that removes a host aggregate without hosts.
//
// Errors: placement.ErrNotFound; placement.ErrInUse while it has hosts.
//
// Source: nova/compute/api.py, AggregateAPI.delete_aggregate.
func (s *Snapshot) DeleteAggregate(id placement.AggregateID) (PutRecords, error) {
	a, err := s.aggregate(id)
	if err != nil {
		return PutRecords{}, err
	}
	if len(a.Hosts) > 0 {
		return PutRecords{}, fmt.Errorf("host aggregate %s has %d hosts, remove them first: %w", a.Name, len(a.Hosts), placement.ErrInUse)
	}
	var c PutRecords
	c.Delete(s, a)
	return c, nil
}

// AddHost returns the change that puts a host into a host aggregate. AggregateOps
// returns what goes with it in Placement.
//
// Errors: placement.ErrNotFound; placement.ErrExists where it is in it;
// placement.ErrInvalid where it would be in two availability zones.
//
// Source: nova/compute/api.py, AggregateAPI.add_host_to_aggregate.
func (s *Snapshot) AddHost(id placement.AggregateID, host string) (PutRecords, error) {
	a, err := s.aggregate(id)
	if err != nil {
		return PutRecords{}, err
	}
	if err := s.isCompute(host); err != nil {
		return PutRecords{}, err
	}
	if slices.Contains(a.Hosts, host) {
		return PutRecords{}, &placement.ExistsError{What: "host of aggregate " + a.Name, Field: "name", Value: host}
	}
	return s.putAggregate(a, func(a *HostAggregate) { a.Hosts = append(a.Hosts, host) })
}

// RemoveHost returns the change that takes a host out of a host aggregate.
//
// Errors: placement.ErrNotFound.
//
// Source: nova/compute/api.py, AggregateAPI.remove_host_from_aggregate.
func (s *Snapshot) RemoveHost(id placement.AggregateID, host string) (PutRecords, error) {
	a, err := s.aggregate(id)
	if err != nil {
		return PutRecords{}, err
	}
	if !slices.Contains(a.Hosts, host) {
		return PutRecords{}, &placement.NotFoundError{What: "host of aggregate " + a.Name, Name: host}
	}
	return s.putAggregate(a, func(a *HostAggregate) {
		a.Hosts = slices.DeleteFunc(a.Hosts, func(h string) bool { return h == host })
	})
}

// SetMetadata returns the change that gives a host aggregate other metadata.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid where a host would be in two
// availability zones.
//
// Source: nova/compute/api.py, AggregateAPI.update_aggregate_metadata.
func (s *Snapshot) SetMetadata(id placement.AggregateID, metadata map[string]string) (PutRecords, error) {
	a, err := s.aggregate(id)
	if err != nil {
		return PutRecords{}, err
	}
	return s.putAggregate(a, func(a *HostAggregate) { a.Metadata = maps.Clone(metadata) })
}

func (s *Snapshot) aggregate(id placement.AggregateID) (*HostAggregate, error) {
	a, ok := s.Aggregate(id)
	if !ok {
		return nil, &placement.NotFoundError{What: "host aggregate", Name: id.String()}
	}
	return a, nil
}

// isCompute returns an error unless a host runs nova-compute.
func (s *Snapshot) isCompute(host string) error {
	if _, ok := s.Service(host, Compute); !ok {
		return &placement.NotFoundError{What: "compute host", Name: host}
	}
	return nil
}

func (s *Snapshot) putAggregate(a *HostAggregate, edit func(*HostAggregate)) (PutRecords, error) {
	own := a.Clone().(*HostAggregate)
	edit(own)
	var c PutRecords
	c.Put(s, own)
	return s.planned(c)
}

// admitAggregate checks that no name stands for two host aggregates, and that no
// host is twice in one or in two availability zones. It is asked of the Snapshot
// after the change.
//
// Source: nova/compute/api.py, is_safe_to_update_az.
func (s *Snapshot) admitAggregate(a *HostAggregate) error {
	if a == nil {
		return nil
	}
	for other := range s.Aggregates() {
		if other.UUID != a.UUID && other.Name == a.Name {
			return &placement.ExistsError{What: "host aggregate", Field: "name", Value: a.Name}
		}
	}
	seen := map[string]bool{}
	for _, host := range a.Hosts {
		if seen[host] {
			return &placement.InvalidError{Field: "host of aggregate " + a.Name, Value: host, Why: "is there twice"}
		}
		seen[host] = true
		for other := range s.AggregatesOf(host) {
			if a.Zone() != "" && other.Zone() != "" && a.Zone() != other.Zone() {
				return &placement.InvalidError{
					Field: "host of aggregate " + a.Name, Value: host,
					Why: fmt.Sprintf("would be in zone %s and, by aggregate %s, in %s: a host has one zone", a.Zone(), other.Name, other.Zone()),
				}
			}
		}
	}
	return nil
}

// AggregateOps returns the operations by which a host's root providers are in an
// aggregate of Placement, or no more. There are none where it is so already.
//
// Source: nova/scheduler/client/report.py, aggregate_add_host and
// aggregate_remove_host.
func (s *Snapshot) AggregateOps(p *placement.Snapshot, id placement.AggregateID, host string, member bool) []placement.Op {
	var ops []placement.Op
	for _, root := range s.providersOf(p, host) {
		if root.InAggregate(id) == member {
			continue
		}
		set := slices.DeleteFunc(slices.Clone(root.Aggregates()), func(a placement.AggregateID) bool { return a == id })
		if member {
			set = append(set, id)
		}
		ops = append(ops, placement.SetAggregates{Provider: root.ID(), Generation: placement.Generation(root.Generation()), Aggregates: set})
	}
	return ops
}
