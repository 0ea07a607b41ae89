//go:build unix

package metrics

import (
	"syscall"
	"time"
)

// usage returns the CPU time that the process has spent, and how many files it may have
// open.
func usage() (cpu time.Duration, files float64, ok bool) {
	var (
		use  syscall.Rusage
		most syscall.Rlimit
	)
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil || syscall.Getrlimit(syscall.RLIMIT_NOFILE, &most) != nil {
		return 0, 0, false
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()), float64(most.Cur), true
}
