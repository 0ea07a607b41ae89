//go:build !race

package audit_test

import (
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
)

// threadTime returns the CPU time of the calling thread, without other programs and other
// goroutines.
func threadTime(tb testing.TB) time.Duration {
	tb.Helper()
	var ts unix.Timespec
	must.Succeed(tb, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts))
	return time.Duration(ts.Nano())
}

// The CPU time of everything asked about a tree grows with the number of its members: 8
// times as many take about 8 times as long, and 64 times if something walks the tree
// for each of them. The thread's own time is measured, the bound is between the two on a
// logarithmic scale, and the fastest of several runs counts. The race detector, whose
// overhead grows with trees, is left out.
func TestWideTreesTakeLinearTime(t *testing.T) {
	const narrow, times, most = 256, 8, 24
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := func(s *cloud.Snapshot, task wideTask, runs int) time.Duration {
		best := time.Duration(1<<63 - 1)
		for range runs {
			began := threadTime(t)
			task.do(t, s)
			best = min(best, threadTime(t)-began)
		}
		return best
	}
	for _, world := range slices.Sorted(maps.Keys(wideWorlds())) {
		small, big := wide(t, world, narrow), wide(t, world, narrow*times)
		for _, task := range wideTasks() {
			// Very short times mean nothing.
			few := max(least(small, task, 3), 300*time.Microsecond)
			many := least(big, task, 1)
			for range 4 {
				if many <= most*few {
					break
				}
				few, many = max(few, least(small, task, 3)), min(many, least(big, task, 1))
			}
			if many > most*few {
				t.Errorf("%s: %s takes %v for %d cards and %v for %d", world, task.name, few, narrow, many, narrow*times)
			}
		}
	}
}
