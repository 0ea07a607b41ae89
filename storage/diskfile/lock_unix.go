//go:build unix && !solaris && !aix

package diskfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// locks is true: the system has the locks that this package uses.
const locks = true

// TryLock locks f as bbolt does, for all processes that open the same file, or
// returns ErrHeld at once.
func TryLock(f *os.File, exclusive bool) error {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrHeld
		default:
			return err
		}
	}
}

// Unlock releases the lock on f, which otherwise lasts for as long as the file is
// mapped into memory.
func Unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// Dup returns a second handle of the same opening of f, which shares its lock.
func Dup(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil // a descriptor is not a negative number
}

// openSelf opens the file at path itself, never the target of a link, and does not
// wait for the other end of a pipe.
func openSelf(path string, flags int) (*os.File, error) {
	return os.OpenFile(path, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

// Names returns how many names, or hard links, a file has.
func Names(info fs.FileInfo) uint64 {
	if is, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(is.Nlink) //nolint:unconvert // it is of another size elsewhere
	}
	return 1
}

// giveTo gives f the owner and group of like.
func giveTo(f *os.File, like fs.FileInfo) error {
	is, err := f.Stat()
	if err != nil {
		return err
	}
	to, ok := like.Sys().(*syscall.Stat_t)
	from, known := is.Sys().(*syscall.Stat_t)
	if !ok || !known || to.Uid == from.Uid && to.Gid == from.Gid {
		return nil
	}
	return f.Chown(int(to.Uid), int(to.Gid))
}

// MayWrite returns why the file at path may not be written by this process, as where its
// disk was mounted read-only.
func MayWrite(path string) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}
