// Package watch tells any number of receivers the newest of something, such as a revision. It
// waits for none of them: a slow receiver finds only the newest.
package watch

import (
	"context"
	"sync"

	"github.com/placetop/placetop/model/cloud"
)

// Receivers are those of one sender. The zero value has none, and is ready for use from any
// goroutine.
type Receivers[T any] struct {
	mu     sync.Mutex
	closed bool
	all    map[chan T]func() bool // the function that removes the receiver when its context ends
}

// Watch returns a channel with room for one value. It is closed when ctx ends, and by Close.
func (h *Receivers[T]) Watch(ctx context.Context) <-chan T {
	ch := make(chan T, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || ctx.Err() != nil {
		close(ch)
		return ch
	}
	if h.all == nil {
		h.all = make(map[chan T]func() bool)
	}
	h.all[ch] = context.AfterFunc(ctx, func() { h.drop(ch) })
	return ch
}

func (h *Receivers[T]) drop(ch chan T) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.all[ch]; ok {
		delete(h.all, ch)
		close(ch)
	}
}

// Send replaces what a receiver has not taken yet by v.
func (h *Receivers[T]) Send(v T) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.send(v)
}

// send is Send for a caller who holds the lock.
func (h *Receivers[T]) send(v T) {
	for ch := range h.all {
		select {
		case <-ch:
		default:
		}
		// There is room: whoever sends holds the lock.
		ch <- v
	}
}

// Close closes the channels of all receivers, including future ones.
func (h *Receivers[T]) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for ch, stop := range h.all {
		stop()
		close(ch)
	}
	clear(h.all)
}

// Hub is the receivers of the revisions of one store, as of cloud.Watcher.
type Hub struct {
	Receivers[cloud.Revision]
	last cloud.Revision
}

// Publish sends a revision, unless it is not above the one before.
func (h *Hub) Publish(rev cloud.Revision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if rev > h.last {
		h.last = rev
		h.send(rev)
	}
}

// Repeat sends the newest revision again: something else about the cloud has changed.
func (h *Hub) Repeat() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.send(h.last)
}
