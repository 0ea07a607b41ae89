package follow

import (
	"context"
	"slices"
	"sync"
)

// Peer is who works on a store for long: a process, or a guest of one.
type Peer struct {
	As      string `cbor:"1,keyasint"` // who is there, in words for others
	PID     int    `cbor:"2,keyasint"`
	SinceMS int64  `cbor:"3,keyasint"` // milliseconds since 1970
	Looks   bool   `cbor:"4,keyasint"` // it does not write

	// Role and From are those of a guest, who came to the process from another machine.
	Role string `cbor:"5,keyasint,omitempty"`
	From string `cbor:"6,keyasint,omitempty"`
}

// Peers are those who work on a store: its owner, and the followers that say who they are. It
// may be used from any goroutine; the zero value has nobody.
type Peers struct {
	mu      sync.Mutex
	all     []*Peer // the first to come first
	changes int
	changed chan struct{} // closed at the next change; nil if nobody waits for it
}

// List returns who is there, the first to come first.
func (p *Peers) List() []Peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list()
}

func (p *Peers) list() []Peer {
	out := make([]Peer, len(p.all))
	for i, of := range p.all {
		out[i] = *of
	}
	return out
}

// Join adds one, until leave is called.
func (p *Peers) Join(is Peer) (leave func()) {
	change := func(all func([]*Peer) []*Peer) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all = all(p.all)
		p.changes++
		if p.changed != nil {
			close(p.changed)
			p.changed = nil
		}
	}
	change(func(all []*Peer) []*Peer { return append(all, &is) })
	return func() {
		change(func(all []*Peer) []*Peer { return slices.DeleteFunc(all, func(of *Peer) bool { return of == &is }) })
	}
}

// after waits until there were other than so many changes, and returns who is there then, and
// how many there were.
func (p *Peers) after(ctx context.Context, changes int) ([]Peer, int, error) {
	for {
		p.mu.Lock()
		if p.changes != changes {
			defer p.mu.Unlock()
			return p.list(), p.changes, nil
		}
		if p.changed == nil {
			p.changed = make(chan struct{})
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		}
	}
}
