package ops

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Evacuate is the Task that rebuilds an instance elsewhere whose host is down. Only a Nova
// that is asked does so. What the instance holds of the dead host stays until Vacate
// releases it: the host may still run the guest.
//
// Source: nova/compute/api.py, evacuate.
type Evacuate struct {
	Instance placement.ConsumerID
	Host     string              // the host to go to; "" for any
	Pick     *Place              // the place to go to; nil for the first
	Ask      nova.AskOptions     // how the request departs from what the cloud is set to
	Indexer  *candidates.Indexer // shared with others; nil to make one
}

// Vacate is the Task that ends an evacuation once the host that was left is up
// again: the guest is removed from it, then its accelerators are given back, then
// what the instance held there is released. As long as the host is down it is at
// rest.
//
// Source: nova/compute/manager.py, _destroy_evacuated_instances.
type Vacate struct {
	Migration placement.ConsumerID
	// Gone says, on the word of an operator, that the host does not come back: nothing
	// runs on it, and nothing there keeps its devices. It is not waited for then.
	Gone bool
}

var (
	_ Task = Evacuate{}
	_ Task = Vacate{}
)

// About implements Task.
func (e Evacuate) About() Description { return Description{Name: "evacuate", Instance: e.Instance} }

// Next implements Task.
//
// Errors: placement.ErrUnsupported, as only Nova evacuates; before it those of check.
func (e Evacuate) Next(s *cloud.Snapshot, at time.Time) (Step, bool, error) {
	if err := e.check(s, at); err != nil {
		return Step{}, false, err
	}
	return Step{}, false, errOnlyNova
}

// Failed implements Task.
func (Evacuate) Failed(*cloud.Snapshot, time.Time, Step, error) (cloud.Change, error) {
	return cloud.Change{}, nil
}

// requested returns where the instance is asked to go.
func (e Evacuate) requested() *nova.Destination {
	return requested(nova.Destination{Host: e.Host}, e.Pick)
}

// check refuses an evacuation as Nova does: whatever an instance of a dead host was in the
// middle of, it may be evacuated (Launchpad bug 1978983).
//
// Errors: placement.ErrNotFound; placement.ErrState for an instance whose host is up, or
// that is in no state to be evacuated.
func (e Evacuate) check(s *cloud.Snapshot, at time.Time) error {
	i, ok := s.Nova().Instance(e.Instance)
	if !ok || !i.Live() {
		return noInstance(s, e.Instance)
	}
	refuse := func(format string, args ...any) error {
		return placement.StateErrorf("cannot evacuate %s: "+format, append([]any{i.Name}, args...)...)
	}
	switch {
	case !slices.Contains([]nova.VMState{nova.Active, nova.Stopped, nova.Broken}, i.VMState):
		return refuse("it is %s, and must be active, stopped or in error", i.VMState)
	case i.Host == "":
		why, _ := noHost(s, i)
		return refuse("%s", why)
	case !HostDown(s, i.Host, at):
		return refuse("its host %s is not known to be down; force its nova-compute down if you know that it is", i.Host)
	}
	return nil
}

// Places returns where the instance may be rebuilt, in the order in which they would
// be taken, those that are left out as their hosts are down, and why every other host
// is not among them.
//
// Errors: placement.ErrNotFound; those of RequestSpecOf and of nova.Snapshot.Ask. That
// there is no place is a *NoValidHostError, with the Places nevertheless.
func (e Evacuate) Places(s *cloud.Snapshot, at time.Time) (Places, error) {
	i, ok := s.Nova().Instance(e.Instance)
	if !ok {
		return Places{}, noInstance(s, e.Instance)
	}
	f, ok := s.Nova().Flavor(i.Flavor)
	if !ok {
		return Places{}, noFlavor(s, i.Flavor)
	}
	places, err := fits(s, e.Indexer, i, f, e.Ask, e.requested(), func(p *Place) string {
		return cmp.Or(unfitReason(s, p.Host, at), leaves(*p, i.Host))
	})
	return tried(s, e.requested(), places, err)
}

// outside returns the part of a claim that is not in the tree of a host.
func outside(s *cloud.Snapshot, claim Amounts, host string) Amounts {
	out := Amounts{}
	for id, amounts := range claim {
		p, ok := s.Placement().Provider(id)
		if !ok || HostOf(s, s.Placement().Root(p)) != host {
			out[id] = amounts
		}
	}
	return out
}

// About implements Task.
func (v Vacate) About() Description { return Description{Name: "vacate", Migration: v.Migration} }

// Next implements Task.
//
// Errors: placement.ErrNotFound; placement.ErrState for an evacuation that has
// not come to its end; a *StuckDeviceError.
func (v Vacate) Next(s *cloud.Snapshot, at time.Time) (Step, bool, error) {
	u, err := moveOf(s, v.Migration, at)
	switch {
	case err != nil:
		return Step{}, false, err
	case u.m.Type != nova.Evacuation || u.m.Status != nova.Done && u.m.Status != nova.Completed:
		return Step{}, false, u.notNow("vacate the host of")
	case u.m.Status == nova.Completed:
		return Step{}, false, nil
	}
	down := HostDown(s, u.m.Source, at)
	if down && !v.Gone {
		return Step{}, false, nil
	}
	arqs := slices.Collect(s.Cyborg().ARQsOf(u.m.UUID))
	step, more, err := u.next([]row{u.unbind(true, arqs), u.giveUpDevice(v.Gone, arqs), u.free(true, arqs), u.vacated()})
	if more && u.i.Host != u.m.Source && !down {
		step.Acts = append(u.guest(StopGuest, u.m.Source), step.Acts...)
	}
	return step, more, err
}

// giveUpDevice returns the row that gives up a device which is lost with its host.
func (u work) giveUpDevice(due bool, arqs []*cyborg.ARQ) row {
	return row{name: "unbind", due: due, also: func(step *Step) (bool, error) {
		for _, a := range stuckOf(arqs) {
			step.Title = fmt.Sprintf("release accelerator %s of %s, which is lost with %s", a.UUID, u.i.Name, u.m.Source)
			step.Change.Ops = append(step.Change.Ops, deleteFreed(a.UUID)...)
			return true, nil
		}
		return false, nil
	}}
}

// Failed implements Task.
func (v Vacate) Failed(_ *cloud.Snapshot, _ time.Time, step Step, cause error) (cloud.Change, error) {
	return revertFailure(step, cause), nil
}

// vacated returns the row that releases what the instance holds on the host that it was
// evacuated from, unless it has come back there since, or holds nothing on the host on
// which it runs: the last claim of a running instance is never released.
func (u work) vacated() row {
	release := step("release", true, fmt.Sprintf("%s holds nothing of %s any more", u.i.Name, u.m.Source), nil, func(m *nova.Migration, _ *nova.Instance) {
		m.Status = nova.Completed
	})
	has, _ := held(u.s, u.i.UUID)
	switch left := outside(u.s, has, u.m.Source); {
	case u.i.Host == u.m.Source || len(left) == len(has):
	case u.i.Host != "" && len(outside(u.s, has, u.i.Host)) == len(has):
		release.title = fmt.Sprintf("%s keeps its allocations on %s, as it has none on %s", u.i.Name, u.m.Source, u.i.Host)
	default:
		release.also = writeClaims(u.hold(u.i.UUID, left))
	}
	return release
}
