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
	"github.com/placetop/placetop/model/versioned"
)

// Evacuate is the Task that rebuilds an instance elsewhere whose host is down:
//
//	record   the migration is written: accepted; the instance is rebuilding
//	claim    the instance claims another host beside what it holds of its own
//	request, bind, attach
//	         it gets new accelerators; its old ones stay taken, by the migration
//	spawn    all is there
//	start    the guest is started on the other host: the migration is done
//
// What the instance holds of the dead host stays until Vacate releases it: the
// host may still run the guest. A provider that both places share, such as a pool
// of storage, is claimed once.
//
// Source: nova/compute/api.py, evacuate; nova/conductor/manager.py,
// rebuild_instance; nova/scheduler/client/report.py, claim_resources.
type Evacuate struct {
	Migration placement.ConsumerID // uuid that the migration gets, or that of one that goes on
	Instance  placement.ConsumerID
	Undo      bool                // give the evacuation up
	Host      string              // the host to go to; "" for any
	Pick      *Place              // the place to go to; nil for the first
	Ask       nova.AskOptions     // how the request departs from what the cloud is set to
	Indexer   *candidates.Indexer // shared with others; nil to make one

	lost lostPlaces
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
func (e Evacuate) About() About {
	return About{Name: "evacuate", Instance: e.Instance, Migration: e.Migration}
}

// Next implements Task.
//
// Errors: placement.ErrNotFound; placement.ErrState for an instance whose host
// is up, or that is in no state to be evacuated. That there is no place for the
// instance is the Cause of a step, a *NoValidHostError.
func (e Evacuate) Next(s *cloud.Snapshot, at time.Time) (Step, bool, error) {
	if _, ok := s.Nova().Migration(e.Migration); !ok {
		step, err := e.record(s, at)
		return step, err == nil, err
	}
	u, err := moveOf(s, e.Migration, at)
	if err != nil {
		return Step{}, false, err
	}
	v := evacuation{u, e}
	switch {
	case u.m.Status == nova.Reverting:
		return v.next(v.back())
	case u.m.Status != nova.Accepted && u.m.Status != nova.PreMigrating:
		return Step{}, false, nil
	case e.Undo:
		return v.turnRound("undo", "give up the evacuation of "+u.i.Name, "the evacuation was given up", nil), true, nil
	}
	return v.next(v.there())
}

// without implements elsewhere.
func (e Evacuate) without(step Step) (Task, bool) {
	lost, ok := e.lost.with(step, e.Instance)
	e.lost = lost
	return e, ok
}

// Failed implements Task.
func (e Evacuate) Failed(s *cloud.Snapshot, at time.Time, step Step, cause error) (cloud.Change, error) {
	if _, ok := s.Nova().Migration(e.Migration); !ok {
		return cloud.Change{}, nil // nothing was written yet
	}
	u, err := moveOf(s, e.Migration, at)
	if err != nil {
		return cloud.Change{}, err
	}
	if u.m.Status == nova.Reverting {
		return failedBack(step, cause), nil
	}
	return failedForward(at, evacuation{u, e}.turnRound(step.Name, "undo the evacuation of "+u.i.Name, cause.Error(), cause), cause), nil
}

// requested returns where the instance is asked to go.
func (e Evacuate) requested() *nova.Destination {
	return requested(nova.Destination{Host: e.Host}, e.Pick)
}

// record makes the migration.
func (e Evacuate) record(s *cloud.Snapshot, at time.Time) (Step, error) {
	i, ok := s.Nova().Instance(e.Instance)
	if !ok || !i.Live() {
		return Step{}, &placement.NotFoundError{What: "instance", Name: e.Instance.String()}
	}
	refuse := func(format string, args ...any) error {
		return placement.StateErrorf("cannot evacuate %s: "+format, append([]any{i.Name}, args...)...)
	}
	switch {
	case e.Undo:
		return Step{}, &placement.NotFoundError{What: "migration", Name: e.Migration.String()}
	case i.TaskState != "":
		return Step{}, refuse("it is %s", i.TaskState)
	case !slices.Contains([]nova.VMState{nova.Active, nova.Stopped, nova.Broken}, i.VMState):
		return Step{}, refuse("it is %s, and must be active, stopped or in error", i.VMState)
	case i.Host == "":
		return Step{}, refuse("it is on no host")
	case !HostDown(s, i.Host, at):
		return Step{}, refuse("its host %s is not known to be down; force its nova-compute down if you know that it is", i.Host)
	}
	for m := range s.Nova().MigrationsOf(i.UUID) {
		if m.Status.UnderWay() || m.Evacuating() {
			return Step{}, refuse("its %s from %s is %s", m.Type, m.Source, m.Status)
		}
	}
	u := work{s: s, i: i, at: at, m: &nova.Migration{
		UUID: e.Migration, Instance: i.UUID, Type: nova.Evacuation, Status: nova.Accepted, Source: i.Host,
		OldFlavor: i.Flavor, NewFlavor: i.Flavor, OldState: i.VMState, Mappings: i.Mappings, Created: versioned.Millis(at),
		Requested: e.requested(),
	}}
	return u.turn("record", fmt.Sprintf("evacuate %s from %s", i.Name, i.Host), "", nil, func(_ *nova.Migration, i *nova.Instance) {
		i.TaskState, i.Fault = nova.Rebuilding, ""
	}), nil
}

// evacuation is the state of an Evacuate in a Snapshot.
type evacuation struct {
	work
	Evacuate
}

// turnRound returns the step that starts the undoing.
func (v evacuation) turnRound(name, title, why string, cause error) Step {
	return v.turn(name, title, why, cause, func(m *nova.Migration, _ *nova.Instance) {
		m.Status = nova.Reverting
		if cause != nil {
			m.Fault = why
		}
	})
}

// fail returns the step that gives up because of err.
func (v evacuation) fail(err error) Step {
	return v.turnRound("fail", "evacuate "+v.i.Name, err.Error(), err)
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
	return tried(s, e.requested(), places, err)
}

// places returns where an instance that was on a host may be rebuilt.
func (e Evacuate) places(s *cloud.Snapshot, i *nova.Instance, from string, at time.Time, asked *nova.Destination) (Places, error) {
	f, ok := s.Nova().Flavor(i.Flavor)
	if !ok {
		return Places{}, &placement.NotFoundError{What: "flavor", Name: i.Flavor}
	}
	return fits(s, e.Indexer, i, f, e.Ask, asked, func(p *Place) string {
		return cmp.Or(unfit(s, p.Host, at), leaves(*p, from), e.lost.why(*p))
	})
}

// there returns the steps of an evacuation: a place on another host in addition to what
// the instance holds, new devices, and the guest.
func (v evacuation) there() []row {
	has, _ := held(v.s, v.i.UUID)
	landed, spawning := v.m.Status == nova.PreMigrating, v.i.TaskState == nova.RebuildSpawning
	return []row{
		v.claim(!landed, "restore", landing{
			places: func() (Places, error) { return v.Evacuate.places(v.s, v.i, v.m.Source, v.at, v.m.Requested) },
			asked:  v.m.Requested, beside: has, parks: slices.Collect(v.s.Cyborg().ARQsOf(v.i.UUID)), fail: v.fail,
			landed: func(m *nova.Migration, i *nova.Instance, at Place, _ Places) {
				m.Status, m.Dest, i.Mappings = nova.PreMigrating, at.Host, at.Mappings
			},
		}),
		v.acquire(landed && !spawning, v.i.Flavor, v.m.Dest, v.m.UUID, v.i.UUID, v.fail),
		step("spawn", landed && !spawning, "", v.i.Name+" has all it needs on "+v.m.Dest, nil, func(_ *nova.Migration, i *nova.Instance) {
			i.TaskState = nova.RebuildSpawning
		}),
		v.unspawnable(spawning, "fail", v.m.Dest, v.fail),
		step("start", spawning, "stop", fmt.Sprintf("start %s on %s", v.i.Name, v.m.Dest), v.starts(v.m.Dest), func(m *nova.Migration, i *nova.Instance) {
			m.Status = nova.Done
			i.Host, i.VMState, i.TaskState, i.Fault = m.Dest, nova.Active, "", ""
			if m.OldState == nova.Stopped {
				i.VMState = nova.Stopped
			}
		}),
	}
}

// back returns the steps that undo it: the guest, the new devices, then the new claim.
// Everything on the other host is released, except for stuck devices, which the migration
// keeps.
func (v evacuation) back() []row {
	fresh, _ := v.fresh()
	return []row{
		step("stop", v.i.TaskState == nova.RebuildSpawning, "", fmt.Sprintf("stop %s on %s", v.i.Name, v.m.Dest), v.guest(StopGuest, v.m.Dest), func(_ *nova.Migration, i *nova.Instance) {
			i.TaskState = nova.Rebuilding
		}),
		v.unbind(true, fresh),
		{name: "restore", due: true, title: v.i.Name + " holds what it held before", also: func(step *Step) (bool, error) {
			old := slices.Collect(v.s.Cyborg().ARQsOf(v.m.UUID))
			if v.m.Dest != "" {
				has, _ := held(v.s, v.i.UUID)
				replace(&step.Change, v.hold(v.i.UUID, outside(v.s, has, v.m.Dest)), v.hold(v.m.UUID, parkedOf(has, fresh)))
			}
			v.write(&step.Change, func(m *nova.Migration, i *nova.Instance) {
				m.Status = nova.Cancelled
				if m.Fault != "" {
					m.Status = nova.Error
				}
				i.Mappings, i.TaskState, i.VMState, i.Fault = m.Mappings, "", m.OldState, m.Fault
			})
			rekey(&step.Change, old, v.i.UUID)
			rekey(&step.Change, fresh, v.m.UUID)
			return true, nil
		}},
	}
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
	return failedBack(step, cause), nil
}

// vacated returns the row that releases what the instance holds on the host that it was
// evacuated from, unless it has come back there since, or holds nothing on the host on
// which it runs: the last claim of a running instance is never released.
func (u work) vacated() row {
	release := step("release", true, "", fmt.Sprintf("%s holds nothing of %s any more", u.i.Name, u.m.Source), nil, func(m *nova.Migration, _ *nova.Instance) {
		m.Status = nova.Completed
	})
	has, _ := held(u.s, u.i.UUID)
	switch left := outside(u.s, has, u.m.Source); {
	case u.i.Host == u.m.Source || len(left) == len(has):
	case u.i.Host != "" && len(outside(u.s, has, u.i.Host)) == len(has):
		release.title = fmt.Sprintf("%s keeps its allocations on %s, as it has none on %s", u.i.Name, u.m.Source, u.i.Host)
	default:
		release.also = toHold(u.hold(u.i.UUID, left))
	}
	return release
}
