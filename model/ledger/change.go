package ledger

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Change is what to write: records, each guarded by the record that it replaces.
type Change struct {
	Records []versioned.Change
}

// Holder is a ledger, or a service's Snapshot made of one.
type Holder interface {
	// Held returns the row under the kind and key of r, nil where there is none.
	Held(r versioned.Record) versioned.Record
}

// Empty reports whether c has nothing to do.
func (c Change) Empty() bool { return len(c.Records) == 0 }

// Put adds to c that r shall stand in the ledger in place of what s, or c so
// far, holds under its key.
func (c *Change) Put(s Holder, r versioned.Record) {
	c.Records = append(c.Records, versioned.Change{Before: c.now(s, r), After: r})
}

// Delete adds to c that the record which s, or c so far, holds under the key of r
// shall go. It does nothing where there is none.
func (c *Change) Delete(s Holder, r versioned.Record) {
	if now := c.now(s, r); now != nil {
		c.Records = append(c.Records, versioned.Change{Before: now})
	}
}

// now returns the record under the key of r after what c already does to s.
func (c *Change) now(s Holder, r versioned.Record) versioned.Record {
	for _, ch := range slices.Backward(c.Records) {
		if ch.Kind() == r.RecordKind() && string(ch.Key()) == string(r.RecordKey()) {
			return ch.After
		}
	}
	return s.Held(r)
}

// Apply returns the Ledger after c and the records that it changes, by kind in
// the order of the Layout and by key. A change that alters nothing returns l
// itself. Errors match placement.ErrConflict where a record is not as c found it,
// or placement.ErrInvalid.
func (l *Ledger) Apply(c Change) (*Ledger, []versioned.Change, error) {
	if c.Empty() {
		return l, nil, nil
	}
	next := l.copy()
	type place struct {
		kind int
		key  string
	}
	were := map[place]versioned.Change{} // as l has them
	for _, ch := range c.Records {
		if ch.Before == nil && ch.After == nil {
			return nil, nil, &placement.InvalidError{Field: "records", Why: "a change without a record before and after"}
		}
		kind, ok := l.layout.byKind[ch.Kind()]
		if !ok {
			return nil, nil, &placement.InvalidError{Field: "records", Value: string(ch.Kind()), Why: "no kind of " + l.layout.service + "'s records"}
		}
		now := next.Held(some(ch))
		if !Equal(now, ch.Before) {
			return nil, nil, &placement.StaleError{Change: ch}
		}
		at := place{kind, string(ch.Key())}
		if _, seen := were[at]; !seen {
			were[at] = versioned.Change{Before: now, After: some(ch)}
		}
		if err := next.put(kind, ch); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", ch.Title(), err)
		}
	}
	places := make([]place, 0, len(were))
	for at := range were {
		places = append(places, at)
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.kind != b.kind {
			return a.kind - b.kind
		}
		return strings.Compare(a.key, b.key)
	})
	var done []versioned.Change
	for _, at := range places {
		was, is := were[at].Before, next.Held(were[at].After)
		if !Equal(was, is) {
			done = append(done, versioned.Change{Before: was, After: is})
		}
	}
	if len(done) == 0 {
		return l, nil, nil
	}
	return next, done, nil
}

// Next returns what Ledger.Apply does to rows, as the Snapshot of a service that
// wrap makes of it; s is the Snapshot of rows and is returned where nothing is
// altered. Each record that is changed is put to admit, which holds the rules
// between records and is asked about the outcome; nil where there are none.
func Next[S any](s S, rows *Ledger, c Change, wrap func(*Ledger) S, admit func(next S, c versioned.Change) error) (S, []versioned.Change, error) {
	var none S
	after, done, err := rows.Apply(c)
	if err != nil {
		return none, nil, err
	}
	if len(done) == 0 {
		return s, nil, nil
	}
	next := wrap(after)
	if admit == nil {
		return next, done, nil
	}
	for _, ch := range done {
		if err := admit(next, ch); err != nil {
			return none, nil, fmt.Errorf("%s: %w", ch.Title(), err)
		}
	}
	return next, done, nil
}

func some(c versioned.Change) versioned.Record {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// Equal reports whether two records are equal; nil is equal to nil.
func Equal(a, b versioned.Record) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return reflect.DeepEqual(a, b)
}

// put does c without asking what is there.
func (l *Ledger) put(kind int, c versioned.Change) error {
	key := string(c.Key())
	if c.After == nil {
		if was, ok := l.tables[kind].rows.Delete(key); ok {
			l.unindex(kind, key, was)
		}
		return nil
	}
	given, ok := c.After.(Row)
	if !ok {
		return &placement.InvalidError{Field: "records", Value: fmt.Sprintf("%T", c.After), Why: "no row of a ledger"}
	}
	own := given.Clone()
	if err := own.Validate(); err != nil {
		return err
	}
	if err := checkTexts(own); err != nil {
		return err
	}
	if was, replaced := l.tables[kind].rows.Set(key, own); replaced {
		l.unindex(kind, key, was)
	}
	l.index(kind, key, own)
	return nil
}

// checkTexts returns an error unless all texts of r are UTF-8.
func checkTexts(r Row) error {
	valid := true
	r.Texts(func(s *string) bool {
		valid = valid && utf8.ValidString(*s)
		return valid
	})
	if !valid {
		return &placement.InvalidError{Field: "record", Why: "has text that is not valid UTF-8"}
	}
	return nil
}
