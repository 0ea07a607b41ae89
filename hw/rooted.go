package hw

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// rooted is the folder that stands for the "/" of a machine, as the machine itself
// would see it: an absolute link, or one with too many "..", leads to a place below the
// folder, and never out of it. It is openat2's RESOLVE_IN_ROOT.
type rooted struct{ root *os.Root }

var (
	_ fs.ReadDirFS  = rooted{}
	_ fs.StatFS     = rooted{}
	_ fs.ReadLinkFS = rooted{}
)

// maxLinks is how many links may follow each other in one path, as in the kernel.
const maxLinks = 40

// resolve returns the path of name without links; with last, a link at its end is
// followed as well. With an error it returns the path at which that happened.
func (r rooted) resolve(name string, last bool) (string, error) {
	done, links := ".", 0
	rest := strings.Split(name, "/")
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if done = path.Dir(done); done == "/" {
				done = "."
			}
			continue
		}
		at := path.Join(done, part)
		info, err := r.root.Lstat(filepath.FromSlash(at))
		if err != nil {
			return at, err
		}
		if info.Mode()&fs.ModeSymlink == 0 || len(rest) == 0 && !last {
			done = at
			continue
		}
		if links++; links > maxLinks {
			return at, &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
		}
		target, err := r.root.Readlink(filepath.FromSlash(at))
		if err != nil {
			return at, err
		}
		target = filepath.ToSlash(target)
		if path.IsAbs(target) {
			done = "."
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return done, nil
}

// within calls do with name, and again with the resolved name if a link on the way
// would have led out of the folder: os.Root refuses that with an error of its own.
func within[T any](r rooted, op, name string, last bool, do func(string) (T, error)) (T, error) {
	var none T
	if !fs.ValidPath(name) {
		return none, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	got, err := do(filepath.FromSlash(name))
	if errno := syscall.Errno(0); err == nil || errors.As(err, &errno) {
		return got, err
	}
	at, err := r.resolve(name, last)
	if err != nil {
		return none, err
	}
	return do(filepath.FromSlash(at))
}

// Open implements fs.FS.
func (r rooted) Open(name string) (fs.File, error) {
	f, err := within(r, "open", name, true, r.root.Open)
	if err != nil {
		return nil, err // not a nil *os.File
	}
	return f, nil
}

// ReadDir implements fs.ReadDirFS.
func (r rooted) ReadDir(name string) ([]fs.DirEntry, error) {
	return within(r, "readdir", name, true, func(at string) ([]fs.DirEntry, error) {
		return fs.ReadDir(r.root.FS(), filepath.ToSlash(at))
	})
}

// Stat implements fs.StatFS.
func (r rooted) Stat(name string) (fs.FileInfo, error) {
	return within(r, "stat", name, true, r.root.Stat)
}

// Lstat implements fs.ReadLinkFS.
func (r rooted) Lstat(name string) (fs.FileInfo, error) {
	return within(r, "lstat", name, false, r.root.Lstat)
}

// ReadLink implements fs.ReadLinkFS.
func (r rooted) ReadLink(name string) (string, error) {
	target, err := within(r, "readlink", name, false, r.root.Readlink)
	return filepath.ToSlash(target), err
}
