// Package cloud is the whole: Placement's, Nova's and Cyborg's ledgers, and that of
// the operators, as one Snapshot, changed by one Change, and the ports through
// which a store offers them.
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
// and only then publishes the Snapshot. Preview and dry run call Apply and drop
// the result; undo applies the Event's reverse; replay applies Events in order.
package cloud

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Revision counts the changes of a cloud: 0 for the empty one, one more with
// every Change that alters something.
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

// Placement returns Placement's ledger.
func (s *Snapshot) Placement() *placement.Snapshot { return s.placement }

// Nova returns Nova's ledger.
func (s *Snapshot) Nova() *nova.Snapshot { return s.nova }

// Cyborg returns Cyborg's ledger.
func (s *Snapshot) Cyborg() *cyborg.Snapshot { return s.cyborg }

// Operator returns what operators wrote down about the cloud.
func (s *Snapshot) Operator() *operator.Snapshot { return s.operator }

// Schemas returns how all records of a cloud are written and read, in an order
// in which records only refer to kinds before theirs.
func Schemas() []versioned.Schema {
	return slices.Concat(placement.Schemas(), nova.Schemas(), cyborg.Schemas(), operator.Schemas())
}

// NewCodec returns the codec of all records of a cloud.
func NewCodec() *versioned.Codec { return versioned.NewCodec(Schemas()...) }

// Records yields the whole cloud as records, in the order of Schemas. Two clouds
// with equal records are equal.
func (s *Snapshot) Records() iter.Seq[versioned.Record] {
	return func(yield func(versioned.Record) bool) {
		for _, records := range []iter.Seq[versioned.Record]{s.placement.Records(), s.nova.Records(), s.cyborg.Records(), s.operator.Records()} {
			for r := range records {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// Check returns what does not agree within the cloud; see
// placement.Snapshot.Check.
func (s *Snapshot) Check() []error { return s.placement.Check() }

// Change is what to write to a cloud: parts for each ledger, applied as one, all
// or nothing.
type Change struct {
	Actor     string    // who asks for it, for the journal: a user, "nova-compute"
	Note      string    // what for, for the journal: a short line in plain words
	At        time.Time // when; a store fills in the time of its decision where it is zero
	Placement []placement.Op
	Nova      nova.Change
	Cyborg    cyborg.Change
	Operator  operator.Change
}

// Empty reports whether c has nothing to do.
func (c Change) Empty() bool {
	return len(c.Placement) == 0 && c.Nova.Empty() && c.Cyborg.Empty() && c.Operator.Empty()
}

// Event is a Change that was applied: what the journal keeps of a revision.
type Event struct {
	Revision Revision
	At       time.Time
	Actor    string
	Note     string
	Changes  []versioned.Change // by ledger, kind and key
	Omitted  int                // how many changes a query asked to leave out, or the journal has forgotten; Changes is empty then
}

// Reverse returns the Change that takes the Event back. It is refused with a
// conflict where one of the records was written again since.
func (ev Event) Reverse(actor string) Change {
	back := make([]versioned.Change, len(ev.Changes))
	for i, c := range ev.Changes {
		back[i] = c.Reverse()
	}
	slices.Reverse(back)
	return PutRecords(actor, fmt.Sprintf("undo revision %d: %s", ev.Revision, ev.Note), back)
}

// Replay returns the Change that does to a cloud what the Event did.
func (ev Event) Replay() Change {
	c := PutRecords(ev.Actor, ev.Note, ev.Changes)
	c.At = ev.At
	return c
}

// PutRecords returns the Change that sets whole records, each guarded by the
// record that it replaces: an import, a replay, an undo.
func PutRecords(actor, note string, records []versioned.Change) Change {
	c := Change{Actor: actor, Note: note}
	services := servicesOf()
	var put placement.PutRecords
	parts := [...]*[]versioned.Change{ofPlacement: &put.Changes, ofNova: &c.Nova.Records, ofCyborg: &c.Cyborg.Records, ofOperator: &c.Operator.Records}
	for _, r := range records {
		part := parts[services[kindOf(r)]]
		*part = append(*part, r)
	}
	if len(put.Changes) > 0 {
		c.Placement = []placement.Op{put}
	}
	return c
}

// Apply returns the cloud after c, and the Event to keep of it. s stays as it
// is. A change that alters nothing returns s itself and an Event without
// Changes, of the revision of s. Errors are those of the ledgers; nothing of c is
// done then.
func (s *Snapshot) Apply(c Change) (*Snapshot, Event, error) {
	p, changed, err := s.placement.Apply(placement.Change{At: c.At, Ops: c.Placement})
	if err != nil {
		return nil, Event{}, err
	}
	n, inNova, err := s.nova.Apply(c.Nova)
	if err != nil {
		return nil, Event{}, err
	}
	y, inCyborg, err := s.cyborg.Apply(c.Cyborg)
	if err != nil {
		return nil, Event{}, err
	}
	o, byOperator, err := s.operator.Apply(c.Operator)
	if err != nil {
		return nil, Event{}, err
	}
	changed = slices.Concat(changed, inNova, inCyborg, byOperator)
	if len(changed) == 0 {
		return s, Event{Revision: s.revision, At: s.at}, nil
	}
	if err := checkBounds(c.At, changed); err != nil {
		return nil, Event{}, err
	}
	next := &Snapshot{revision: s.revision + 1, at: c.At, placement: p, nova: n, cyborg: y, operator: o}
	return next, Event{Revision: next.revision, At: c.At, Actor: c.Actor, Note: c.Note, Changes: changed}, nil
}

// checkBounds returns an error that matches placement.ErrInvalid where a change leaves
// a record with a number or a time that nothing later could carry, be it shown, counted
// on or read again. A record that had one before may keep it; a counter is not counted
// on from there.
func checkBounds(at time.Time, changed []versioned.Change) error {
	if year := at.UTC().Year(); year < 0 || year > 9999 {
		return &placement.InvalidError{Field: "time", Value: at.UTC().Format(time.RFC3339), Why: "must be of the years 0 to 9999"}
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
		return &placement.InvalidError{Field: c.Title() + " " + out.Field, Value: out.Value, Why: out.Why}
	}
	return nil
}

// service is whose ledger a record stands in.
type service int

const (
	ofPlacement service = iota // unknown kinds too: it refuses them
	ofNova
	ofCyborg
	ofOperator
)

// servicesOf returns the service of each kind that is not Placement's.
func servicesOf() map[versioned.Kind]service {
	of := map[versioned.Kind]service{}
	for service, schemas := range map[service][]versioned.Schema{ofNova: nova.Schemas(), ofCyborg: cyborg.Schemas(), ofOperator: operator.Schemas()} {
		for _, s := range schemas {
			of[s.Kind] = service
		}
	}
	return of
}

// kindOf returns the kind of the record that c changes, "" for a change without
// records.
func kindOf(c versioned.Change) versioned.Kind {
	if c.Before == nil && c.After == nil {
		return ""
	}
	return c.Kind()
}
