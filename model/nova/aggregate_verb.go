package nova

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// ComputeHost is what a placement.NotFoundError calls a host without a nova-compute.
const ComputeHost = "compute host"

// CreateAggregate creates a host aggregate without hosts.
//
// Errors: placement.ErrExists for a uuid or name that is taken; placement.ErrInvalid.
//
// Source: nova/objects/aggregate.py, create.
type CreateAggregate struct {
	verb
	UUID     placement.AggregateID
	Name     string
	Metadata map[string]string
}

// DeleteAggregate deletes a host aggregate without hosts.
//
// Errors: placement.ErrNotFound; placement.ErrInUse while it has hosts.
//
// Source: nova/compute/api.py, AggregateAPI.delete_aggregate.
type DeleteAggregate struct {
	verb
	Aggregate placement.AggregateID
}

// AddAggregateHost adds a host to a host aggregate. AggregateOps returns the matching
// operations in Placement.
//
// Errors: placement.ErrNotFound, for a host without nova-compute too;
// placement.ErrExists if it is in it; placement.ErrInvalid if it would be in two
// availability zones.
//
// Source: nova/compute/api.py, AggregateAPI.add_host_to_aggregate.
type AddAggregateHost struct {
	verb
	Aggregate placement.AggregateID
	Host      string
}

// RemoveAggregateHost removes a host from a host aggregate. AggregateOps returns the
// matching operations in Placement.
//
// Errors: placement.ErrNotFound.
//
// Source: nova/compute/api.py, AggregateAPI.remove_host_from_aggregate.
type RemoveAggregateHost struct {
	verb
	Aggregate placement.AggregateID
	Host      string
}

// SetAggregateMetadata edits the metadata of a host aggregate, key by key.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid if a host would be in two
// availability zones.
//
// Source: nova/compute/api.py, AggregateAPI.update_aggregate_metadata.
type SetAggregateMetadata struct {
	verb
	Aggregate placement.AggregateID
	Metadata  KeyEdits
}

func (op CreateAggregate) String() string { return "create host aggregate " + op.Name }
func (op DeleteAggregate) String() string { return "delete host aggregate " + op.Aggregate.String() }

func (op AddAggregateHost) String() string {
	return "add " + op.Host + " to host aggregate " + op.Aggregate.String()
}

func (op RemoveAggregateHost) String() string {
	return "remove " + op.Host + " from host aggregate " + op.Aggregate.String()
}

func (op SetAggregateMetadata) String() string {
	return "set the metadata of host aggregate " + op.Aggregate.String()
}

func (op CreateAggregate) apply(e edit) error {
	if err := CheckName("name of the host aggregate", op.Name); err != nil {
		return err
	}
	if _, taken := e.Now.Aggregate(op.UUID); taken {
		return &placement.ExistsError{What: "host aggregate", Field: "uuid", Value: op.UUID.String()}
	}
	return e.Put(&HostAggregate{UUID: op.UUID, Name: op.Name, Metadata: op.Metadata})
}

func (op DeleteAggregate) apply(e edit) error {
	a, err := e.Now.aggregate(op.Aggregate)
	if err != nil {
		return err
	}
	if len(a.Hosts) > 0 {
		return fmt.Errorf("host aggregate %s has %d hosts; remove them first: %w", a.Name, len(a.Hosts), placement.ErrInUse)
	}
	return e.Delete(a)
}

func (op AddAggregateHost) apply(e edit) error {
	return editAggregate(e, op.Aggregate, func(a *HostAggregate) error {
		if _, ok := e.Now.Service(op.Host, Compute); !ok {
			return placement.NotFound(ComputeHost, op.Host)
		}
		if slices.Contains(a.Hosts, op.Host) {
			return &placement.ExistsError{What: "host of aggregate " + a.Name, Field: "name", Value: op.Host}
		}
		a.Hosts = append(a.Hosts, op.Host)
		return nil
	})
}

func (op RemoveAggregateHost) apply(e edit) error {
	return editAggregate(e, op.Aggregate, func(a *HostAggregate) error {
		if !slices.Contains(a.Hosts, op.Host) {
			return placement.NotFound("host of aggregate "+a.Name, op.Host)
		}
		if a.Hosts = slices.DeleteFunc(a.Hosts, func(h string) bool { return h == op.Host }); len(a.Hosts) == 0 {
			a.Hosts = nil // as in a record that is read without any
		}
		return nil
	})
}

func (op SetAggregateMetadata) apply(e edit) error {
	return editAggregate(e, op.Aggregate, func(a *HostAggregate) error {
		a.Metadata = op.Metadata.On(a.Metadata)
		return nil
	})
}

func (s *Snapshot) aggregate(id placement.AggregateID) (*HostAggregate, error) {
	a, ok := s.Aggregate(id)
	if !ok {
		return nil, placement.NotFound("host aggregate", id.String())
	}
	return a, nil
}

func editAggregate(e edit, id placement.AggregateID, change func(*HostAggregate) error) error {
	a, err := e.Now.aggregate(id)
	if err != nil {
		return err
	}
	own := versioned.Clone(a)
	if err := change(own); err != nil {
		return err
	}
	return e.Put(own)
}

// admitAggregate checks that no two host aggregates have the same name, and that no host
// is twice in one or in two availability zones. s is the Snapshot after the change from
// was to is.
//
// Source: nova/compute/api.py, is_safe_to_update_az.
func (s *Snapshot) admitAggregate(was, is *HostAggregate) error {
	if is == nil {
		return nil
	}
	for other := range s.Aggregates() {
		if other.UUID != is.UUID && other.Name == is.Name {
			return &placement.ExistsError{What: "host aggregate", Field: "name", Value: is.Name}
		}
	}
	seen := make(map[string]bool, len(is.Hosts))
	for _, host := range is.Hosts {
		if seen[host] {
			return placement.Invalid("host of aggregate "+is.Name, host, "is given twice")
		}
		seen[host] = true
	}
	for _, host := range is.zonedAnew(was) {
		for other := range s.AggregatesOf(host) {
			if other.Zone() != "" && is.Zone() != other.Zone() {
				return placement.Invalid(
					"host of aggregate "+is.Name, host,
					fmt.Sprintf("would be in zone %s and, by aggregate %s, in %s: a host has one zone", is.Zone(), other.Name, other.Zone()))
			}
		}
	}
	return nil
}

// zonedAnew returns the hosts that a puts in an availability zone in which was did not put
// them. Another aggregate of theirs that has come to name a zone is checked by itself.
func (a *HostAggregate) zonedAnew(was *HostAggregate) []string {
	switch {
	case a.Zone() == "":
		return nil
	case was == nil || was.Zone() != a.Zone():
		return a.Hosts
	}
	same := 0 // hosts are added at the end
	for same < min(len(a.Hosts), len(was.Hosts)) && a.Hosts[same] == was.Hosts[same] {
		same++
	}
	return a.Hosts[same:]
}

// AggregateOps returns the operations that put a host's root providers into an
// aggregate of Placement, or take them out; none if that is so already.
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
		ops = append(ops, placement.SetAggregates{Provider: root.ID(), Generation: root.Expect(), Aggregates: set})
	}
	return ops
}
