package ops

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// PlanUndo plans to put back every field that a revision changed; all others stay. It writes
// whole records, which no API takes: a live cloud cannot do it.
//
// It is refused if one of these fields was written since. later returns the events after
// the revision, the newest first, and is called only then, to say who did it.
//
// Errors: placement.ErrState for that, or if the event comes without its changes;
// placement.ErrInUse for something that the revision made and that is in use by now;
// placement.ErrCapacity for a claim for which there is no room any more.
func PlanUndo(s *cloud.Snapshot, ev cloud.Event, later func() []cloud.Event) (Plan, error) {
	again := Planner(func(s *cloud.Snapshot) (Plan, error) {
		if ev.Omitted > 0 {
			return Plan{}, placement.StateErrorf("revision %d changed %d records, which are no longer kept", ev.Revision, ev.Omitted)
		}
		back, err := putBack(s, ev.Changes, later)
		if err != nil {
			return Plan{}, fmt.Errorf("revision %d cannot be undone: %w", ev.Revision, err)
		}
		p, err := planOf(s, cloud.PutRecords("", undoNote(ev), back))
		if err != nil {
			return Plan{}, err
		}
		p.Name = undoTask(ev.Revision)
		if oneOfSeveral(ev) {
			p.Preview.Warnings = append(p.Preview.Warnings, ev.Task+" has more steps than this one: they stay as they are")
		}
		return p, checkRoom(p.Preview)
	})
	return again.Plan(s)
}

// mostLater is how many events are searched for who wrote to a field.
const mostLater = 1000

// EventsAfter returns a function that reads the newest events after a revision: none if the
// journal cannot be read.
func EventsAfter(ctx context.Context, journal cloud.Historian, rev cloud.Revision) func() []cloud.Event {
	return func() []cloud.Event {
		events, err := journal.Events(ctx, cloud.EventQuery{After: rev, Limit: mostLater, Small: mostLater})
		if err != nil {
			return nil // the refusal does not name anybody
		}
		return events
	}
}

// oneOfSeveral reports whether an event was one step of a task of several. A Plan has one
// step, named like the plan; but so is one of the steps of these tasks.
func oneOfSeveral(ev cloud.Event) bool {
	if ev.Step == ev.Task {
		return slices.Contains([]string{Confirm{}.About().Name, Revert{}.About().Name, Terminate{}.About().Name}, ev.Task)
	}
	return ev.Step != "" // a copy has none
}

// undoTask returns the task name in the journal for the undo of a revision.
func undoTask(rev cloud.Revision) string { return undoPrefix + strconv.FormatUint(uint64(rev), 10) }

const undoPrefix = "undo-"

// UndoneRevision returns the revision that an event undid, false for any other event.
func UndoneRevision(ev cloud.Event) (cloud.Revision, bool) {
	rev, ok := strings.CutPrefix(ev.Task, undoPrefix)
	n, err := strconv.ParseUint(rev, 10, 64)
	return cloud.Revision(n), ok && err == nil
}

// UndoOf returns the event that undid a revision and was not undone itself, looked for
// among events, newest first; false if there is none. Undoing that event is redoing
// the revision.
func UndoOf(rev cloud.Revision, events []cloud.Event) (cloud.Event, bool) {
	gone := map[cloud.Revision]bool{}
	for _, ev := range events {
		of, undoes := UndoneRevision(ev)
		switch {
		case !undoes || gone[ev.Revision]:
		case of == rev:
			return ev, true
		default:
			gone[of] = true
		}
	}
	return cloud.Event{}, false
}

// undoNote says what the undo of an event does: a redo if that is an undo itself.
func undoNote(ev cloud.Event) string {
	if of, undoes := UndoneRevision(ev); undoes {
		if what, plain := strings.CutPrefix(ev.Note, fmt.Sprintf("undo revision %d: ", of)); plain {
			return fmt.Sprintf("redo revision %d: %s", of, what)
		}
	}
	return fmt.Sprintf("undo revision %d: %s", ev.Revision, ev.Note)
}

// putBack returns how records change if changes are undone: from what they are now. It
// returns none if they are as they were.
func putBack(s *cloud.Snapshot, changes []versioned.Change, later func() []cloud.Event) ([]versioned.Change, error) {
	var out []versioned.Change
	differ, requests := false, false
	for _, c := range changes {
		now := s.Held(c.Record())
		want, err := fieldsBack(s, c, now, later)
		if err != nil {
			return nil, err
		}
		if !versioned.Alike(now, want) {
			differ, requests = true, requests || c.Kind() == cyborg.KindARQ
		}
		if r, ok := now.(*placement.ProviderRecord); ok && c.Before == nil {
			// Its traits are another record, which goes with it.
			at := &placement.ProviderTraitsRecord{Provider: r.UUID}
			its := func(c versioned.Change) bool {
				return c.Kind() == at.RecordKind() && bytes.Equal(c.Key(), at.RecordKey())
			}
			if has := s.Held(at); has != nil && !slices.ContainsFunc(changes, its) {
				return nil, writtenSince(s, versioned.Change{After: at}, has, delta.Of(at, has), later())
			}
		}
		if now != nil { // then want is a copy
			switch r := want.(type) { // whoever has read the old generation must read again
			case *placement.ProviderRecord:
				r.Generation++
			case *placement.ConsumerRecord:
				r.Generation++
			}
		}
		out = append(out, versioned.Change{Before: now, After: want})
	}
	if !differ {
		return nil, nil
	}
	for _, c := range out {
		was, ok := c.Before.(*placement.ConsumerRecord)
		if !ok || requests {
			continue // units go with the requests for them
		}
		var claim Amounts
		if r, stays := c.After.(*placement.ConsumerRecord); stays {
			claim = r.Allocations
		}
		has, _ := s.Placement().Consumer(was.UUID)
		if err := attachedTo(s, has, claim); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// checkRoom returns an error if claims that come back exceed a capacity: whole records may.
func checkRoom(p Preview) error {
	for _, d := range p.Providers {
		for _, c := range d.Classes {
			if c.After != nil && c.UsedAfter > c.UsedBefore && !c.After.HasRoom(c.UsedAfter, 0) {
				return &placement.CapacityError{
					Provider: d.Provider, Name: d.Name, Class: c.Class, Rule: placement.NoRoom, Has: *c.After,
					Asked: c.UsedAfter - c.UsedBefore, Free: c.After.Capacity() - c.UsedBefore,
				}
			}
		}
	}
	return nil
}

// fieldsBack returns a record as it is with the fields that c changed as they were, or which
// of them were written since as an error.
func fieldsBack(s *cloud.Snapshot, c versioned.Change, now versioned.Record, later func() []cloud.Event) (want versioned.Record, err error) {
	if id := c.Key(); c.Kind() == placement.KindProviderTraits { // a provider without traits has no record of them
		none := func(r versioned.Record) versioned.Record {
			if r == nil {
				return &placement.ProviderTraitsRecord{Provider: placement.ProviderID(id)}
			}
			return r
		}
		c, now = versioned.Change{Before: none(c.Before), After: none(c.After)}, none(now)
	}
	ours := func(of []delta.Field) []delta.Field {
		return slices.DeleteFunc(of, func(f delta.Field) bool { return reported(c.Kind(), f.Path[0]) })
	}
	var written []delta.Field
	switch {
	case (now == nil) != (c.After == nil):
		return nil, writtenSince(s, c, now, nil, later())
	case now == nil:
		return c.Before, nil
	case c.Before == nil:
		written = ours(delta.Of(c.After, now))
	default:
		want, written, err = delta.Back(now, ours(delta.Of(c.Before, c.After)))
	}
	if len(written) > 0 {
		return nil, writtenSince(s, c, now, written, later())
	}
	if r, ok := want.(*placement.ProviderTraitsRecord); ok && len(r.Traits) == 0 {
		return nil, err
	}
	return want, err
}

// reported reports whether a field counts the writes, or is what a service or a resource
// tracker reports all the time. An undo leaves it as it is.
func reported(kind versioned.Kind, field string) bool {
	var also []string
	switch kind {
	case nova.KindComputeNode:
		also = []string{"vcpus_used", "memory_mb_used", "local_gb_used", "running_vms", "pci_stats", "kept"}
	case nova.KindService:
		also = []string{"last_seen_up_ms", "report_count", "report_interval_ms", "state"}
	}
	return slices.Contains(append(also, "generation", "updated_at_ms", "object_version"), field)
}

// writtenSince says which fields of a record that c changed were written since, and by
// which of the later events.
func writtenSince(s *cloud.Snapshot, c versioned.Change, now versioned.Record, written []delta.Field, later []cloud.Event) error {
	by := func(path []string) string {
		for _, ev := range later {
			for _, is := range ev.Changes {
				if is.Kind() != c.Kind() || !bytes.Equal(is.Key(), c.Key()) {
					continue
				}
				if is.Before == nil || is.After == nil || slices.ContainsFunc(delta.Of(is.Before, is.After), func(f delta.Field) bool { return slices.Equal(f.Path, path) }) {
					return fmt.Sprintf(" (revision %d by %s)", ev.Revision, cmp.Or(ev.Actor, "somebody"))
				}
			}
		}
		return ""
	}
	var what []string
	switch {
	case now == nil:
		what = append(what, "it is gone"+by(nil))
	case c.After == nil:
		what = append(what, "it is there again"+by(nil))
	}
	for _, f := range delta.Telling(written) {
		what = append(what, withNames(s, f.Words())+by(f.Path))
	}
	return placement.StateErrorf("%s was changed again since: %s", subject(c, withNames(s, c.Name())), strings.Join(what, ", "))
}

// subject returns the name of the record that c changes, with its kind unless the name is
// that of a provider or a consumer.
func subject(c versioned.Change, name string) string {
	switch c.Kind() {
	case placement.KindProvider, placement.KindProviderTraits, placement.KindConsumer:
		return name
	}
	return c.Kind().Words() + " " + name
}
