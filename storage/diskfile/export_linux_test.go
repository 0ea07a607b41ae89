package diskfile

import "github.com/placetop/placetop/storage"

// HolderIn returns what a folder like /proc tells about the holder of a file.
func HolderIn(dir, path string) *storage.LockedError {
	h := proc(dir).holder(path)
	return &storage.LockedError{PID: h.pid, Command: h.command, TTY: h.tty, Since: h.since}
}
