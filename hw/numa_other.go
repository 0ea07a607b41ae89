//go:build !linux

package hw

import (
	"context"

	"github.com/placetop/placetop/hw/sysfs"
)

// ghwCPUs has nothing to say: ghw reads NUMA nodes on Linux only.
func (p prober) ghwCPUs(context.Context, int) sysfs.CPUSet { return nil }
