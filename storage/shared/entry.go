package shared

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/s2"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage/internal/wire"
)

// The head of an entry is a list of events without their changes. Its body is messages of
// changes, those of all events one after the other, each message preceded by its length, and
// all of it compressed, as what is before and after a change is mostly the same.

// Limits on what is read and written.
const (
	messageAim  = 128 << 10 // bytes of changes or records in a message; only a single one may be larger
	mostMessage = 64 << 20
	mostBody    = 2 << 30
)

// checkpointHead is the first message of a checkpoint. Records follow.
type checkpointHead struct {
	Revision cloud.Revision `cbor:"1,keyasint"`
	At       wire.Moment    `cbor:"2,keyasint"`
}

// checkpointTail is the last message of a checkpoint.
type checkpointTail struct {
	Count int `cbor:"3,keyasint"` // of its records
}

// body collects the changes of events in the form of an entry.
type body struct {
	codec *versioned.Codec
	plain []byte
}

// NewEntry returns the entry of one event, without a body if the changes of the event were
// left out.
func NewEntry(codec *versioned.Codec, ev cloud.Event) (*Entry, error) {
	head := wire.EventOf(ev)
	head.Count, head.Omitted = head.Count+head.Omitted, 0
	changes := body{codec: codec}
	if err := changes.add(ev); err != nil {
		return nil, err
	}
	e, err := newEntry([]wire.Event{head}, changes.plain)
	if err == nil && ev.Omitted > 0 {
		e.Body = nil
	}
	return e, err
}

// newEntry returns the entry of events, whose changes are in plain.
func newEntry(events []wire.Event, plain []byte) (*Entry, error) {
	head, err := wire.Marshal(events)
	return &Entry{First: events[0].Revision, Last: events[len(events)-1].Revision, Head: head, Body: s2.Encode(nil, plain)}, err
}

// add appends the changes of an event.
func (b *body) add(ev cloud.Event) error {
	var some wire.Changes
	size := 0
	flush := func() error {
		if len(some.Changes) == 0 {
			return nil
		}
		m, err := wire.Marshal(some)
		b.plain = append(binary.AppendUvarint(b.plain, uint64(len(m))), m...)
		some.Changes, size = some.Changes[:0], 0
		return err
	}
	for _, c := range ev.Changes {
		one, err := wire.EncodeChange(b.codec, c)
		if err != nil {
			return err
		}
		some.Changes = append(some.Changes, one)
		if size += len(one.Before) + len(one.After); size >= messageAim {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// heads returns the events of an entry without their changes. One may have none that this
// release knows.
func heads(e *Entry) ([]wire.Event, error) {
	var all []wire.Event
	if err := wire.Unmarshal(e.Head, &all); err != nil {
		return nil, fmt.Errorf("%w: the head of revision %d: %w", wire.ErrMalformed, e.First, err)
	}
	for i, ev := range all {
		if ev.Revision != e.First+cloud.Revision(i) || ev.Count < 0 || ev.Omitted != 0 {
			return nil, fmt.Errorf("%w: revision %d in the place of %d", wire.ErrMalformed, ev.Revision, e.First+cloud.Revision(i))
		}
	}
	if len(all) == 0 || all[len(all)-1].Revision != e.Last {
		return nil, fmt.Errorf("%w: %d events for the revisions %d to %d", wire.ErrMalformed, len(all), e.First, e.Last)
	}
	return all, nil
}

// events returns the events of an entry, whose body is asked for where it is not here.
func (s *Store) events(ctx context.Context, e *Entry) ([]cloud.Event, error) {
	packed, err := s.log.Body(ctx, e)
	if err != nil {
		return nil, err
	}
	return e.Events(s.codec, packed)
}

// Events returns the events of an entry, which has that body.
func (e *Entry) Events(codec *versioned.Codec, packed []byte) (out []cloud.Event, err error) {
	defer wire.Recovered(&err)
	all, err := heads(e)
	if err != nil {
		return nil, err
	}
	if n, err := s2.DecodedLen(packed); err != nil || n > mostBody {
		return nil, fmt.Errorf("%w: the changes of revision %d claim to have %d bytes", wire.ErrMalformed, e.First, n)
	}
	plain, err := s2.Decode(nil, packed)
	if err != nil {
		return nil, fmt.Errorf("%w: the changes of revision %d: %w", wire.ErrMalformed, e.First, err)
	}
	for _, head := range all {
		changes := make([]versioned.Change, 0, min(head.Count, len(plain)))
		for len(changes) < head.Count {
			n, width := binary.Uvarint(plain)
			if width <= 0 || n > uint64(len(plain)-width) {
				return nil, fmt.Errorf("%w: revision %d is cut off", wire.ErrMalformed, head.Revision)
			}
			var some wire.Changes
			if err := wire.Unmarshal(plain[width:width+int(n)], &some); err != nil {
				return nil, fmt.Errorf("%w: revision %d: %w", wire.ErrMalformed, head.Revision, err)
			}
			if len(some.Changes) == 0 {
				return nil, fmt.Errorf("%w: revision %d has an empty list of changes", wire.ErrMalformed, head.Revision)
			}
			plain = plain[width+int(n):]
			for _, c := range some.Changes {
				one, err := wire.DecodeChange(codec, c)
				if err != nil {
					return nil, fmt.Errorf("revision %d: %w", head.Revision, err)
				}
				changes = append(changes, one)
			}
		}
		ev, err := head.With(changes)
		if err != nil {
			return nil, err
		}
		out = append(out, ev)
	}
	return out, nil
}

// WriteCloud writes a checkpoint.
func WriteCloud(codec *versioned.Codec, w io.Writer, snap *cloud.Snapshot) error {
	packed := s2.NewWriter(w, s2.WriterConcurrency(1))
	put := func(message any) error {
		m, err := wire.Marshal(message)
		if err == nil {
			_, err = packed.Write(append(binary.AppendUvarint(nil, uint64(len(m))), m...))
		}
		return err
	}
	if err := put(checkpointHead{snap.Revision(), wire.MomentOf(snap.At())}); err != nil {
		return err
	}
	count, err := wire.EncodeRecords(codec, snap, messageAim, func(some wire.Records) error { return put(some) })
	if err != nil {
		return err
	}
	return errors.Join(put(checkpointTail{count}), packed.Close())
}

// readCloud is the inverse of WriteCloud.
func readCloud(codec *versioned.Codec, r io.Reader) (snap *cloud.Snapshot, err error) {
	defer wire.Recovered(&err)
	plain := bufio.NewReader(s2.NewReader(r))
	next := func() ([]byte, error) {
		n, err := binary.ReadUvarint(plain)
		if err != nil {
			return nil, err
		}
		if n > mostMessage {
			return nil, fmt.Errorf("%w: %d bytes", wire.ErrMalformed, n)
		}
		m := make([]byte, n)
		_, err = io.ReadFull(plain, m)
		return m, err
	}
	m, err := next()
	if err != nil {
		return nil, err
	}
	var head checkpointHead
	if err := wire.Unmarshal(m, &head); err != nil {
		return nil, err
	}
	if err := head.At.Check(); err != nil {
		return nil, err
	}
	into, count := cloud.NewLoader(), 0
	for {
		if m, err = next(); err != nil {
			return nil, fmt.Errorf("a checkpoint is cut off: %w", err)
		}
		var some struct {
			wire.Records
			checkpointTail
		}
		if err := wire.Unmarshal(m, &some); err != nil {
			return nil, err
		}
		if some.Kind == "" {
			if some.Count != count {
				return nil, fmt.Errorf("%w: a checkpoint with %d of %d records", wire.ErrMalformed, count, some.Count)
			}
			return into.Snapshot(head.Revision, head.At.Time())
		}
		if err := some.Load(codec, into); err != nil {
			return nil, err
		}
		count += len(some.Records.Records)
	}
}
