package ops

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// devices are the accelerators of a device profile for an instance: one accelerator
// request each, created and bound after the claim, and released before it.
type devices struct {
	profile  string               // name; "" for none
	maker    placement.ConsumerID // from whose uuid those of the requests derive: the instance, or a migration of it
	holder   placement.ConsumerID // to which they are bound: the instance, or the migration that holds them for it
	instance *nova.Instance
	host     string
	mappings map[string][]placement.ProviderID // of the claim
}

// BindError reports that an accelerator request was not bound. It matches
// placement.ErrCapacity.
type BindError struct {
	ARQ *cyborg.ARQ // with its fault
}

func (e *BindError) Error() string {
	return fmt.Sprintf("accelerator request %s of %s was not bound: %s", e.ARQ.UUID, e.ARQ.Profile, e.ARQ.Fault)
}

// Unwrap returns placement.ErrCapacity.
func (*BindError) Unwrap() error { return placement.ErrCapacity }

// BindTimeoutError reports that Cyborg has not answered about an accelerator request
// for longer than Nova waits. It matches placement.ErrUnavailable.
type BindTimeoutError struct {
	ARQ  *cyborg.ARQ
	Wait time.Duration // how long Nova waits
}

func (e *BindTimeoutError) Error() string {
	return fmt.Sprintf("accelerator request %s of %s is still %s on %s after %.0f s", e.ARQ.UUID, e.ARQ.Profile, e.ARQ.State, e.ARQ.Hostname, e.Wait.Seconds())
}

// Unwrap returns placement.ErrUnavailable.
func (*BindTimeoutError) Unwrap() error { return placement.ErrUnavailable }

// arqBindingTimeout is how long Nova waits until Cyborg says that accelerator requests
// are bound, or that they cannot be.
//
// Source: nova/conf/compute.py, arq_binding_timeout; nova/compute/manager.py,
// _get_bound_arq_resources.
const arqBindingTimeout = 300 * time.Second

// overdue returns an error if a request has been BindStarted for longer than Nova waits.
func overdue(a *cyborg.ARQ, at time.Time) error {
	if a.BindStart == 0 || at.IsZero() || at.Sub(a.BindStartedAt()) < arqBindingTimeout {
		return nil
	}
	return &BindTimeoutError{ARQ: a, Wait: arqBindingTimeout}
}

// BindOverdue returns a *BindTimeoutError for a request that Cyborg has been binding
// for longer than Nova waits, nil for any other.
func BindOverdue(a *cyborg.ARQ, at time.Time) error {
	if a.State != cyborg.ARQBindStarted {
		return nil
	}
	return overdue(a, at)
}

// acquire returns the next step towards bound requests; more is false if all are bound,
// or none is wanted. The error says why that is impossible.
//
// Source: nova/conductor/manager.py, _create_and_bind_arqs;
// cyborg/api/controllers/v2/arqs.py.
func (d devices) acquire(s *cloud.Snapshot, at time.Time) (step Step, more bool, err error) {
	if d.profile == "" {
		return Step{}, false, nil
	}
	p, ok := s.Cyborg().DeviceProfile(d.profile)
	if !ok {
		return Step{}, false, noProfile(s, d.profile)
	}
	ids, err := cyborg.ARQIDs(p, d.maker)
	if err != nil {
		return Step{}, false, err
	}
	in := map[cyborg.ARQState][]*cyborg.ARQ{}
	for _, id := range ids {
		if a, ok := s.Cyborg().ARQ(id); ok {
			in[a.State] = append(in[a.State], a)
		} else {
			in[""] = append(in[""], nil)
		}
	}
	count := fmt.Sprintf("%s of %s", words.Count(len(ids), "accelerator"), d.profile)
	switch {
	case len(in[""]) > 0:
		step = Step{Name: "request", Title: fmt.Sprintf("request %s for %s", count, d.instance.Name)}
		step.Change.Ops = []cloud.Op{cyborg.CreateARQs{Profile: d.profile, Owner: d.maker, Project: d.instance.Project}}
	case len(in[cyborg.ARQInitial]) > 0:
		step = Step{Name: "bind", Title: fmt.Sprintf("bind %s on %s to %s", count, d.host, d.instance.Name)}
		step.Change.Ops = []cloud.Op{cyborg.StartBind{ARQs: ids, Instance: d.holder, Host: d.host, Mappings: d.mappings}}
	case len(in[cyborg.ARQBindFailed]) > 0:
		a := in[cyborg.ARQBindFailed][0]
		return Step{}, false, &BindError{ARQ: a}
	case len(in[cyborg.ARQBindStarted]) > 0:
		step = Step{Name: "attach", Title: fmt.Sprintf("wait for %s on %s to be bound to %s", count, d.host, d.instance.Name)}
		for _, a := range in[cyborg.ARQBindStarted] {
			if err := overdue(a, at); err != nil {
				return Step{}, false, err
			}
			act := Act{Kind: BindDevice, Host: d.host, Instance: d.instance.UUID, ARQ: a.UUID}
			if a.BindStart != 0 {
				act.By = a.BindStart + cyborg.BindTimeout.Milliseconds()
			}
			step.Acts = append(step.Acts, act)
		}
		step.Change.Ops = []cloud.Op{cyborg.FinishBind{Instance: d.holder}}
	case len(in[cyborg.ARQBound]) == len(ids):
		return Step{}, false, nil
	default:
		return Step{}, false, placement.StateErrorf("the accelerator requests of %s are being released", d.instance.Name)
	}
	return step, true, nil
}

// madeFor returns the accelerator requests that were made for an instance or a migration
// because of a flavor: none if that has no device profile, or one that is gone or not
// valid.
func madeFor(s *cloud.Snapshot, flavor string, owner placement.ConsumerID) (made []*cyborg.ARQ) {
	f, ok := s.Nova().Flavor(flavor)
	if !ok {
		return nil
	}
	p, ok := s.Cyborg().DeviceProfile(f.DeviceProfile())
	if !ok {
		return nil
	}
	ids, _ := cyborg.ARQIDs(p, owner)
	for _, id := range ids {
		if a, ok := s.Cyborg().ARQ(id); ok {
			made = append(made, a)
		}
	}
	return made
}

// arqsOf returns the accelerator requests that were made for any of owners, an instance
// and its migrations, or that are bound to one, by uuid. flavors are the refs of those
// that the instance has had: a request that is not bound yet can only be found through
// its profile.
func arqsOf(s *cloud.Snapshot, flavors []string, owners ...placement.ConsumerID) []*cyborg.ARQ {
	var out []*cyborg.ARQ
	for _, owner := range owners {
		out = slices.AppendSeq(out, s.Cyborg().ARQsOf(owner))
		for _, ref := range flavors {
			out = append(out, madeFor(s, ref, owner)...)
		}
	}
	slices.SortStableFunc(out, func(a, b *cyborg.ARQ) int { return slices.Compare(a.UUID[:], b.UUID[:]) })
	return slices.CompactFunc(out, func(a, b *cyborg.ARQ) bool { return a.UUID == b.UUID })
}

// giveBack returns the step that releases the first of requests that is not stuck: its
// device is detached, then the request is deleted. more is false if there is none. On a
// host that is down the device is not detached, as nothing can be done there.
//
// Source: cyborg/objects/ext_arq.py, ExtARQ.unbind and delete_by_uuid.
func giveBack(s *cloud.Snapshot, at time.Time, i *nova.Instance, arqs []*cyborg.ARQ) (step Step, more bool) {
	for _, a := range arqs {
		if a.State == cyborg.ARQUnbindFailed {
			continue
		}
		step = Step{Name: "unbind", Title: fmt.Sprintf("give back accelerator %s of %s", a.UUID, i.Name)}
		if a.Hostname != "" && !HostDown(s, a.Hostname, at) {
			step.Acts = []Act{{Kind: UnbindDevice, Host: a.Hostname, Instance: i.UUID, ARQ: a.UUID}}
		}
		step.Change.Ops = []cloud.Op{cyborg.DeleteARQs{ARQs: []uuid.UUID{a.UUID}}}
		return step, true
	}
	return Step{}, false
}

// stuckOf returns those requests whose device could not be detached.
func stuckOf(arqs []*cyborg.ARQ) []*cyborg.ARQ {
	return slices.DeleteFunc(slices.Clone(arqs), func(a *cyborg.ARQ) bool { return a.State != cyborg.ARQUnbindFailed })
}

// StuckDeviceError reports a device that could not be detached from a guest, so that a
// course waits until an operator has freed it. It matches placement.ErrState.
type StuckDeviceError struct {
	ARQ  uuid.UUID // the accelerator request that has it
	Host string
}

func (e *StuckDeviceError) Error() string {
	return fmt.Sprintf("accelerator request %s on %s: the device is still in use: free it on the host, then clear problem d04", e.ARQ, e.Host)
}

// Unwrap returns placement.ErrState.
func (*StuckDeviceError) Unwrap() error { return placement.ErrState }
