//go:build !linux

package bolt

import "os"

// canLog says that each commit goes through bbolt on this system. A log that was written
// elsewhere is still read.
const canLog = false

// datasync brings what was written to f to disk.
func datasync(f *os.File) error { return f.Sync() }
