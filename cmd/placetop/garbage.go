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

// uncollected is how many bytes of memory may be in use before garbage is collected while
// a cloud is made.
const uncollected = 256 << 20

// holdingGarbage yields the same as seq, without garbage collection until much memory is
// in use.
func holdingGarbage[T any](p *program, seq iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		collect := p.holdGarbage()
		defer collect()
		for v := range seq {
			if heap() >= uncollected {
				collect()
			}
			if !yield(v) {
				return
			}
		}
	}
}

// heap returns how many bytes are allocated and not known to be garbage.
func heap() uint64 { return bytesOf("/memory/classes/heap/objects:bytes") }

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
