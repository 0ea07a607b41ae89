package hw

import (
	"context"

	"github.com/shirou/gopsutil/v3/cpu"
	"github.com/shirou/gopsutil/v3/load"
	"github.com/shirou/gopsutil/v3/mem"
)

// Load is how busy a machine is. What could not be read is 0.
type Load struct {
	// Busy is the time that the processors have worked since the machine was started,
	// All the same with idle time, in seconds of one processor. How busy they were
	// lately is the difference to an earlier Load.
	Busy, All float64
	Steal     float64 // the part of Busy in which a hypervisor ran something else
	One       float64 // processes that ran or waited to, on average over a minute
	// Memory and swap in bytes. Available memory counts as not used.
	MemoryTotal, MemoryUsed uint64
	SwapTotal, SwapUsed     uint64
}

// Sample measures how busy this machine is.
func Sample(ctx context.Context) Load {
	var out Load
	if times, err := try(func() ([]cpu.TimesStat, error) { return cpu.TimesWithContext(ctx, false) }); err == nil && len(times) > 0 {
		t := times[0]
		out.Steal = t.Steal
		out.Busy = t.User + t.System + t.Nice + t.Irq + t.Softirq + t.Steal
		out.All = out.Busy + t.Idle + t.Iowait
	}
	if avg, err := try(func() (*load.AvgStat, error) { return load.AvgWithContext(ctx) }); err == nil && avg != nil {
		out.One = avg.Load1
	}
	if m, err := try(func() (*mem.VirtualMemoryStat, error) { return mem.VirtualMemoryWithContext(ctx) }); err == nil && m != nil {
		out.MemoryTotal, out.MemoryUsed = m.Total, m.Total-min(m.Available, m.Total)
	}
	if s, err := try(func() (*mem.SwapMemoryStat, error) { return mem.SwapMemoryWithContext(ctx) }); err == nil && s != nil {
		out.SwapTotal, out.SwapUsed = s.Total, s.Used
	}
	return out
}
