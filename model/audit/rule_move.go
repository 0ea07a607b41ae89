package audit

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// stuckAfter is how long a step of a move may take before it is looked at: longer
// than any time-out on the way.
const stuckAfter = 10 * time.Minute

// brokenMove finds moves that can be neither confirmed nor reverted as they stand:
// an instance waits for confirmation if, and only if, both it and its migration
// hold a claim.
func brokenMove() rule {
	return rule{
		Rule: Rule{
			ID: RuleBrokenMove, Title: "broken move", Severity: Critical,
			Why:    "The instance and its migration do not hold what a confirm or a revert needs.",
			Advice: "Give the old claim back to the instance, or finish the move from where it stands.",
		},
		instance: func(a *auditor, i *nova.Instance) {
			if i.VMState != nova.Resized {
				return
			}
			for m := range a.Cloud.Nova().MigrationsOf(i.UUID) {
				if m.Status.UnderWay() {
					return // told of the migration
				}
			}
			a.broken(i.UUID, i.Name, "waits to be confirmed or reverted, and no migration of it is under way")
		},
		migration: func(a *auditor, m *nova.Migration) {
			i, ok := a.Cloud.Nova().Instance(m.Instance)
			if !ok || !i.Live() || m.Type == nova.LiveMigration || m.Type == nova.Evacuation {
				return
			}
			if text := a.brokenState(i, m); text != "" {
				a.broken(i.UUID, i.Name, text)
			}
		},
		fixes: moveFixes,
	}
}

// longWait is how long a move may wait to be confirmed or reverted before it is
// looked at, where nothing reverts it of itself.
const longWait = 24 * time.Hour

// waitingMove finds moves that nobody confirms or reverts. Each holds both claims.
func waitingMove() rule {
	return rule{
		Rule: Rule{
			ID: RuleWaitingMove, Title: "move waits too long", Severity: Info,
			Why:    "The old claim and the new one are both held until somebody decides.",
			Advice: "Confirm the move if the guest works in its new place, revert it if not.",
		},
		migration: func(a *auditor, m *nova.Migration) {
			i, ok := a.Cloud.Nova().Instance(m.Instance)
			if !ok || !i.Live() || i.VMState != nova.Resized || m.Status != nova.Finished || m.Deadline != 0 {
				return
			}
			since := time.UnixMilli(max(m.Created, m.Updated))
			if since.UnixMilli() == 0 || a.witness.At.Sub(since) < longWait || a.brokenState(i, m) != "" {
				return
			}
			f := Finding{Consumer: i.UUID, Subject: i.Name, Seen: a.witness, Text: fmt.Sprintf("its %s waits to be confirmed or reverted since %s", m.Type, since.UTC().Format(time.DateTime))}
			if c, ok := a.Ledger.Consumer(m.UUID); ok {
				_, f.Provider = a.holds(c)
			}
			a.found(f)
		},
		fixes: endMoveFixes,
	}
}

func (a *auditor) broken(id placement.ConsumerID, name, text string) {
	f := Finding{Consumer: id, Subject: name, Text: text, Seen: a.witness}
	if c, ok := a.Ledger.Consumer(id); ok {
		_, f.Provider = a.holds(c)
	}
	a.found(f)
}

// brokenState says what is wrong with a move, "" for nothing. A course that is at it may
// take its time, but none leaves one that goes back without what it goes back to: only
// as it gets that does the migration let go of it.
func (a *auditor) brokenState(i *nova.Instance, m *nova.Migration) string {
	_, held := a.Ledger.Consumer(i.UUID)
	_, parked := a.Ledger.Consumer(m.UUID)
	if m.Status == nova.Finished {
		switch {
		case i.VMState != nova.Resized:
			return fmt.Sprintf("is %s, and its %s waits to be confirmed or reverted", i.VMState, m.Type)
		case !held:
			return fmt.Sprintf("was moved by a %s and holds nothing on %s", m.Type, m.Dest)
		case !parked:
			return fmt.Sprintf("waits to be confirmed or reverted, and its %s holds nothing on %s", m.Type, m.Source)
		}
		return ""
	}
	if m.Status == nova.Reverting && !parked && i.TaskState != nova.ResizeFinish {
		return fmt.Sprintf("its %s is on the way back, and holds nothing on %s that it could get back", m.Type, m.Source)
	}
	last := max(m.Created, m.Updated)
	if last == 0 || a.witness.At.Sub(time.UnixMilli(last)) < stuckAfter {
		return ""
	}
	state := fmt.Sprintf("its %s is %s since %s", m.Type, m.Status, time.UnixMilli(last).UTC().Format(time.DateTime))
	if !held {
		state += ", and it holds nothing"
	}
	return state
}
