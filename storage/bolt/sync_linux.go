package bolt

import (
	"os"

	"golang.org/x/sys/unix"
)

// canLog says that the log may be used: two openings of a file each get a disk error, and
// closing one keeps the lock of the other.
const canLog = true

// datasync brings what was written to f to disk.
func datasync(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
