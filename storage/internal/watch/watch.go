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
	if rev > h.last {
		h.send(rev)
	}
}

// Repeat sends the newest revision again: something else about the cloud has changed.
func (h *Hub) Repeat() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.send(h.last)
}

// send sends a revision to all receivers. The caller holds the lock.
func (h *Hub) send(rev cloud.Revision) {
	if h.closed {
		return
	}
	h.last = rev
	for ch := range h.all {
		select {
		case <-ch:
		default:
		}
		// There is room: whoever sends holds the lock.
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
