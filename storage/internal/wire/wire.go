// Package wire is the form in which records and events travel between processes: over the
// socket of package follow, and in the log of package shared. What is read was written by
// somebody else: it is bounded, and checked like the records of a file.
package wire

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
)

// ErrMalformed is matched by errors about bytes that are not a message.
var ErrMalformed = errors.New("malformed message")

// How messages are encoded to and decoded from CBOR.
//
//nolint:gochecknoglobals // modes that nothing writes
var (
	encoder = must(cbor.EncOptions{}.EncMode())
	decoder = must(cbor.DecOptions{
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		IndefLength:      cbor.IndefLengthForbidden,
		MaxArrayElements: 1 << 20,
		MaxMapPairs:      64,
		MaxNestedLevels:  8,
		TagsMd:           cbor.TagsForbidden,
		UTF8:             cbor.UTF8RejectInvalid,
	}.DecMode())
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Marshal encodes a message.
func Marshal(message any) ([]byte, error) { return encoder.Marshal(message) }

// Unmarshal decodes a message.
func Unmarshal(b []byte, message any) error { return decoder.Unmarshal(b, message) }

// Formats returns the formats of records that this program writes.
func Formats() []string {
	var out []string
	for _, s := range cloud.Schemas() {
		out = append(out, string(s.Kind)+" "+s.Version.String())
	}
	return out
}

// Records are some of the records of a cloud, all of one kind.
type Records struct {
	Kind    versioned.Kind `cbor:"1,keyasint"`
	Records [][]byte       `cbor:"2,keyasint"`
}

// EncodeRecords calls put with all records of a cloud, some at a time: about aim bytes of
// them, or a single one that is larger. It returns how many records there are.
func EncodeRecords(codec *versioned.Codec, s *cloud.Snapshot, aim int, put func(Records) error) (count int, err error) {
	var some Records
	size := 0
	flush := func() error {
		if len(some.Records) == 0 {
			return nil
		}
		err := put(some)
		some.Records, size = some.Records[:0], 0
		return err
	}
	for r := range s.Records() {
		if k := r.RecordKind(); k != some.Kind || size >= aim {
			if err := flush(); err != nil {
				return count, err
			}
			some.Kind = k
		}
		b, err := codec.Encode(r)
		if err != nil {
			return count, err
		}
		some.Records = append(some.Records, b)
		size += len(b)
		count++
	}
	return count, flush()
}

// Load adds the records to a cloud that is being read.
func (some Records) Load(codec *versioned.Codec, into *cloud.Loader) error {
	for _, b := range some.Records {
		r, err := codec.Decode(some.Kind, b)
		if err != nil {
			return err
		}
		if err := into.Add(r); err != nil {
			return err
		}
	}
	return nil
}

// Changes are some of the changes of an event.
type Changes struct {
	Changes []Change `cbor:"1,keyasint"`
}

// Change is a record before and after; nil if there is none.
type Change struct {
	_             struct{} `cbor:",toarray"`
	Kind          versioned.Kind
	Before, After []byte
}

// EncodeChange returns c in the form that is sent.
func EncodeChange(codec *versioned.Codec, c versioned.Change) (Change, error) {
	out := Change{Kind: c.Kind()}
	var err error
	if c.Before != nil {
		if out.Before, err = codec.Encode(c.Before); err != nil {
			return out, err
		}
	}
	if c.After != nil {
		out.After, err = codec.Encode(c.After)
	}
	return out, err
}

// DecodeChange is the inverse of EncodeChange.
func DecodeChange(codec *versioned.Codec, c Change) (out versioned.Change, err error) {
	if c.Before == nil && c.After == nil {
		return out, fmt.Errorf("%w: a change of %q without a record", ErrMalformed, c.Kind)
	}
	if c.Before != nil {
		if out.Before, err = codec.Decode(c.Kind, c.Before); err != nil {
			return out, err
		}
	}
	if c.After != nil {
		if out.After, err = codec.Decode(c.Kind, c.After); err != nil {
			return out, err
		}
	}
	if out.Before != nil && out.After != nil && !bytes.Equal(out.Before.RecordKey(), out.After.RecordKey()) {
		return out, fmt.Errorf("%w: a change of %q that gives it another key", ErrMalformed, c.Kind)
	}
	return out, nil
}

// Event is an event without its changes, which are sent before it.
type Event struct {
	Revision cloud.Revision `cbor:"2,keyasint"`
	At       Moment         `cbor:"3,keyasint"`
	Actor    string         `cbor:"4,keyasint,omitempty"`
	Note     string         `cbor:"5,keyasint,omitempty"`
	Task     string         `cbor:"6,keyasint,omitempty"`
	Step     string         `cbor:"7,keyasint,omitempty"`
	Count    int            `cbor:"8,keyasint"` // of its changes
	Omitted  int            `cbor:"9,keyasint,omitempty"`
}

// EventOf returns ev without its changes, in the form that is sent.
func EventOf(ev cloud.Event) Event {
	return Event{
		Revision: ev.Revision, At: MomentOf(ev.At), Actor: ev.Actor, Note: ev.Note, Task: ev.Task, Step: ev.Step,
		Count: len(ev.Changes), Omitted: ev.Omitted,
	}
}

// With returns the Event that was sent.
func (e Event) With(changes []versioned.Change) (cloud.Event, error) {
	if e.Count != len(changes) || e.Omitted < 0 || e.Omitted > 0 && len(changes) > 0 {
		return cloud.Event{}, fmt.Errorf("%w: revision %d with %d of %d changes", ErrMalformed, e.Revision, len(changes), e.Count)
	}
	if err := e.At.Check(); err != nil {
		return cloud.Event{}, err
	}
	return cloud.Event{
		Revision: e.Revision, At: e.At.Time(), Actor: e.Actor, Note: e.Note, Task: e.Task, Step: e.Step, Changes: changes, Omitted: e.Omitted,
	}, nil
}

// Moment is a time of any year, to the nanosecond.
type Moment struct {
	_    struct{} `cbor:",toarray"`
	Sec  int64
	Nano int32
}

// MomentOf returns t in the form that is sent.
func MomentOf(t time.Time) Moment {
	return Moment{Sec: t.Unix(), Nano: int32(t.Nanosecond())} // below 1e9
}

// Time is the inverse of MomentOf.
func (m Moment) Time() time.Time { return time.Unix(m.Sec, int64(m.Nano)).UTC() }

// Check refuses an impossible number of nanoseconds.
func (m Moment) Check() error {
	if m.Nano < 0 || m.Nano >= 1e9 {
		return fmt.Errorf("%w: a time with %d nanoseconds", ErrMalformed, m.Nano)
	}
	return nil
}

// Applied is Snapshot.Apply for a change that another process has sent, with panics
// returned as errors.
func Applied(s *cloud.Snapshot, c cloud.Change) (next *cloud.Snapshot, ev cloud.Event, err error) {
	defer Recovered(&err)
	return s.Apply(c)
}

// Follows returns the cloud after an event that another process has decided on s.
func Follows(s *cloud.Snapshot, ev cloud.Event) (*cloud.Snapshot, error) {
	next, _, err := Applied(s, ev.Replay())
	if err == nil && next.Revision() != ev.Revision {
		err = errors.New("it changes nothing")
	}
	if err != nil {
		return nil, fmt.Errorf("revision %d does not follow from what is here: %w", ev.Revision, err)
	}
	return next, nil
}

// Recovered turns a panic into an error.
func Recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the change could not be applied: %v", p)
	}
}
