package bolt

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// batch is what one commit writes: decisions, of which the accepted ones lead from one
// Snapshot to another.
type batch struct {
	from, to  *cloud.Snapshot
	decisions []*decision
	records   int // that the commit writes
	bytes     int // at most what it takes in the log
}

// full reports whether a batch is full.
func (b *batch) full() bool { return len(b.decisions) >= batchChanges || b.records >= batchRecords }

// ready reports whether a batch is worth a commit without anybody else's decisions.
func (b *batch) ready() bool { return len(b.decisions) >= crowded || b.records >= manyRecords }

// filling reports whether all of b comes from calls of ApplyAll.
func (b *batch) filling() bool {
	return !slices.ContainsFunc(b.decisions, func(d *decision) bool { return d.seq == nil })
}

// mostGather is the longest that a commit waits for callers who have just been answered
// to come back: about a round trip over a socket. Writing once for two of them costs less
// than writing twice, even to the log.
const mostGather = 300 * time.Microsecond

// crowded is how many callers are enough for a commit: to decide that many takes about as
// long as to write and sync them. If all of a larger crowd shared each commit, there would
// be nobody left to decide while it is on its way.
const crowded = 32

// writer is the one goroutine that decides, publishes and answers. While one batch is on
// its way to disk, in another goroutine, the next one is decided on the Snapshot that it
// will lead to:
//
//	queue ── decide ──► next ──► under ─┬─ append to the log ──► publish, answer ──► behind
//	                                    └─ persist ────────────► publish, answer       │
//	                                           └──────────────────── follow ◄──────────┘
//
// Decisions on a Snapshot that could not be stored fail with it.
//
// A batch goes to bbolt if the log is not in use, is full, or cannot be written; bbolt
// then also gets what it does not have yet.
//
// Without waiting, two clients who take turns would get a commit each, because the next
// request of one arrives while the commit for the other is on its way. So a commit waits
// a moment for as many callers as the commit before it served and left waiting, but for no
// more than crowded; if they do not come, the next commit expects no more than did. It does
// not wait for them if the disk can be done in that moment: such a disk has written for one
// client when the next one comes, and virtual ones take several times as long after a rest.
type writer struct {
	*Store
	next   batch           // in the making
	under  batch           // on its way to disk, or waiting until bbolt has finished what it is doing
	kept   chan logOutcome // its outcome; nil while it waits
	crowd  int             // callers who are expected to share the next commit
	disk   time.Duration   // see took
	gather *time.Timer
	waits  bool // gather runs

	log      commitLog
	direct   bool  // the log must not be written: bbolt could not follow it, or writing it failed
	failing  error // why the file cannot be written; nil where it can
	torn     bool  // the log may hold a batch of which writing it was said to have failed
	follows  follows
	followed chan error  // receives whether bbolt could follow; nil if it is not following
	quiet    *time.Timer // started by a commit
	lately   int         // commits since it was last quiet
}

// follows is what bbolt will have caught up with.
type follows struct {
	n    int // decisions
	used int // bytes of the log
}

// write decides, commits, publishes and answers, until the store is closed.
func (s *Store) write() {
	defer close(s.done)
	w := &writer{Store: s, gather: time.NewTimer(mostGather), quiet: time.NewTimer(s.quietAfter)}
	defer w.gather.Stop()
	defer w.quiet.Stop()
	defer w.log.close()
	w.direct = !w.logs
	if w.file.Log == 0 {
		w.quiet.Stop()
	}
	w.begin(s.newest.Load())
	for {
		queue, inspect := s.queue, s.inspect
		if w.next.full() {
			queue = nil
		}
		if w.busy() {
			inspect = nil
		}
		select {
		case <-s.quit:
			w.end()
			return
		case fn := <-inspect:
			fn(w)
		case r := <-queue:
			w.take(r)
			w.commit()
		case <-w.gather.C:
			w.crowd, w.waits = 0, false
			w.commit()
		case out := <-w.kept:
			w.came(out)
			if w.log.used >= w.followFrom && !w.busy() && !w.direct {
				w.follow(w.log.number)
			}
			w.attend()
			w.commit()
		case err := <-w.followed:
			w.levelled(err)
			w.send()
		case <-w.quiet.C:
			w.rest()
		}
	}
}

// busy reports whether anything is on its way to disk.
func (w *writer) busy() bool { return len(w.under.decisions) > 0 || w.followed != nil }

// begin begins a batch on top of a Snapshot.
func (w *writer) begin(from *cloud.Snapshot) { w.next = batch{from: from, to: from} }

// take decides r as part of the next batch.
func (w *writer) take(r *request) {
	d := w.decide(r, w.next.to)
	if d == nil {
		return
	}
	w.next.decisions = append(w.next.decisions, d)
	if d.kept() {
		w.next.to = d.Snapshot
		w.next.records += len(d.Event.Changes)
		w.next.bytes += d.bytes
	}
}

// commit sends the next batch to disk, unless another is on its way. Until a crowd shares
// it, it takes requests that wait, and gives callers who were just answered a chance to
// come back, so that a commit serves as many as it should.
func (w *writer) commit() {
	if len(w.under.decisions) > 0 {
		return
	}
	for misses := 0; misses < 2 && !w.next.ready(); {
		select {
		case r := <-w.queue:
			w.take(r)
			misses = 0
		default:
			misses++
			runtime.Gosched()
		}
	}
	if len(w.next.decisions) == 0 || w.gathers() {
		return
	}
	w.under = w.next
	w.begin(w.under.to)
	w.send()
}

// gathers reports whether the next commit should wait for more callers.
func (w *writer) gathers() bool {
	switch {
	case w.disk < mostGather || len(w.next.decisions) >= w.crowd || w.next.ready():
		w.gather.Stop()
		w.waits = false
	case !w.waits:
		w.gather.Reset(mostGather)
		w.waits = true
	}
	return w.waits
}

// send sends the batch under way to the log, or to bbolt as soon as that is free.
func (w *writer) send() {
	switch {
	case len(w.under.decisions) == 0 || w.kept != nil:
	case w.under.to == w.under.from:
		w.settle(nil)
	case w.mayLog():
		kept, b, following := make(chan logOutcome, 1), w.under, w.followed != nil
		w.kept = kept
		go func() { kept <- w.append(&w.log, b, following) }()
	case w.followed == nil:
		kept, b, log := make(chan logOutcome, 1), w.under, w.number()
		all := slices.Concat(*w.behind.Load(), b.decisions)
		w.kept, w.log.number = kept, 0
		go func() { kept <- w.keep(b, all, log) }()
	}
}

// mayLog reports whether the batch under way may go into the log.
func (w *writer) mayLog() bool {
	return w.log.number != 0 && !w.direct && w.under.bytes <= mostLogged && w.log.room()
}

// number returns the number of the log that will be in use once bbolt has the batch under
// way; 0 for none.
func (w *writer) number() uint64 {
	switch {
	case w.direct || w.isClosed():
		return 0
	case w.log.number != 0:
		return w.log.number
	case w.lately < logAfter || w.under.bytes > mostLogged || w.under.filling():
		return 0
	}
	return newLogNumber()
}

// keep brings to disk all that bbolt does not have, ending with b.
func (s *Store) keep(b batch, all []*decision, log uint64) logOutcome {
	began := s.now()
	disk, err := s.persist(b.to, all, log)
	cramped := err != nil && log != 0
	if cramped { // there may not be room for the log
		disk, err = s.persist(b.to, all, 0)
	}
	if err == nil && s.options.Committed != nil {
		s.options.Committed(engine.Commit{Changes: kept(b.decisions), Took: s.now().Sub(began), Disk: disk})
	}
	return logOutcome{err: err, cramped: cramped, disk: disk}
}

// came handles the outcome of the batch under way, which goes to bbolt if the log could
// not be written.
func (w *writer) came(out logOutcome) {
	w.kept = nil
	w.took(out)
	switch {
	case out.logged:
		w.direct, w.torn = true, true
		w.send()
		return
	case out.takes > 0:
		w.log.used += out.takes
		behind := *w.behind.Load()
		for _, d := range w.under.decisions {
			if d.kept() {
				behind = append(behind, d.written())
			}
		}
		w.tail(behind)
	case out.err == nil:
		w.holds()
	default:
		w.direct = true // what bbolt failed to commit may still be in the file
		if notKept, ok := errors.AsType[*storage.NotKeptError](out.err); ok && w.torn {
			out.err = notKept.Doubt()
		}
	}
	w.torn = w.torn && out.err != nil
	w.wrote(out.err)
	w.settle(out.err)
	if out.cramped {
		w.lately = -mostCramped
	}
}

// took notes how long the disk took for a commit: the least counts, for a dozen or so.
func (w *writer) took(out logOutcome) {
	if out.err == nil {
		w.disk = min(out.disk, w.disk+w.disk/8+time.Microsecond)
	}
}

// holds notes that bbolt has all that is published, and the batch under way.
func (w *writer) holds() {
	w.tail(nil)
	w.log.head, w.log.used = 0, 0
	w.direct = !w.logs
	if w.log.number = w.file.Log; w.log.number != 0 {
		if err := w.log.find(w.Store); err != nil {
			w.direct = true // bbolt has everything in the log
		}
	}
}

// follow makes bbolt catch up with what is published. The log with a number continues
// from there.
func (w *writer) follow(log uint64) {
	followed, to, all := make(chan error, 1), w.newest.Load(), *w.behind.Load()
	w.follows = follows{len(all), w.log.used}
	w.followed, w.log.number = followed, log
	go func() {
		_, err := w.persist(to, all, log)
		followed <- err
	}()
}

// levelled notes whether bbolt caught up. If it failed, its part stays in the log.
func (w *writer) levelled(err error) {
	f := w.follows
	w.follows, w.followed = follows{}, nil
	w.wrote(err)
	if err != nil {
		w.direct = true
		return
	}
	w.tail(slices.Clone((*w.behind.Load())[f.n:]))
	w.log.used -= f.used
}

// rest makes bbolt catch up with all that is published, and takes the log out of use,
// when nothing has been committed for a while. A slow write that is on its way does not
// count as quiet.
func (w *writer) rest() {
	if w.busy() {
		w.quiet.Reset(w.quietAfter)
		return
	}
	w.lately = 0
	if !w.direct && (w.log.number != 0 || w.file.Log != 0) {
		w.follow(0)
	}
}

// settle publishes what was stored of the batch that was on its way, or fails everything
// built on it. The verdicts are given once they can no longer change.
func (w *writer) settle(err error) {
	b := w.under
	w.under = batch{}
	w.crowd = len(b.decisions) + len(w.next.decisions)
	switch {
	case err != nil:
		w.answer(b, err)
		w.answer(w.next, err)
		w.begin(b.from)
		return
	case b.to != b.from:
		w.newest.Store(b.to)
		w.beyond.drop(b.decisions)
		w.watchers.Publish(b.to.Revision())
		w.lately++
		w.quiet.Reset(w.quietAfter)
	}
	w.answer(b, nil)
}

// answer gives the verdicts of a batch. With err, it could not be stored.
func (w *writer) answer(b batch, err error) {
	now := w.newest.Load()
	for _, d := range b.decisions {
		if err != nil && d.builtBeyond(now) {
			d.answer = answer{err: err}
		}
		if d.err != nil {
			w.lost.Note(now, d.change, d.err)
			d.refuse(d.err)
		}
		d.request.answer <- d.answer
	}
}

// builtBeyond reports whether d was decided on another Snapshot than the stored one, or
// leads to another.
func (d *decision) builtBeyond(kept *cloud.Snapshot) bool {
	return d.on != nil && (d.on != kept || d.err == nil && d.Snapshot != kept)
}

// attend runs the functions that callers queued, between two commits.
func (w *writer) attend() {
	if w.busy() {
		return
	}
	select {
	case fn := <-w.inspect:
		fn(w)
	default:
	}
}

// end stores what was taken, makes bbolt catch up, and takes back what a failed commit
// may have left in the file.
func (w *writer) end() {
	if w.kept != nil {
		w.came(<-w.kept)
	}
	if w.followed != nil {
		w.levelled(<-w.followed)
	}
	for w.direct = true; len(w.under.decisions) > 0 || len(w.next.decisions) > 0; {
		if len(w.under.decisions) == 0 {
			w.under = w.next
			w.begin(w.under.to)
		}
		if w.send(); w.kept != nil {
			w.came(<-w.kept)
		}
	}
	w.log.number = 0
	if len(*w.behind.Load()) > 0 || w.doubt != nil || w.file.Log != 0 || w.log.file != nil {
		// An error has no caller to go to; the next Open reads what is there.
		_ = w.toBolt()
	}
}

// bringLevel makes bbolt catch up with all that is published, between two commits.
func (w *writer) bringLevel() error {
	if len(*w.behind.Load()) == 0 {
		return nil
	}
	return w.toBolt()
}

func (w *writer) toBolt() error {
	if w.direct {
		w.log.number = 0
	}
	if _, err := w.persist(w.newest.Load(), *w.behind.Load(), w.log.number); err != nil {
		w.direct = true
		return err
	}
	w.holds()
	return nil
}

// inWriter runs fn on the goroutine of the writer, between two commits.
func (s *Store) inWriter(ctx context.Context, fn func(*writer) error) error {
	if s.readOnly != "" {
		return fn(nil)
	}
	result := make(chan error, 1)
	select {
	case s.inspect <- func(w *writer) { result <- fn(w) }:
		return <-result
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return storage.ErrClosed
	}
}
