package ops

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
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
	Indexer   *candidates.Indexer // shared with others; nil for one of its own

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
	v := evacuation{moving: u, Evacuate: e}
	switch {
	case u.m.Status == nova.Reverting:
		return v.undo()
	case u.m.Status != nova.Accepted && u.m.Status != nova.PreMigrating:
		return Step{}, false, nil
	case e.Undo:
		return v.turn("undo", "give up the evacuation of "+u.i.Name, "the evacuation was given up", nil), true, nil
	case u.m.Status == nova.Accepted:
		return v.claim(), true, nil
	}
	return v.forward(), true, nil
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
		c, err := unbindFailed(s, cause)
		return cloud.Change{Note: step.Title + ": " + cause.Error(), Ops: []cloud.Op{c}}, err
	}
	turn := evacuation{moving: u, Evacuate: e}.turn(step.Name, "undo the evacuation of "+u.i.Name, cause.Error(), cause).change(at)
	failed, err := bindFailed(s, cause)
	turn.Ops = append(turn.Ops, failed)
	return turn, err
}

// requested is what is asked about where to go.
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
		return Step{}, refuse("its host %s is not known to be down; force its nova-compute down where you know that it is", i.Host)
	}
	for m := range s.Nova().MigrationsOf(i.UUID) {
		if m.Status.UnderWay() || m.Evacuating() {
			return Step{}, refuse("its %s from %s is %s", m.Type, m.Source, m.Status)
		}
	}
	u := moving{s: s, i: i, at: at, m: &nova.Migration{
		UUID: e.Migration, Instance: i.UUID, Type: nova.Evacuation, Status: nova.Accepted, Source: i.Host,
		OldFlavor: i.Flavor, NewFlavor: i.Flavor, OldState: i.VMState, Mappings: i.Mappings, Created: versioned.Millis(at),
		Requested: e.requested(),
	}}
	return u.step("record", fmt.Sprintf("evacuate %s from %s", i.Name, i.Host), func(_ *nova.Migration, i *nova.Instance) {
		i.TaskState, i.Fault = nova.Rebuilding, ""
	}), nil
}
