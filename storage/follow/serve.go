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
)

// What a follower may ask of its owner.
const (
	mostQuestions = 8       // questions being answered at a time
	mostDefects   = 10_000  // in an answer
	mostEvents    = 100_000 // of the journal, for one question
	eventStep     = 256     // events read at a time
	tooFarBehind  = 20_000  // events, above which a checkpoint is sent instead
)

// Owner describes the process that serves a store.
type Owner struct {
	Release string // of this program
	Place   string // where the store is
}

// Serve lets the follower at conn work on a store, until the follower leaves, ctx
// ends, or the store is closed. It closes conn. A nil error means that the follower
// has left.
func Serve(ctx context.Context, conn net.Conn, store storage.Store, o Owner) error {
	ctx, stop := context.WithCancelCause(ctx)
	v := &service{line: line{conn: conn}, store: store, codec: cloud.NewCodec(), stop: stop}
	defer v.work.Wait()
	defer conn.Close() //nolint:errcheck // whoever is there has been told, or has left
	defer stop(nil)
	parted := make(chan struct{})
	left := context.AfterFunc(ctx, func() { // ends the reader
		defer close(parted)
		v.farewell()
	})
	defer func() {
		if !left() {
			<-parted
		}
	}()
	if err := v.greet(o); err != nil {
		return err
	}
	watch := store.Watch(ctx) // before the checkpoint, so that no change is missed
	v.mu.Lock()
	err := v.checkpoint(store.Snapshot())
	v.mu.Unlock()
	if err != nil {
		return err
	}
	v.work.Go(func() { v.tell(ctx, watch) })
	err = v.listen(ctx)
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
	stop  context.CancelCauseFunc
	work  sync.WaitGroup

	sent cloud.Revision // the revision that the follower has; guarded by mu
}

// greet reads who the follower is, and tells it who the owner is.
func (v *service) greet(o Owner) error {
	h := hello{
		Magic: magic, Protocol: protocol, Release: o.Release, Formats: wire.Formats(), PID: os.Getpid(),
		Place: o.Place, ReadOnly: v.store.Capabilities().ReadOnly,
	}
	if s, named := v.store.(interface{ Scheme() string }); named {
		h.Scheme = s.Scheme()
	}
	if d, able := v.store.(engine.Damageable); able && d.Damage() != nil {
		h.Damage = d.Damage().What
	}
	if n, able := v.store.(engine.Newer); able && n.Newer() != nil {
		is := n.Newer()
		h.Newer = &newer{What: is.What, Has: is.Has, Knows: is.Knows, By: is.By}
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

// checkpoint sends the complete cloud; the caller holds mu.
func (v *service) checkpoint(s *cloud.Snapshot) error {
	count, err := wire.EncodeRecords(v.codec, s, frameAim, func(some wire.Records) error { return v.put(kindRecords, some) })
	if err != nil {
		return err
	}
	v.sent = s.Revision()
	return v.put(kindCheckpoint, checkpoint{Revision: s.Revision(), At: wire.MomentOf(s.At()), Count: count})
}

// tell sends the follower all that is written.
func (v *service) tell(ctx context.Context, watch <-chan cloud.Revision) {
	for range watch {
		v.mu.Lock()
		err := v.catchUp(ctx)
		v.mu.Unlock()
		if err != nil {
			v.stop(err)
			return
		}
	}
	v.stop(storage.ErrClosed) // does nothing if the end had another cause
}

// farewell sends the end, after the current message, and closes the connection. A
// follower that leaves no space for it only sees the connection close.
func (v *service) farewell() {
	said := make(chan struct{})
	v.work.Go(func() {
		defer close(said)
		v.mu.Lock()
		defer v.mu.Unlock()
		_ = v.putWithin(partingTime, kindBye, bye{Why: "it was closed there"}) // the connection closes in any case
	})
	select {
	case <-said:
	case <-time.After(partingTime):
	}
	_ = v.conn.Close()
}

// catchUp sends the follower what was written since the last time; the caller holds mu.
func (v *service) catchUp(ctx context.Context) error {
	for {
		now := v.store.Snapshot()
		if v.sent >= now.Revision() {
			return nil
		}
		if now.Revision()-v.sent > tooFarBehind {
			return v.checkpoint(now)
		}
		until := min(v.sent+eventStep, now.Revision())
		events, err := v.store.Events(ctx, cloud.EventQuery{After: v.sent, Until: until, Limit: eventStep})
		if err != nil {
			return err
		}
		slices.Reverse(events)
		if !leads(events, v.sent, until) {
			return v.checkpoint(now)
		}
		for _, ev := range events {
			if err := v.putEvent(v.codec, kindEvent, 0, ev); err != nil {
				return err
			}
			v.sent = ev.Revision
		}
	}
}

// leads reports whether events lead from one revision to another, with all of their
// changes.
func leads(events []cloud.Event, from, to cloud.Revision) bool {
	if cloud.Revision(len(events)) != to-from {
		return false
	}
	for i, ev := range events {
		if ev.Revision != from+1+cloud.Revision(i) || len(ev.Changes) == 0 {
			return false
		}
	}
	return true
}

// listen handles the questions of the follower.
func (v *service) listen(ctx context.Context) error {
	parts := pieces{codec: v.codec}
	room := make(chan struct{}, mostQuestions)
	for {
		f, err := v.read(maxFrame, 0)
		if err != nil {
			return err
		}
		if f.kind == kindChanges {
			if err := parts.add(f); err != nil {
				return err
			}
			continue
		}
		id, do, err := v.question(f, parts.take())
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
			if err := v.answered(ctx, id, do); err != nil {
				v.stop(err)
			}
		})
	}
}

// answered calls do, and sends the answer. The error is that of the connection.
func (v *service) answered(ctx context.Context, id uint64, do func(context.Context, *answer) error) error {
	a := answer{ID: id}
	if err := do(ctx, &a); err != nil {
		if ctx.Err() != nil {
			return nil // the caller has left
		}
		a.fail(err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if a.Revision > v.sent {
		if err := v.beyond(ctx, a); err != nil {
			return err
		}
	}
	return v.put(kindAnswer, a)
}

// beyond sends the follower all events up to the revision of an answer, except that of
// its own write, which it has. The caller holds mu.
func (v *service) beyond(ctx context.Context, a answer) error {
	if a.wrote && v.sent+1 == a.Revision {
		v.sent = a.Revision
		return nil
	}
	return v.catchUp(ctx)
}

// question returns what a frame asks for.
func (v *service) question(f frame, parts []versioned.Change) (uint64, func(context.Context, *answer) error, error) {
	switch f.kind {
	case kindApply:
		w, err := decode[write](f)
		if err != nil {
			return 0, nil, err
		}
		ev, err := w.With(parts)
		if err == nil && (ev.Revision == 0 || ev.Omitted != 0) {
			err = fmt.Errorf("%w: a write of revision %d", errFrame, ev.Revision)
		}
		return w.ID, func(ctx context.Context, a *answer) error { return v.apply(ctx, ev, a) }, err
	case kindSync, kindEvents, kindVerify:
		q, err := decode[query](f)
		do := v.sync
		switch f.kind {
		case kindEvents:
			do = v.events
		case kindVerify:
			do = v.verify
		default:
		}
		return q.ID, func(ctx context.Context, a *answer) error { return do(ctx, q, a) }, err
	case kindBackup:
		b, err := decode[backup](f)
		return b.ID, func(ctx context.Context, _ *answer) error { return v.backup(ctx, b) }, err
	default:
		return 0, nil, fmt.Errorf("%w: kind %d", errFrame, f.kind)
	}
}

// apply stores a write if it is based on the current state of the cloud.
func (v *service) apply(ctx context.Context, ev cloud.Event, a *answer) error {
	if v.peer.Looks {
		return &RefusedError{Why: "the other side attached read-only"}
	}
	on := ev.Revision - 1
	c := ev.Replay()
	c.On = &on
	for {
		done, err := v.store.Apply(ctx, c).Result()
		var moved *cloud.MovedError
		switch {
		case err == nil:
			a.Revision, a.wrote = done.Event.Revision, true
			return nil
		case !errors.As(err, &moved):
			return err
		}
		if now := v.store.Snapshot().Revision(); now != on {
			a.Revision, a.Moved = now, true
			return nil
		}
		// The write that came first is on its way to disk, and may not get there.
		if err := storage.Pause(ctx, time.Millisecond); err != nil {
			return err
		}
	}
}

// sync answers with the revision of the cloud.
func (v *service) sync(_ context.Context, _ query, a *answer) error {
	a.Revision = v.store.Snapshot().Revision()
	return nil
}

// events sends events of the journal.
func (v *service) events(ctx context.Context, q query, _ *answer) error {
	want := cloud.EventQuery{Until: q.Until, After: q.After, Limit: min(q.Limit, mostEvents), Small: max(q.Small, 0)}
	if want.Limit <= 0 {
		want.Limit = 100
	}
	for left := want.Limit; left > 0; {
		want.Limit = min(left, eventStep)
		events, err := v.store.Events(ctx, want)
		if err != nil {
			return err
		}
		for _, ev := range events {
			v.mu.Lock()
			err := v.putEvent(v.codec, kindTold, q.ID, ev)
			v.mu.Unlock()
			if err != nil {
				return err
			}
		}
		if len(events) < want.Limit || events[len(events)-1].Revision <= 1 {
			return nil
		}
		left -= len(events)
		want.Until = events[len(events)-1].Revision - 1
	}
	return nil
}

// verify looks for inconsistencies in the store.
func (v *service) verify(ctx context.Context, _ query, a *answer) error {
	found, err := v.store.Verify(ctx)
	for _, d := range found[:min(len(found), mostDefects)] {
		a.Defects = append(a.Defects, defect{Where: d.Where, What: d.What, Remedy: d.Remedy})
	}
	return err
}

// backup writes a copy of the store.
func (v *service) backup(ctx context.Context, b backup) error {
	able, ok := v.store.(engine.Backuper)
	if !ok || !filepath.IsAbs(b.Path) || len(b.Keep)%2 != 0 {
		return fmt.Errorf("%w: a backup to %.100q", errFrame, b.Path)
	}
	to := diskfile.Options{Overwrite: b.Overwrite}
	for i := 0; i < len(b.Keep); i += 2 {
		to.Keep = append(to.Keep, diskfile.ProtectedFile{Path: b.Keep[i], Is: b.Keep[i+1]})
	}
	return able.BackupFile(ctx, b.Path, to)
}

// backupOf returns the request for a copy.
func backupOf(path string, to diskfile.Options) (backup, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return backup{}, err
	}
	b := backup{Path: abs, Overwrite: to.Overwrite}
	for _, k := range to.Keep {
		at, err := filepath.Abs(k.Path)
		if err != nil {
			return backup{}, err
		}
		b.Keep = append(b.Keep, at, k.Is)
	}
	return b, nil
}
