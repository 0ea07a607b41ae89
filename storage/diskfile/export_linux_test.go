package diskfile

import "github.com/placetop/placetop/storage"

// HolderIn returns the holder of a file according to a folder like /proc.
func HolderIn(dir, path string) *storage.LockedError {
	h := proc(dir).holder(path)
	return &storage.LockedError{PID: h.pid, Command: h.command, Since: h.since}
}
