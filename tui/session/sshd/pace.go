package sshd

import (
	"sync"
	"time"
)

// pace limits what is on its way to a client, as that delays the answer to the next key:
// buffers on the way hold many seconds of a slow link, and would be filled with outdated
// frames. After a write the client is queried; it answers in order, so everything before
// the query has arrived.
//
// From the time of answers it learns the shortest round trip, and how much longer a byte
// takes, and so when the link will have delivered what was sent: the next frame waits
// until then. An answer shows when the link really had. While an answer is late the link
// is slower than before, and the next frame waits for it.
type pace struct {
	ask   func() error // returns once the client has answered
	clock func() time.Time

	mu       sync.Mutex
	sent     int64 // bytes so far
	arrived  int64 // bytes known to have arrived
	asking   bool
	asked    time.Time
	due      time.Time     // when the answer is due at the latest
	least    time.Duration // the shortest round trip, 0 if unknown
	measured time.Time     // when it was last measured with next to nothing on its way
	last     time.Duration
	answered chan struct{} // closed and replaced at each answer

	// The link as it is thought to be. Where it has been busy without a break, it is known
	// how long that many bytes have taken.
	clear time.Time // when it will have delivered what was sent
	from  time.Time // since when it has been busy
	busy  int       // bytes since then
	since []parcel  // what was sent after the last query

	seen float64       // recent bytes whose time is known
	took time.Duration // their time
}

// parcel is a number of bytes sent at once.
type parcel struct {
	at time.Time
	n  int
}

const (
	// leastRoom is how many bytes are sent before the link is measured.
	leastRoom = 2 << 10

	// wrapping is what SSH, TCP and IP add to each write.
	wrapping = 100

	// nothing is how few bytes on their way do not delay an answer.
	nothing = 128

	// leastTold is how many bytes are enough to measure the time of a byte: for fewer,
	// other delays dominate. mostSeen is how many recent bytes count.
	leastTold = 400
	mostSeen  = 8 << 10

	// usualFrame is how many bytes a step of the cursor takes on a large terminal, and
	// slowFrame the time from which that is slow.
	usualFrame = 2 << 10
	slowFrame  = 50 * time.Millisecond

	// gladly is how long a user may wait for the first part of an answer, besides the
	// round trip, and leastPart the least size of a part, however slow the link.
	gladly    = 110 * time.Millisecond
	leastPart = 256

	// early is how long before the link is free the next frame is sent, so that it never
	// runs dry.
	early = 20 * time.Millisecond

	// lateAnswer is the delay of an answer from which the link counts as slower than
	// before.
	lateAnswer = 60 * time.Millisecond

	// measureAgain is how old the shortest round trip may be before it is measured again.
	measureAgain = 10 * time.Second

	// mostPaced is the longest that a frame waits.
	mostPaced = 5 * time.Second

	// silence is how long to wait for an answer before anything is known: a client that
	// does not answer still gets frames.
	silence = 3 * time.Second
)

func newPace(ask func() error, clock func() time.Time) *pace {
	return &pace{ask: ask, clock: clock, answered: make(chan struct{})}
}

// wrote notes that n bytes were sent.
func (p *pace) wrote(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent += int64(n)
	sent := parcel{p.clock(), n + wrapping}
	p.since = append(p.since, sent)
	p.push(sent)
	p.question()
}

// wait returns once the link has delivered what was sent, or over or quit is closed.
func (p *pace) wait(over, quit <-chan struct{}) {
	most := time.After(mostPaced)
	for {
		rest, answered := p.rest()
		if rest <= 0 {
			return
		}
		select {
		case <-answered:
		case <-time.After(rest):
		case <-most:
			return
		case <-over:
			return
		case <-quit:
			return
		}
	}
}

// rest returns how long the next frame should wait, as far as is known before the next
// answer, at which the channel is closed.
func (p *pace) rest() (time.Duration, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock()
	switch {
	case p.measured.IsZero() && p.sent > leastRoom:
		return p.asked.Add(silence).Sub(now), p.answered
	case p.least > 0 && p.asking && !now.Before(p.due):
		return mostPaced, p.answered
	default:
		return p.clear.Add(-early).Sub(now), p.answered // the difference from the zero time may be the least duration, from which nothing may be subtracted
	}
}

// push adds what was sent to the link.
func (p *pace) push(sent parcel) {
	if p.busy == 0 || p.seen > 0 && !sent.at.Before(p.clear) {
		p.busy = 0
		if p.clear.Before(sent.at) {
			p.clear = sent.at
		}
		p.from = p.clear
	}
	p.busy += sent.n
	p.clear = p.clear.Add(p.lasts(sent.n))
}

// lasts returns how long so many bytes take, 0 if unknown.
func (p *pace) lasts(n int) time.Duration {
	if p.seen == 0 {
		return 0
	}
	return time.Duration(float64(n) / p.seen * float64(p.took))
}

// room returns how many bytes arrive before the wait is long, 0 if that is more than a
// usual frame.
func (p *pace) room() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lasts(usualFrame) <= slowFrame {
		return 0
	}
	return max(int(p.seen*float64(gladly)/float64(p.took))-wrapping, leastPart)
}

// question is a query to the client, with what was known then.
type question struct {
	at   time.Time
	sent int64
	idle bool // next to nothing was on its way
	// As in pace.
	clear, from time.Time
	busy        int
}

// question queries the client, unless a query is open, if something is on its way or the
// round trip must be measured. The caller holds the lock.
func (p *pace) question() {
	q := question{at: p.clock(), sent: p.sent, idle: p.sent-p.arrived <= nothing, clear: p.clear, from: p.from, busy: p.busy}
	if p.asking || p.arrived == p.sent && q.at.Sub(p.measured) < measureAgain {
		return
	}
	p.asking, p.asked, p.since = true, q.at, p.since[:0]
	p.due = q.at.Add(p.least + lateAnswer)
	if p.clear.After(q.at) {
		p.due = p.due.Add(p.clear.Sub(q.at))
	}
	go func() { // ends with the channel at the latest
		err := p.ask()
		p.mu.Lock()
		defer p.mu.Unlock()
		if err != nil {
			return
		}
		p.asking = false
		p.answer(q, p.clock())
		p.question()
	}()
}

// answer notes that everything before a query has arrived. The caller holds the lock.
func (p *pace) answer(q question, now time.Time) {
	p.arrived, p.last = q.sent, now.Sub(q.at)
	idle := q.idle && len(p.since) == 0 // what is sent right after may overtake the query
	switch {
	case p.least == 0 || p.last < p.least:
		p.least = p.last
	case idle:
		p.least += (p.last - p.least) / 4 // the round trip may have become longer
	}
	if idle {
		p.measured = now
	}
	done := now.Add(-p.least) // when the link had delivered what was before
	if took := max(done.Sub(q.from), 0); q.busy >= leastTold && !p.measured.IsZero() {
		if rest := done.Sub(q.at); rest < took/4 && p.seen > 0 {
			took = min(took, p.lasts(q.busy)) // it was done before the query, at an unknown time
			if q.clear.Sub(q.at) > rest+early {
				took /= 2 // although it should not have been
			}
		}
		p.learn(q.busy, took)
	}
	p.clear, p.busy = done, 0
	for _, sent := range p.since {
		p.push(sent)
	}
	close(p.answered)
	p.answered = make(chan struct{})
}

// learn notes how long so many bytes took.
func (p *pace) learn(n int, took time.Duration) {
	p.seen += float64(n)
	p.took += took
	if p.seen > mostSeen {
		p.took = time.Duration(float64(p.took) * mostSeen / p.seen)
		p.seen = mostSeen
	}
}

// trip returns the last and the shortest round trip; 0 if unknown.
func (p *pace) trip() (last, least time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last, p.least
}
