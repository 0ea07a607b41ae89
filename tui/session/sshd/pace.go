package sshd

import (
	"sync"
	"time"
)

// pace keeps short what is on its way to a client, as what waits there delays the answer
// to the next key: buffers on the way hold many seconds of a slow link, and who draws
// would fill them with frames that nobody sees any longer. After what is written the client
// is asked for a sign; it answers in order, so that what was before the question has come.
//
// From how long answers take it knows the shortest way there and back, and how long a byte
// takes on top of it, and so when the link will be done with what was sent: the next frame
// waits until then. An answer says when the link was done in truth. While one is late the
// link is slower than it was, and the next frame waits for it.
type pace struct {
	ask   func() error // returns once the client has answered
	clock func() time.Time

	mu       sync.Mutex
	sent     int64 // bytes so far
	arrived  int64 // of these, those that are known to have come
	asking   bool
	asked    time.Time
	due      time.Time     // when the answer should be here at the latest
	least    time.Duration // the shortest way there and back, 0 where none is known
	measured time.Time     // when it was last measured with next to nothing on its way
	last     time.Duration
	answered chan struct{} // closed and replaced at each answer

	// The link as it is thought to be. Where it has been busy without a break, it is known
	// how long that many bytes have taken.
	clear time.Time // when it is done with what was sent
	from  time.Time // since when it has been busy
	busy  int       // bytes that it took since
	since []parcel  // what was sent after the last question

	seen float64       // bytes of which it is known how long they took, the latest ones
	took time.Duration // that
}

// parcel is so many bytes sent at once.
type parcel struct {
	at time.Time
	n  int
}

const (
	// leastRoom is how many bytes are sent before the way is measured.
	leastRoom = 2 << 10

	// wrapping is what SSH, TCP and IP add to what is written at once.
	wrapping = 100

	// nothing is how few bytes on their way do not delay an answer.
	nothing = 128

	// leastTold is how many bytes say how long a byte takes: fewer tell about other delays.
	// mostSeen is how many of the latest do.
	leastTold = 400
	mostSeen  = 8 << 10

	// usualFrame is how many bytes a step of the cursor takes on a large terminal, and
	// slowFrame from when on that is long.
	usualFrame = 2 << 10
	slowFrame  = 50 * time.Millisecond

	// gladly is for how long one waits for the first part of an answer, beside the way there
	// and back, and leastPart is how many bytes a part has room for on however slow a link.
	gladly    = 110 * time.Millisecond
	leastPart = 256

	// early is how long before the link is done the next frame is sent, so that it never
	// runs dry.
	early = 20 * time.Millisecond

	// lateAnswer is by how much later an answer comes than it should where the link is
	// slower than it was.
	lateAnswer = 60 * time.Millisecond

	// measureAgain is how old the shortest way may be before it is measured again.
	measureAgain = 10 * time.Second

	// mostPaced is how long a frame waits at most.
	mostPaced = 5 * time.Second

	// silence is how long an answer is waited for before anything is known: a client that
	// gives no sign is drawn for all the same.
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

// wait returns once the link is done with what was sent, or over or quit is closed.
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

// rest returns how long the next frame is to wait, as far as that is known before the next
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
		return p.clear.Add(-early).Sub(now), p.answered // a difference from the zero time is the least there is: nothing may be taken from it
	}
}

// push has the link take what was sent.
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

// lasts returns how long so many bytes take, 0 where that is not known.
func (p *pace) lasts(n int) time.Duration {
	if p.seen == 0 {
		return 0
	}
	return time.Duration(float64(n) / p.seen * float64(p.took))
}

// room returns how many bytes arrive before one has waited long for them, 0 where that is
// more than a frame usually takes.
func (p *pace) room() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lasts(usualFrame) <= slowFrame {
		return 0
	}
	return max(int(p.seen*float64(gladly)/float64(p.took))-wrapping, leastPart)
}

// question is what a client is asked, and what was known then.
type question struct {
	at   time.Time
	sent int64
	idle bool // next to nothing was on its way
	// As in pace.
	clear, from time.Time
	busy        int
}

// question asks the client, if it is not being asked and something is on its way, or the
// shortest way is to be measured. The caller holds the lock.
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
	go func() { // which ends with the channel at the latest
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

// answer takes that what was before a question has come. The caller holds the lock.
func (p *pace) answer(q question, now time.Time) {
	p.arrived, p.last = q.sent, now.Sub(q.at)
	idle := q.idle && len(p.since) == 0 // what is sent right after may overtake it
	switch {
	case p.least == 0 || p.last < p.least:
		p.least = p.last
	case idle:
		p.least += (p.last - p.least) / 4 // the way may have become longer
	}
	if idle {
		p.measured = now
	}
	done := now.Add(-p.least) // when the link was done with what was before
	if took := max(done.Sub(q.from), 0); q.busy >= leastTold && !p.measured.IsZero() {
		if rest := done.Sub(q.at); rest < took/4 && p.seen > 0 {
			took = min(took, p.lasts(q.busy)) // it was done before the question: nobody knows when
			if q.clear.Sub(q.at) > rest+early {
				took /= 2 // though it should not have been
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

// learn takes how long so many bytes took.
func (p *pace) learn(n int, took time.Duration) {
	p.seen += float64(n)
	p.took += took
	if p.seen > mostSeen {
		p.took = time.Duration(float64(p.took) * mostSeen / p.seen)
		p.seen = mostSeen
	}
}

// trip returns how long the way to the client and back takes: the last time, and at the
// best; 0 where that is not known.
func (p *pace) trip() (last, least time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last, p.least
}
