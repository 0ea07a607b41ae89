// Package watch tells any number of receivers the newest revision. It waits for none of
// them: a slow receiver finds only the newest revision.
package watch

import (
	"context"
	"sync"

	"github.com/placetop/placetop/model/cloud"
)

// Hub is the receivers of one store. The zero value has none, and is ready for use
// from any goroutine.
type Hub struct {
	mu     sync.Mutex
	closed bool
	last   cloud.Revision
	all    map[chan cloud.Revision]func() bool // the function that removes the receiver when its context ends
}

// Watch implements cloud.Watcher.
func (h *Hub) Watch(ctx context.Context) <-chan cloud.Revision {
	ch := make(chan cloud.Revision, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || ctx.Err() != nil {
		close(ch)
		return ch
	}
	if h.all == nil {
		h.all = make(map[chan cloud.Revision]func() bool)
	}
	h.all[ch] = context.AfterFunc(ctx, func() { h.drop(ch) })
	return ch
}

func (h *Hub) drop(ch chan cloud.Revision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.all[ch]; ok {
		delete(h.all, ch)
		close(ch)
	}
}

// Publish replaces the revision that a receiver has not taken yet by rev. A revision
// that is not above the one before is not sent.
func (h *Hub) Publish(rev cloud.Revision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || rev <= h.last {
		return
	}
	h.last = rev
	for ch := range h.all {
		select {
		case <-ch:
		default:
		}
		// There is room: only Publish sends, and it holds the lock.
		ch <- rev
	}
}

// Close closes the channels of all receivers, including future ones.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for ch, stop := range h.all {
		stop()
		close(ch)
	}
	clear(h.all)
}
