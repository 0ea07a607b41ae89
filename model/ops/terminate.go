package ops

import (
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Terminate is the Task that deletes an instance, in whatever state it is, on the
// move included:
//
//	mark     the instance is deleting
//	stop     its guest is removed from every host that it may be on
//	unbind   each accelerator is given back, the device before its request
//	release  what it and its migrations hold is released, in one write
//	delete   the record is marked as deleted, and its migrations are over
//
// What the host itself counts, PCI devices among it, is freed by its resource
// tracker.
//
// Devices go first and Placement comes after them, so that nobody is given what is
// still in use. A device that does not let go stops the course: its instance stays
// until the operator has freed the device. A host that is down is not asked to do
// anything, as in Nova's local delete. There is no way back.
//
// Source: nova/compute/api.py, _delete and _local_delete;
// nova/compute/manager.py, terminate_instance.
type Terminate struct {
	Instance placement.ConsumerID
}

var _ Task = Terminate{}

// About implements Task.
func (t Terminate) About() About { return About{Name: "delete", Instance: t.Instance} }

// Next implements Task.
//
// Errors: placement.ErrNotFound for an instance that was never there; a
// *StuckDeviceError.
func (t Terminate) Next(s *cloud.Snapshot, at time.Time) (Step, bool, error) {
	i, ok := s.Nova().Instance(t.Instance)
	if !ok {
		return Step{}, false, &placement.NotFoundError{What: "instance", Name: t.Instance.String()}
	}
	if !i.Live() {
		return Step{}, false, nil
	}
	u := termination{s: s, i: i, at: at, migrations: slices.Collect(s.Nova().MigrationsOf(i.UUID))}
	if i.TaskState != nova.Deleting {
		return u.step("mark", "delete "+i.Name, func(i *nova.Instance) {
			i.TaskState = nova.Deleting
			if i.VMState == nova.SoftDeleted {
				i.VMState = nova.Stopped // soft-delete says from now on that the guest is gone
			}
		}), true, nil
	}
	if i.VMState != nova.SoftDeleted {
		return u.stop(), true, nil
	}
	arqs := u.arqs()
	if step, more, err := giveBack(s, at, i, arqs); more || err != nil {
		return step, more, err
	}
	if stuck := stuckOf(arqs); len(stuck) > 0 {
		return Step{}, false, &StuckDeviceError{ARQ: stuck[0].UUID, Host: stuck[0].Hostname}
	}
	if step, more := u.release(); more {
		return step, true, nil
	}
	return u.delete(), true, nil
}

// Failed implements Task.
func (t Terminate) Failed(s *cloud.Snapshot, at time.Time, step Step, cause error) (cloud.Change, error) {
	c, err := unbindFailed(s, cause)
	if err != nil || c.Empty() {
		return cloud.Change{}, err
	}
	change := cloud.Change{Note: step.Title + ": " + cause.Error(), Ops: []cloud.Op{c}}
	if i, ok := s.Nova().Instance(t.Instance); ok {
		change.Put(s, i.Edit(func(i *nova.Instance) { i.Fault, i.Updated = cause.Error(), versioned.Millis(at) }))
	}
	return change, nil
}

// termination is a Terminate as one Snapshot has it.
type termination struct {
	s          *cloud.Snapshot
	i          *nova.Instance
	at         time.Time
	migrations []*nova.Migration
}

// step is the Step that changes nothing but the instance.
func (u termination) step(name, title string, edit func(*nova.Instance)) Step {
	step := Step{Name: name, Title: title}
	step.Change.Put(u.s, u.i.Edit(func(i *nova.Instance) {
		i.Updated = versioned.Millis(u.at)
		edit(i)
	}))
	return step
}

// stop removes the guest from all hosts that it may be on: in a move they are two.
func (u termination) stop() Step {
	step := u.step("stop", "stop "+u.i.Name, func(i *nova.Instance) { i.VMState = nova.SoftDeleted })
	hosts := []string{u.i.Host}
	for _, m := range u.migrations {
		if m.Status.HoldsClaim() || m.Evacuating() {
			hosts = append(hosts, m.Source, m.Dest)
		}
	}
	slices.Sort(hosts)
	for _, host := range slices.Compact(hosts) {
		if host != "" && !HostDown(u.s, host, u.at) {
			step.Acts = append(step.Acts, Act{Kind: StopGuest, Host: host, Instance: u.i.UUID})
		}
	}
	return step
}

// arqs returns all accelerator requests that the instance may ever have got.
func (u termination) arqs() []*cyborg.ARQ {
	flavors, owners := []string{u.i.Flavor, u.i.OldFlavor, u.i.NewFlavor}, []placement.ConsumerID{u.i.UUID}
	for _, m := range u.migrations {
		flavors, owners = append(flavors, m.OldFlavor, m.NewFlavor), append(owners, m.UUID)
	}
	slices.Sort(flavors)
	return arqsOf(u.s, slices.Compact(flavors), owners...)
}

// release lets go of all that the instance and its migrations hold; more is false
// when they hold nothing.
func (u termination) release() (step Step, more bool) {
	var op placement.ReplaceAllocations
	owners := []placement.ConsumerID{u.i.UUID}
	for _, m := range u.migrations {
		owners = append(owners, m.UUID)
	}
	for _, id := range owners {
		if has, generation := held(u.s, id); has != nil {
			op.Consumers = append(op.Consumers, placement.Claim{Consumer: id, Generation: generation})
		}
	}
	if len(op.Consumers) == 0 {
		return Step{}, false
	}
	step = u.step("release", "release what "+u.i.Name+" holds", func(*nova.Instance) {})
	step.Change.Ops = append(step.Change.Ops, op)
	return step, true
}

// delete marks the record.
func (u termination) delete() Step {
	step := u.step("delete", "mark "+u.i.Name+" as deleted", func(i *nova.Instance) {
		i.VMState, i.TaskState, i.OldFlavor, i.NewFlavor, i.Fault = nova.Deleted, "", "", "", ""
		i.Deleted = max(versioned.Millis(u.at), 1) // a time that is unknown is still one
	})
	for _, m := range u.migrations {
		if !m.Status.UnderWay() && !m.Evacuating() {
			continue
		}
		step.Change.Put(u.s, m.Edit(func(m *nova.Migration) {
			m.Updated, m.Deadline = versioned.Millis(u.at), 0
			switch m.Status {
			case nova.Finished, nova.Confirming:
				m.Status = nova.Confirmed
			case nova.Done:
				m.Status = nova.Completed
			default:
				m.Status = nova.Cancelled
			}
		}))
	}
	return step
}
