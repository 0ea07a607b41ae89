package ops

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
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
		want, written, err := fieldsBack(c, now)
		switch {
		case err != nil:
			return nil, err
		case len(written) > 0:
			return nil, writtenSince(s, c, now, written, later())
		case !versioned.Alike(now, want):
			differ, requests = true, requests || c.Kind() == cyborg.KindARQ
		}
		if r, ok := now.(*placement.ProviderRecord); ok && c.Before == nil {
			// Its traits are another record, which goes with it.
			at := &placement.ProviderTraitsRecord{Provider: r.UUID}
			its := func(c versioned.Change) bool {
				return c.Kind() == at.RecordKind() && bytes.Equal(c.Key(), at.RecordKey())
			}
			if has := s.Held(at); has != nil && !slices.ContainsFunc(changes, its) {
				return nil, writtenSince(s, versioned.Change{After: at}, has, []string{"traits"}, later())
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
// of them were written since: "inventories.VCPU.total", "" for the record as a whole.
func fieldsBack(c versioned.Change, now versioned.Record) (want versioned.Record, written []string, err error) {
	if id := c.Key(); c.Kind() == placement.KindProviderTraits { // a provider without traits has no record of them
		none := func(r versioned.Record) versioned.Record {
			if r == nil {
				return &placement.ProviderTraitsRecord{Provider: placement.ProviderID(id)}
			}
			return r
		}
		c, now = versioned.Change{Before: none(c.Before), After: none(c.After)}, none(now)
	}
	switch {
	case (now == nil) != (c.After == nil):
		return nil, []string{""}, nil
	case now == nil:
		return c.Before, nil, nil
	}
	var before, after, is map[string]any
	for r, into := range map[versioned.Record]*map[string]any{c.Before: &before, c.After: &after, now: &is} {
		if *into, err = tree(r); err != nil {
			return nil, nil, err
		}
	}
	out := maps.Clone(is)
	for _, name := range keysOf(before, after, is) {
		switch {
		case reported(c.Kind(), name):
		case c.Before != nil:
			out[name] = fieldBack(name, before[name], after[name], is[name], &written)
		case !reflect.DeepEqual(after[name], is[name]):
			written = append(written, name)
		}
	}
	if len(written) > 0 || c.Before == nil {
		return nil, written, nil
	}
	doc, err := json.Marshal(out)
	if err != nil {
		return nil, nil, err
	}
	want = reflect.New(reflect.TypeOf(now).Elem()).Interface().(versioned.Record) // of the type of now
	err = json.Unmarshal(doc, want)
	if r, ok := want.(*placement.ProviderTraitsRecord); ok && len(r.Traits) == 0 {
		return nil, nil, err
	}
	return want, nil, err
}

// tree returns the fields of a record as an export has them.
func tree(r versioned.Record) (out map[string]any, err error) {
	if r == nil {
		return nil, nil
	}
	doc, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	return out, dec.Decode(&out)
}

// keysOf returns the keys of several maps, sorted.
func keysOf(all ...map[string]any) []string {
	keys := map[string]bool{}
	for _, m := range all {
		for k := range m {
			keys[k] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// fieldBack returns the value of a field once a change from before to after is undone: of a
// map, key by key; of a list of texts, which is a set, element by element. It adds the name
// to written if that is neither value.
func fieldBack(name string, before, after, now any, written *[]string) any {
	switch {
	case reflect.DeepEqual(before, after), reflect.DeepEqual(now, before):
		return now
	case reflect.DeepEqual(now, after):
		return before
	}
	// Only a whole field may be missing because it is empty: an inventory, for example,
	// comes and goes as one.
	if !strings.Contains(name, ".") || before != nil && after != nil && now != nil {
		b, ok1 := orEmpty[map[string]any](before)
		a, ok2 := orEmpty[map[string]any](after)
		n, ok3 := orEmpty[map[string]any](now)
		if ok1 && ok2 && ok3 {
			out := map[string]any{}
			for _, k := range keysOf(b, a, n) {
				if v := fieldBack(name+"."+k, b[k], a[k], n[k], written); v != nil {
					out[k] = v
				}
			}
			return out
		}
	}
	b, ok1 := orEmpty[[]any](before)
	a, ok2 := orEmpty[[]any](after)
	n, ok3 := orEmpty[[]any](now)
	if ok1 && ok2 && ok3 && !slices.ContainsFunc(slices.Concat(b, a, n), func(v any) bool { _, text := v.(string); return !text }) {
		added, removed := setDiff(a, b)
		out := slices.DeleteFunc(unionOf(n, added), func(v any) bool { return slices.Contains(removed, v) })
		slices.SortFunc(out, func(x, y any) int { return strings.Compare(x.(string), y.(string)) }) // texts only
		return out
	}
	*written = append(*written, name)
	return now
}

// orEmpty returns v as a T, of which nil is an empty one; false if it is none.
func orEmpty[T any](v any) (T, bool) {
	t, ok := v.(T)
	return t, ok || v == nil
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
func writtenSince(s *cloud.Snapshot, c versioned.Change, now versioned.Record, written []string, later []cloud.Event) error {
	by := func(field string) string {
		for _, ev := range later {
			for _, is := range ev.Changes {
				if is.Kind() != c.Kind() || !bytes.Equal(is.Key(), c.Key()) {
					continue
				}
				if is.Before == nil || is.After == nil || slices.ContainsFunc(recordDiff(is).Fields, func(f FieldDiff) bool { return f.Name == field }) {
					return fmt.Sprintf(" (revision %d by %s)", ev.Revision, cmp.Or(ev.Actor, "somebody"))
				}
			}
		}
		return ""
	}
	var what []string
	switch {
	case now == nil:
		what = append(what, "it is gone"+by(""))
	case c.After == nil:
		what = append(what, "it is there again"+by(""))
	default:
		for _, f := range recordDiff(versioned.Change{Before: c.After, After: now}).Fields {
			if slices.ContainsFunc(written, func(w string) bool { return strings.HasPrefix(f.Name+".", strings.TrimSuffix(w, "_ms")+".") }) {
				name := strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(f.Name, "inventories."), "allocations."), ".", " ")
				what = append(what, withNames(s, fmt.Sprintf("%s %s > %s", name, orNone(f.Before), orNone(f.After)))+by(f.Name))
			}
		}
	}
	title := withNames(s, c.Title())
	switch c.Kind() {
	case placement.KindProvider, placement.KindProviderTraits, placement.KindConsumer:
		title = withNames(s, c.Name())
	}
	return placement.StateErrorf("%s was changed again since: %s", title, strings.Join(what, ", "))
}
