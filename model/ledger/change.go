package ledger

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Edit is a Ledger in the making: what the operations of a change are done to.
type Edit struct {
	rows    *Ledger
	were    map[place]versioned.Record // the rows written, as they were before
	written []place                    // the same rows in the order in which they were first written
}

// place is the kind and the key of a row.
type place struct {
	kind int
	key  string
}

// edit returns an Edit that starts from l.
func (l *Ledger) edit() *Edit { return &Edit{rows: l.copy(), were: map[place]versioned.Record{}} }

// Put sets a row, and replaces any under its key.
func (e *Edit) Put(r Row) error { return e.set(r, r) }

// Delete removes the row under the key of r, if there is one.
func (e *Edit) Delete(r Row) error { return e.set(r, nil) }

// PutRecords sets rows of any kind, each guarded by the row that it replaces.
//
// Errors: placement.ErrConflict if a row is not as Before says;
// placement.ErrInvalid.
func (e *Edit) PutRecords(records []versioned.Change) error {
	for _, c := range records {
		if c.Before == nil && c.After == nil {
			return &placement.InvalidError{Field: "records", Why: "the change has no record, neither before nor after"}
		}
		if _, ok := e.rows.layout.byKind[c.Kind()]; !ok {
			return placement.Invalid("records", string(c.Kind()), "no kind of "+e.rows.layout.service+"'s records")
		}
		if !versioned.Alike(e.rows.Held(c.Record()), c.Before) {
			return &placement.StaleError{Change: c}
		}
		if err := e.set(c.Record(), c.After); err != nil {
			return err
		}
	}
	return nil
}

// set puts is under the key of at, or removes the row if is is nil.
func (e *Edit) set(at, is versioned.Record) error {
	kind := e.rows.layout.byKind[at.RecordKind()]
	under := place{kind, string(at.RecordKey())}
	if _, seen := e.were[under]; !seen {
		e.were[under] = e.rows.Held(at)
		e.written = append(e.written, under)
	}
	if err := e.rows.put(kind, under.key, is); err != nil {
		return fmt.Errorf("%s: %w", versioned.Change{After: at}.Title(), err)
	}
	return nil
}

// Done returns what is another now than it was, by kind in the order of the Layout and
// by key.
func (e *Edit) Done() []versioned.Change {
	places := slices.Clone(e.written)
	slices.SortStableFunc(places, func(a, b place) int {
		if a.kind != b.kind {
			return a.kind - b.kind
		}
		return strings.Compare(a.key, b.key)
	})
	var done []versioned.Change
	for _, at := range places {
		var is versioned.Record
		if row, ok := e.rows.tables[at.kind].rows.Get(at.key); ok {
			is = row
		}
		if was := e.were[at]; !Equal(was, is) {
			done = append(done, versioned.Change{Before: was, After: is})
		}
	}
	return done
}

// Draft is what a verb of a service is done to, whose Snapshots are of type S.
type Draft[S any] struct {
	*Edit
	Now S         // what the operations so far lead to; what it yields is gone with the next write
	At  time.Time // when; the zero time if it is unknown
}

// Rules are how a service's Snapshot of type S is made of a Ledger, and its rules beyond
// the shape of its rows.
type Rules[S any] struct {
	Layout *Layout
	Wrap   func(*Ledger) S
	// Do does a verb of the service, and reports whether op is one, as Verbs has it. Nil
	// if it only has PutRecords.
	Do func(d Draft[S], op intent.Op) (ok bool, err error)
	// Admit holds the rules between records: it is asked about each record that a
	// change alters, from was to the outcome next. Nil if there are none.
	Admit func(was, next S, c versioned.Change) error
}

// Verbs returns a Do for a service whose verbs are the Ops of the interface type V: apply
// is the method of V that does one. V has a method that is not exported, so that only the
// service's own package has verbs.
func Verbs[V, S any](apply func(V, Draft[S]) error) func(Draft[S], intent.Op) (bool, error) {
	return func(d Draft[S], op intent.Op) (bool, error) {
		v, ok := op.(V)
		if !ok {
			return false, nil
		}
		return true, apply(v, d)
	}
}

// Load returns the Snapshot that consists of records, which may come in any order; it is
// fastest in the order of Ledger.Records. The Snapshot keeps the records themselves, which
// must not be changed.
//
// Errors match placement.ErrInvalid or, where two records have the same key,
// placement.ErrConflict.
func (r Rules[S]) Load(records []versioned.Record) (S, error) {
	rows, err := r.Layout.load(records)
	if err != nil {
		var none S
		return none, err
	}
	return r.Wrap(rows), nil
}

// Apply returns the Snapshot after c and the records that it changes, by kind in the
// order of the Layout and by key; s, made of rows, itself where c alters nothing.
//
// Errors match placement.ErrConflict if a record is not as c found it, or
// placement.ErrInvalid, or are those of the verbs and of Admit.
func (r Rules[S]) Apply(s S, rows *Ledger, c intent.Change) (S, []versioned.Change, error) {
	var none S
	if c.Empty() {
		return s, nil, nil
	}
	e := rows.edit()
	for _, op := range c.Ops {
		if err := r.do(e, op, c.At); err != nil {
			return none, nil, err
		}
	}
	done := e.Done()
	if len(done) == 0 {
		return s, nil, nil
	}
	next := r.Wrap(e.rows)
	if r.Admit == nil {
		return next, done, nil
	}
	for _, ch := range done {
		if err := r.Admit(s, next, ch); err != nil {
			return none, nil, fmt.Errorf("%s: %w", ch.Title(), err)
		}
	}
	return next, done, nil
}

// do applies one operation.
func (r Rules[S]) do(e *Edit, op intent.Op, at time.Time) error {
	if op == nil {
		return &placement.InvalidError{Field: "change", Why: "contains a nil operation"}
	}
	if put, ok := op.(intent.PutRecords); ok {
		return e.PutRecords(put.Records)
	}
	if r.Do != nil {
		if ok, err := r.Do(Draft[S]{e, r.Wrap(e.rows), at}, op); ok {
			return err
		}
	}
	return placement.Invalid("change", op.String(), "is not an operation of "+e.rows.layout.service+"'s")
}

// Back returns the Snapshot before the given changes, which led to the one made of
// rows, with their records turned around already. What stood once is not asked again
// whether a writer may make it, so that the rules between records do not hide the past.
//
// Errors: those of PutRecords.
func (r Rules[S]) Back(rows *Ledger, turned []versioned.Change) (S, error) {
	e := rows.edit()
	if err := e.PutRecords(turned); err != nil {
		var none S
		return none, err
	}
	return r.Wrap(e.rows), nil
}

// Equal reports whether two records are equal; nil is equal to nil.
func Equal(a, b versioned.Record) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return reflect.DeepEqual(a, b)
}

// put sets r under a key, or removes the row if r is nil.
func (l *Ledger) put(kind int, key string, r versioned.Record) error {
	if r == nil {
		if was, ok := l.tables[kind].rows.Delete(key); ok {
			l.reindex(kind, key, was, nil)
		}
		return nil
	}
	given, ok := r.(Row)
	if !ok {
		return placement.Invalid("records", fmt.Sprintf("%T", r), "not a record of any ledger")
	}
	own := versioned.Clone(given)
	if err := own.Validate(); err != nil {
		return err
	}
	if err := checkTexts(own); err != nil {
		return err
	}
	was, _ := l.tables[kind].rows.Set(key, own)
	l.reindex(kind, key, was, own)
	return nil
}

// checkTexts returns an error unless all texts of r are UTF-8.
func checkTexts(r Row) error {
	valid := true
	versioned.Texts(r, func(s *string) bool {
		valid = valid && utf8.ValidString(*s)
		return valid
	})
	if !valid {
		return &placement.InvalidError{Field: "record", Why: "has text that is not valid UTF-8"}
	}
	return nil
}
