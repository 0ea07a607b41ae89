// Package cloud is the whole cloud: the ledgers of Placement, Nova, Cyborg and the
// operators as one Snapshot, changed by one Change, and the interfaces through which a
// store offers them.
//
// There is one way in, Snapshot.Apply, and one way out, an immutable Snapshot:
//
//	keys, requests, commands, probes
//	          |
//	       Change ---- Snapshot.Apply (pure) ----> Snapshot + Event
//	          |                                        |
//	     Writer.Apply: decide, persist, publish    every reader
//
// A store runs Apply under its writer lock, writes the Event's records to disk,
// and only then publishes the Snapshot. Previews and dry runs call Apply and drop the
// result; undo applies the reverse of an Event; replay applies Events in order.
package cloud

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Revision counts the changes of a cloud: 0 for the empty one, one more with every
// Change that alters something.
type Revision uint64

// Snapshot is a whole cloud as an immutable value. Any goroutine may hold it as
// long as it likes.
type Snapshot struct {
	revision  Revision
	at        time.Time
	placement *placement.Snapshot
	nova      *nova.Snapshot
	cyborg    *cyborg.Snapshot
	operator  *operator.Snapshot
	names     *TenantNames // nil for none
	readings  *Readings    // how it was read; nil if it is the cloud itself
}

// Renumbered returns s as another revision: a store that may have lost the newest ones
// does not give their numbers out again.
func (s *Snapshot) Renumbered(rev Revision, at time.Time) *Snapshot {
	next := *s
	next.revision, next.at, next.names = rev, at, nil
	return &next
}

// Empty returns the cloud of revision 0: no providers, no instances, no devices.
func Empty() *Snapshot {
	return &Snapshot{placement: placement.Empty(), nova: nova.Empty(), cyborg: cyborg.Empty(), operator: operator.Empty()}
}

// Revision returns the revision.
func (s *Snapshot) Revision() Revision { return s.revision }

// At returns when the Change of this revision was applied; the zero time for
// revision 0.
func (s *Snapshot) At() time.Time { return s.at }

// AsOf returns the cloud as if the Change of this revision had been applied at another
// time: what is planned does not know yet when it will be.
func (s *Snapshot) AsOf(at time.Time) *Snapshot {
	next := *s
	next.at = at
	return &next
}

// Placement returns Placement's ledger.
func (s *Snapshot) Placement() *placement.Snapshot { return s.placement }

// Nova returns Nova's ledger.
func (s *Snapshot) Nova() *nova.Snapshot { return s.nova }

// Cyborg returns Cyborg's ledger.
func (s *Snapshot) Cyborg() *cyborg.Snapshot { return s.cyborg }

// Operator returns what operators wrote down about the cloud.
func (s *Snapshot) Operator() *operator.Snapshot { return s.operator }

// Schemas returns the schemas of all records of a cloud, ordered so that records only
// refer to kinds before theirs.
func Schemas() []versioned.Schema {
	return slices.Concat(placement.Schemas(), nova.Schemas(), cyborg.Schemas(), operator.Schemas())
}

// NewCodec returns the codec of all records of a cloud.
func NewCodec() *versioned.Codec { return versioned.NewCodec(Schemas()...) }

// Records yields the whole cloud as records, in the order of Schemas. Two clouds
// with equal records are equal.
func (s *Snapshot) Records() iter.Seq[versioned.Record] {
	return func(yield func(versioned.Record) bool) {
		for _, of := range []iter.Seq[versioned.Record]{s.placement.Records(), s.nova.Records(), s.cyborg.Records(), s.operator.Records()} {
			for r := range of {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// Check returns what does not agree within the cloud; see
// placement.Snapshot.Check.
func (s *Snapshot) Check() []error { return s.Placement().Check() }

// Held implements intent.Holder.
func (s *Snapshot) Held(r versioned.Record) versioned.Record {
	switch ledgerOf[r.RecordKind()] {
	case ofNova:
		return s.nova.Held(r)
	case ofCyborg:
		return s.cyborg.Held(r)
	case ofOperator:
		return s.operator.Held(r)
	}
	return s.placement.Held(r)
}

// Op is one operation of a Change: a verb of one of the ledgers, or PutRecords.
type Op = intent.Op

// Change is what to write to a cloud, applied as one, all or nothing. The operations on
// one ledger are done in their order; those on another do not see them.
type Change struct {
	Actor string    // who asks for it, for the journal: a user, "nova-compute"
	Note  string    // what for, for the journal: a short line in plain words
	Task  string    // what it is part of, in a word such as "resize", for the journal; "" for nothing in particular
	Step  string    // which step of the task it is, such as "claim"
	At    time.Time // when; a store fills in the time of its decision if it is zero
	// On is the one revision of the cloud that it may be applied to: whole records that
	// were decided elsewhere rest on more than the records that they replace. nil for a
	// change that says with each Op what that rests on.
	On *Revision
	// Seen is what was seen to come of it, where its Ops do not say which generation they
	// rest on, as those of Nova and the renaming of a provider. nil if they all do.
	Seen *Seen
	// Force says that claims may be released though their owners still exist: the owner itself
	// releases, or an operator who knows better. Without it a live cloud asks each owner first,
	// and goes on only if it is gone; see OwnerError.
	Force Force
	Ops   []Op
}

// Force is how far a Change goes against the word of the owners of claims.
type Force uint8

// The degrees of Force.
const (
	ForceNone      Force = iota
	ForceListed          // owners that are where they were listed do not need what they hold elsewhere
	ForceUnchecked       // owners need not be asked
)

// Seen is what a Change was seen to do at a revision. At any other it is a conflict if one
// of these records is not as its change found it, but for its counters, or if another record
// would change, too.
type Seen struct {
	On      Revision
	Changes []versioned.Change
}

// still returns a *placement.StaleError unless s has the records of n as they were seen.
func (n Seen) still(s *Snapshot) error {
	for _, c := range n.Changes {
		if !versioned.Alike(uncounted(c.Before), uncounted(s.Held(c.Record()))) {
			return &placement.StaleError{Change: c}
		}
	}
	return nil
}

// uncounted returns a record without what every claim on a provider and every heartbeat of
// a service changes, which no Op overwrites. Else a busy provider could never be renamed.
func uncounted(r versioned.Record) versioned.Record {
	switch r := r.(type) {
	case *placement.ProviderRecord:
		own := *r
		own.Generation, own.Updated = 0, 0
		return &own
	case *nova.Service:
		own := *r
		own.LastSeenUp, own.ReportCount, own.Updated = 0, 0, 0
		return &own
	}
	return r
}

// Heartbeats splits changes into those of services that only reported again, and the rest.
func Heartbeats(changes []versioned.Change) (beats, rest []versioned.Change) {
	for _, c := range changes {
		if _, is := c.After.(*nova.Service); is && c.Before != nil && reflect.DeepEqual(uncounted(c.Before), uncounted(c.After)) {
			beats = append(beats, c)
		} else {
			rest = append(rest, c)
		}
	}
	return beats, rest
}

// Beating returns s with changes of Heartbeats. It is of the same revision: no journal
// has room for the reports of all services, and nothing is decided on them.
func (s *Snapshot) Beating(beats []versioned.Change) (*Snapshot, error) {
	return s.through(beats, s.revision, s.at)
}

// covers returns a *placement.StaleError unless n has all records of changed.
func (n Seen) covers(changed []versioned.Change) error {
	type id struct {
		kind versioned.Kind
		key  string
	}
	of := func(c versioned.Change) id { return id{c.Kind(), string(c.Key())} }
	seen := make(map[id]bool, len(n.Changes))
	for _, c := range n.Changes {
		seen[of(c)] = true
	}
	for _, c := range changed {
		if !seen[of(c)] {
			return &placement.StaleError{Change: c}
		}
	}
	return nil
}

// Empty reports whether c has nothing to do.
func (c Change) Empty() bool {
	return !slices.ContainsFunc(c.Ops, func(op Op) bool {
		put, ok := op.(intent.PutRecords)
		return !ok || !put.Empty()
	})
}

// PutRecords adds whole records to c, each guarded by the one that it replaces.
func (c *Change) PutRecords(records ...versioned.Change) {
	var op intent.PutRecords
	if n := len(c.Ops); n > 0 {
		if last, ok := c.Ops[n-1].(intent.PutRecords); ok {
			op, c.Ops = last, slices.Clip(c.Ops[:n-1])
		}
	}
	op.Records = append(op.Records, records...)
	c.Ops = append(c.Ops, op)
}

// MovedError reports a Change based on another revision than the cloud is at. It is no
// conflict: it is not a lost race until the Change has been decided again.
type MovedError struct {
	On, Has Revision
}

func (e *MovedError) Error() string {
	return fmt.Sprintf("the change was made for revision %d, but the cloud is at %d", e.On, e.Has)
}

// Event is a Change that was applied: what the journal keeps of a revision.
type Event struct {
	Revision Revision
	At       time.Time
	Actor    string
	Note     string
	Task     string // as of the Change
	Step     string
	Changes  []versioned.Change // by ledger, kind and key
	Omitted  int                // how many changes a query asked to leave out, or the journal has forgotten; Changes is empty then
}

// Reverse returns the Change that undoes the Event. It is refused with a conflict if
// one of the records was written again since.
func (ev Event) Reverse(actor string) Change {
	return PutRecords(actor, fmt.Sprintf("undo revision %d: %s", ev.Revision, ev.Note), ev.turned())
}

// turned returns the changes of the Event, reversed.
func (ev Event) turned() []versioned.Change {
	back := make([]versioned.Change, len(ev.Changes))
	for i, c := range ev.Changes {
		back[i] = c.Reverse()
	}
	slices.Reverse(back)
	return back
}

// Replay returns the Change that does to a cloud what the Event did.
func (ev Event) Replay() Change {
	c := PutRecords(ev.Actor, ev.Note, ev.Changes)
	c.At, c.Task, c.Step = ev.At, ev.Task, ev.Step
	return c
}

// PutRecords returns the Change that sets whole records, each guarded by the record
// that it replaces: an import, a replay, an undo.
func PutRecords(actor, note string, records []versioned.Change) Change {
	return Change{Actor: actor, Note: note, Ops: []Op{intent.PutRecords{Records: records}}}
}

// Apply returns the cloud after c, and the Event to keep of it. s stays as it
// is. A change that alters nothing returns s itself and an Event without
// Changes, of the revision of s. Errors are those of the ledgers, and
// *placement.StaleError; nothing of c is done then.
func (s *Snapshot) Apply(c Change) (*Snapshot, Event, error) {
	if c.On != nil && *c.On != s.revision {
		return nil, Event{}, &MovedError{On: *c.On, Has: s.revision}
	}
	moved := c.Seen != nil && c.Seen.On != s.revision
	if moved {
		if err := c.Seen.still(s); err != nil {
			return nil, Event{}, err
		}
	}
	ops, err := split(c.Ops)
	if err != nil {
		return nil, Event{}, err
	}
	next := s.Renumbered(s.revision+1, c.At)
	var changed []versioned.Change
	if err := cmp.Or(
		apply(&next.placement, c.At, ops[ofPlacement], &changed),
		apply(&next.nova, c.At, ops[ofNova], &changed),
		apply(&next.cyborg, c.At, ops[ofCyborg], &changed),
		apply(&next.operator, c.At, ops[ofOperator], &changed),
	); err != nil {
		return nil, Event{}, err
	}
	if len(changed) == 0 {
		return s, Event{Revision: s.revision, At: s.at}, nil
	}
	if moved {
		if err := c.Seen.covers(changed); err != nil {
			return nil, Event{}, err
		}
	}
	if err := checkBounds(c.At, changed); err != nil {
		return nil, Event{}, err
	}
	return next, Event{Revision: next.revision, At: c.At, Actor: c.Actor, Note: c.Note, Task: c.Task, Step: c.Step, Changes: changed}, nil
}

// checkBounds returns an error that matches placement.ErrInvalid if a change leaves a
// record with a number or a time that could not be shown, counted up or read back. A
// record that had one before may keep it, but a counter must not change.
func checkBounds(at time.Time, changed []versioned.Change) error {
	if year := at.UTC().Year(); year < 0 || year > 9999 {
		return placement.Invalid("time", at.UTC().Format(time.RFC3339), "must be between the years 0 and 9999")
	}
	for _, c := range changed {
		if c.After == nil {
			continue
		}
		out := versioned.CheckBounds(c.After)
		if out == nil {
			continue
		}
		if c.Before != nil {
			if was := versioned.CheckBounds(c.Before); was != nil && (!out.Counter || *was == *out) {
				continue
			}
		}
		return placement.Invalid(c.Title()+" "+out.Field, out.Value, out.Why)
	}
	return nil
}
