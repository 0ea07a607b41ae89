package ops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// InterruptedTask is a Task that was left unfinished: its process was killed, or lost its
// cloud.
type InterruptedTask struct {
	Instance  placement.ConsumerID
	Migration placement.ConsumerID // zero for what is not a move
	Name      string               // of the instance
	Words     string               // what it is, and how far it came: "the boot of web-1 stopped at spawning on compute1"
	Since     time.Time            // when its last step was taken; zero if that is unknown
	Finish    Task                 // finishes it; or its undoing if it had turned round
	Undo      Task                 // undoes it; nil if that is impossible

	overdue string // the move that was not confirmed in time, which Finish reverts; "" if none
}

// Key is the migration that x is about, or else the instance.
func (x InterruptedTask) Key() placement.ConsumerID { return cmp.Or(x.Migration, x.Instance) }

// In reports whether all contains one about the same thing as x.
func (x InterruptedTask) In(all []InterruptedTask) bool {
	return slices.ContainsFunc(all, func(y InterruptedTask) bool { return x.Instance == y.Instance && x.Migration == y.Migration })
}

// Done says that x was finished automatically.
func (x InterruptedTask) Done() string {
	if x.overdue != "" {
		return x.overdue + " was reverted: nobody confirmed it in time"
	}
	return x.Words + ", and is finished now"
}

// DoneBut says that x ended, but not as intended.
func (x InterruptedTask) DoneBut(err error) string {
	if x.overdue != "" {
		return fmt.Sprintf("%s was reverted because nobody confirmed it in time, but: %v", x.overdue, err)
	}
	return fmt.Sprintf("%s, and is over now, but: %v", x.Words, err)
}

// Failed says why x could not be finished.
func (x InterruptedTask) Failed(err error) string {
	if x.overdue != "" {
		return fmt.Sprintf("revert of %s: %v", x.Name, err)
	}
	return fmt.Sprintf("%s, and cannot be finished: %v", x.Words, err)
}

// Overdue reports whether x is a move that was not confirmed in time.
func (x InterruptedTask) Overdue() bool { return x.overdue != "" }

// IsOf reports whether c is about the instance or migration of x; while c is being
// carried out, x is not interrupted.
func (x InterruptedTask) IsOf(c Task) bool {
	a := c.About()
	return a.Instance == x.Instance && !a.Instance.IsZero() || a.Migration == x.Migration && !a.Migration.IsZero()
}

// AnyAge is an age that counts everything as interrupted, even what was written by a
// clock that is ahead of this one.
const AnyAge = -100 * 365 * 24 * time.Hour

// Unfinished returns what is unfinished in s and was last touched more than olderThan
// before now, oldest first: boots, deletes, moves that are neither waiting for the
// operator nor in time, and evacuated hosts that are up again. A Task
// whose last step has no time counts as old.
//
// In a live cloud its Nova finishes what it began, and a copy of one stays what it was:
// in these there is nothing for others to finish.
//
// Source: nova/compute/manager.py, _init_instance, which looks for the same when
// a nova-compute starts.
func Unfinished(s *cloud.Snapshot, now time.Time, olderThan time.Duration) []InterruptedTask {
	if s.Nova().Config().Live != "" {
		return nil
	}
	r := recovery{s: s, now: now, before: now.Add(-olderThan)}
	for i := range s.Nova().Instances() {
		if i.TaskState != "" && i.Live() {
			r.instance(i)
		}
	}
	for m := range s.Nova().Migrations() {
		if i, ok := s.Nova().Instance(m.Instance); ok && i.Live() && i.TaskState != nova.Deleting {
			r.migration(i, m)
		}
	}
	slices.SortStableFunc(r.found, func(a, b InterruptedTask) int {
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.Name, b.Name))
	})
	return r.found
}

// UnfinishedIn is Unfinished for a cloud with the given Capabilities. If a real Nova runs
// the instances, it finishes what it began: nothing is left to others.
func UnfinishedIn(can cloud.Capabilities, s *cloud.Snapshot, now time.Time, olderThan time.Duration) []InterruptedTask {
	if can.Servers != nil {
		return nil
	}
	return Unfinished(s, now, olderThan)
}

// recovery looks for what was interrupted.
type recovery struct {
	s           *cloud.Snapshot
	now, before time.Time
	found       []InterruptedTask
}

// add adds what was interrupted, unless it was updated recently; touched is that time in
// milliseconds since 1970, 0 if unknown.
func (r *recovery) add(touched int64, x InterruptedTask) {
	if touched != 0 {
		x.Since = time.UnixMilli(touched).UTC()
	}
	if x.Undo != nil && r.unanswered(x.Instance, x.Migration) {
		x.Words += fmt.Sprintf(", and Cyborg has been binding its accelerators for more than %.0f s, so that to go on is to undo it", arqBindingTimeout.Seconds())
	}
	if !x.Since.After(r.before) {
		r.found = append(r.found, x)
	}
}

// unanswered reports whether Nova no longer waits for requests of any of owners to be
// bound.
func (r *recovery) unanswered(owners ...placement.ConsumerID) bool {
	for _, id := range owners {
		for a := range r.s.Cyborg().ARQsOf(id) {
			if a.State == cyborg.ARQBindStarted && overdue(a, r.now) != nil {
				return true
			}
		}
	}
	return false
}

// instance finds boots and deletes.
func (r *recovery) instance(i *nova.Instance) {
	x := InterruptedTask{Instance: i.UUID, Name: i.Name}
	at := string(i.TaskState)
	if i.Host != "" {
		at += " on " + i.Host
	}
	switch {
	case i.TaskState == nova.Deleting:
		x.Words, x.Finish = fmt.Sprintf("the delete of %s stopped", i.Name), Terminate{Instance: i.UUID}
		if i.Fault != "" {
			x.Words += ": " + i.Fault
		}
	case i.VMState == nova.Building:
		x.Words = fmt.Sprintf("the boot of %s stopped at %s", i.Name, at)
		x.Finish, x.Undo = Boot{Instance: i.UUID}, Boot{Instance: i.UUID, Undo: true}
	case i.VMState == nova.Broken && booting(i.TaskState):
		x.Words, x.Finish = fmt.Sprintf("undoing the boot of %s stopped at %s", i.Name, at), Boot{Instance: i.UUID}
	default:
		return // of a migration
	}
	r.add(cmp.Or(i.Updated, i.Created), x)
}

// migration finds moves and evacuations.
func (r *recovery) migration(i *nova.Instance, m *nova.Migration) {
	x := InterruptedTask{Instance: i.UUID, Migration: m.UUID, Name: i.Name}
	x.Words = fmt.Sprintf("the %s of %s from %s stopped at %s", m.Type, i.Name, m.Source, m.Status)
	switch m.Type {
	case nova.Evacuation:
		r.evacuation(m, &x)
	case nova.Resize, nova.ColdMigration:
		if m.Overdue(r.now) {
			x.Words = fmt.Sprintf("the %s of %s from %s is due to be reverted: it should have been confirmed by %s",
				m.Type, i.Name, m.Source, m.RevertAt().UTC().Format(time.DateTime))
			x.Finish, x.overdue = Revert{Migration: m.UUID}, fmt.Sprintf("%s of %s", m.Type, i.Name)
			r.add(m.Deadline, x)
			return
		}
		r.move(m, &x)
	case nova.LiveMigration: // it has no course: the hypervisors do it
	}
	if x.Finish != nil {
		r.add(cmp.Or(m.Updated, m.Created), x)
	}
}

func (r *recovery) evacuation(m *nova.Migration, x *InterruptedTask) {
	switch m.Status {
	case nova.Done:
		if !HostDown(r.s, m.Source, r.now) {
			x.Words = fmt.Sprintf("%s was evacuated from %s, which is up again and not vacated", x.Name, m.Source)
			x.Finish = Vacate{Migration: m.UUID}
		}
	default:
	}
}

func (r *recovery) move(m *nova.Migration, x *InterruptedTask) {
	x.Finish, x.Undo = Resume(r.s, m)
}

// Resume returns the Task that takes a move which is unfinished to its end, and the one
// that takes it back; nil if there is none, as of a move that waits for the operator, or
// is over. An old claim that is gone cannot be restored.
func Resume(s *cloud.Snapshot, m *nova.Migration) (finish, undo Task) {
	switch m.Status {
	case nova.PreMigrating, nova.Migrating, nova.PostMigrating:
		course := Move{Migration: m.UUID, Instance: m.Instance}
		if f, ok := s.Nova().Flavor(m.NewFlavor); ok && m.Type == nova.Resize {
			course.Flavor = f.Name
		}
		if old, _ := held(s, m.UUID); old == nil {
			return course, nil
		}
		return course, Revert{Migration: m.UUID, Why: "it was interrupted"}
	case nova.Reverting:
		return Revert{Migration: m.UUID}, nil
	case nova.Confirming:
		return Confirm{Migration: m.UUID}, nil
	default:
		return nil, nil
	}
}
