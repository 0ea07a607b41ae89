package shared

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/internal/queue"
	"github.com/placetop/placetop/storage/internal/wire"
)

// Apply implements cloud.Writer.
func (s *Store) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	if err := s.ready(ctx); err != nil {
		return cloud.Refused(err)
	}
	if err := s.Capabilities().Can(c.Ops...); err != nil {
		return cloud.Refused(&storage.ReadOnlyError{Err: err, Path: s.options.Place})
	}
	return s.queue.Apply(ctx, c, graceTime, s.options.Place)
}

// decision is what became of a request on one Snapshot.
type decision struct {
	*request
	next *cloud.Snapshot
	ev   cloud.Event
	err  error
}

// changes reports whether d was accepted, and changes something.
func (d *decision) changes() bool { return d.err == nil && len(d.ev.Changes) > 0 }

// write is the writer, the one goroutine that decides, appends and answers, until the store
// is closed.
func (s *Store) write(ctx context.Context) {
	defer close(s.queue.Done)
	for {
		select {
		case <-s.quit:
			return
		case r := <-s.queue.Requests:
			s.commit(ctx, s.gather(r))
		}
	}
}

// gather returns r and those that wait behind it, as many as share a commit.
func (s *Store) gather(r *queue.Request) (all []*request) {
	most := queue.Batch
	if s.options.Single {
		most = 1
	}
	for ; r != nil; r = s.queue.Next() {
		timed := !r.Change.At.IsZero()
		r.Change = storage.Stamp(r.Change, s.options.Clock)
		if all = append(all, &request{Request: r, timed: timed}); len(all) == most {
			break
		}
	}
	return all
}

// request is a caller of Apply.
type request struct {
	*queue.Request
	timed bool // it says itself when it was
	left  bool // its caller has, and has got an answer
}

// answer answers a request, unless its caller has left.
func (r *request) answer(out cloud.Outcome) {
	if !r.left {
		r.Answer(out)
	}
}

// take takes the requests whose changes are to be appended, if all of their callers still wait:
// from then on they wait for what became of that.
func take(did []decision) bool {
	for i, d := range did {
		if d.changes() && !d.Take() {
			d.left = true
			release(did[:i])
			return false
		}
	}
	return true
}

// release lets the callers of requests leave of which nothing was appended.
func release(did []decision) {
	for _, d := range did {
		if d.changes() {
			d.Release()
			d.left = d.Ctx.Err() != nil
		}
	}
}

// commit decides requests on the newest Snapshot, appends what was accepted as one entry,
// and answers. Where others were faster it decides all of them again.
func (s *Store) commit(ctx context.Context, all []*request) {
	var least End // where the log ended at some time since all of them were called; zero if that is not known
	waited := false
	for {
		if all = slices.DeleteFunc(all, s.refused); len(all) == 0 {
			return
		}
		on, end := s.state()
		began := now()
		did, rest, e, err := s.decide(all, on)
		switch {
		case err != nil:
		case e == nil:
			err = s.refusals(ctx, on, end, &least)
		case !waited && s.await(ctx):
			waited, least = true, End{}
			all = append(all, s.gather(s.queue.Next())...) // who has come meanwhile
			continue
		case !take(did):
			continue
		default:
			err = s.append(ctx, end, did, e, now().Sub(began))
		}
		switch {
		case errors.Is(err, ErrMoved):
			if e != nil {
				release(did)
			}
			waited = false
			err = s.insist(ctx, readTime, func(ctx context.Context) error {
				_, err := s.catchUp(ctx)
				return err
			})
			if err == nil {
				continue
			}
			err = s.notKept(err)
			fallthrough
		case err != nil:
			s.fails(err)
			out, none := cloud.Refused(err), cloud.Refused(err) // none is for those of which nothing was appended
			if doubt, is := errors.AsType[*cloud.InDoubtError](err); is {
				out, none = cloud.InDoubt(err), cloud.Refused(s.notKept(doubt.Err))
			}
			for _, d := range did {
				if d.changes() {
					d.answer(out)
				} else {
					d.answer(none)
				}
			}
			for _, r := range rest {
				r.answer(none)
			}
			return
		}
		s.fails(nil)
		for _, d := range did {
			if d.err != nil {
				s.lost.Note(on, d.Change, d.err)
				d.answer(cloud.Refused(d.err))
			} else {
				d.answer(cloud.Kept(d.next, d.ev))
			}
		}
		all, waited = rest, false
	}
}

// refused refuses a request of which nothing was appended, if its caller has left or the store
// is being closed, and reports whether that is so.
func (s *Store) refused(r *request) bool {
	err := s.ready(r.Ctx)
	if err != nil {
		r.answer(cloud.Refused(err))
	}
	return err != nil || r.left
}

// mostSkew is how far a clock that is ahead takes the others with it. One that is further
// ahead is wrong, and theirs are not to become so, too.
const mostSkew = time.Hour

// decide decides requests one after the other, on a Snapshot, until the entry for what was
// accepted is long enough; rest are those that are left. The entry is nil if nothing changes.
func (s *Store) decide(all []*request, on *cloud.Snapshot) (did []decision, rest []*request, e *Entry, err error) {
	var events []wire.Event
	changes := body{codec: s.codec}
	working := on
	for i, r := range all {
		if len(changes.plain) >= batchBytes {
			rest = all[i:]
			break
		}
		if at := working.At(); !r.timed && at.After(r.Change.At) && at.Sub(r.Change.At) <= mostSkew {
			r.Change.At = at // the clocks of those who append differ, and a journal is read by time
		}
		d := decision{request: r}
		if d.next, d.ev, d.err = wire.Applied(working, r.Change); d.changes() {
			had := len(changes.plain)
			if d.err = changes.add(d.ev); d.err != nil {
				changes.plain = changes.plain[:had]
			} else {
				events = append(events, wire.EventOf(d.ev))
				working = d.next
			}
		}
		did = append(did, d)
	}
	if working == on {
		return did, rest, nil, nil
	}
	e, err = newEntry(events, changes.plain)
	e.ID, e.leads = uuid.NewString(), working
	return did, rest, e, err
}

// refusals makes sure that refusals count, which rest on a Snapshot, of the log's end on: the log
// ended there at some time since the callers have called, as it ended at least there, or before
// it, when it was asked. Least is what it said then; it is asked once.
func (s *Store) refusals(ctx context.Context, was *cloud.Snapshot, on End, least *End) error {
	if least.Mark != 0 && least.Revision <= was.Revision() {
		return nil
	}
	err := s.insist(ctx, Patience(0), func(ctx context.Context) (err error) {
		*least, err = s.log.End(ctx)
		return err
	})
	switch {
	case err != nil:
		return s.notKept(err)
	case least.Revision != was.Revision() || on.ID != "" && least.ID != on.ID:
		return ErrMoved
	}
	return nil
}

// append appends an entry that rests on an end of the log, and took so long to decide, and publishes
// what it leads to.
func (s *Store) append(ctx context.Context, on End, did []decision, e *Entry, decided time.Duration) error {
	e.Total, e.After = on.Total+int64(len(e.Head)+len(e.Body)), on.ID
	s.turns.sign(on, e, decided)
	s.appends(e)
	defer s.appends(nil)
	began := s.options.Clock()
	end, err := s.appendOnce(ctx, on, did, e)
	s.turns.took = min(now().Sub(s.turns.sent), mostTook)
	if errors.Is(err, ErrUnknown) {
		if end, err = s.settle(ctx, on, e, err); err != nil && !errors.Is(err, ErrMoved) {
			return cloud.InDoubt(err).Err()
		}
	}
	switch {
	case errors.Is(err, ErrMoved):
		s.turns.moved()
		return err
	case err != nil:
		return s.notKept(err)
	}
	s.turns.added(e, end)
	end.Turn = e.Turn
	s.publish(e.leads, end)
	s.hear(nil)
	if s.options.Committed != nil {
		took := s.options.Clock().Sub(began)
		s.options.Committed(engine.Commit{Changes: int(e.Last-e.First) + 1, Took: took, Disk: took}) //nolint:gosec // at most those of a batch
	}
	return nil
}

// appends notes that an entry is being appended; nil for none.
func (s *Store) appends(e *Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mine = e
}

// appendOnce appends an entry. One that takes long, as it is large, is given up once its only
// caller has left.
func (s *Store) appendOnce(ctx context.Context, on End, did []decision, e *Entry) (End, error) {
	const tries = 4
	most := Patience(tries * len(e.Body))
	if _, is := s.log.(Unattended); !is {
		most += busyTime
	}
	ctx, cancel := s.until(ctx, most)
	defer cancel()
	if len(did) == 1 && len(e.Body) > batchBytes {
		defer context.AfterFunc(did[0].Ctx, cancel)() //nolint:contextcheck // that of the caller
	}
	return s.log.Append(ctx, on, e)
}

// settle finds out what became of an entry whose append failed with err.
func (s *Store) settle(ctx context.Context, on End, e *Entry, err error) (End, error) {
	added := false
	why := s.insist(ctx, Patience(0), func(ctx context.Context) (err error) {
		added, err = s.log.Settle(ctx, on, e)
		return err
	})
	switch {
	case why != nil && (lasting(why) || why.Error() == err.Error()):
		return End{}, why
	case why != nil:
		return End{}, fmt.Errorf("%w; %w", err, why)
	case !added:
		return End{}, ErrMoved
	}
	return End{Revision: e.Last, Total: e.Total, ID: e.ID}, nil // without its mark: the next append finds out
}

// insist asks the log until it answers, or has failed for settleTime: a new leader is elected
// within seconds. One answer may take as long as each.
func (s *Store) insist(ctx context.Context, each time.Duration, ask func(context.Context) error) error {
	ctx, cancel := s.until(ctx, max(each, settleTime))
	defer cancel()
	fails, first := ctx, true // fails ends when it has failed for too long
	for wait := shortest; ; wait = min(2*wait, longest) {
		one, stop := context.WithTimeout(ctx, each)
		err := ask(one)
		stop()
		if err == nil {
			s.hear(nil)
			return nil
		}
		if lasting(err) {
			return err
		}
		s.hear(err)
		if first {
			first = false
			fails, cancel = context.WithTimeout(ctx, settleTime)
			defer cancel()
		}
		if storage.Pause(fails, wait) != nil {
			return err
		}
	}
}

// lasting reports whether it is of no use to ask again what failed with err.
func lasting(err error) bool {
	for _, is := range []error{storage.ErrDamaged, storage.ErrNewer, ErrGone, cloud.ErrInDoubt} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

// until returns a context that ends after a time, or soon after the store is closed, which does
// not wait that long.
func (s *Store) until(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, most)
	go func() {
		select {
		case <-ctx.Done():
		case <-s.quit:
			_ = storage.Pause(ctx, graceTime)
			cancel()
		}
	}()
	return ctx, cancel
}

// notKept is the error of a change that was not kept, because of err.
func (s *Store) notKept(err error) error {
	var told *storage.NotKeptError
	var newer *storage.NewerError
	if errors.As(err, &told) || errors.As(err, &newer) {
		return err
	}
	if !errors.Is(err, placement.ErrUnavailable) {
		s.hear(err)
	}
	return &storage.NotKeptError{Path: s.options.Place, Err: err, Hint: "Nothing was changed; try again"}
}

// fails tells whoever wants to know when nothing can be written any more, and when it can
// again.
func (s *Store) fails(err error) {
	if (s.failing == nil) != (err == nil) && s.options.Failing != nil {
		s.options.Failing(err)
	}
	s.failing = err
}
