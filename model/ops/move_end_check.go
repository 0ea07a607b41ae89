package ops

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Checks implements Checker: while the old host is down its guest, and what that has of
// its devices, cannot be cleaned up, and a confirm that has begun cannot be undone. An
// instance that holds nothing of its new place would hold nothing at all. A move whose
// time to be confirmed is over may be confirmed as long as it was not reverted: it is
// wanted.
//
// Source: nova/compute/api.py, confirm_resize.
func (c Confirm) Checks(s *cloud.Snapshot, at time.Time) []Check {
	u, err := moveOf(s, c.Migration, at)
	if err != nil || u.m.Status != nova.Finished {
		return nil
	}
	checks := append([]Check{u.checkNew()}, checkUp(s, "old host", u.m.Source, "which is to be cleaned", at)...)
	if u.m.Overdue(at) {
		checks = append(checks, Check{
			Name: "deadline", Warning: true,
			Text: fmt.Sprintf("it should have been confirmed by %s, and is due to be reverted: confirming keeps it for good", u.m.RevertAt().UTC().Format(time.DateTime)),
		})
	}
	return checks
}

// CheckEnd returns why a waiting move cannot be confirmed, and why it cannot be
// reverted, judged by what is held for it; nil if it can, or if nothing waits. Whether
// its hosts are up, which depends on the clock, is not checked.
func CheckEnd(s *cloud.Snapshot, migration placement.ConsumerID) (confirm, revert error) {
	u, err := moveOf(s, migration, time.Time{})
	if err == nil && u.m.Status == nova.Finished {
		return u.checkNew().Refusal, u.checkOld().Refusal
	}
	return nil, nil
}

// checkNew requires that the instance holds something at its new place: a confirm
// releases everything else.
func (u work) checkNew() Check {
	c := Check{Name: "new place"}
	now, _ := held(u.s, u.i.UUID)
	if now == nil {
		c.Refusal = placement.StateErrorf("%s holds nothing on %s, and would hold nothing at all: heal it first, or revert the %s", u.i.Name, u.m.Dest, u.m.Type)
		return c
	}
	c.Text = fmt.Sprintf("%s holds %s on %s", u.i.Name, api.Resources(now.Sum()), u.m.Dest)
	return c
}

// Checks implements Checker: the guest is stopped where it is, and runs at its old host
// again. Before it was stopped there, neither host has a part in it. The old claim must
// be there to be given back: a guest that was stopped at its new place, and has lost its
// devices there, has nowhere else to go. One that is already being reverted is not
// checked again.
//
// Source: nova/compute/api.py, revert_resize; nova/compute/manager.py,
// finish_revert_resize.
func (r Revert) Checks(s *cloud.Snapshot, at time.Time) []Check {
	u, err := moveOf(s, r.Migration, at)
	if err != nil {
		return nil
	}
	m := u.m
	switch m.Status {
	case nova.PreMigrating:
		return []Check{u.checkOld()}
	case nova.Migrating, nova.PostMigrating, nova.Finished:
		checks := append([]Check{u.checkOld()}, checkUp(s, "old host", m.Source, "where it is to run again", at)...)
		if m.Status == nova.Finished && m.Dest != m.Source {
			checks = append(checks, checkUp(s, "host", m.Dest, "where it may still run", at)...)
		}
		return checks
	default:
		return nil
	}
}

// checkOld requires that the instance can get its old claim back from the migration.
func (u work) checkOld() Check {
	c := Check{Name: "old place"}
	old, _ := held(u.s, u.m.UUID)
	if old == nil {
		c.Refusal = placement.StateErrorf("the %s of %s holds nothing on %s to go back to: %s", u.m.Type, u.i.Name, u.m.Source, u.forward())
		return c
	}
	change := placement.Change{Ops: []placement.Op{placement.ReplaceClaims(u.hold(u.i.UUID, old), u.hold(u.m.UUID, nil))}}
	if _, _, err := u.s.Placement().Apply(change); err != nil {
		c.Refusal = fmt.Errorf("%s cannot get its old allocations back: %w", u.i.Name, withRemedy(err))
		return c
	}
	c.Text = fmt.Sprintf("%s gets back %s on %s", u.i.Name, api.Resources(old.Sum()), u.m.Source)
	return c
}

// forward says how to end a move that cannot be reverted.
func (u work) forward() string {
	if u.m.Status != nova.Finished {
		return "finish it, and confirm it then"
	}
	if now, _ := held(u.s, u.i.UUID); now == nil {
		return "heal the instance, and confirm it then"
	}
	return fmt.Sprintf("confirm it, and %s stays on %s", u.i.Name, u.m.Dest)
}
