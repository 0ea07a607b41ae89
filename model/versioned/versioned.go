// Package versioned is the envelope of every record that outlives the process:
// a value in a store's file, a line of an export.
//
// A record is a plain struct of a Kind. A Schema says which Version of the kind
// this program writes, and how older major versions are read and upgraded. The
// envelope carries kind, version and data, so that a record of any release is
// either read correctly or refused by name:
//
//   - the same major version, any minor: read; fields this program does not know
//     are ignored, fields the record does not have keep their zero value;
//   - an older major version: read as it was, then upgraded one major version at
//     a time;
//   - a newer major version: NewerError; a store then opens its file read-only.
//
// Records are encoded as CBOR with integer keys in files (Encode, Decode) and as
// JSON with names in exports (EncodeJSON, DecodeJSON); both come from the tags
// of the one struct. Everything here is pure and safe for concurrent use.
package versioned

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind names what a record is about, in the words of its service, such as
// "resource_provider" or "instance".
type Kind string

// Version is major.minor of a kind's format. Minor grows when a field that may
// be absent is added; major grows when older readers would misread the record.
type Version struct {
	Major, Minor uint16
}

// String returns v as "major.minor".
func (v Version) String() string {
	return strconv.Itoa(int(v.Major)) + "." + strconv.Itoa(int(v.Minor))
}

// ParseVersion is the inverse of Version.String.
func ParseVersion(s string) (Version, error) {
	major, minor, ok := strings.Cut(s, ".")
	if !ok {
		return Version{}, fmt.Errorf("version %q is not MAJOR.MINOR", s)
	}
	ma, err1 := strconv.ParseUint(major, 10, 16)
	mi, err2 := strconv.ParseUint(minor, 10, 16)
	if err1 != nil || err2 != nil || ma == 0 {
		return Version{}, fmt.Errorf("version %q is not MAJOR.MINOR with MAJOR from 1", s)
	}
	return Version{Major: uint16(ma), Minor: uint16(mi)}, nil
}

// Record is one thing that a store keeps. Implementations are pointers to structs that
// hold values only, so that a Record may be kept and compared later.
type Record interface {
	// RecordKind returns the kind; it does not depend on the value.
	RecordKind() Kind
	// RecordKey returns the key within the kind. Keys sort in the order in
	// which records of the kind are listed.
	RecordKey() []byte
}

// Change is one record before and after a write. A nil Before means that the record is
// new, a nil After that it is removed; at least one is set, and both have the same
// kind and key.
type Change struct {
	Before, After Record
}

// Kind returns the kind of the record that c changes.
func (c Change) Kind() Kind { return c.Record().RecordKind() }

// Key returns the key of the record that c changes.
func (c Change) Key() []byte { return c.Record().RecordKey() }

// Title names the record that c changes, as Title does.
func (c Change) Title() string { return Title(c.Record()) }

// Name returns what people call the record that c changes, as Name does.
func (c Change) Name() string { return Name(c.Record()) }

// Reverse returns the change that undoes c.
func (c Change) Reverse() Change { return Change{Before: c.After, After: c.Before} }

// Record returns the record that c changes: as it is after c, or as it was before
// where c removes it.
func (c Change) Record() Record {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// Net returns the overall effect of changes made one after the other: each record that
// they change, in the order of its first change, as it was before the first and as it
// is after the last. A record that was made and removed again is left out.
func Net(changes []Change) []Change {
	var out []Change
	at := map[string]int{}
	for _, c := range changes {
		id := string(c.Kind()) + "\x00" + string(c.Key())
		if i, ok := at[id]; ok {
			out[i].After = c.After
			continue
		}
		at[id] = len(out)
		out = append(out, c)
	}
	return slices.DeleteFunc(out, func(c Change) bool { return c.Before == nil && c.After == nil })
}

// Step is how records of an older major version are read.
type Step struct {
	Major uint16                 // the older major version
	New   func() any             // a pointer to the struct of that version, to decode into
	Up    func(any) (any, error) // turns what New returned, decoded, into the next major version's value
}

// Schema says how a kind is written and read.
type Schema struct {
	Kind    Kind
	Version Version       // what this program writes, and the newest it understands
	New     func() Record // an empty record of Version, to decode into
	Steps   []Step        // one for each older major version that may be met
	History []Note        // every version ever written, oldest first
}

// Note says when and why a version was introduced.
type Note struct {
	Version Version
	Date    string // year-month-day
	Why     string
}

// ErrNewer is matched by NewerError.
var ErrNewer = errors.New("written by a newer version of placetop")

// KindError reports a record of a kind that this release has no schema for. It matches
// ErrNewer: a newer release may have one.
type KindError struct{ Kind Kind }

func (e *KindError) Error() string {
	return fmt.Sprintf("this release knows no records of kind %.100q; a newer one may", string(e.Kind))
}

// Is reports whether target is ErrNewer.
func (e *KindError) Is(target error) bool { return target == ErrNewer }

// ErrMalformed is matched by errors about records that cannot be decoded.
var ErrMalformed = errors.New("malformed record")

// NewerError reports a record of a newer major version than this program reads. It
// matches ErrNewer.
type NewerError struct {
	Kind  Kind
	Has   Version // of the record
	Knows Version // of this program
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s record of version %s: this placetop reads versions up to %s; use a newer one", e.Kind, e.Has, e.Knows)
}

// Is reports whether target is ErrNewer.
func (e *NewerError) Is(target error) bool { return target == ErrNewer }

// decodeInto runs the chain for a record of version v: unmarshal fills the
// struct of that version, and each older major version is stepped up.
func (s Schema) decodeInto(v Version, unmarshal func(any) error) (Record, error) {
	if v.Major > s.Version.Major {
		return nil, &NewerError{Kind: s.Kind, Has: v, Knows: s.Version}
	}
	if v.Major == s.Version.Major {
		r := s.New()
		if err := unmarshal(r); err != nil {
			return nil, fmt.Errorf("%s record: %w: %w", s.Kind, ErrMalformed, err)
		}
		return r, nil
	}
	var value any
	for major := v.Major; major < s.Version.Major; major++ {
		step, ok := s.step(major)
		if !ok {
			return nil, fmt.Errorf("%s record of version %s: %w: no such version was ever written", s.Kind, v, ErrMalformed)
		}
		if value == nil {
			value = step.New()
			if err := unmarshal(value); err != nil {
				return nil, fmt.Errorf("%s record: %w: %w", s.Kind, ErrMalformed, err)
			}
		}
		next, err := step.Up(value)
		if err != nil {
			return nil, fmt.Errorf("%s record of version %s: %w: upgrade from %d: %w", s.Kind, v, ErrMalformed, major, err)
		}
		value = next
	}
	r, ok := value.(Record)
	if !ok {
		return nil, fmt.Errorf("%s record of version %s: its upgrade steps end in %T", s.Kind, v, value)
	}
	return r, nil
}

func (s Schema) step(major uint16) (Step, bool) {
	for _, st := range s.Steps {
		if st.Major == major {
			return st, true
		}
	}
	return Step{}, false
}
