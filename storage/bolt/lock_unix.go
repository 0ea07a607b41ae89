//go:build unix && !solaris && !aix

package bolt

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks f as bbolt does, for all processes that open the same file, or
// returns errHeld at once.
func tryLock(f *os.File, exclusive bool) error {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return errHeld
		default:
			return err
		}
	}
}

// unlock gives up the lock on f, which otherwise lasts for as long as the file is
// mapped into memory.
func unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }
