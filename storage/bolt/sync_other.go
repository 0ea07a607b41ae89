//go:build !linux

package bolt

import "os"

// canLog says that each commit is one of bbolt's here. A log that was written elsewhere is
// read all the same.
const canLog = false

// datasync brings what was written to f to disk.
func datasync(f *os.File) error { return f.Sync() }
