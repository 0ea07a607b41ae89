package main

import (
	"context"
	"iter"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/placetop/placetop/storage"
)

// holdGarbage stops garbage collection until collect is called: if most of what is
// allocated is kept, collections find nothing to free. GOMEMLIMIT still applies. It does
// nothing unless the process is the program's own.
func (p *program) holdGarbage() (collect func()) {
	if !p.alone {
		return func() {}
	}
	return collector.hold()
}

// collector is the process's garbage collector.
var collector = holdable{set: debug.SetGCPercent} //nolint:gochecknoglobals // there is one in a process

// holdable is a garbage collector that several may hold back at a time: it continues once
// the last one lets go.
type holdable struct {
	set     func(percent int) (was int)
	mu      sync.Mutex
	holders int
	percent int // while it is not held back
}

// hold holds the collector back until collect is called.
func (h *holdable) hold() (collect func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holders++; h.holders == 1 {
		h.percent = h.set(-1)
	}
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.holders--; h.holders == 0 {
			h.set(h.percent)
		}
	})
}

// fill has the one holder collect garbage when the heap, of which live bytes are in use,
// holds uncollected, or where it would without a holder if that is later.
func (h *holdable) fill(live uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holders == 1 && h.percent >= 0 { // it is negative with GOGC=off
		h.set(max(h.percent, int(uncollected*100/max(live, leastLive))-100))
	}
}

// leastLive is how many live bytes the collector reckons with at least.
const leastLive = 4 << 20

// uncollected is how many bytes the heap may hold before garbage is collected while a
// cloud is made. With 10,000 hosts, up to 250 MB are live: garbage is collected half as
// often as it would be by itself, and the process takes 0.62 GB rather than 0.56.
const uncollected = 512 << 20

// holdingGarbage yields the same as seq, without garbage collection until much memory is
// in use.
func holdingGarbage[T any](p *program, seq iter.Seq[T]) iter.Seq[T] {
	if !p.alone {
		return seq
	}
	return func(yield func(T) bool) {
		defer collector.hold()()
		for v := range seq {
			collector.fill(bytesOf("/gc/heap/live:bytes"))
			if !yield(v) {
				return
			}
		}
	}
}

// bytesOf returns a metric of Go's runtime.
func bytesOf(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// lean are rounds of a keeper after the first of which memory is given back to the
// system, and again when the first screen has computed what it shows: each of the two
// leaves as much garbage as the cloud is large, and nothing else would collect it while
// the program is idle.
type lean struct {
	storage.Rounds
	on    bool
	roomy bool // there are many clients: use keepHeadroom from then on
}

// firstScreen is how long the first screen may take to read the journal and to count what
// fits, on 10,000 hosts.
const firstScreen = 4 * time.Second

func (l *lean) Round(ctx context.Context) (again time.Time) {
	again = l.Rounds.Round(ctx)
	if l.on {
		l.on = false
		debug.FreeOSMemory()
		if l.roomy {
			keepHeadroom()
		} else {
			time.AfterFunc(firstScreen, debug.FreeOSMemory)
		}
	}
	return again
}

// headroom is the least garbage, in bytes, before a server collects it: each request
// leaves some tens of kB, and each collection marks the whole cloud again. At 1,000 hosts
// this allows a tenth more claims a second.
const headroom = 128 << 20

// keepHeadroom keeps headroom above what is live, adjusted after each collection: a
// percentage that fits a small cloud would multiply the memory of a few large requests.
func keepHeadroom() {
	debug.SetGCPercent(percentFor(bytesOf("/gc/heap/live:bytes")))
	runtime.AddCleanup(new([32]byte), func(struct{}) { keepHeadroom() }, struct{}{})
}

// percentFor returns the GC percentage that gives headroom above the given live bytes: at
// least Go's default of 100, and at most 400, above which little is gained.
func percentFor(live uint64) int { return int(min(max(headroom*100/max(live, 1), 100), 400)) }
