package cloud

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/placetop/placetop/model/placement"
)

// Recall returns a cloud as it was at any revision of its journal. It keeps some of
// the Snapshots that it has built, which share what did not change, so that later ones
// are near one of them. It may be used from several goroutines.
type Recall struct {
	journal Historian
	stride  Revision // how many revisions are read at once, and how far apart the kept Snapshots are

	mu   sync.Mutex
	kept []*Snapshot // by revision
	last *Snapshot   // the last one asked for: the next is often close to it
}

// NewRecall returns a Recall of the cloud that journal belongs to.
func NewRecall(journal Historian) *Recall { return &Recall{journal: journal, stride: 768} }

// At returns the cloud as it was at a revision. Now is its newest Snapshot.
//
// Errors: a *ForgottenError if the journal does not reach back to it;
// placement.ErrNotFound for one that is still to come; those of the journal.
func (r *Recall) At(ctx context.Context, now *Snapshot, rev Revision) (*Snapshot, error) {
	if rev > now.revision {
		return nil, placement.NotFound("revision", fmt.Sprintf("%d: the newest is %d", rev, now.revision))
	}
	s, err := r.walk(ctx, r.nearest(now, rev), rev)
	if err != nil && ctx.Err() == nil { // the journal may have forgotten what is between them
		s, err = r.walk(ctx, now, rev)
	}
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = s
	return s, nil
}

// walk returns the cloud at a revision, starting from s.
func (r *Recall) walk(ctx context.Context, s *Snapshot, rev Revision) (*Snapshot, error) {
	for s.revision != rev {
		next, err := r.step(ctx, s, rev)
		if err != nil {
			return nil, err
		}
		s = next
		r.keep(s)
	}
	return s, nil
}

// nearest returns the Snapshot that is the fewest revisions away from rev.
func (r *Recall) nearest(now *Snapshot, rev Revision) *Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	best := now
	for _, s := range append(slices.Clone(r.kept), r.last) {
		if s != nil && apart(s.revision, rev) < apart(best.revision, rev) {
			best = s
		}
	}
	return best
}

// keep keeps a Snapshot, unless there is one close to it.
func (r *Recall) keep(s *Snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, _ := slices.BinarySearchFunc(r.kept, s.revision, func(k *Snapshot, rev Revision) int { return cmp.Compare(k.revision, rev) })
	for _, k := range r.kept[max(i-1, 0):min(i+1, len(r.kept))] {
		if apart(k.revision, s.revision) < r.stride {
			return
		}
	}
	r.kept = slices.Insert(r.kept, i, s)
}

func apart(a, b Revision) Revision { return max(a, b) - min(a, b) }

// step returns a Snapshot that is closer to a revision, by at most a stride.
func (r *Recall) step(ctx context.Context, s *Snapshot, rev Revision) (*Snapshot, error) {
	if rev > s.revision {
		to := min(rev, s.revision+r.stride)
		events, err := r.journal.Events(ctx, EventQuery{Until: to, After: s.revision, Limit: int(r.stride)})
		if err != nil {
			return nil, fmt.Errorf("the journal cannot be read: %w", err)
		}
		if len(events) < int(to-s.revision) { // at most a stride
			return nil, &ForgottenError{Revision: rev}
		}
		return s.After(events...)
	}
	to := max(rev, s.revision-min(s.revision, r.stride))
	// The event of the revision itself is read too, for its time.
	events, err := r.journal.Events(ctx, EventQuery{Until: s.revision, After: max(to, 1) - 1, Limit: int(r.stride) + 1})
	if err != nil {
		return nil, fmt.Errorf("the journal cannot be read: %w", err)
	}
	n := int(s.revision - to) // at most a stride
	for i := range n {
		switch {
		case i >= len(events):
			gone := &ForgottenError{Revision: rev}
			if i > 0 {
				gone.First, gone.Since = events[i-1].Revision, events[i-1].At
			}
			return nil, gone
		case events[i].Omitted > 0:
			return nil, &ForgottenError{Revision: rev, First: events[i].Revision, Since: events[i].At, Large: events[i].Omitted}
		}
	}
	before, err := s.Before(events[:n]...)
	if err != nil {
		return nil, err
	}
	if len(events) > n {
		before.at = events[n].At
	}
	return before, nil
}

// RevisionAt returns the newest revision of a journal that came no later than a time.
// Now is the newest Snapshot of the cloud.
//
// Errors: a *ForgottenError if the journal does not reach back to it; those of the
// journal.
func RevisionAt(ctx context.Context, journal Historian, now *Snapshot, at time.Time) (Revision, error) {
	var fault error
	event := func(rev Revision) (Event, bool) {
		events, err := journal.Events(ctx, EventQuery{Until: rev, After: rev - 1, Limit: 1, Small: 1})
		fault = errors.Join(fault, err)
		if len(events) == 0 {
			return Event{}, false
		}
		return events[0], true
	}
	later := func(rev Revision) bool {
		ev, ok := event(rev)
		return ok && ev.At.After(at)
	}
	// From the newest back: a clock that was ahead until it was corrected left times in
	// the journal that are out of order.
	low, high := now.revision, now.revision+1 // high is later, low is not once it is found
	for back := Revision(1); low > 0 && later(low); back *= 2 {
		low, high = low-min(back, low), low
	}
	rev := low + Revision(sort.Search(int(high-low-1), func(i int) bool { // revisions are counted up from 0
		return later(low + Revision(i) + 1) // as above
	}))
	if fault != nil {
		return 0, fmt.Errorf("the journal cannot be read: %w", fault)
	}
	if rev == now.revision && !now.at.After(at) {
		return rev, nil
	}
	if rev > 0 {
		if _, known := event(rev); known {
			return rev, nil
		}
	}
	gone := &ForgottenError{At: at}
	if first, ok := event(rev + 1); ok {
		gone.First, gone.Since = first.Revision, first.At
	}
	return 0, gone
}

// ForgottenError reports a moment before the beginning of a cloud's journal. It
// matches placement.ErrNotFound.
type ForgottenError struct {
	Revision Revision  // that was looked for
	At       time.Time // or the time
	First    Revision  // the first that the journal tells about; 0 if it tells about none
	Since    time.Time // its time
	Large    int       // how many records it changed, if they were too many to be kept; else 0
}

// Error implements error.
func (e *ForgottenError) Error() string {
	what := fmt.Sprintf("revision %d", e.Revision)
	if !e.At.IsZero() {
		what = "the cloud of " + e.At.UTC().Format(Moment)
	}
	switch {
	case e.First == 0:
		return what + " is not known: the journal does not go back that far"
	case e.Large > 0:
		return fmt.Sprintf("%s is not known: the journal does not keep the %d records that revision %d of %s changed", what, e.Large, e.First, e.Since.UTC().Format(Moment))
	}
	return fmt.Sprintf("%s is not known: the journal begins with revision %d of %s", what, e.First, e.Since.UTC().Format(Moment))
}

// Is reports whether target is placement.ErrNotFound.
func (*ForgottenError) Is(target error) bool { return target == placement.ErrNotFound }
