package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// UnavailableError reports that a nova-compute cannot start a guest, as it has no device
// for a provider in the guest's claim: what Nova calls ComputeResourcesUnavailable. It
// matches placement.ErrCapacity.
type UnavailableError struct {
	Host     string
	Provider string // name
	Class    placement.ResourceClass
	Owner    placement.Owner // of the provider
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("nova-compute on %s has no device of its own behind %s of %s, whose owner is %s (ComputeResourcesUnavailable: vGPU resource is not available)",
		e.Host, e.Class, e.Provider, e.Owner)
}

// Unwrap returns placement.ErrCapacity.
func (*UnavailableError) Unwrap() error { return placement.ErrCapacity }

// spawnable returns an *UnavailableError if the nova-compute of a host cannot give a
// guest the virtual GPUs that it holds. What a device profile asks for is not checked.
func spawnable(s *cloud.Snapshot, i *nova.Instance, host string) error {
	c, ok := s.Placement().Consumer(i.UUID)
	if !ok {
		return nil
	}
	for a := range s.Placement().Allocations(c) {
		if s.Placement().ClassName(a.Class) != placement.VGPU || HostOf(s, s.Placement().Root(a.Provider)) != host || a.Used <= attachedBy(s, i.UUID, a.Provider.ID()) {
			continue
		}
		if err := noDevice(s, a.Provider, host); err != nil {
			return err
		}
	}
	return nil
}

// Unspawnable returns an *UnavailableError if the nova-compute of one of the places could
// not start the guest there: Placement offers it cards of Cyborg's for what the flavor
// asks of Nova, as long as requests do not ask for an owner.
func (p Places) Unspawnable(s *cloud.Snapshot, at Place) *UnavailableError {
	left := map[placement.ProviderID]int64{}
	for id, amounts := range at.Allocations {
		left[id] = amounts[placement.VGPU]
	}
	for _, g := range p.Request.Groups {
		if g.Source == nova.FromDeviceProfile {
			for _, id := range at.Mappings[g.Suffix] {
				left[id] -= g.Amounts[placement.VGPU]
			}
		}
	}
	var first *UnavailableError // by name
	for id, n := range left {
		by, ok := s.Placement().Provider(id)
		if !ok || n <= 0 {
			continue
		}
		if err := noDevice(s, by, at.Host); err != nil && (first == nil || err.Provider < first.Provider) {
			first = err
		}
	}
	return first
}

// noDevice returns an *UnavailableError if the nova-compute of a host has no device behind
// the virtual GPUs of a provider. The driver takes the device from the name of the
// provider, and creates a mediated device on it: it has none with the name of a provider
// made by Cyborg.
//
// Source: nova/virt/libvirt/driver.py, _allocate_mdevs and _create_new_mediated_device.
func noDevice(s *cloud.Snapshot, p *placement.ResourceProvider, host string) *UnavailableError {
	owner := s.Placement().Owner(p)
	_, reported := s.Cyborg().DeployableAt(p.ID())
	if owner == placement.OwnedByCyborg || reported && owner != placement.OwnedByNova {
		return &UnavailableError{Host: host, Provider: p.Name(), Class: placement.VGPU, Owner: owner}
	}
	return nil
}

// attachedBy returns how many units of a card accelerator requests attach to an instance.
func attachedBy(s *cloud.Snapshot, id placement.ConsumerID, card placement.ProviderID) (n int64) {
	for a := range s.Cyborg().ARQsAt(card) {
		if s.HolderOf(a.Instance) == id {
			n++
		}
	}
	return n
}

// maxAttempts is how many hosts may try to build an instance.
//
// Source: nova/conf/scheduler.py, [scheduler]max_attempts.
const maxAttempts = 3

// tried says why a boot skips a place on a host that could not build the instance, "" for
// others.
func (u boot) tried(p Place) string {
	if slices.Contains(u.i.Tried, p.Host) {
		return "it could not build the instance"
	}
	return ""
}

// reschedule returns the next step of a boot whose host cannot build the instance because
// of err: what it has there is released, and the boot continues elsewhere, at most twice,
// unless the host was forced.
//
// Source: nova/compute/manager.py, _build_and_run_instance and
// _do_build_and_run_instance; nova/scheduler/utils.py, populate_retry.
func (u boot) reschedule(err error) Step {
	if len(u.i.Tried)+1 >= maxAttempts || u.i.ForcedHost != "" {
		if n := len(u.i.Tried); n > 0 {
			err = fmt.Errorf("all %d hosts that were tried refused %s: %w", n+1, u.i.Name, err)
		}
		return u.fail(err)
	}
	arqs := arqsOf(u.s, []string{u.i.Flavor}, u.i.UUID)
	elsewhere := step("retry", true, fmt.Sprintf("%s goes elsewhere: %s", u.i.Name, err), nil, func(_ *nova.Migration, i *nova.Instance) {
		i.Tried = append(i.Tried, i.Host)
		i.Host, i.Mappings, i.TaskState = "", nil, nova.Scheduling
	})
	elsewhere.also = writeClaims(u.hold(u.i.UUID, nil))
	step, _, bad := u.next([]row{u.unbind(true, arqs), u.free(true, arqs), elsewhere})
	switch stuck := (*StuckDeviceError)(nil); {
	case errors.As(bad, &stuck):
		return u.fail(err)
	case bad != nil:
		return u.fail(bad)
	}
	return step
}
