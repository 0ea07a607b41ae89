package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/internal/wire"
	"github.com/placetop/placetop/storage/shared"
)

// What a follower may ask of its owner.
const (
	mostQuestions = 8      // questions being answered at a time
	mostDefects   = 10_000 // in an answer
	mostEntries   = 256    // likewise
)

// Owner describes the process that serves a store.
type Owner struct {
	Release string // of this program
	Place   string // where the store is
	Peers   *Peers // gets the followers that say who they are; nil if nobody asks
}

// Serve lets the follower at conn work on a store, until the follower leaves, ctx
// ends, or the store is closed. It closes conn. A nil error means that the follower
// has left.
func Serve(ctx context.Context, conn net.Conn, store storage.Store, o Owner) error {
	ctx, stop := context.WithCancelCause(ctx)
	v := &service{line: line{conn: conn}, store: store, codec: cloud.NewCodec(), stop: stop}
	v.work.Go(func() {
		<-ctx.Done()
		v.farewell() // ends the reader
	})
	defer v.turn.end(false)
	defer v.work.Wait()
	defer stop(nil)
	if err := v.greet(o); err != nil {
		return err
	}
	if v.peers = o.Peers; v.peers == nil {
		v.peers = new(Peers)
	}
	if v.peer.As != "" {
		defer v.peers.Join(engine.Peer{As: v.peer.As, PID: v.peer.PID, SinceMS: v.peer.SinceMS, Looks: v.peer.Looks})()
	}
	v.work.Go(func() {
		for range store.Watch(ctx) { // until the store is closed
		}
		stop(storage.ErrClosed) // does nothing if the end had another cause
	})
	err := v.listen(ctx)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// service is a store that is served to one follower.
type service struct {
	line
	store storage.Store
	codec *versioned.Codec
	peer  hello
	peers *Peers
	turn  turn
	stop  context.CancelCauseFunc
	work  sync.WaitGroup
}

// greet reads who the follower is, and tells it who the owner is.
func (v *service) greet(o Owner) error {
	h := hello{
		Magic: magic, Protocol: protocol, Release: o.Release, Formats: wire.Formats(), PID: os.Getpid(),
		ReadOnly: v.store.Capabilities().ReadOnly,
	}
	if s, named := v.store.(interface{ Scheme() string }); named {
		h.Scheme = s.Scheme()
	}
	is := engine.ConditionOf(v.store)
	if d := is.Damage; d != nil {
		h.Condition.Damage = &storage.DamagedError{Path: o.Place, What: d.What, Remedy: storage.DropJournal}
	}
	if n := is.Newer; n != nil {
		newer := *n
		newer.Path, newer.Err = o.Place, nil
		h.Condition.Newer = &newer
	}
	_, h.Backup = v.store.(engine.Backuper)
	var err error
	v.peer, err = greeted(&v.line, "wants to follow", o.Release)
	if said := v.send(kindHello, h); err != nil || said != nil { // a refused follower sees the reason from this, too
		return errors.Join(err, said)
	}
	if v.store.Capabilities().Cannot != nil {
		err := &RefusedError{Why: "the cloud has a server of its own: connect to that"}
		_ = v.send(kindBye, bye{Why: err.Why}) // as above
		return err
	}
	return nil
}

// greeted reads the first message of the other side, and refuses one that this side would
// not understand. Role is what the other side does, in words for errors.
func greeted(l *line, role, release string) (hello, error) {
	f, err := l.read(maxGreeting, greetTime)
	if err != nil {
		return hello{}, &RefusedError{Why: "the process that " + role + " does not introduce itself: " + err.Error()}
	}
	if f.kind != kindHello {
		return hello{}, &RefusedError{Why: "the process that " + role + " is not placetop, or is too old"}
	}
	h, err := decode[hello](f)
	switch {
	case err != nil, h.Magic != magic:
		return hello{}, &RefusedError{Why: "the process that " + role + " is not placetop"}
	case h.Protocol != protocol, !slices.Equal(h.Formats, wire.Formats()):
		return hello{}, &RefusedError{Why: fmt.Sprintf(
			"the placetop that %s (pid %d) is release %.40q, whose record formats differ from those of this one, %q", role, h.PID, h.Release, release)}
	}
	return h, nil
}

// farewell sends the end, after the current message, and closes the connection. A
// follower that leaves no space for it only sees the connection close.
func (v *service) farewell() {
	late := time.AfterFunc(partingTime, func() { _ = v.conn.Close() }) // which ends the current message
	defer late.Stop()
	v.mu.Lock()
	defer v.mu.Unlock()
	_ = v.put(partingTime, kindBye, bye{Why: "it was closed there"}) // the connection closes in any case
	_ = v.conn.Close()
}

// listen handles the questions of the follower.
func (v *service) listen(ctx context.Context) error {
	room := make(chan struct{}, mostQuestions)
	for {
		f, err := v.read(maxFrame, 0)
		if err != nil {
			return err
		}
		do, err := v.question(f)
		if err != nil {
			return err
		}
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		v.work.Go(func() {
			defer func() { <-room }()
			if err := do(ctx); err != nil {
				v.stop(err)
			}
		})
	}
}

// question returns what answers the question in a frame. Its error is that of the connection.
func (v *service) question(f frame) (func(context.Context) error, error) {
	do := map[kind]func(context.Context, question, *answer) error{
		kindAppend: v.append, kindEvents: v.events, kindCheckpoint: v.checkpoint, kindVerify: v.verify, kindBackup: v.backup, kindPeers: v.present,
	}[f.kind]
	if do == nil {
		return nil, fmt.Errorf("%w: kind %d", errFrame, f.kind)
	}
	q, err := decode[question](f)
	return func(ctx context.Context) error {
		a := answer{ID: q.ID}
		if err := do(ctx, q, &a); err != nil {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // the caller has left
			}
			a.fail(err)
		}
		return v.send(kindAnswer, a)
	}, err
}

// append stores a write if it is based on the current state of the cloud.
func (v *service) append(ctx context.Context, q question, a *answer) error {
	if v.peer.Looks {
		return &RefusedError{Why: "the other side attached read-only"}
	}
	by := v.turn.writer(v.store)
	e := shared.Entry{First: q.Entry.Revision, Last: q.Entry.Revision, Head: q.Entry.Head}
	events, err := e.Events(v.codec, q.Entry.Body)
	if err == nil && e.First == 0 {
		err = fmt.Errorf("%w: an entry of revision 0", errFrame)
	}
	if err != nil {
		v.turn.end(false)
		return err
	}
	on := e.First - 1
	c := events[0].Replay()
	c.On = &on
	for {
		done, err := by.Apply(ctx, c).Result()
		var moved *cloud.MovedError
		switch {
		case err == nil:
			v.turn.end(true)
			a.Revision = done.Event.Revision
			return nil
		case !errors.As(err, &moved):
			v.turn.end(false)
			return err
		}
		if v.store.Snapshot().Revision() != on {
			v.turn.lost(ctx, v.store)
			a.Revision, a.Moved = v.store.Snapshot().Revision(), true
			return nil
		}
		// The write that came first is on its way to disk, and may not get there.
		if err := storage.Pause(ctx, time.Millisecond); err != nil {
			return err
		}
	}
}

// events answers with events of the journal, if not with all that were asked for, and with
// the revision that the cloud is at.
func (v *service) events(ctx context.Context, q question, a *answer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if q.Wait {
		news := v.store.Watch(ctx)
		for v.store.Snapshot().Revision() <= q.Query.After {
			if _, more := <-news; !more {
				return storage.ErrClosed
			}
		}
	}
	if a.Revision = v.store.Snapshot().Revision(); q.Query.After >= a.Revision {
		return nil
	}
	q.Query.Limit = min(max(q.Query.Limit, 1), mostEntries)
	if q.Query.Until == 0 || q.Query.Until > a.Revision {
		q.Query.Until = a.Revision // what is newer may be in the journal, but is not published yet
	}
	events, err := v.store.Events(ctx, q.Query)
	for _, ev := range events {
		e, err := shared.NewEntry(v.codec, ev)
		if err != nil {
			return err
		}
		a.Entries = append(a.Entries, entry{Revision: e.First, Head: e.Head, Body: e.Body})
	}
	return err
}

// checkpoint sends the complete cloud.
func (v *service) checkpoint(_ context.Context, q question, a *answer) error {
	s := v.store.Snapshot()
	a.Revision = s.Revision()
	return shared.WriteCloud(v.codec, partWriter{v, q.ID}, s)
}

// partWriter sends parts of an answer.
type partWriter struct {
	*service
	id uint64
}

func (w partWriter) Write(p []byte) (int, error) {
	return len(p), w.send(kindAnswer, answer{ID: w.id, Part: p})
}

// verify looks for inconsistencies in the store.
func (v *service) verify(ctx context.Context, _ question, a *answer) error {
	found, err := v.store.Verify(ctx)
	a.Defects = found[:min(len(found), mostDefects)]
	return err
}

// present tells who is there, once that has changed.
func (v *service) present(ctx context.Context, q question, a *answer) (err error) {
	a.Peers, a.Changes, err = v.peers.after(ctx, q.Changes)
	return err
}

// backup writes a copy of the store.
func (v *service) backup(ctx context.Context, b question, _ *answer) error {
	able, ok := v.store.(engine.Backuper)
	if !ok || !filepath.IsAbs(b.Path) {
		return fmt.Errorf("%w: a backup to %.100q", errFrame, b.Path)
	}
	return able.BackupFile(ctx, b.Path, diskfile.Options{Overwrite: b.Overwrite, Keep: b.Keep})
}
