package shared

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/placetop/placetop/storage"
)

// When checkpoints are made, and what of a journal is kept whatever an operator set.
const (
	patience     = 2 * time.Second // until a process asks for the duty: a command is done by then
	dutyTime     = 20 * time.Second
	leastBetween = 1 << 20   // bytes of entries between two checkpoints, unless the cloud itself is larger
	mostBetween  = 20_000    // revisions between two
	mostJournal  = 256 << 20 // bytes of entries
)

// due reports whether there is so much after the newest checkpoint that opening takes
// longer than it has to.
func (s *Store) due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end.Revision <= s.point.Revision {
		return false
	}
	return s.end.Total-s.point.Total >= max(leastBetween, s.point.Size) || s.end.Revision-s.point.Revision >= mostBetween
}

// serve does the duty whenever this process has it, until ctx ends. A process that soon ends
// does not ask for it, unless nobody else seems to do it.
func (s *Store) serve(ctx context.Context, log Unattended) {
	if !s.due() && storage.Pause(ctx, patience) != nil {
		return
	}
	for wait := longest; ctx.Err() == nil; wait = min(2*wait, dutyTime) { // one who may not write never has it
		err := log.Duty(ctx, func(ctx context.Context, d Duty) error {
			wait = longest
			s.onDuty.Store(true)
			defer s.onDuty.Store(false)
			for {
				if err := s.round(ctx, d); err != nil {
					return err
				}
				s.serving.Do(func() { close(s.served) })
				if err := storage.Pause(ctx, dutyTime); err != nil {
					return err
				}
			}
		})
		_ = err // whoever has the duty next does it; a log that does not answer is told elsewhere
		_ = storage.Pause(ctx, wait)
	}
}

// round makes a checkpoint if one is due, and drops what the journal need not keep. A process
// that cannot follow the log leaves that to another one.
func (s *Store) round(ctx context.Context, d Duty) error {
	if _, err := s.catchUp(ctx); err != nil {
		return err
	}
	if err := s.log.Checkpoint(ctx, func(c Checkpoint, _ io.Reader) error { s.known(c); return nil }); err != nil && !errors.Is(err, ErrForgotten) {
		return err
	}
	due := s.due()
	for range 2 {
		if due {
			if err := s.checkpoint(ctx, d); err != nil {
				return err
			}
		}
		if err := d.Trim(ctx, s.dropped(&due)); err != nil || !due {
			return err
		}
	}
	return nil
}

// checkpoint makes a checkpoint.
func (s *Store) checkpoint(ctx context.Context, d Duty) error {
	on, end := s.state()
	s.mu.Lock()
	old := on.Revision() <= s.point.Revision
	s.mu.Unlock()
	if end.Revision != on.Revision() || old {
		return nil // its own write was settled just now, or there is a newer one; there is a next round
	}
	c := Checkpoint{Revision: on.Revision(), Total: end.Total}
	size := &countingWriter{}
	err := d.Checkpoint(ctx, c, func(w io.Writer) error {
		size.Writer = w
		return WriteCloud(s.codec, size, on)
	})
	if err == nil {
		c.Size = size.n
		s.known(c)
	}
	return err
}

// dropped returns the function that says which entries the journal need not keep. It sets
// due where one of them stays only until there is another checkpoint.
func (s *Store) dropped(due *bool) func(*Entry) bool {
	s.mu.Lock()
	point, end := s.point, s.end
	s.mu.Unlock()
	*due = false
	newest, now := s.newest.Load(), s.options.Clock()
	if newest.At().Before(now) {
		now = newest.At() // the clock of this process may be wrong, and what it drops is gone
	}
	limits := newest.Operator().JournalLimits()
	return func(e *Entry) bool {
		over := int64(end.Revision)-int64(e.Last) >= limits.Revisions || end.Total-e.Total > mostJournal
		if all, err := heads(e); !over && err == nil {
			over = now.Sub(all[len(all)-1].At.Time()) > limits.Age()
		}
		needed := e.Last > point.Revision // to open the cloud
		*due = over && needed && e.Last < end.Revision
		return over && !needed && e.Last < end.Revision
	}
}

// countingWriter counts what is written.
type countingWriter struct {
	io.Writer
	n int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.n += int64(n)
	return n, err
}
