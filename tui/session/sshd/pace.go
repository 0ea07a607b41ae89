package sshd

import (
	"sync"
	"time"
)

// pace keeps short what is on its way to a client, as what waits there delays the answer
// to the next key: buffers on the way hold many seconds of a slow link, and who draws
// would fill them with frames that nobody sees any more. After what is written the client
// is asked for a sign; it answers in order, so that what was before the question has come.
type pace struct {
	ask   func() error // returns once the client has answered
	clock func() time.Time

	mu       sync.Mutex
	sent     int64 // bytes so far
	arrived  int64 // of these, those that are known to have come
	asking   bool
	silent   bool          // an answer is late
	least    time.Duration // the shortest way there and back so far, 0 where none is known
	last     time.Duration
	room     int64
	slow     bool          // too much was on its way once
	answered chan struct{} // closed and made anew at each answer
}

const (
	// leastRoom is how many bytes may always be on their way: a frame or two. It is
	// also where every session begins.
	leastRoom = 2 << 10
	mostRoom  = 256 << 10
	moreRoom  = 256

	// lateAnswer is by how much later than at the best an answer comes where too much is
	// on its way.
	lateAnswer = 60 * time.Millisecond

	// mostPaced is how long an answer is waited for. Without one nothing is, until one comes:
	// a client that gives no sign is drawn for all the same.
	mostPaced = 700 * time.Millisecond
)

func newPace(ask func() error, clock func() time.Time) *pace {
	return &pace{ask: ask, clock: clock, room: leastRoom, answered: make(chan struct{})}
}

// wrote notes that n bytes were sent, and returns once there is room for more, or over is
// closed.
func (p *pace) wrote(n int, over <-chan struct{}) {
	p.mu.Lock()
	p.sent += int64(n)
	p.question()
	var late <-chan time.Time
	for p.sent-p.arrived > p.room && !p.silent {
		answered := p.answered
		p.mu.Unlock()
		if late == nil {
			timer := time.NewTimer(mostPaced)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-answered:
		case <-over:
			return
		case <-late:
			p.mu.Lock()
			p.silent = true
			p.mu.Unlock()
			return
		}
		p.mu.Lock()
	}
	p.mu.Unlock()
}

// question asks the client, if it is not being asked and something is on its way. The
// caller holds the lock.
func (p *pace) question() {
	if p.asking || p.arrived == p.sent {
		return
	}
	p.asking = true
	sent, from := p.sent, p.clock()
	go func() { // which ends with the channel at the latest
		err := p.ask()
		p.mu.Lock()
		defer p.mu.Unlock()
		if err != nil {
			return
		}
		p.asking = false
		p.answer(sent, p.clock().Sub(from))
		p.question()
	}()
}

// answer takes that so many bytes have come, and how long the answer took. The caller
// holds the lock.
func (p *pace) answer(sent int64, took time.Duration) {
	full := p.sent-p.arrived > p.room/2
	p.arrived, p.last, p.silent = sent, took, false
	if p.least == 0 || took < p.least {
		p.least = took
	}
	switch {
	case took > p.least+lateAnswer:
		p.room, p.slow = max(p.room/2, leastRoom), true
	case full && p.slow:
		p.room += moreRoom
	case full:
		p.room = min(p.room*2, mostRoom)
	}
	close(p.answered)
	p.answered = make(chan struct{})
}

// trip returns how long the way to the client and back takes: the last time, and at the
// best; 0 where that is not known.
func (p *pace) trip() (last, least time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last, p.least
}
