package ops

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// back is the next step of a move that is taken back. How far that is stands in
// the task state of the instance:
//
//	resize_prep       the guest was never stopped: only claim and devices go back
//	resize_reverting  the guest may run at the new place: stop it
//	resize_migrated   it is stopped: give back devices, then the claim
//	resize_finish     the instance has its old claim: start it
func (u moving) back() (Step, error) {
	switch u.i.TaskState {
	case nova.ResizeReverting:
		step := u.step("stop", fmt.Sprintf("stop %s on %s", u.i.Name, u.m.Dest), func(_ *nova.Migration, i *nova.Instance) {
			i.TaskState = nova.ResizeMigrated
		})
		step.Acts = []Act{{Kind: StopGuest, Host: u.m.Dest, Instance: u.i.UUID}}
		return step, nil
	case nova.ResizeFinish:
		return u.restarted(), nil
	default:
		fresh, _ := u.fresh()
		if step, more, err := giveBack(u.s, u.at, u.i, fresh); more || err != nil {
			return step, err
		}
		return u.restore(fresh), nil
	}
}

// restore gives the instance its old claim in the same write that drops the new
// one. Devices that did not let go stay taken, by the migration.
//
// Source: nova/conductor/tasks/migrate.py, revert_allocation_for_migration.
func (u moving) restore(stuck []*cyborg.ARQ) Step {
	now, _ := held(u.s, u.i.UUID)
	parked := parkedOf(now, stuck)
	old, _ := held(u.s, u.m.UUID)
	if old == nil {
		return u.restoreWithout(parked, stuck)
	}
	step := Step{Name: "restore", Title: fmt.Sprintf("%s gets back its claim on %s", u.i.Name, u.m.Source)}
	step.Change.Ops = append(step.Change.Ops, u.claims(old, parked))
	u.write(&step.Change, u.returned)
	u.rekey(&step.Change, stuck, u.m.UUID)
	return step
}

// returned makes i what it is at its old place again: to be started where its guest was
// stopped, at rest where it never was.
func (u moving) returned(m *nova.Migration, i *nova.Instance) {
	i.Host, i.Flavor, i.OldFlavor, i.NewFlavor, i.Mappings = m.Source, m.OldFlavor, "", "", m.Mappings
	i.KeepDevices(m.OldFlavor)
	if u.i.TaskState == nova.ResizeMigrated {
		i.TaskState = nova.ResizeFinish
		return
	}
	m.Status = reverted(m)
	i.VMState, i.TaskState, i.Fault = m.OldState, "", m.Fault
}

// restarted starts the guest at its old place, unless it was stopped before.
func (u moving) restarted() Step {
	step := u.step("start", fmt.Sprintf("start %s on %s", u.i.Name, u.m.Source), func(m *nova.Migration, i *nova.Instance) {
		m.Status = reverted(m)
		i.VMState, i.TaskState, i.Fault = m.OldState, "", m.Fault
	})
	if u.m.OldState != nova.Stopped {
		step.Acts = []Act{{Kind: StartGuest, Host: u.m.Source, Instance: u.i.UUID}}
	}
	return step
}

// reverted is the status of a move that was taken back: error where something went
// wrong.
func reverted(m *nova.Migration) nova.MigrationStatus {
	if m.Fault != "" {
		return nova.Error
	}
	return nova.Reverted
}

// release is the next step of a confirmed move: the old devices go back, then in
// one write what the migration holds. A device that does not let go stays taken,
// by the migration alone.
func (u moving) release() (Step, error) {
	fresh, old := u.fresh()
	if step, more, err := giveBack(u.s, u.at, u.i, old); more || err != nil {
		return step, err
	}
	step := Step{Name: "release", Title: fmt.Sprintf("release what %s held on %s", u.i.Name, u.m.Source)}
	if u.m.Source != u.m.Dest {
		step.Acts = []Act{{Kind: StopGuest, Host: u.m.Source, Instance: u.i.UUID}}
	}
	if was, generation := held(u.s, u.m.UUID); was != nil {
		step.Change.Ops = append(step.Change.Ops, placement.ReplaceAllocations{Consumers: []placement.Claim{{
			Consumer: u.m.UUID, Generation: generation, Type: placement.MigrationConsumer, Project: u.i.Project, User: u.i.User,
			Allocations: parkedOf(was, old),
		}}})
	}
	u.write(&step.Change, func(m *nova.Migration, i *nova.Instance) {
		m.Status = nova.Confirmed
		if m.Fault != "" {
			m.Status = nova.Error
		}
		u.settled(m, i)
	})
	u.rekey(&step.Change, old, u.m.UUID)
	u.rekey(&step.Change, fresh, u.i.UUID)
	return step, nil
}

// settled makes i what it is after a move that was confirmed.
func (u moving) settled(m *nova.Migration, i *nova.Instance) {
	i.VMState, i.TaskState, i.OldFlavor, i.NewFlavor, i.Fault = nova.Active, "", "", "", m.Fault
	i.KeepDevices(i.Flavor)
	if m.OldState == nova.Stopped {
		i.VMState = nova.Stopped
	}
}

// rekey adds to c that accelerator requests are held for another. Those that stay
// and those that go may change places, which is why it is done one by one.
func (u moving) rekey(c *cloud.Change, arqs []*cyborg.ARQ, to placement.ConsumerID) {
	for _, a := range arqs {
		c.Put(u.s, a.Edit(func(a *cyborg.ARQ) { a.Instance = to }))
	}
}

// parkedOf returns the part of a claim that stands for devices which do not let
// go: a unit of each class on their providers for each of them.
func parkedOf(claim Amounts, stuck []*cyborg.ARQ) Amounts {
	out := Amounts{}
	for _, a := range stuck {
		for class, n := range claim[a.Provider] {
			if out[a.Provider] == nil {
				out[a.Provider] = map[placement.ResourceClass]int64{}
			}
			out[a.Provider][class] = min(n, out[a.Provider][class]+1)
		}
	}
	return out
}
