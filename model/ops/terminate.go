package ops

import (
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
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
// Devices go first and Placement comes after them, so that nothing still in use is given
// away. A device that cannot be detached stops the course: its instance stays until the
// operator has freed the device. A host that is down is not asked to do anything, as in
// Nova's local delete. It cannot be undone.
//
// Source: nova/compute/api.py, _delete and _local_delete;
// nova/compute/manager.py, terminate_instance.
type Terminate struct {
	Instance placement.ConsumerID
}

var _ Task = Terminate{}

// About implements Task.
func (t Terminate) About() Description { return Description{Name: "delete", Instance: t.Instance} }

// Next implements Task.
//
// Errors: placement.ErrNotFound for an instance that was never there; a
// *StuckDeviceError.
func (t Terminate) Next(s *cloud.Snapshot, at time.Time) (Step, bool, error) {
	i, ok := s.Nova().Instance(t.Instance)
	if !ok {
		return Step{}, false, noInstance(s, t.Instance)
	}
	if !i.Live() {
		return Step{}, false, nil
	}
	return termination{work{s: s, i: i, at: at}, slices.Collect(s.Nova().MigrationsOf(i.UUID))}.nextStep()
}

// Failed implements Task.
func (t Terminate) Failed(s *cloud.Snapshot, at time.Time, step Step, cause error) (cloud.Change, error) {
	c := revertFailure(step, cause)
	if c.Empty() {
		return c, nil
	}
	if i, ok := s.Nova().Instance(t.Instance); ok {
		work{s: s, i: i, at: at}.write(&c, func(_ *nova.Migration, i *nova.Instance) { i.Fault = cause.Error() })
	}
	return c, nil
}

// termination is the state of a Terminate in a Snapshot.
type termination struct {
	work
	migrations []*nova.Migration
}

// nextStep returns the next step; none of them is undone.
func (u termination) nextStep() (Step, bool, error) {
	arqs := u.arqs()
	return u.next([]row{
		step("mark", u.i.TaskState != nova.Deleting, "delete "+u.i.Name, nil, func(_ *nova.Migration, i *nova.Instance) {
			i.TaskState = nova.Deleting
			if i.VMState == nova.SoftDeleted {
				i.VMState = nova.Stopped // with soft-delete it means from now on that the guest is gone
			}
		}),
		step("stop", u.i.VMState != nova.SoftDeleted, "stop "+u.i.Name, u.stops(), func(_ *nova.Migration, i *nova.Instance) { i.VMState = nova.SoftDeleted }),
		u.unbind(true, arqs),
		u.free(true, arqs),
		{name: "release", due: true, title: "release what " + u.i.Name + " holds", also: u.release, write: func(*nova.Migration, *nova.Instance) {}},
		{name: "delete", due: true, title: "mark " + u.i.Name + " as deleted", also: u.end},
	})
}

// stops removes the guest from all hosts that it may be on, which are two during a move.
func (u termination) stops() []Act {
	var acts []Act
	hosts := []string{u.i.Host}
	for _, m := range u.migrations {
		if m.Status.HoldsClaim() || m.Evacuating() {
			hosts = append(hosts, m.Source, m.Dest)
		}
	}
	slices.Sort(hosts)
	for _, host := range slices.Compact(hosts) {
		if host != "" && !HostDown(u.s, host, u.at) {
			acts = append(acts, u.guest(StopGuest, host)...)
		}
	}
	return acts
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

// release releases everything that the instance and its migrations hold; more is false if
// they hold nothing.
func (u termination) release(step *Step) (more bool, err error) {
	var claims []placement.Claim
	owners := []placement.ConsumerID{u.i.UUID}
	for _, m := range u.migrations {
		owners = append(owners, m.UUID)
	}
	for _, id := range owners {
		if has, generation := held(u.s, id); has != nil {
			claims = append(claims, placement.Claim{Consumer: id, Generation: generation})
		}
	}
	if len(claims) > 0 {
		replace(&step.Change, claims...)
	}
	return len(claims) > 0, nil
}

// end marks the record, and ends the migrations.
func (u termination) end(step *Step) (bool, error) {
	u.write(&step.Change, func(_ *nova.Migration, i *nova.Instance) {
		i.VMState, i.TaskState, i.OldFlavor, i.NewFlavor, i.Fault = nova.Deleted, "", "", "", ""
	})
	for _, m := range u.migrations {
		if !m.Status.UnderWay() && !m.Evacuating() {
			continue
		}
		step.Change.Ops = append(step.Change.Ops, m.To(m.Edit(func(m *nova.Migration) {
			m.Deadline = 0
			switch m.Status {
			case nova.Finished, nova.Confirming:
				m.Status = nova.Confirmed
			case nova.Done:
				m.Status = nova.Completed
			default:
				m.Status = nova.Cancelled
			}
		}))...)
	}
	return true, nil
}
