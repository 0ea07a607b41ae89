package screen_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/placetop/placetop/tui/screen"
)

// TestShare has many ask for the same value at once: it is made once, made again for a
// caller that rejects it, and gone once nothing refers to it.
func TestShare(t *testing.T) {
	t.Parallel()
	type piece struct{ of [4]int }
	var made atomic.Int32
	var c screen.Common
	get := func(c *screen.Common, of int) *piece {
		return screen.Share(c, "piece", func(p *piece) bool { return p.of[0] == of }, func() *piece {
			made.Add(1)
			return &piece{of: [4]int{of}}
		})
	}
	want := func(n int32, when string) {
		t.Helper()
		if got := made.Swap(0); got != n {
			t.Errorf("%s: made %d times, want %d", when, got, n)
		}
	}
	var all sync.WaitGroup
	held := make([]*piece, 8)
	for i := range held {
		all.Go(func() { held[i] = get(&c, 1) })
	}
	all.Wait()
	want(1, "by all at once")
	for _, p := range held {
		if p != held[0] {
			t.Error("not all have the same")
		}
	}
	newer := get(&c, 2)
	want(1, "of what is newer")
	get(&c, 2)
	want(0, "while it is held")
	runtime.KeepAlive(newer)
	runtime.GC()
	get(&c, 2)
	want(1, "when nobody holds it any more")
	get(nil, 3)
	get(nil, 3)
	want(2, "where nothing is shared")
}
