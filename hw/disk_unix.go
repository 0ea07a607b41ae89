//go:build unix

package hw

import (
	"os"
	"syscall"
)

// sameFilesystem reports whether two folders are on one file system.
func sameFilesystem(a, b string) bool {
	device := func(name string) (uint64, bool) {
		info, err := os.Stat(name)
		if err != nil {
			return 0, false
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return 0, false
		}
		return uint64(stat.Dev), true //nolint:unconvert // its type differs between systems
	}
	of, ok := device(a)
	and, also := device(b)
	return ok && also && of == and
}
