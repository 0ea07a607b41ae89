package bolt_test

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
)

// mountSmall mounts a 12 MiB disk, in memory, at dir. It needs root.
func mountSmall(dir string) error {
	return syscall.Mount("placetop", dir, "tmpfs", 0, "size=12m")
}

func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }

// fillDisk writes a file until the disk is full.
func fillDisk(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	block := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

// reportUse reports the processor time and the peak memory of the process.
func reportUse(b *testing.B) {
	b.Helper()
	var use syscall.Rusage
	must.Succeed(b, syscall.Getrusage(syscall.RUSAGE_SELF, &use))
	b.ReportMetric(time.Duration(use.Utime.Nano()+use.Stime.Nano()).Seconds()/float64(b.N), "s-cpu")
	b.ReportMetric(float64(use.Maxrss)/1e3, "MB-peak")
}
