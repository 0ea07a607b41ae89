package metrics

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"
)

// number writes a family with one sample and no labels.
func (t *text) number(name, help string, k kind, value float64) {
	t.family(name, help, k)
	t.sample(name, "", value)
}

// process writes figures of this process, under the names that Go programs and most
// others use, so that existing dashboards find them. Started is when it began.
//
// Source: client_golang, prometheus/go_collector.go and process_collector.go.
func (t *text) process(started time.Time) {
	t.family("go_info", "Information about the Go environment.", gauge)
	t.sample("go_info", pairs("version", runtime.Version()), 1)
	t.number("go_goroutines", "Number of goroutines that currently exist.", gauge, float64(runtime.NumGoroutine()))
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.family("go_gc_duration_seconds", "Pauses of garbage collection.", summary)
	t.sample("go_gc_duration_seconds_sum", "", time.Duration(m.PauseTotalNs).Seconds()) // centuries fit
	t.sample("go_gc_duration_seconds_count", "", float64(m.NumGC))
	t.number("go_memstats_alloc_bytes", "Bytes allocated in the heap and in use.", gauge, float64(m.Alloc))
	t.number("go_memstats_alloc_bytes_total", "Bytes allocated in the heap until now, even if released already.", counter, float64(m.TotalAlloc))
	t.number("go_memstats_heap_inuse_bytes", "Bytes of the heap that are in use.", gauge, float64(m.HeapInuse))
	t.number("go_memstats_next_gc_bytes", "Bytes of the heap at which the next garbage collection takes place.", gauge, float64(m.NextGC))
	t.number("go_memstats_sys_bytes", "Bytes obtained from the system.", gauge, float64(m.Sys))

	t.number("process_start_time_seconds", "When the process began, in seconds since 1970.", gauge, float64(started.UnixMilli())/1e3)
	if cpu, files, ok := usage(); ok {
		t.number("process_cpu_seconds_total", "User and system CPU time spent.", counter, cpu.Seconds())
		t.number("process_max_fds", "Maximum number of open file descriptors.", gauge, files)
	}
	if all, mine, ok := memory(); ok {
		t.number("process_virtual_memory_bytes", "Virtual memory size.", gauge, all)
		t.number("process_resident_memory_bytes", "Resident memory size.", gauge, mine)
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		t.number("process_open_fds", "Number of open file descriptors.", gauge, float64(len(open)))
	}
}

// memory returns the size of all memory of the process and of its resident memory, in
// bytes, if the system reports them.
//
// Source: proc_pid_statm(5).
func memory() (all, resident float64, ok bool) {
	said, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(said)
	if err != nil || len(fields) < 2 {
		return 0, 0, false
	}
	pages, err := strconv.ParseFloat(string(fields[0]), 64)
	mine, err2 := strconv.ParseFloat(string(fields[1]), 64)
	size := float64(os.Getpagesize())
	return pages * size, mine * size, err == nil && err2 == nil
}
