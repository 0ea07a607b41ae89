package ops

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// evacuation is an Evacuate as one Snapshot has it.
type evacuation struct {
	moving
	Evacuate
}

// turn is the step that begins the undoing.
func (v evacuation) turn(name, title, why string, cause error) Step {
	step := v.step(name, title, func(m *nova.Migration, _ *nova.Instance) {
		m.Status = nova.Reverting
		if cause != nil {
			m.Fault = why
		}
	})
	step.Change.Note = title + ": " + why
	step.Cause = cause
	return step
}

// fail is the step that gives up because of err.
func (v evacuation) fail(err error) Step {
	return v.turn("fail", "evacuate "+v.i.Name, err.Error(), err)
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
		return Places{}, &placement.NotFoundError{What: "instance", Name: e.Instance.String()}
	}
	places, err := e.places(s, i, i.Host, at, e.requested())
	if err != nil {
		return Places{}, err
	}
	_, err = places.choose(s, e.requested())
	return places, err
}

// places returns where the instance may be rebuilt that was on a host.
func (e Evacuate) places(s *cloud.Snapshot, i *nova.Instance, from string, at time.Time, asked *nova.Destination) (Places, error) {
	f, ok := s.Nova().Flavor(i.Flavor)
	if !ok {
		return Places{}, &placement.NotFoundError{What: "flavor", Name: i.Flavor}
	}
	spec, err := RequestSpecOf(s, i, f)
	if err != nil {
		return Places{}, err
	}
	places, err := placesFor(s, indexOf(e.Indexer, s), spec, e.Ask, asked)
	if err != nil {
		return Places{}, err
	}
	places.leave(func(p *Place) string { return cmp.Or(unfit(s, p.Host, at), leaves(*p, from), e.lost.why(*p)) })
	return places, nil
}

// claim adds a place on another host to what the instance holds.
//
// Source: nova/scheduler/client/report.py, claim_resources.
func (v evacuation) claim() Step {
	places, err := v.Evacuate.places(v.s, v.i, v.m.Source, v.at, v.m.Requested)
	if err != nil {
		return v.fail(err)
	}
	place, err := places.choose(v.s, v.m.Requested)
	if err != nil {
		return v.fail(err)
	}
	has, generation := held(v.s, v.i.UUID)
	both := maps.Clone(place.Allocations)
	maps.Copy(both, has)
	step := Step{Name: "claim", Title: fmt.Sprintf("claim %s on %s for %s", place.takes(places.Request), place.Host, v.i.Name)}
	step.Change.Ops = append(step.Change.Ops, placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: v.i.UUID, Generation: generation, Type: placement.InstanceConsumer,
		Project: v.i.Project, User: v.i.User, Allocations: both,
	}}})
	v.write(&step.Change, func(m *nova.Migration, i *nova.Instance) {
		m.Status, m.Dest, i.Mappings = nova.PreMigrating, place.Host, place.Mappings
	})
	v.rekey(&step.Change, slices.Collect(v.s.Cyborg().ARQsOf(v.i.UUID)), v.m.UUID)
	return step
}

// forward is the next step of an evacuation that has its claim.
func (v evacuation) forward() Step {
	if v.i.TaskState == nova.RebuildSpawning {
		if err := spawnable(v.s, v.i, v.m.Dest); err != nil {
			return v.fail(err)
		}
		return v.start()
	}
	f, err := v.flavor(v.i.Flavor)
	if err != nil {
		return v.fail(err)
	}
	step, more, err := devices{
		profile: f.DeviceProfile(), maker: v.m.UUID, holder: v.i.UUID, instance: v.i, host: v.m.Dest, mappings: v.i.Mappings,
	}.acquire(v.s, v.at)
	switch {
	case err != nil:
		return v.fail(err)
	case more:
		return step
	}
	return v.step("spawn", v.i.Name+" has all it needs on "+v.m.Dest, func(_ *nova.Migration, i *nova.Instance) {
		i.TaskState = nova.RebuildSpawning
	})
}

// start starts the guest on the other host, unless it was stopped before.
func (v evacuation) start() Step {
	step := v.step("start", fmt.Sprintf("start %s on %s", v.i.Name, v.m.Dest), func(m *nova.Migration, i *nova.Instance) {
		m.Status = nova.Done
		i.Host, i.VMState, i.TaskState, i.Fault = m.Dest, nova.Active, "", ""
		if m.OldState == nova.Stopped {
			i.VMState = nova.Stopped
		}
	})
	if v.m.OldState != nova.Stopped {
		step.Acts = []Act{{Kind: StartGuest, Host: v.m.Dest, Instance: v.i.UUID}}
	}
	return step
}

// undo is the next step back: the guest, the new devices, then the new claim.
func (v evacuation) undo() (Step, bool, error) {
	if v.i.TaskState == nova.RebuildSpawning {
		step := v.step("stop", fmt.Sprintf("stop %s on %s", v.i.Name, v.m.Dest), func(_ *nova.Migration, i *nova.Instance) {
			i.TaskState = nova.Rebuilding
		})
		step.Acts = []Act{{Kind: StopGuest, Host: v.m.Dest, Instance: v.i.UUID}}
		return step, true, nil
	}
	fresh, _ := v.fresh()
	if step, more, err := giveBack(v.s, v.at, v.i, fresh); more || err != nil {
		return step, more, err
	}
	return v.restore(), true, nil
}

// restore lets go of the other host, but for devices that did not let go, which
// stay taken by the migration.
func (v evacuation) restore() Step {
	fresh, _ := v.fresh()
	old := slices.Collect(v.s.Cyborg().ARQsOf(v.m.UUID))
	step := Step{Name: "restore", Title: fmt.Sprintf("%s holds what it held before", v.i.Name)}
	if v.m.Dest != "" {
		has, _ := held(v.s, v.i.UUID)
		step.Change.Ops = append(step.Change.Ops, v.claims(outside(v.s, has, v.m.Dest), parkedOf(has, fresh)))
	}
	v.write(&step.Change, func(m *nova.Migration, i *nova.Instance) {
		m.Status = nova.Cancelled
		if m.Fault != "" {
			m.Status = nova.Error
		}
		i.Mappings, i.TaskState, i.VMState, i.Fault = m.Mappings, "", m.OldState, m.Fault
	})
	v.rekey(&step.Change, old, v.i.UUID)
	v.rekey(&step.Change, fresh, v.m.UUID)
	return step
}

// outside returns what of a claim is not in the tree of a host.
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
func (v Vacate) About() About { return About{Name: "vacate", Migration: v.Migration} }

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
	stop := Act{Kind: StopGuest, Host: u.m.Source, Instance: u.i.UUID}
	arqs := slices.Collect(s.Cyborg().ARQsOf(u.m.UUID))
	step, more, err := giveBack(s, at, u.i, arqs)
	if err != nil {
		return Step{}, false, err
	}
	if !more {
		stuck := stuckOf(arqs)
		switch {
		case len(stuck) == 0:
			step = u.vacated()
		case v.Gone:
			step = Step{Name: "unbind", Title: fmt.Sprintf("give up accelerator %s of %s, which is lost with %s", stuck[0].UUID, u.i.Name, u.m.Source)}
			requests, err := deleteFreed(s.Cyborg(), []uuid.UUID{stuck[0].UUID})
			if err != nil {
				return Step{}, false, err
			}
			step.Change.Ops = append(step.Change.Ops, requests)
		default:
			return Step{}, false, &StuckDeviceError{ARQ: stuck[0].UUID, Host: stuck[0].Hostname}
		}
	}
	if u.i.Host != u.m.Source && !down {
		step.Acts = append([]Act{stop}, step.Acts...)
	}
	return step, true, nil
}

// Failed implements Task.
func (v Vacate) Failed(s *cloud.Snapshot, _ time.Time, step Step, cause error) (cloud.Change, error) {
	c, err := unbindFailed(s, cause)
	return cloud.Change{Note: step.Title + ": " + cause.Error(), Ops: []cloud.Op{c}}, err
}

// vacated releases what the instance holds of the host that it was evacuated from,
// unless it has come back there since, or holds nothing of the host on which it
// runs: the last claim of a running instance is never let go.
func (u moving) vacated() Step {
	step := u.step("release", fmt.Sprintf("%s holds nothing of %s any more", u.i.Name, u.m.Source), func(m *nova.Migration, _ *nova.Instance) {
		m.Status = nova.Completed
	})
	has, generation := held(u.s, u.i.UUID)
	left := outside(u.s, has, u.m.Source)
	if u.i.Host == u.m.Source || len(left) == len(has) {
		return step
	}
	if u.i.Host != "" && len(outside(u.s, has, u.i.Host)) == len(has) {
		step.Title = fmt.Sprintf("%s keeps what it holds of %s, as it holds nothing of %s", u.i.Name, u.m.Source, u.i.Host)
		return step
	}
	step.Change.Ops = append(step.Change.Ops, placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: u.i.UUID, Generation: generation, Type: placement.InstanceConsumer,
		Project: u.i.Project, User: u.i.User, Allocations: left,
	}}})
	return step
}
