package follow

import (
	"bytes"
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
)

// hello is the first message of both sides.
type hello struct {
	Magic    string   `cbor:"1,keyasint"`
	Protocol int      `cbor:"2,keyasint"`
	Release  string   `cbor:"3,keyasint"`
	Formats  []string `cbor:"4,keyasint"` // of all records: kind and version
	PID      int      `cbor:"5,keyasint"`

	// Of the owner.
	Place    string `cbor:"6,keyasint,omitempty"`
	Scheme   string `cbor:"7,keyasint,omitempty"`
	ReadOnly string `cbor:"8,keyasint,omitempty"` // why the store cannot be written
	Damage   string `cbor:"9,keyasint,omitempty"` // what is damaged of it
	Backup   bool   `cbor:"10,keyasint,omitempty"`
	Newer    *newer `cbor:"12,keyasint,omitempty"` // what of it a newer release wrote

	// Of the follower.
	Looks bool `cbor:"11,keyasint,omitempty"` // it will not write
}

// newer is a storage.NewerError.
type newer struct {
	What  string            `cbor:"1,keyasint"`
	Has   versioned.Version `cbor:"2,keyasint"`
	Knows versioned.Version `cbor:"3,keyasint"`
	By    string            `cbor:"4,keyasint,omitempty"`
}

// formats returns the formats of records that this program writes.
func formats() []string {
	var out []string
	for _, s := range cloud.Schemas() {
		out = append(out, string(s.Kind)+" "+s.Version.String())
	}
	return out
}

type bye struct {
	Why string `cbor:"1,keyasint"`
}

// records are some of the records of a checkpoint, all of one kind.
type records struct {
	Kind    versioned.Kind `cbor:"1,keyasint"`
	Records [][]byte       `cbor:"2,keyasint"`
}

type checkpoint struct {
	Revision cloud.Revision `cbor:"1,keyasint"`
	At       moment         `cbor:"2,keyasint"`
	Count    int            `cbor:"3,keyasint"` // of all records
}

// changes are some of the changes of an event or of a write.
type changes struct {
	Changes []change `cbor:"1,keyasint"`
}

// change is a record before and after; nil if there is none.
type change struct {
	_             struct{} `cbor:",toarray"`
	Kind          versioned.Kind
	Before, After []byte
}

// event is an event without its changes, which are sent before it. ID is that of the
// question that it answers, 0 for a new event.
type event struct {
	ID       uint64         `cbor:"1,keyasint,omitempty"`
	Revision cloud.Revision `cbor:"2,keyasint"`
	At       moment         `cbor:"3,keyasint"`
	Actor    string         `cbor:"4,keyasint,omitempty"`
	Note     string         `cbor:"5,keyasint,omitempty"`
	Task     string         `cbor:"6,keyasint,omitempty"`
	Step     string         `cbor:"7,keyasint,omitempty"`
	Count    int            `cbor:"8,keyasint"` // of its changes
	Omitted  int            `cbor:"9,keyasint,omitempty"`
}

// write is a change to apply at revision Event.Revision - 1.
type write = event

// query asks for events, or for anything else that takes at most a number.
type query struct {
	ID    uint64         `cbor:"1,keyasint"`
	Until cloud.Revision `cbor:"2,keyasint,omitempty"`
	After cloud.Revision `cbor:"3,keyasint,omitempty"`
	Limit int            `cbor:"4,keyasint,omitempty"`
	Small int            `cbor:"5,keyasint,omitempty"`
}

// backup asks for a copy of the store in a file.
type backup struct {
	ID        uint64   `cbor:"1,keyasint"`
	Path      string   `cbor:"2,keyasint"`
	Overwrite bool     `cbor:"3,keyasint,omitempty"`
	Keep      []string `cbor:"4,keyasint,omitempty"` // paths, and what is there
}

// answer ends the reply to a question.
type answer struct {
	ID       uint64         `cbor:"1,keyasint"`
	Revision cloud.Revision `cbor:"2,keyasint,omitempty"` // that a write has led to, or that the owner is at
	Moved    bool           `cbor:"3,keyasint,omitempty"` // the write rested on another revision
	Error    string         `cbor:"4,keyasint,omitempty"`
	Matches  uint64         `cbor:"5,keyasint,omitempty"` // of the error: see sentinels
	Defects  []defect       `cbor:"6,keyasint,omitempty"`

	wrote bool // used by the owner only: it is the answer to a write
}

// defect is a storage.Defect.
type defect struct {
	_           struct{} `cbor:",toarray"`
	Where, What string
	Remedy      storage.Remedy
}

// moment is a time of any year, to the nanosecond.
type moment struct {
	_    struct{} `cbor:",toarray"`
	Sec  int64
	Nano int32
}

func momentOf(t time.Time) moment {
	return moment{Sec: t.Unix(), Nano: int32(t.Nanosecond())} // below 1e9
}

func (m moment) time() time.Time { return time.Unix(m.Sec, int64(m.Nano)).UTC() }

// check refuses an impossible number of nanoseconds.
func (m moment) check() error {
	if m.Nano < 0 || m.Nano >= 1e9 {
		return fmt.Errorf("%w: a time with %d nanoseconds", errFrame, m.Nano)
	}
	return nil
}

// encodeChange returns c in the form that is sent.
func encodeChange(codec *versioned.Codec, c versioned.Change) (change, error) {
	out := change{Kind: c.Kind()}
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

// decodeChange is the inverse of encodeChange.
func decodeChange(codec *versioned.Codec, c change) (out versioned.Change, err error) {
	if c.Before == nil && c.After == nil {
		return out, fmt.Errorf("%w: a change of %q without a record", errFrame, c.Kind)
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
		return out, fmt.Errorf("%w: a change of %q that gives it another key", errFrame, c.Kind)
	}
	return out, nil
}

// eventOf returns ev without its changes, in the form that is sent.
func eventOf(id uint64, ev cloud.Event) event {
	return event{
		ID: id, Revision: ev.Revision, At: momentOf(ev.At), Actor: ev.Actor, Note: ev.Note, Task: ev.Task, Step: ev.Step,
		Count: len(ev.Changes), Omitted: ev.Omitted,
	}
}

// with returns the Event that was sent.
func (e event) with(changes []versioned.Change) (cloud.Event, error) {
	if e.Count != len(changes) || e.Omitted < 0 || e.Omitted > 0 && len(changes) > 0 {
		return cloud.Event{}, fmt.Errorf("%w: revision %d with %d of %d changes", errFrame, e.Revision, len(changes), e.Count)
	}
	if err := e.At.check(); err != nil {
		return cloud.Event{}, err
	}
	return cloud.Event{
		Revision: e.Revision, At: e.At.time(), Actor: e.Actor, Note: e.Note, Task: e.Task, Step: e.Step, Changes: changes, Omitted: e.Omitted,
	}, nil
}

// pieces collects the changes of an event or of a write.
type pieces struct {
	codec   *versioned.Codec
	changes []versioned.Change
	size    int
}

// add takes a frame of kindChanges.
func (p *pieces) add(f frame) error {
	some, err := decode[changes](f)
	if err != nil {
		return err
	}
	if p.size += len(f.body); p.size > maxParts {
		return fmt.Errorf("%w: more than %d bytes of changes", errFrame, maxParts)
	}
	for _, c := range some.Changes {
		change, err := decodeChange(p.codec, c)
		if err != nil {
			return err
		}
		p.changes = append(p.changes, change)
	}
	return nil
}

// take returns the collected changes, and starts again.
func (p *pieces) take() []versioned.Change {
	all := p.changes
	p.changes, p.size = nil, 0
	return all
}

// putEvent writes an event or a write: first its changes, then the rest. The caller holds
// the lock of the line.
func (l *line) putEvent(codec *versioned.Codec, k kind, id uint64, ev cloud.Event) error {
	var some changes
	size := 0
	flush := func() error {
		if len(some.Changes) == 0 {
			return nil
		}
		err := l.put(kindChanges, some)
		some.Changes, size = some.Changes[:0], 0
		return err
	}
	for _, c := range ev.Changes {
		sent, err := encodeChange(codec, c)
		if err != nil {
			return err
		}
		some.Changes = append(some.Changes, sent)
		if size += len(sent.Before) + len(sent.After); size >= frameAim {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return l.put(k, eventOf(id, ev))
}
