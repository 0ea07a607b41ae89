package bolt_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// fileVar names a file for BenchmarkOpen to open, such as one by placetop demo, besides
// those that it makes.
const fileVar = "PLACETOP_BENCH_DB"

// opened is the cost of opening a file in a process that does nothing else.
type opened struct {
	wall, cpu  time.Duration
	held       uint64 // live heap afterwards, in bytes
	rss, peak  uint64 // resident memory once it is open, and its peak until then, in bytes
	allocated  uint64 // allocated on the heap in all, in bytes
	collection uint32 // runs of the garbage collector
}

// openAlone opens the file at path and prints the cost, in the form that openedBy reads.
func openAlone(path string) error {
	began, before := time.Now(), processTime()
	s, err := bolt.Open(context.Background(), path, engine.Options{Clock: storagetest.Clock()})
	if err != nil {
		return err
	}
	o := opened{wall: time.Since(began), cpu: processTime() - before}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	o.allocated, o.collection = m.TotalAlloc, m.NumGC
	o.rss, o.peak = resident("VmRSS"), resident("VmHWM")
	runtime.GC()
	runtime.ReadMemStats(&m)
	o.held = m.HeapAlloc
	fmt.Println(int64(o.wall), int64(o.cpu), o.held, o.rss, o.peak, o.allocated, o.collection)
	return s.Close()
}

// openedBy opens the file at path in a process of its own.
func openedBy(tb testing.TB, path string) opened {
	tb.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childVar+"=open "+path)
	cmd.Stderr = os.Stderr
	out := must.Get(cmd.Output())(tb)
	var o opened
	if _, err := fmt.Fscan(bytes.NewReader(out), (*int64)(&o.wall), (*int64)(&o.cpu), &o.held, &o.rss, &o.peak, &o.allocated, &o.collection); err != nil {
		tb.Fatalf("%q: %v", out, err)
	}
	return o
}

// resident returns a figure from this process's status, in bytes; 0 if the system does
// not have it.
func resident(name string) uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			var kib uint64
			if _, err := fmt.Sscan(value, &kib); err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}

// BenchmarkOpen prints the median costs of opening a file, each time in its own process:
// reusing a heap would cost less, and hide the peak.
func BenchmarkOpen(b *testing.B) {
	for _, size := range []struct{ hosts, instances uint64 }{{12, 40}, {10_000, 133_334}} {
		b.Run(fmt.Sprintf("%d hosts, %d allocations", size.hosts, 3*size.instances), func(b *testing.B) {
			benchmarkOpen(b, filled(b, size.hosts, size.instances))
		})
	}
	if path := os.Getenv(fileVar); path != "" {
		b.Run("given file", func(b *testing.B) { benchmarkOpen(b, path) })
	}
}

func benchmarkOpen(b *testing.B, path string) {
	info := must.Get(os.Stat(path))(b)
	var runs []opened
	b.ResetTimer()
	for b.Loop() {
		runs = append(runs, openedBy(b, path))
	}
	median := func(of func(opened) float64) float64 {
		all := make([]float64, len(runs))
		for i, o := range runs {
			all[i] = of(o)
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB-file")
	b.ReportMetric(median(func(o opened) float64 { return o.wall.Seconds() * 1e3 }), "ms-wall")
	b.ReportMetric(median(func(o opened) float64 { return o.cpu.Seconds() * 1e3 }), "ms-cpu")
	b.ReportMetric(median(func(o opened) float64 { return float64(o.held) / 1e6 }), "MB-held")
	b.ReportMetric(median(func(o opened) float64 { return float64(o.rss) / 1e6 }), "MB-resident")
	b.ReportMetric(median(func(o opened) float64 { return float64(o.peak) / 1e6 }), "MB-peak")
	b.ReportMetric(median(func(o opened) float64 { return float64(o.allocated) / 1e6 }), "MB-allocated")
	b.ReportMetric(median(func(o opened) float64 { return float64(o.collection) }), "gcs")
}
