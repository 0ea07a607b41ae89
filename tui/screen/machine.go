package screen

import (
	"context"
	"time"

	"github.com/placetop/placetop/model/ops"
)

// Machine is the machine that the dashboard runs on.
type Machine struct {
	At time.Time
	// Reports is what nova-compute would report of it, including the Tree.
	Reports ops.Tick
	Facts   []MachineFact
	Gaps    []string // what could not be read, and why
	Load    MachineLoad
	Parts   []MachinePart // what fills up: its disk, NUMA nodes, cards
}

// MachinePart is a part of the machine of which Used of Total is in use now; a Total of 0 is
// not known.
type MachinePart struct {
	Name        string // numa0, 0000:41:00.0
	Note        string // what it is, or is of
	Used, Total int64
	Unit        string // of both: "GiB", "vGPUs"
}

// MachineFact is something that a probe saw, such as "memory.total_mib".
type MachineFact struct{ Name, Value, Source string }

// MachineLoad is how busy the machine is. Busy of All is the time of its processors since
// boot; what they did lately is the difference from an earlier load.
type MachineLoad struct {
	Busy, All               float64
	Steal                   float64 // the part of Busy in which a hypervisor ran something else
	One                     float64 // load average over one minute
	MemoryTotal, MemoryUsed uint64  // in bytes
	SwapTotal, SwapUsed     uint64
}

// Probe looks at the machine; it may take some time.
type Probe func(ctx context.Context) (Machine, error)
