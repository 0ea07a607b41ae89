//go:build !unix || solaris || aix

package diskfile

import (
	"io/fs"
	"os"
)

// locks is false: the system lacks the locks that this package uses.
const locks = false

// TryLock leaves the locking to bbolt.
func TryLock(*os.File, bool) error { return nil }

// Unlock does nothing.
func Unlock(*os.File) error { return nil }

// Dup opens f a second time.
func Dup(f *os.File) (*os.File, error) { return os.OpenFile(f.Name(), os.O_RDWR, 0) }

// openSelf opens the file at path.
func openSelf(path string, flags int) (*os.File, error) { return os.OpenFile(path, flags, 0) }

// Names returns 1, as the number of hard links cannot be told here.
func Names(fs.FileInfo) uint64 { return 1 }

// giveTo does nothing: a file belongs to the user who writes it.
func giveTo(*os.File, fs.FileInfo) error { return nil }

// MayWrite returns why the file at path may not be written, as far as it can be told here.
func MayWrite(string) error { return nil }
