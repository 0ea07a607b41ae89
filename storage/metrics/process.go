package metrics

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// ofRuntime returns what Go's runtime tells of itself, under the names that every program
// in Go has it under.
//
// Source: github.com/prometheus/client_golang, prometheus/go_collector.go.
func ofRuntime() []family {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	threads, _ := runtime.ThreadCreateProfile(nil)
	out := []family{
		collections(),
		one(gaugeKind, "go_goroutines", "Number of goroutines that currently exist.", float64(runtime.NumGoroutine())),
		{name: "go_info", help: "Information about the Go environment.", kind: gaugeKind, samples: []sample{{labels: labelled([]string{"version"}, []string{runtime.Version()}), value: 1}}},
		one(gaugeKind, "go_threads", "Number of OS threads created.", float64(threads)),
		one(gaugeKind, "go_memstats_last_gc_time_seconds", "Number of seconds since 1970 of last garbage collection.", float64(m.LastGC)/1e9),
	}
	for _, s := range []struct {
		name, help string
		kind       kind
		value      uint64
	}{
		{"alloc_bytes", "Number of bytes allocated in heap and currently in use.", gaugeKind, m.Alloc},
		{"alloc_bytes_total", "Total number of bytes allocated in heap until now, even if released already.", counterKind, m.TotalAlloc},
		{"buck_hash_sys_bytes", "Number of bytes used by the profiling bucket hash table.", gaugeKind, m.BuckHashSys},
		{"frees_total", "Total number of heap objects freed.", counterKind, m.Frees},
		{"gc_sys_bytes", "Number of bytes used for garbage collection system metadata.", gaugeKind, m.GCSys},
		{"heap_alloc_bytes", "Number of heap bytes allocated and currently in use, same as go_memstats_alloc_bytes.", gaugeKind, m.HeapAlloc},
		{"heap_idle_bytes", "Number of heap bytes waiting to be used.", gaugeKind, m.HeapIdle},
		{"heap_inuse_bytes", "Number of heap bytes that are in use.", gaugeKind, m.HeapInuse},
		{"heap_objects", "Number of currently allocated objects.", gaugeKind, m.HeapObjects},
		{"heap_released_bytes", "Number of heap bytes released to the system.", gaugeKind, m.HeapReleased},
		{"heap_sys_bytes", "Number of heap bytes obtained from the system.", gaugeKind, m.HeapSys},
		{"mallocs_total", "Total number of heap objects allocated, both live and collected.", counterKind, m.Mallocs},
		{"mcache_inuse_bytes", "Number of bytes in use by mcache structures.", gaugeKind, m.MCacheInuse},
		{"mcache_sys_bytes", "Number of bytes used for mcache structures obtained from the system.", gaugeKind, m.MCacheSys},
		{"mspan_inuse_bytes", "Number of bytes in use by mspan structures.", gaugeKind, m.MSpanInuse},
		{"mspan_sys_bytes", "Number of bytes used for mspan structures obtained from the system.", gaugeKind, m.MSpanSys},
		{"next_gc_bytes", "Number of heap bytes when the next garbage collection will take place.", gaugeKind, m.NextGC},
		{"other_sys_bytes", "Number of bytes used for other system allocations.", gaugeKind, m.OtherSys},
		{"stack_inuse_bytes", "Number of bytes obtained from the system for stacks.", gaugeKind, m.StackInuse},
		{"stack_sys_bytes", "Number of bytes obtained from the system for stacks, those of its threads among them.", gaugeKind, m.StackSys},
		{"sys_bytes", "Number of bytes obtained from the system.", gaugeKind, m.Sys},
	} {
		out = append(out, one(s.kind, "go_memstats_"+s.name, s.help, float64(s.value)))
	}
	settings := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}, {Name: "/sched/gomaxprocs:threads"}}
	metrics.Read(settings)
	return append(out,
		one(gaugeKind, "go_gc_gogc_percent", "Heap size target percentage configured by the user, otherwise 100.", float64(settings[0].Value.Uint64())),
		one(gaugeKind, "go_gc_gomemlimit_bytes", "Go runtime memory limit configured by the user, otherwise math.MaxInt64.", float64(settings[1].Value.Uint64())),
		one(gaugeKind, "go_sched_gomaxprocs_threads", "How many threads may run Go code at the same time.", float64(settings[2].Value.Uint64())))
}

// collections says how long garbage collections stopped the program.
func collections() family {
	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&stats)
	f := family{name: "go_gc_duration_seconds", help: "A summary of the wall-time pause (stop-the-world) duration in garbage collection cycles.", kind: summaryKind}
	for i, pause := range stats.PauseQuantiles {
		f.samples = append(f.samples, sample{bounds: "quantile", bound: float64(i) / 4, value: pause.Seconds()})
	}
	f.samples = append(f.samples, sample{suffix: "_sum", value: stats.PauseTotal.Seconds()}, sample{suffix: "_count", value: float64(stats.NumGC)})
	return f
}

// ofProcess returns what the system tells of this process; what it does not tell is left
// out.
//
// Source: proc(5); github.com/prometheus/client_golang, prometheus/process_collector.go.
func ofProcess() []family {
	var out []family
	tell := func(k kind, name, help string, value float64) {
		out = append(out, one(k, "process_"+name, help, value))
	}
	// What follows the name of the program, in parentheses, begins with the third field.
	if stat := procFields("/proc/self/stat", ") "); len(stat) > 21 {
		const ticks = 100 // a second: USER_HZ, the same on every Linux
		at := func(field int) float64 { return stat[field-3] }
		tell(counterKind, "cpu_seconds_total", "Total user and system CPU time spent in seconds.", (at(14)+at(15))/ticks)
		tell(gaugeKind, "virtual_memory_bytes", "Virtual memory size in bytes.", at(23))
		tell(gaugeKind, "resident_memory_bytes", "Resident memory size in bytes.", at(24)*float64(os.Getpagesize()))
		if boot := procFields("/proc/stat", "\nbtime "); len(boot) > 0 {
			tell(gaugeKind, "start_time_seconds", "Start time of the process since unix epoch in seconds.", boot[0]+at(22)/ticks)
		}
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		tell(gaugeKind, "open_fds", "Number of open file descriptors.", float64(len(open)))
	}
	if limit := procFields("/proc/self/limits", "Max open files"); len(limit) > 0 {
		tell(gaugeKind, "max_fds", "Maximum number of open file descriptors.", limit[0])
	}
	if limit := procFields("/proc/self/limits", "Max address space"); len(limit) > 0 {
		tell(gaugeKind, "virtual_memory_max_bytes", "Maximum amount of virtual memory available in bytes.", limit[0])
	}
	// The second line that begins so has the figures of the names in the first.
	if octets := procFields("/proc/self/net/netstat", "IpExt: ", "IpExt: "); len(octets) > 7 {
		tell(counterKind, "network_receive_bytes_total", "Number of bytes received by the process over the network.", octets[6])
		tell(counterKind, "network_transmit_bytes_total", "Number of bytes sent by the process over the network.", octets[7])
	}
	return out
}

// procFields returns the fields of the line of a file in /proc that follow each of after
// in turn; none where there is no such line. A field that is no number is 0, and
// "unlimited" the most there is.
func procFields(file string, after ...string) []float64 {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	for _, mark := range after {
		var found bool
		if _, data, found = bytes.Cut(data, []byte(mark)); !found {
			return nil
		}
	}
	line, _, _ := strings.Cut(string(data), "\n")
	var out []float64
	for field := range strings.FieldsSeq(line) {
		v, _ := strconv.ParseFloat(field, 64)
		if field == "unlimited" {
			v = 1<<64 - 1
		}
		out = append(out, v)
	}
	return out
}
