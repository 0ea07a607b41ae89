package ops

import (
	"cmp"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// park returns the step that creates the migration and gives it the claim of the
// instance, so that the old place stays allocated whatever happens.
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
	switch {
	case m.Live:
		record.Type = nova.LiveMigration
	case m.Flavor == "":
		record.Type = nova.ColdMigration
	}
	if !at.IsZero() {
		record.Created = at.UnixMilli()
	}
	u := work{s: s, m: record, i: i, at: at}
	old, _ := held(s, i.UUID)
	step := Step{Name: "park", Title: fmt.Sprintf("migration %s takes over the allocations of %s on %s", record.UUID, i.Name, i.Host)}
	replace(&step.Change, u.hold(i.UUID, nil), u.hold(record.UUID, old))
	u.write(&step.Change, func(_ *nova.Migration, i *nova.Instance) {
		i.TaskState, i.Fault = nova.ResizePrep, ""
	})
	return step, nil
}

// moveFailure returns the change that records a move as failed if others wrote its claim in
// every try, or that has changed since: the instance has what it had.
//
// Source: nova/conductor/tasks/migrate.py, MigrationTask.rollback, and
// nova/conductor/manager.py, _set_vm_state_and_notify.
func moveFailure(park Step, cause error) cloud.Change {
	c := cloud.Change{Note: "the migration is not begun: " + cause.Error()}
	for _, op := range park.Change.Ops {
		if create, ok := op.(nova.CreateMigration); ok {
			c.Ops = append(c.Ops, nova.CreateMigration{Migration: create.Migration.Edit(func(m *nova.Migration) { m.Status, m.Fault = nova.Error, cause.Error() })})
		}
	}
	return c
}

// there returns the steps of a move m after its record: the new place, its devices, and
// the guest.
//
// Source: nova/compute/manager.py, _resize_instance and _finish_resize.
func (u work) there(m Move) []row {
	preparing := u.m.Status == nova.PreMigrating
	now, _ := held(u.s, u.i.UUID)
	fail := func(err error) Step { return u.giveUp(err.Error(), err) }
	holder := u.i.UUID
	if _, old := u.fresh(); len(old) > 0 {
		holder = u.m.UUID // an instance has one set of requests
	}
	rows := []row{
		u.claim(preparing && now == nil, landing{
			places: func() (Places, error) {
				to, err := u.flavor(u.m.NewFlavor)
				if err != nil {
					return Places{}, err
				}
				m.Flavor, m.SameHost = "", u.m.Requested != nil && u.m.Requested.SameHost
				if u.m.Type == nova.Resize {
					m.Flavor = to.Name
				}
				return m.places(u.s, u.i, to, u.m.Requested, u.at)
			},
			asked: u.m.Requested, fail: fail,
			landed: func(m *nova.Migration, i *nova.Instance, at Place, of Places) {
				m.Dest = at.Host
				i.OldFlavor, i.NewFlavor, i.Mappings = m.OldFlavor, m.NewFlavor, at.Mappings
				i.AskDevices(of.Request.PCI)
			},
		}),
		u.acquire(preparing, u.m.NewFlavor, u.m.Dest, u.m.UUID, holder, fail),
		step("stop", preparing, fmt.Sprintf("stop %s on %s", u.i.Name, u.m.Source), u.guest(StopGuest, u.m.Source), func(m *nova.Migration, i *nova.Instance) {
			m.Status, i.TaskState = nova.Migrating, nova.ResizeMigrating
		}),
		step("copy", u.m.Status == nova.Migrating, fmt.Sprintf("bring %s over to %s", u.i.Name, u.m.Dest), nil, func(m *nova.Migration, i *nova.Instance) {
			m.Status, i.TaskState, i.Host = nova.PostMigrating, nova.ResizeMigrated, m.Dest
		}),
		u.unspawnable(u.m.Status == nova.PostMigrating, "give up", u.m.Dest, fail),
		step("start", u.m.Status == nova.PostMigrating, fmt.Sprintf("start %s on %s", u.i.Name, u.m.Dest), u.starts(u.m.Dest), func(m *nova.Migration, i *nova.Instance) {
			m.Status = nova.Finished
			if m.RevertAfter > 0 && !u.at.IsZero() {
				m.Deadline = u.at.Add(m.RevertWait()).UnixMilli()
			}
			i.VMState, i.TaskState, i.Flavor, i.Host = nova.Resized, "", m.NewFlavor, m.Dest
		}),
	}
	if m.Live {
		over := step("over", preparing, fmt.Sprintf("%s runs on %s, and its old place is released", u.i.Name, u.m.Dest), nil, func(m *nova.Migration, i *nova.Instance) {
			m.Status, i.TaskState, i.OldFlavor, i.NewFlavor, i.Host = nova.Completed, "", "", "", m.Dest
		})
		over.also = writeClaims(u.hold(u.m.UUID, nil))
		return []row{rows[0], over}
	}
	return rows
}

// back returns the steps of a move that is being reverted. The task state of the instance
// says how far that is:
//
//	resize_prep       the guest was never stopped: only claim and devices go back
//	resize_reverting  the guest may run at the new place: stop it
//	resize_migrated   it is stopped: give back devices, then the claim
//	resize_finish     the instance has its old claim: start it
func (u work) back() []row {
	reverting := u.m.Status == nova.Reverting
	fresh, _ := u.fresh()
	return []row{
		step("revert", u.m.Status == nova.Finished, "take "+u.i.Name+" back to "+u.m.Source, nil, func(m *nova.Migration, i *nova.Instance) {
			m.Status, m.Deadline, i.TaskState = nova.Reverting, 0, nova.ResizeReverting
		}),
		step("stop", reverting && u.i.TaskState == nova.ResizeReverting, fmt.Sprintf("stop %s on %s", u.i.Name, u.m.Dest), u.guest(StopGuest, u.m.Dest), func(_ *nova.Migration, i *nova.Instance) {
			i.TaskState = nova.ResizeMigrated
		}),
		step("start", reverting && u.i.TaskState == nova.ResizeFinish, fmt.Sprintf("start %s on %s", u.i.Name, u.m.Source), u.starts(u.m.Source), func(m *nova.Migration, i *nova.Instance) {
			m.Status = reverted(m)
			i.VMState, i.TaskState, i.Fault = m.OldState, "", m.Fault
		}),
		u.unbind(reverting, fresh),
		{name: "restore", due: reverting, also: func(step *Step) (bool, error) {
			*step = u.restore(fresh)
			return true, nil
		}},
	}
}

// stay returns the steps of a confirm: the old devices are released, then in one write
// what the migration holds. A stuck device stays allocated, only to the migration.
func (u work) stay() []row {
	confirming := u.m.Status == nova.Confirming
	_, old := u.fresh()
	release := row{
		name: "release", due: confirming, title: fmt.Sprintf("release what %s held on %s", u.i.Name, u.m.Source),
		also: func(step *Step) (bool, error) {
			if was, _ := held(u.s, u.m.UUID); was != nil {
				replace(&step.Change, u.hold(u.m.UUID, stuckPart(was, old)))
			}
			u.settle(&step.Change, u.m.Fault)
			return true, nil
		},
	}
	if u.m.Source != u.m.Dest {
		release.acts = u.guest(StopGuest, u.m.Source)
	}
	return []row{
		step("confirm", u.m.Status == nova.Finished, "confirm that "+u.i.Name+" stays on "+u.m.Dest, nil, func(m *nova.Migration, _ *nova.Instance) {
			m.Status, m.Deadline = nova.Confirming, 0
		}),
		u.unbind(confirming, old), release,
	}
}

// requested returns where the instance is asked to go.
func (m Move) requested() *nova.Destination {
	return requested(nova.Destination{Host: m.Host, SameHost: m.SameHost}, m.Pick)
}

// places returns where the instance may go with flavor f, including where it was asked to
// go if it may: not to its own host, unless it is a resize that may stay, not to another
// cell, and not to a host that is down or disabled.
func (m Move) places(s *cloud.Snapshot, i *nova.Instance, f *nova.Flavor, asked *nova.Destination, at time.Time) (Places, error) {
	from := ""
	if m.Flavor == "" || !m.SameHost && !s.Nova().Config().ResizeToSameHost {
		from = i.Host
	}
	places, err := fits(s, m.Indexer, i, f, m.Ask, asked, func(p *Place) string {
		return cmp.Or(leaves(*p, from), otherCell(s, i.Host, p.Host), unfitReason(s, p.Host, at), m.lost.why(*p))
	})
	for n, p := range places.Left {
		places.Left[n].Stays = p.Number > 0 && m.Flavor != "" && p.Host == from && unfitReason(s, p.Host, at) == ""
	}
	return places, err
}

// giveUp returns the step that turns round an unfinished move. Without a cause the
// operator wants it so, and nothing has failed.
func (u work) giveUp(why string, cause error) Step {
	return u.turn("give up", fmt.Sprintf("give up the %s of %s: %s", u.m.Type, u.i.Name, why), "", cause, func(m *nova.Migration, i *nova.Instance) {
		if m.Status != nova.PreMigrating {
			i.TaskState = nova.ResizeReverting // it was stopped
		}
		m.Status, m.Fault = nova.Reverting, why
	})
}

// restore gives the instance its old claim in the same write that drops the new one.
// Stuck devices stay allocated to the migration.
//
// Source: nova/conductor/tasks/migrate.py, revert_allocation_for_migration.
func (u work) restore(stuck []*cyborg.ARQ) Step {
	now, _ := held(u.s, u.i.UUID)
	parked := stuckPart(now, stuck)
	old, _ := held(u.s, u.m.UUID)
	if old == nil {
		return u.restoreWithout(parked, stuck)
	}
	step := Step{Name: "restore", Title: fmt.Sprintf("%s gets back its allocations on %s", u.i.Name, u.m.Source)}
	replace(&step.Change, u.hold(u.i.UUID, old), u.hold(u.m.UUID, parked))
	u.write(&step.Change, u.returned)
	rekey(&step.Change, stuck, u.m.UUID)
	return step
}

// returned makes i what it is at its old place again: to be started if its guest was
// stopped, at rest if it never was.
func (u work) returned(m *nova.Migration, i *nova.Instance) {
	i.Host, i.Flavor, i.OldFlavor, i.NewFlavor, i.Mappings = m.Source, m.OldFlavor, "", "", m.Mappings
	i.KeepDevices(m.OldFlavor)
	if u.i.TaskState == nova.ResizeMigrated {
		i.TaskState = nova.ResizeFinish
		return
	}
	m.Status = reverted(m)
	i.VMState, i.TaskState, i.Fault = m.OldState, "", m.Fault
}

// reverted returns the status of a move that was reverted: error if something went wrong.
func reverted(m *nova.Migration) nova.MigrationStatus {
	if m.Fault != "" {
		return nova.Error
	}
	return nova.Reverted
}

// settle adds to c that the instance is what it is after a confirmed move, which is in
// error with a fault, and that requests go with what they stand for: the new ones with
// the instance, and those that are stuck with the migration.
func (u work) settle(c *cloud.Change, fault string) {
	u.write(c, func(m *nova.Migration, i *nova.Instance) {
		m.Status, m.Fault = nova.Confirmed, fault
		if fault != "" {
			m.Status = nova.Error
		}
		i.VMState, i.TaskState, i.OldFlavor, i.NewFlavor, i.Fault = nova.Active, "", "", "", fault
		i.KeepDevices(i.Flavor)
		if m.OldState == nova.Stopped {
			i.VMState = nova.Stopped
		}
	})
	fresh, old := u.fresh()
	rekey(c, old, u.m.UUID)
	rekey(c, fresh, u.i.UUID)
}

// rekey adds to c that accelerator requests are bound to another consumer.
func rekey(c *cloud.Change, arqs []*cyborg.ARQ, to placement.ConsumerID) {
	if len(arqs) > 0 {
		c.Ops = append(c.Ops, cyborg.Rekey{ARQs: uuidsOf(arqs), To: to})
	}
}

// uuidsOf returns the uuids of accelerator requests.
func uuidsOf(arqs []*cyborg.ARQ) []uuid.UUID {
	out := make([]uuid.UUID, len(arqs))
	for n, a := range arqs {
		out[n] = a.UUID
	}
	return out
}
