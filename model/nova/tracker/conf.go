package tracker

// Conf is the part of nova.conf on a compute host that decides how its own
// classes are reported. The zero value reserves nothing and sets no ratio.
//
// Source: nova/conf/compute.py.
type Conf struct {
	Ratios        Ratios // cpu_allocation_ratio and so on: override those in Placement
	InitialRatios Ratios // initial_cpu_allocation_ratio and so on: for inventories that are new

	ReservedCPUs     int64 // reserved_host_cpus
	ReservedMemoryMB int64 // reserved_host_memory_mb, MiB
	ReservedDiskMB   int64 // reserved_host_disk_mb, MiB; reported in GiB, rounded up
	Said             bool  // these are what the host says: false of a row that no driver of ours has written
}

// Ratios are allocation ratios; 0 is "not set", as in nova.conf.
type Ratios struct{ CPU, RAM, Disk float64 }

// DefaultConf returns Nova's defaults.
//
// Source: nova/conf/compute.py (release 27 and later).
func DefaultConf() Conf {
	return Conf{InitialRatios: Ratios{CPU: 4, RAM: 1, Disk: 1}, ReservedMemoryMB: 512, Said: true}
}

// reserves returns the part of c that is stored in the row of a compute node.
func (c Conf) reserves() Conf {
	return Conf{ReservedCPUs: c.ReservedCPUs, ReservedMemoryMB: c.ReservedMemoryMB, ReservedDiskMB: c.ReservedDiskMB, Said: c.Said}
}

// ReservedDiskGB returns what is reserved of the disk in GiB: any part of one
// counts as a whole.
//
// Source: nova/compute/utils.py, convert_mb_to_ceil_gb.
func (c Conf) ReservedDiskGB() int64 {
	const mibPerGiB = 1024
	return (c.ReservedDiskMB + mibPerGiB - 1) / mibPerGiB
}
