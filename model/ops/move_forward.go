package ops

import (
	"cmp"
	"fmt"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// park makes the migration and hands it the claim of the instance, so that the old
// place stays taken whatever comes.
//
// Source: nova/conductor/tasks/migrate.py, replace_allocation_with_migration.
func (m Move) park(s *cloud.Snapshot, at time.Time) (Step, error) {
	to, err := m.check(s, at)
	if err != nil {
		return Step{}, err
	}
	i, _ := s.Nova().Instance(m.Instance)
	record := &nova.Migration{
		UUID: m.Migration, Instance: i.UUID, Type: nova.Resize, Status: nova.PreMigrating, Source: i.Host,
		OldFlavor: i.Flavor, NewFlavor: to.Ref(), OldState: i.VMState, Mappings: i.Mappings,
		Requested: m.requested(), RevertAfter: m.RevertAfter.Milliseconds(),
	}
	if m.Flavor == "" {
		record.Type = nova.ColdMigration
	}
	if !at.IsZero() {
		record.Created = at.UnixMilli()
	}
	u := moving{s: s, m: record, i: i, at: at}
	old, _ := held(s, i.UUID)
	step := Step{Name: "park", Title: fmt.Sprintf("migration %s takes over the claim of %s on %s", record.UUID, i.Name, i.Host)}
	step.Change.Ops = append(step.Change.Ops, u.claims(nil, old))
	u.write(&step.Change, func(_ *nova.Migration, i *nova.Instance) {
		i.TaskState, i.Fault = nova.ResizePrep, ""
	})
	return step, nil
}

// unparked is the change that keeps of a move whose claim was written by others in every
// try, or is another by now, that it failed: the instance has what it had.
//
// Source: nova/conductor/tasks/migrate.py, MigrationTask.rollback, and
// nova/conductor/manager.py, _set_vm_state_and_notify.
func unparked(s *cloud.Snapshot, park Step, cause error) cloud.Change {
	c := cloud.Change{Note: "the migration is not begun: " + cause.Error()}
	for _, op := range park.Change.Ops {
		put, _ := op.(nova.PutRecords)
		for _, r := range put.Records {
			if m, ok := r.After.(*nova.Migration); ok {
				c.Put(s, m.Edit(func(m *nova.Migration) { m.Status, m.Fault = nova.Error, cause.Error() }))
			}
		}
	}
	return c
}

// acquire takes the new place, then its devices, and stops the guest when all are
// there.
func (u moving) acquire(m Move) (Step, error) {
	if now, _ := held(u.s, u.i.UUID); now == nil {
		return u.claim(m)
	}
	if step, more, err := u.devices(); more || err != nil {
		return step, err
	}
	step := u.step("stop", fmt.Sprintf("stop %s on %s", u.i.Name, u.m.Source), func(m *nova.Migration, i *nova.Instance) {
		m.Status, i.TaskState = nova.Migrating, nova.ResizeMigrating
	})
	step.Acts = []Act{{Kind: StopGuest, Host: u.m.Source, Instance: u.i.UUID}}
	return step, nil
}

// claim claims the first place there is, or the one that was picked. Where there
// is none it gives up.
//
// Source: nova/scheduler/utils.py, claim_resources.
func (u moving) claim(m Move) (Step, error) {
	to, err := u.flavor(u.m.NewFlavor)
	if err != nil {
		return Step{}, err
	}
	x := indexOf(m.Indexer, u.s)
	m.Flavor, m.SameHost = "", u.m.Requested != nil && u.m.Requested.SameHost
	if u.m.Type == nova.Resize {
		m.Flavor = to.Name
	}
	places, err := m.places(u.s, x, u.i, to, u.m.Requested, u.at)
	if err != nil {
		return u.giveUp(err.Error(), err), nil
	}
	at, err := places.choose(u.s, u.m.Requested)
	if err != nil {
		return u.giveUp(err.Error(), err), nil
	}
	step := Step{Name: "claim", Title: fmt.Sprintf("claim %s on %s for %s", at.takes(places.Request), at.Host, u.i.Name)}
	_, new := held(u.s, u.i.UUID)
	step.Change.Ops = append(step.Change.Ops, placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: u.i.UUID, Generation: new, Type: placement.InstanceConsumer, Project: u.i.Project, User: u.i.User, Allocations: at.Allocations,
	}}})
	u.write(&step.Change, func(m *nova.Migration, i *nova.Instance) {
		m.Dest = at.Host
		i.OldFlavor, i.NewFlavor, i.Mappings = m.OldFlavor, m.NewFlavor, at.Mappings
		i.AskDevices(places.Request.PCI)
	})
	return step, nil
}

// indexOf returns the Index of s, by r where there is one.
func indexOf(r *candidates.Indexer, s *cloud.Snapshot) *candidates.Index {
	if r == nil {
		return candidates.NewIndex(s.Placement())
	}
	return r.Index(s.Placement())
}

// requested is what is asked about where to go.
func (m Move) requested() *nova.Destination {
	return requested(nova.Destination{Host: m.Host, SameHost: m.SameHost}, m.Pick)
}

// places returns where the instance may go with flavor f, among which is where it was
// asked to go if it may: not to its own host, unless it is a resize that may stay, and
// not to one that is down or disabled.
func (m Move) places(s *cloud.Snapshot, x *candidates.Index, i *nova.Instance, f *nova.Flavor, asked *nova.Destination, at time.Time) (Places, error) {
	spec, err := RequestSpecOf(s, i, f)
	if err != nil {
		return Places{}, err
	}
	places, err := placesFor(s, x, spec, m.Ask, asked)
	if err != nil {
		return Places{}, err
	}
	from := ""
	if m.Flavor == "" || !m.SameHost && !s.Nova().Config().ResizeToSameHost {
		from = i.Host
	}
	places.leave(func(p *Place) string { return cmp.Or(leaves(*p, from), unfit(s, p.Host, at), m.lost.why(*p)) })
	for n, p := range places.Left {
		places.Left[n].Stays = p.Number > 0 && m.Flavor != "" && p.Host == from && unfit(s, p.Host, at) == ""
	}
	return places, nil
}

// devices makes and binds the accelerator requests of the new flavor, one step at
// a time. more is false when all are bound, or none is wanted.
func (u moving) devices() (step Step, more bool, err error) {
	to, err := u.flavor(u.m.NewFlavor)
	if err != nil {
		return Step{}, false, err
	}
	d := devices{profile: to.DeviceProfile(), maker: u.m.UUID, holder: u.i.UUID, instance: u.i, host: u.m.Dest, mappings: u.i.Mappings}
	if _, old := u.fresh(); len(old) > 0 {
		d.holder = u.m.UUID // an instance has one set of requests
	}
	step, more, err = d.acquire(u.s, u.at)
	if err != nil {
		return u.giveUp(err.Error(), err), true, nil
	}
	return step, more, nil
}

// copied brings the disk of the stopped guest over.
//
// Source: nova/compute/manager.py, _resize_instance.
func (u moving) copied() Step {
	return u.step("copy", fmt.Sprintf("bring %s over to %s", u.i.Name, u.m.Dest), func(m *nova.Migration, i *nova.Instance) {
		m.Status, i.TaskState, i.Host = nova.PostMigrating, nova.ResizeMigrated, m.Dest
	})
}

// started starts the guest at its new place, unless it was stopped before.
//
// Source: nova/compute/manager.py, _finish_resize.
func (u moving) started() Step {
	step := u.step("start", fmt.Sprintf("start %s on %s", u.i.Name, u.m.Dest), func(m *nova.Migration, i *nova.Instance) {
		m.Status = nova.Finished
		if m.RevertAfter > 0 && !u.at.IsZero() {
			m.Deadline = u.at.Add(m.RevertWait()).UnixMilli()
		}
		i.VMState, i.TaskState, i.Flavor, i.Host = nova.Resized, "", m.NewFlavor, m.Dest
	})
	if u.m.OldState != nova.Stopped {
		step.Acts = []Act{{Kind: StartGuest, Host: u.m.Dest, Instance: u.i.UUID}}
	}
	return step
}

// giveUp is the step that turns a move round which is not at its end. Without a cause
// the operator wants it so, and nothing has failed.
func (u moving) giveUp(why string, cause error) Step {
	step := u.step("give up", fmt.Sprintf("give up the %s of %s: %s", u.m.Type, u.i.Name, why), func(m *nova.Migration, i *nova.Instance) {
		if m.Status != nova.PreMigrating {
			i.TaskState = nova.ResizeReverting // it was stopped
		}
		m.Status, m.Fault = nova.Reverting, why
	})
	step.Cause = cause
	return step
}

// sumOf adds up amounts by class.
func sumOf(a Amounts) map[placement.ResourceClass]int64 {
	sum := map[placement.ResourceClass]int64{}
	for _, amounts := range a {
		for class, n := range amounts {
			sum[class] += n
		}
	}
	return sum
}
