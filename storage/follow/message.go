package follow

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/internal/wire"
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

type bye struct {
	Why string `cbor:"1,keyasint"`
}

type checkpoint struct {
	Revision cloud.Revision `cbor:"1,keyasint"`
	At       wire.Moment    `cbor:"2,keyasint"`
	Count    int            `cbor:"3,keyasint"` // of all records
}

// event is an event without its changes, which are sent before it. ID is that of the
// question that it answers, 0 for a new event.
type event struct {
	ID uint64 `cbor:"1,keyasint,omitempty"`
	wire.Event
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

// pieces collects the changes of an event or of a write.
type pieces struct {
	codec   *versioned.Codec
	changes []versioned.Change
	size    int
}

// add takes a frame of kindChanges.
func (p *pieces) add(f frame) error {
	some, err := decode[wire.Changes](f)
	if err != nil {
		return err
	}
	if p.size += len(f.body); p.size > maxParts {
		return fmt.Errorf("%w: more than %d bytes of changes", errFrame, maxParts)
	}
	for _, c := range some.Changes {
		change, err := wire.DecodeChange(p.codec, c)
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
	var some wire.Changes
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
		sent, err := wire.EncodeChange(codec, c)
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
	return l.put(k, event{id, wire.EventOf(ev)})
}
