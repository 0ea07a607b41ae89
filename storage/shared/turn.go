package shared

import (
	"context"
	"sync/atomic"
	"time"
)

// Processes that all append whenever they can send most of it for nothing, and one that takes long
// to decide is never first. So one of them goes on for a while, and then gives the turn to who has
// waited longest; all others wait until that one has appended. This is a courtesy: nothing is lost
// if somebody does not wait. Who does not use its turn is not waited for much longer than it has said
// to need, nor once it has died.

// Turn is the turn of a process to append.
type Turn struct {
	Of  string        `cbor:"1,keyasint"` // the process; "" for nobody
	For time.Duration `cbor:"2,keyasint"` // that others wait
}

const (
	stint    = 50 * time.Millisecond // that a process goes on while others wait, and that they wait at least for one that appends nothing
	mostTurn = 5 * time.Minute       // that they wait at most
	mostWait = time.Second           // that one waits which is not given its turn
	mostTook = 5 * stint             // that an append takes because the log is far away
)

// turns is what the writer of a process knows of the turns.
type turns struct {
	me    string        // the process; "" where another one looks after the log, and gives turns itself
	lost  bool          // others were faster than the last append
	waits atomic.Bool   // they were twice, or this process has given its turn away, and was not given it since
	next  Turn          // of who has waited longest, as the log said last
	last  string        // ID of the entry that was appended last
	since time.Time     // when the first one was since which others have appended none
	sent  time.Time     // when the last one was
	took  time.Duration // until the log answered, mostTook at most
}

// sign says in an entry, which rests on an end and took so long to decide, whose it is and whose
// turn is next.
func (t *turns) sign(on End, e *Entry, decided time.Duration) {
	t.sent = now()
	if on.ID != t.last {
		t.since = t.sent
	}
	e.By = Turn{Of: t.me, For: stint + 2*(t.took+decided)}
	if t.sent.Sub(t.since) >= stint {
		e.Turn = t.next
	}
}

// added notes that an entry was appended, which leads to end.
func (t *turns) added(e *Entry, end End) {
	t.lost, t.next, t.last = false, end.Next, e.ID
	t.waits.Store(e.Turn.Of != "")
}

// moved notes that others were faster.
func (t *turns) moved() {
	t.waits.Store(t.lost)
	t.lost, t.next = true, Turn{}
}

// await waits while it is the turn of another process, and reports whether it has waited.
func (s *Store) await(ctx context.Context) (waited bool) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	began, news := now(), s.Watch(ctx)
	for ; ; waited = true {
		turn, most := s.at().Turn, time.Duration(0)
		if s.turns.waits.Load() && now().Sub(began) < mostWait {
			most = stint + 2*s.turns.took
		}
		s.mu.Lock()
		since := now().Sub(s.grown)
		s.mu.Unlock()
		left := max(most, min(turn.For, mostTurn)) - since
		if turn.Of == s.turns.me || left <= 0 || since >= pulseTime && !s.lives(ctx, turn.Of) {
			return waited
		}
		select {
		case <-news:
		case <-time.After(min(left, pulseTime)):
		case <-s.quit:
			return true
		}
	}
}

// lives reports whether a process is known to be there still.
func (s *Store) lives(ctx context.Context, process string) bool {
	log, is := s.log.(Unattended)
	if !is {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, pulseTime)
	defer cancel()
	lives, err := log.Lives(ctx, process)
	return lives && err == nil
}

func now() time.Time { return time.Now() } //nolint:forbidigo // only the time between two is used
