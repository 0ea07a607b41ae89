package nova

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// StartService is the report of a service that starts: its version, and that it is up.
// A new service joins the given cell.
//
// Errors: *ServiceTooOldError; placement.ErrNotFound for an unknown cell;
// placement.ErrInvalid.
//
// Source: nova/service.py, Service.start; nova/objects/service.py, create and
// save.
type StartService struct {
	verb
	Host, Binary string
	Cell         string // of one that is new
	Version      int
}

// ReportState is the report of a service that it is up, and how often it reports.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid.
//
// Source: nova/servicegroup/drivers/db.py, _report_state.
type ReportState struct {
	verb
	Host, Binary string
	Every        time.Duration
}

// UpgradeService is StartService for an existing service, with a newer version. No API
// has it: a service is started with newer code.
//
// Errors: those of StartService and of CheckNotBack; placement.ErrNotFound;
// placement.ErrInvalid for the version that it has.
type UpgradeService struct {
	verb
	Host, Binary string
	Version      int
}

// DisableService keeps new instances off a host. StatusOps returns the matching
// operations in Placement.
//
// Errors: placement.ErrNotFound.
//
// Source: nova/compute/api.py, HostAPI.service_update.
type DisableService struct {
	verb
	Host, Binary string
	Reason       string
}

// EnableService undoes DisableService.
//
// Errors: placement.ErrNotFound.
//
// Source: nova/compute/api.py, HostAPI.service_update.
type EnableService struct {
	verb
	Host, Binary string
}

// ForceDownService marks a service as down, whatever it reports, or undoes that. Its
// version does not count while it is down: if it is then older than all others, it
// cannot return before it is upgraded. Nor can a host from which instances were evacuated,
// before its nova-compute has started again and removed what it still has of them.
//
// Errors: placement.ErrNotFound; *ServiceTooOldError; placement.ErrState.
//
// Source: nova/api/openstack/compute/services.py, _forced_down; Launchpad bug 1922053.
type ForceDownService struct {
	verb
	Host, Binary string
	Down         bool
}

// DeleteService removes a service and, with a nova-compute, its compute nodes with their
// PCI devices and its place in host aggregates. DeleteProviderOps returns what goes with
// it in Placement.
//
// Errors: placement.ErrNotFound; placement.ErrInUse while the host has instances or
// migrations in progress.
//
// Source: nova/api/openstack/compute/services.py, delete.
type DeleteService struct {
	verb
	Host, Binary string
}

func (op StartService) String() string {
	return fmt.Sprintf("start %s on %s, version %d", op.Binary, op.Host, op.Version)
}

func (op ReportState) String() string {
	return "report that " + op.Binary + " on " + op.Host + " is up"
}

func (op UpgradeService) String() string {
	return fmt.Sprintf("upgrade %s on %s to version %d", op.Binary, op.Host, op.Version)
}

func (op DisableService) String() string { return "disable " + op.Binary + " on " + op.Host }
func (op EnableService) String() string  { return "enable " + op.Binary + " on " + op.Host }

func (op ForceDownService) String() string {
	if op.Down {
		return "force down " + op.Binary + " on " + op.Host
	}
	return "undo forcing down " + op.Binary + " on " + op.Host
}

func (op DeleteService) String() string { return "delete " + op.Binary + " on " + op.Host }

func (op StartService) apply(e edit) error {
	svc, ok := e.Now.Service(op.Host, op.Binary)
	if !ok {
		if _, ok := e.Now.Cell(op.Cell); !ok && op.Cell != "" {
			return placement.NotFound("cell", op.Cell)
		}
		svc = &Service{Host: op.Host, Binary: op.Binary, Cell: op.Cell, Created: versioned.Millis(e.At)}
	}
	return e.Put(svc.Edit(func(svc *Service) { svc.Version, svc.LastSeenUp = op.Version, versioned.Millis(e.At) }))
}

func (op ReportState) apply(e edit) error {
	return editService(e, op.Host, op.Binary, func(svc *Service) {
		svc.LastSeenUp, svc.ReportInterval = versioned.Millis(e.At), op.Every.Milliseconds()
		svc.ReportCount++
	})
}

func (op UpgradeService) apply(e edit) error {
	svc, err := e.Now.service(op.Host, op.Binary)
	if err != nil {
		return err
	}
	if err := e.Now.CheckNotBack(svc, op.Version); err != nil {
		return err
	}
	if op.Version == svc.Version && op.Version >= e.Now.minimumIn(svc.Cell, op.Binary) {
		return placement.Invalid(
			"service version", fmt.Sprint(op.Version), fmt.Sprintf("must be newer than the %d that %s on %s has", svc.Version, op.Binary, op.Host))
	}
	return StartService{Host: op.Host, Binary: op.Binary, Version: op.Version}.apply(e)
}

func (op DisableService) apply(e edit) error {
	return editService(e, op.Host, op.Binary, func(svc *Service) { svc.Disabled, svc.DisabledReason = true, op.Reason })
}

func (op EnableService) apply(e edit) error {
	return editService(e, op.Host, op.Binary, func(svc *Service) { svc.Disabled, svc.DisabledReason = false, "" })
}

func (op ForceDownService) apply(e edit) error {
	if !op.Down && op.Binary == Compute {
		for m := range e.Now.MigrationsAt(op.Host) {
			if m.Source == op.Host && m.Type == Evacuation && m.Status == Done {
				return placement.StateErrorf("instances were evacuated from %s, and it may still run them: it comes up when its nova-compute has started again and removed them, or when what they hold there was released", op.Host)
			}
		}
	}
	return editService(e, op.Host, op.Binary, func(svc *Service) { svc.ForcedDown = op.Down })
}

func (op DeleteService) apply(e edit) error {
	svc, err := e.Now.service(op.Host, op.Binary)
	if err != nil {
		return err
	}
	if op.Binary != Compute {
		return e.Delete(svc)
	}
	if has := e.Now.busy(op.Host); len(has) > 0 {
		return fmt.Errorf("%s on %s has %s, migrate or delete them first: %w", op.Binary, op.Host, strings.Join(has, ", "), placement.ErrInUse)
	}
	for _, n := range slices.Collect(e.Now.ComputeNodesOf(op.Host)) {
		for _, d := range slices.Collect(e.Now.PciDevicesOf(n.UUID)) {
			if err := e.Delete(d); err != nil {
				return err
			}
		}
		if err := e.Delete(n); err != nil {
			return err
		}
	}
	for _, a := range slices.Collect(e.Now.AggregatesOf(op.Host)) {
		if err := (RemoveAggregateHost{Aggregate: a.UUID, Host: op.Host}).apply(e); err != nil {
			return err
		}
	}
	return e.Delete(svc)
}

// busy names what prevents a host from being removed: instances, and unfinished moves.
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
		return nil, placement.NotFound("service", binary+" on "+host)
	}
	return svc, nil
}

func editService(e edit, host, binary string, change func(*Service)) error {
	svc, err := e.Now.service(host, binary)
	if err != nil {
		return err
	}
	return e.Put(svc.Edit(change))
}

// StatusOps returns the operations that record on a host's root providers whether its
// nova-compute is disabled: COMPUTE_STATUS_DISABLED, which each request forbids; none
// if that is so already.
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
		ops = append(ops, placement.SetTraits{Provider: root.ID(), Generation: root.Expect(), Traits: traits})
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

// providersOf returns the root providers of a host: those of its compute nodes or, if
// none is known, the one with the host's name.
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
