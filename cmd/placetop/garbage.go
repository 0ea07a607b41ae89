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

// holdGarbage has no garbage collected until collect is called: where most of what is
// allocated stays, each collection would only learn that it does. A GOMEMLIMIT holds. It
// does nothing where the process is not the program's own.
func (p *program) holdGarbage() (collect func()) {
	if !p.alone {
		return func() {}
	}
	return collector.hold()
}

// collector is the process's garbage collector.
var collector = holdable{set: debug.SetGCPercent} //nolint:gochecknoglobals // there is one in a process

// holdable is a garbage collector that several may hold back at a time: it goes on once
// the last of them lets it.
type holdable struct {
	set     func(percent int) (was int)
	mu      sync.Mutex
	holders int
	percent int // where nobody holds it
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

// uncollected is how many bytes a cloud in the making may take before garbage is collected.
const uncollected = 256 << 20

// holdingGarbage yields what seq yields, and has no garbage collected until there is much
// in memory.
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

// heap returns how many bytes are allocated, and not known to be garbage.
func heap() uint64 { return bytesOf("/memory/classes/heap/objects:bytes") }

// bytesOf returns what Go's runtime tells by a name.
func bytesOf(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// lean is rounds after the first of which memory is given back to the system, and once more
// when the first screen has found out what it shows: what each of them leaves behind is as
// much as the cloud, and nothing else would collect it while nobody does anything.
type lean struct {
	storage.Rounds
	on    bool
	roomy bool // clients are many: keepHeadroom from then on
}

// firstScreen is how long the first screen may take to read the journal, and to count what
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

// headroom is how many bytes of garbage a server has at least before it is collected: each
// request leaves some tens of kB, and each collection marks the whole cloud again. At 1,000
// hosts that is a tenth more claims a second.
const headroom = 128 << 20

// keepHeadroom has headroom beside what is live, after each collection anew: a percentage
// that fits a small cloud would multiply the memory of a few large requests.
func keepHeadroom() {
	debug.SetGCPercent(percentFor(bytesOf("/gc/heap/live:bytes")))
	runtime.AddCleanup(new([32]byte), func(struct{}) { keepHeadroom() }, struct{}{})
}

// percentFor returns the GC percent that gives headroom beside so many live bytes: never
// less than Go's own 100, and no more than 400, from where on little is gained.
func percentFor(live uint64) int { return int(min(max(headroom*100/max(live, 1), 100), 400)) }
