package diskfile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
)

// DefaultMode is the mode of a new file: only its owner may read a cloud.
const DefaultMode fs.FileMode = 0o600

// Options of Write.
type Options struct {
	// Clock gives the time in messages about a locked file.
	Clock func() time.Time
	// Overwrite allows an existing file to be replaced.
	Overwrite bool
	// Mode is the mode of a new file; 0 for DefaultMode.
	Mode fs.FileMode
	// Like is a file whose owner and mode a new file gets; nil for none. A file that
	// replaces another one gets those of the old file.
	Like fs.FileInfo
	// Held says that the caller holds the lock of the file at the path.
	Held bool
	// Keep are files that must not be replaced, whatever path leads to them.
	Keep []ProtectedFile
	// Spare says what a file is that must not be replaced because of its content, and
	// what to do instead; "" for one that may be replaced. nil spares none.
	Spare func(*os.File) (is, hint string)
}

// ProtectedFile is a file that must not be replaced.
type ProtectedFile struct {
	Path string // "" for no file
	Is   string // "the file that holds the cloud"
}

// Write calls write with a file, and puts that file at path once it is complete and on
// disk: until then, and if anything fails, path stays unchanged. Meanwhile the content
// is in a hidden file beside it, which is locked. Such hidden files in the folder that
// no process holds were left by a killed process, and are removed.
//
// A replaced file passes on its owner, its mode and its access list. Only a regular
// file is ever replaced: no folder, device, pipe or socket, none of Keep under
// whatever name, none that another process holds, and no link, because it is unclear
// whether the link is meant or its target.
//
// Errors match placement.ErrExists where there is a file and Overwrite is not set,
// storage.ErrLocked where it is held, and placement.ErrUnavailable otherwise; but
// errors of write that are not about the file are returned unchanged.
func Write(path string, o Options, write func(*os.File) error) (err error) {
	old, err := o.replaced(path)
	if err != nil {
		return err
	}
	if old.held != nil {
		defer old.held.Close() //nolint:errcheck // it was only held
	}
	dir := filepath.Dir(path)
	Sweep(dir)
	f, err := hidden(dir, filepath.Base(path))
	if err != nil {
		return &storage.TargetError{Path: path, What: "no file can be created beside it: " + causeOf(err).Error(), Hint: "Name a file in another folder", Err: err}
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	if err := o.dress(f, path, old.info); err != nil {
		return err
	}
	if err := write(f); err != nil {
		return writeError(f.Name(), path, err)
	}
	if err := errors.Join(f.Sync(), SamePlace(f, f.Name())); err != nil {
		return &storage.TargetError{Path: path, What: causeOf(err).Error(), Hint: Hint(err), Remedy: Remedy(err), Err: err}
	}
	if err := o.put(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// put renames the hidden file to path.
func (o Options) put(hidden, path string) error {
	if !o.Overwrite {
		// A link fails if a file has appeared meanwhile; a rename would not.
		switch err := os.Link(hidden, path); {
		case err == nil:
			return os.Remove(hidden)
		case errors.Is(err, fs.ErrExist):
			return exists(path)
		}
		// A file system without links.
	}
	if err := os.Rename(hidden, path); err != nil {
		return &storage.TargetError{Path: path, What: causeOf(err).Error(), Hint: Hint(err), Remedy: Remedy(err), Err: err}
	}
	return nil
}

// dress gives f the owner and the mode that the file at path will have, before anything
// is written to it.
func (o Options) dress(f *os.File, path string, old fs.FileInfo) error {
	like := old
	if like == nil {
		like = o.Like
	}
	if like == nil {
		// A file system without modes, as on a USB stick, refuses that: the file is then
		// as private as all others there.
		_ = f.Chmod(cmp.Or(o.Mode, DefaultMode))
		return nil
	}
	if err := giveTo(f, like); err != nil {
		return &storage.TargetError{
			Path: path, What: "it belongs to another user, and its owner could not be kept: " + causeOf(err).Error(),
			Hint: "Do it as its owner, or as root", Err: err,
		}
	}
	is, err := f.Stat()
	if mode := like.Mode().Perm(); err == nil && is.Mode().Perm() != mode {
		err = f.Chmod(mode)
	}
	if err == nil && old != nil {
		err = keepAccess(f, path)
	}
	if err != nil {
		return &storage.TargetError{Path: path, What: "its mode could not be kept: " + causeOf(err).Error(), Err: err}
	}
	return nil
}

// target is a file to be replaced.
type target struct {
	info fs.FileInfo // nil if there is none
	held *os.File    // nil if it is not locked
}

// replaced looks at the file at path, and locks it if it may be replaced.
func (o Options) replaced(path string) (target, error) {
	refuse := func(what, hint string) (target, error) {
		return target{}, &storage.TargetError{Path: path, What: what, Hint: hint}
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target{}, nil
	case err != nil:
		return target{}, &storage.TargetError{Path: path, What: causeOf(err).Error(), Hint: "Name another file", Err: err}
	}
	for _, k := range o.Keep {
		if Same(path, k.Path) {
			return refuse("it is "+k.Is, "Name another file")
		}
	}
	if what := Irregular(info); what != "" {
		hint := "Name a file"
		if info.Mode()&fs.ModeSymlink != 0 {
			hint = "Name the file itself"
			if to, err := os.Readlink(path); err == nil {
				what += " to " + to
			}
		}
		return refuse("it is "+what, hint)
	}
	if !o.Overwrite {
		return target{}, exists(path)
	}
	if o.Held {
		return target{info: info}, nil
	}
	f, err := openSelf(path, os.O_RDONLY)
	if err != nil {
		// A user who may not read a file may still replace it, if the folder allows
		// it; such a user cannot lock it.
		return target{info: info}, nil //nolint:nilerr // see above
	}
	if err := lockSoon(f); errors.Is(err, ErrHeld) {
		return target{}, errors.Join(Locked(path, o.now()), f.Close())
	}
	if o.Spare != nil {
		if is, hint := o.Spare(f); is != "" {
			_, err := refuse("it is "+is, hint)
			return target{}, errors.Join(err, f.Close())
		}
	}
	return target{info: info, held: f}, nil
}

// lockSoon is TryLock for a file that a sweep may hold for a moment: the sweep opened it
// while it was hidden, and finds that it has its final name now.
func lockSoon(f *os.File) error {
	const tries, pause = 20, time.Millisecond
	for range tries {
		if err := TryLock(f, true); !errors.Is(err, ErrHeld) {
			return err
		}
		time.Sleep(pause)
	}
	return TryLock(f, true)
}

func (o Options) now() time.Time {
	if o.Clock == nil {
		return time.Time{}
	}
	return o.Clock()
}

// Same reports whether two paths lead to the same file, by any links.
func Same(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// Irregular says what a file is that is not a regular one: "a folder"; "" for a
// regular file.
func Irregular(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "not a regular file"
}

func exists(path string) error {
	return &placement.ExistsError{What: "file", Field: "name", Value: path}
}

// mark is the part of the names of hidden files before a number.
const mark = ".placetop-"

// isHidden matches the names of hidden files.
var isHidden = regexp.MustCompile(`^\..*` + regexp.QuoteMeta(mark) + `[0-9]+$`)

// hidden makes and locks a hidden file for the file with a name.
func hidden(dir, name string) (*os.File, error) {
	const longest = 200 // the most bytes of the name that leave room for the rest
	if len(name) > longest {
		name = name[:longest]
	}
	const tries = 100
	for range tries {
		f, err := os.CreateTemp(dir, "."+name+mark+"*")
		if err != nil {
			return nil, err
		}
		// A sweep may find the file before it is locked. Without locks there are no
		// sweeps.
		if err := TryLock(f, true); !errors.Is(err, ErrHeld) && SamePlace(f, f.Name()) == nil {
			return f, nil
		}
		_ = f.Close() // nothing was written to it
		_ = os.Remove(f.Name())
	}
	return nil, errors.New("files created there are removed at once")
}

// Sweep removes from a folder the hidden files of writes that were killed. Files that
// cannot be removed stay: the next one tries again.
func Sweep(dir string) {
	if !locks {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type().IsRegular() && isHidden.MatchString(e.Name()) {
			removeAbandoned(filepath.Join(dir, e.Name()))
		}
	}
}

// removeAbandoned removes the hidden file at path unless a process holds it.
func removeAbandoned(path string) {
	f, err := openSelf(path, os.O_RDWR)
	if err != nil {
		return
	}
	defer f.Close() //nolint:errcheck // it was only held
	if TryLock(f, true) == nil && SamePlace(f, path) == nil {
		_ = os.Remove(path)
	}
}

// Probe returns why a folder cannot take so many bytes more, by a hidden file that it
// writes there and removes.
func Probe(dir string, bytes int) error {
	f, err := hidden(dir, "probe")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // the next sweep tries again
	_, err = f.Write(make([]byte, bytes))
	return errors.Join(err, f.Sync(), f.Close())
}

// Hint says what to do about a disk error, "" for any other error.
func Hint(err error) string {
	is := func(e syscall.Errno) bool { return isErrno(err, e) }
	switch {
	case is(syscall.ENOSPC), is(syscall.EDQUOT):
		return "Make room on its disk, then try again; nothing was changed"
	case is(syscall.EFBIG):
		return "Files may not grow that large here: see ulimit -f, or name a file on another file system; nothing was changed"
	case is(syscall.EROFS):
		return "Its disk is mounted read-only; nothing was changed"
	case is(syscall.EIO):
		return "Its disk reports errors; nothing was changed"
	}
	return ""
}

// Remedy says which command, if any, helps against a disk error.
func Remedy(err error) storage.Remedy {
	if isErrno(err, syscall.EIO) {
		return storage.SaveElsewhere
	}
	return storage.NoRemedy
}

// isErrno reports whether an error is e: bbolt turns some errors of the system into text.
func isErrno(err error, e syscall.Errno) bool {
	return errors.Is(err, e) || strings.Contains(err.Error(), e.Error())
}

// writeError returns an error of write, which wrote the hidden file, as one about the file
// at path, which the user knows.
func writeError(hidden, path string, err error) error {
	var at *fs.PathError
	if !errors.As(err, &at) || at.Path != hidden {
		return err
	}
	return &storage.TargetError{Path: path, What: at.Err.Error(), Hint: Hint(err), Remedy: Remedy(err), Err: err}
}

// causeOf returns err without the names of files, which the message around it already
// has.
func causeOf(err error) error {
	var at *fs.PathError
	var two *os.LinkError
	switch {
	case errors.As(err, &at):
		return at.Err
	case errors.As(err, &two):
		return two.Err
	}
	return err
}
