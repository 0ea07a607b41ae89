package nova

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// StartService returns the change that a service makes of its record when it
// starts: it says its version, and that it is up. A service that is new joins the
// given cell.
//
// Errors: *ServiceTooOldError; placement.ErrNotFound for an unknown cell;
// placement.ErrInvalid.
//
// Source: nova/service.py, Service.start; nova/objects/service.py, create and
// save.
func (s *Snapshot) StartService(host, binary, cell string, version int, at time.Time) (PutRecords, error) {
	return s.startService(host, binary, cell, func(svc *Service) { svc.Version, svc.LastSeenUp = version, versioned.Millis(at) })
}

// ReportService is StartService for one that says how often it reports, and counts its
// reports.
//
// Errors: those of StartService.
//
// Source: nova/servicegroup/drivers/db.py, _report_state.
func (s *Snapshot) ReportService(host, binary, cell string, version int, every time.Duration, at time.Time) (PutRecords, error) {
	return s.startService(host, binary, cell, func(svc *Service) {
		svc.Version, svc.LastSeenUp, svc.ReportInterval = version, versioned.Millis(at), every.Milliseconds()
		svc.ReportCount++
	})
}

// startService returns the change that makes a service of its record, a new one in a
// cell where there is none.
func (s *Snapshot) startService(host, binary, cell string, says func(*Service)) (PutRecords, error) {
	svc, ok := s.Service(host, binary)
	if !ok {
		svc = &Service{Host: host, Binary: binary, Cell: cell}
		if _, ok := s.Cell(cell); !ok && cell != "" {
			return PutRecords{}, &placement.NotFoundError{What: "cell", Name: cell}
		}
	}
	return s.putService(svc, func(svc *Service) {
		says(svc)
		if !ok {
			svc.Created = svc.LastSeenUp
		}
	})
}

// UpgradeService is StartService for a service that is there, with a newer
// version.
//
// Errors: those of StartService and of CheckNotBack; placement.ErrNotFound;
// placement.ErrInvalid for the version that it has.
func (s *Snapshot) UpgradeService(host, binary string, version int, at time.Time) (PutRecords, error) {
	svc, err := s.service(host, binary)
	if err != nil {
		return PutRecords{}, err
	}
	if err := s.CheckNotBack(svc, version); err != nil {
		return PutRecords{}, err
	}
	if version == svc.Version && version >= s.minimumIn(svc.Cell, binary) {
		return PutRecords{}, &placement.InvalidError{
			Field: "service version", Value: fmt.Sprint(version), Why: fmt.Sprintf("must be newer than the %d that %s on %s has", svc.Version, binary, host),
		}
	}
	return s.StartService(host, binary, svc.Cell, version, at)
}

// DisableService returns the change that keeps new instances off a host, and
// EnableService the one that lets them in again. StatusOps returns what goes with
// it in Placement.
//
// Errors: placement.ErrNotFound.
//
// Source: nova/compute/api.py, HostAPI.service_update.
func (s *Snapshot) DisableService(host, binary, reason string) (PutRecords, error) {
	return s.editService(host, binary, func(svc *Service) { svc.Disabled, svc.DisabledReason = true, reason })
}

// EnableService is the way back from DisableService.
func (s *Snapshot) EnableService(host, binary string) (PutRecords, error) {
	return s.editService(host, binary, func(svc *Service) { svc.Disabled, svc.DisabledReason = false, "" })
}

// ForceDownService returns the change that says that a service is down, whatever
// it reports, or takes that back. Its version is not asked while it is down: one that
// is older by then than all others does not come back before it is upgraded.
//
// Errors: placement.ErrNotFound; *ServiceTooOldError.
//
// Source: nova/api/openstack/compute/services.py, _forced_down.
func (s *Snapshot) ForceDownService(host, binary string, down bool) (PutRecords, error) {
	return s.editService(host, binary, func(svc *Service) { svc.ForcedDown = down })
}

// DeleteService returns the change that removes a service and, with a
// nova-compute, its compute nodes with their PCI devices and its place in host
// aggregates. DeleteProviderOps returns what goes with it in Placement.
//
// Errors: placement.ErrNotFound; placement.ErrInUse while the host has instances
// or migrations under way.
//
// Source: nova/api/openstack/compute/services.py, delete.
func (s *Snapshot) DeleteService(host, binary string) (PutRecords, error) {
	svc, err := s.service(host, binary)
	if err != nil {
		return PutRecords{}, err
	}
	var c PutRecords
	if binary != Compute {
		c.Delete(s, svc)
		return c, nil
	}
	if has := s.busy(host); len(has) > 0 {
		return PutRecords{}, fmt.Errorf("%s on %s has %s, migrate or delete them first: %w", binary, host, strings.Join(has, ", "), placement.ErrInUse)
	}
	for n := range s.ComputeNodesOf(host) {
		for d := range s.PciDevicesOf(n.UUID) {
			c.Delete(s, d)
		}
		c.Delete(s, n)
	}
	for a := range s.AggregatesOf(host) {
		own := a.Clone().(*HostAggregate)
		own.Hosts = slices.DeleteFunc(own.Hosts, func(h string) bool { return h == host })
		c.Put(s, own)
	}
	c.Delete(s, svc)
	return s.planned(c)
}

// busy names what keeps a host from going: instances, and moves that are not over.
func (s *Snapshot) busy(host string) []string {
	var out []string
	for i := range s.InstancesOn(host) {
		if i.Live() {
			out = append(out, "instance "+i.Name)
		}
	}
	for m := range s.MigrationsAt(host) {
		if m.Status.UnderWay() {
			out = append(out, "migration "+m.UUID.String())
		}
	}
	return out
}

func (s *Snapshot) service(host, binary string) (*Service, error) {
	svc, ok := s.Service(host, binary)
	if !ok {
		return nil, &placement.NotFoundError{What: "service", Name: binary + " on " + host}
	}
	return svc, nil
}

func (s *Snapshot) editService(host, binary string, edit func(*Service)) (PutRecords, error) {
	svc, err := s.service(host, binary)
	if err != nil {
		return PutRecords{}, err
	}
	return s.putService(svc, edit)
}

func (s *Snapshot) putService(svc *Service, edit func(*Service)) (PutRecords, error) {
	var c PutRecords
	c.Put(s, svc.Edit(edit))
	return s.planned(c)
}

// StatusOps returns the operations by which a host's root providers say whether
// its nova-compute is disabled: COMPUTE_STATUS_DISABLED, which each request
// forbids. There are none where they say so already.
//
// Source: nova/compute/manager.py, update_compute_provider_status.
func (s *Snapshot) StatusOps(p *placement.Snapshot, host string, disabled bool) []placement.Op {
	var ops []placement.Op
	for _, root := range s.providersOf(p, host) {
		traits := p.TraitsOf(root)
		has := slices.Contains(traits, placement.ComputeStatusDisabled)
		switch {
		case has == disabled:
			continue
		case disabled:
			traits = append(slices.Clone(traits), placement.ComputeStatusDisabled)
		default:
			traits = slices.DeleteFunc(slices.Clone(traits), func(t placement.Trait) bool { return t == placement.ComputeStatusDisabled })
		}
		ops = append(ops, placement.SetTraits{Provider: root.ID(), Generation: placement.Generation(root.Generation()), Traits: traits})
	}
	return ops
}

// DeleteProviderOps returns the operations that remove the providers of a host,
// children first, as deleting its nova-compute does.
//
// Source: nova/scheduler/client/report.py, delete_resource_provider.
func (s *Snapshot) DeleteProviderOps(p *placement.Snapshot, host string) []placement.Op {
	var ops []placement.Op
	for _, root := range s.providersOf(p, host) {
		for _, below := range p.Tree(root) {
			ops = append(ops, placement.DeleteProvider{ID: below.ID()})
		}
	}
	slices.Reverse(ops)
	return ops
}

// providersOf returns the root providers of a host: those of its compute nodes,
// and where none is known the one of the host's name.
func (s *Snapshot) providersOf(p *placement.Snapshot, host string) []*placement.ResourceProvider {
	var out []*placement.ResourceProvider
	known := false
	for n := range s.ComputeNodesOf(host) {
		known = true
		if root, ok := p.Provider(n.UUID); ok {
			out = append(out, root)
		}
	}
	if root, ok := p.ProviderByName(host); ok && !known {
		out = append(out, root)
	}
	return out
}
