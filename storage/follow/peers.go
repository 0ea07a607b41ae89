package follow

import (
	"context"
	"slices"
	"sync"

	"github.com/placetop/placetop/storage/engine"
)

// Peers are those who work on a store: its owner, and the followers that say who they are. It
// may be used from any goroutine; the zero value has nobody.
type Peers struct {
	mu      sync.Mutex
	all     []*engine.Peer // the first to come first
	changes int
	changed chan struct{} // closed at the next change; nil if nobody waits for it
}

// List returns who is there, the first to come first.
func (p *Peers) List() []engine.Peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list()
}

func (p *Peers) list() []engine.Peer {
	out := make([]engine.Peer, len(p.all))
	for i, of := range p.all {
		out[i] = *of
	}
	return out
}

// Join adds one, until leave is called.
func (p *Peers) Join(is engine.Peer) (leave func()) {
	change := func(all func([]*engine.Peer) []*engine.Peer) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all = all(p.all)
		p.changes++
		if p.changed != nil {
			close(p.changed)
			p.changed = nil
		}
	}
	change(func(all []*engine.Peer) []*engine.Peer { return append(all, &is) })
	return func() {
		change(func(all []*engine.Peer) []*engine.Peer {
			return slices.DeleteFunc(all, func(of *engine.Peer) bool { return of == &is })
		})
	}
}

// after waits until there were other than so many changes, and returns who is there then, and
// how many there were.
func (p *Peers) after(ctx context.Context, changes int) ([]engine.Peer, int, error) {
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
