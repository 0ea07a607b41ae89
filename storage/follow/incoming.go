package follow

import (
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/internal/wire"
)

// incoming is the state of a Store's reader.
type incoming struct {
	*Store
	pieces pieces
	load   *loading // a checkpoint being read; nil if there is none
}

// read handles what the owner sends, until either side leaves.
func (s *Store) read() {
	in := incoming{Store: s, pieces: pieces{codec: s.codec}}
	var err error
	for err == nil {
		var f frame
		if f, err = s.line.read(maxFrame, 0); err == nil {
			err = in.take(f)
		}
	}
	switch {
	case s.isClosed():
		s.why = storage.ErrClosed
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe):
		s.why = &GoneError{Owner: s.Owner()}
	default:
		s.why = s.goneBy(err)
	}
	_ = s.line.conn.Close() // the other side has left
	close(s.gone)
}

// take handles a frame.
func (in *incoming) take(f frame) error {
	switch f.kind {
	case kindRecords:
		if in.load == nil {
			in.load = newLoading(in.codec)
		}
		return in.load.add(f)
	case kindCheckpoint:
		return in.checkpoint(f)
	case kindChanges:
		return in.pieces.add(f)
	case kindEvent:
		return in.event(f)
	case kindTold:
		return in.told(f)
	case kindAnswer:
		return in.answer(f)
	case kindBye:
		b, err := decode[bye](f)
		if err == nil {
			err = &GoneError{Owner: in.Owner(), Err: errors.New(b.Why)}
		}
		return err
	default:
		return fmt.Errorf("%w: kind %d", errFrame, f.kind)
	}
}

// checkpoint publishes a complete cloud.
func (in *incoming) checkpoint(f frame) error {
	c, err := decode[checkpoint](f)
	if err != nil {
		return err
	}
	l := in.load
	if in.load = nil; l == nil {
		l = newLoading(in.codec)
	}
	next, err := l.finish(c)
	if err != nil {
		return err
	}
	if now := in.newest.Load(); now != nil && next.Revision() < now.Revision() {
		return fmt.Errorf("%w: a checkpoint of revision %d after %d", errFrame, next.Revision(), now.Revision())
	}
	in.publish(next)
	return nil
}

// event publishes a write by any follower or the owner.
func (in *incoming) event(f frame) error {
	e, err := decode[event](f)
	if err != nil {
		return err
	}
	ev, err := e.With(in.pieces.take())
	if err != nil {
		return err
	}
	now := in.newest.Load()
	if now == nil || ev.Revision != now.Revision()+1 || len(ev.Changes) == 0 {
		return fmt.Errorf("%w: revision %d out of turn", errFrame, ev.Revision)
	}
	next, err := wire.Follows(now, ev)
	if err != nil {
		return err
	}
	in.publish(next)
	return nil
}

// publish makes next the newest Snapshot, and notifies all watchers.
func (s *Store) publish(next *cloud.Snapshot) {
	s.newest.Store(next)
	s.watchers.Publish(next.Revision())
	s.mu.Lock()
	close(s.news)
	s.news = make(chan struct{})
	s.mu.Unlock()
}

// told collects an event that was asked for.
func (in *incoming) told(f frame) error {
	e, err := decode[event](f)
	if err != nil {
		return err
	}
	ev, err := e.With(in.pieces.take())
	if err != nil {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if q := in.waiting[e.ID]; q != nil {
		q.told = append(q.told, ev)
	}
	return nil
}

// answer passes an answer to the caller that waits for it. An accepted write is published
// first, so that its writer can read it.
func (in *incoming) answer(f frame) error {
	a, err := decode[answer](f)
	if err != nil {
		return err
	}
	in.mu.Lock()
	q := in.waiting[a.ID]
	delete(in.waiting, a.ID)
	in.mu.Unlock()
	now := in.newest.Load().Revision()
	if q != nil && q.next != nil && a.Error == "" && !a.Moved {
		if a.Revision != q.next.Revision() {
			return fmt.Errorf("%w: a write that leads to revision %d led to %d", errFrame, q.next.Revision(), a.Revision)
		}
		if a.Revision == now+1 {
			in.publish(q.next)
		}
	}
	if q != nil {
		q.answer <- a
	}
	return nil
}

// loading is a checkpoint that is being read.
type loading struct {
	codec *versioned.Codec
	into  *cloud.Loader
	count int
	size  int
}

func newLoading(codec *versioned.Codec) *loading {
	return &loading{codec: codec, into: cloud.NewLoader()}
}

// add takes a frame of kindRecords.
func (l *loading) add(f frame) (err error) {
	defer wire.Recovered(&err)
	some, err := decode[wire.Records](f)
	if err != nil {
		return err
	}
	if l.size += len(f.body); l.size > maxParts {
		return fmt.Errorf("%w: a checkpoint of more than %d bytes", errFrame, maxParts)
	}
	if err := some.Load(l.codec, l.into); err != nil {
		return err
	}
	l.count += len(some.Records)
	return nil
}

// finish returns the cloud that was sent.
func (l *loading) finish(c checkpoint) (s *cloud.Snapshot, err error) {
	defer wire.Recovered(&err)
	if c.Count != l.count {
		return nil, fmt.Errorf("%w: a checkpoint with %d of %d records", errFrame, l.count, c.Count)
	}
	if err := c.At.Check(); err != nil {
		return nil, err
	}
	return l.into.Snapshot(c.Revision, c.At.Time())
}
