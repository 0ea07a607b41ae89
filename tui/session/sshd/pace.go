package sshd

import (
	"sync"
	"time"
)

// pace keeps one frame on its way to a client: buffers on the way hold many seconds of a
// slow link, and would be filled with outdated frames, which delay the answer to the next
// key. After a write the client is queried. It answers in order, so that everything before
// the query has arrived.
type pace struct {
	ask func() error // returns once the client has answered

	mu      sync.Mutex
	arrived chan struct{} // closed once everything has arrived; nil if nothing is on its way
	more    bool          // something was written after the query
	mute    bool          // the client did not answer in time: frames do not wait until it does
}

// silence is the longest that a frame waits for an answer.
const silence = 3 * time.Second

// wrote notes that something was sent, and queries the client unless a query is open.
func (p *pace) wrote() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.more = p.arrived != nil; !p.more {
		p.arrived = make(chan struct{})
		go p.query() // ends with the channel of the session at the latest
	}
}

// query queries the client until it has answered for everything that was written.
func (p *pace) query() {
	for again := true; again; {
		if p.ask() != nil {
			return
		}
		p.mu.Lock()
		p.mute = false
		if again, p.more = p.more, false; !again {
			close(p.arrived)
			p.arrived = nil
		}
		p.mu.Unlock()
	}
}

// wait returns once everything has arrived, or over or quit is closed.
func (p *pace) wait(over, quit <-chan struct{}) {
	p.mu.Lock()
	arrived, mute := p.arrived, p.mute
	p.mu.Unlock()
	if arrived == nil || mute {
		return
	}
	select {
	case <-arrived:
	case <-over:
	case <-quit:
	case <-time.After(silence):
		p.mu.Lock()
		defer p.mu.Unlock()
		p.mute = p.arrived == arrived
	}
}
