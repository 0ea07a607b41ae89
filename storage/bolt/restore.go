package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// Restored is the outcome of Restore.
type Restored struct {
	Revision cloud.Revision // of the cloud that is now at the path
	At       time.Time      // of the revision
	Aside    string         // where the file is that was there before; "" for none
}

// Restore puts a copy of the file backup in the place of the one at path, once
// every record of the backup was read and fits. The file that was there, damaged
// or not, is kept beside it as PATH.before-restore-TIME. At no time is there no
// file at path.
//
// Errors match storage.ErrLocked where the file at path, or the backup, is open,
// and storage.ErrDamaged where the backup is damaged; nothing is changed then.
func Restore(ctx context.Context, backup, path string, o Options) (Restored, error) {
	o = o.withDefaults()
	from, err := openSound(ctx, backup, o)
	if err != nil {
		return Restored{}, err
	}
	defer from.Close() //nolint:errcheck // it was only read
	if path, err = realPath(path); err != nil {
		return Restored{}, err
	}
	if here, err := os.Stat(path); err == nil && os.SameFile(here, from.info) {
		return Restored{}, &storage.OpenError{Path: path, What: "it is the backup itself", Hint: "Name the file to restore to with --db"}
	}
	old, err := lockOld(ctx, path, o)
	if err != nil {
		return Restored{}, err
	}
	if old != nil {
		defer old.Close() //nolint:errcheck // it is only held
	}
	done := Restored{Revision: cloud.Revision(from.content.file.Revision), At: from.content.file.at()}
	if old != nil {
		if done.Aside, err = putAside(path, o.Clock()); err != nil {
			return Restored{}, err
		}
	}
	err = writeFile(path, o.FileMode, true, func(f *os.File) error {
		_, err := io.Copy(f, &whileContext{ctx: ctx, r: io.NewSectionReader(from, 0, from.info.Size())})
		return err
	})
	if err != nil {
		if done.Aside != "" {
			_ = os.Remove(done.Aside) // path still has the file
		}
		return Restored{}, fmt.Errorf("restore %s: %w", path, err)
	}
	return done, nil
}

// soundFile is a file that was read as a whole, and is held.
type soundFile struct {
	*os.File
	info    fs.FileInfo
	content content
}

// openSound opens a file for reading and reads all of it. What Verify would find
// is an error.
func openSound(ctx context.Context, path string, o Options) (*soundFile, error) {
	found, err := VerifyFile(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		what := found[0].String()
		if n := len(found) - 1; n > 0 {
			what += fmt.Sprintf(" (and %d more)", n)
		}
		return nil, &storage.DamagedError{Path: path, What: what, Hint: "Use another backup; nothing was changed"}
	}
	o.ReadOnly = true
	f, _, err := openLocked(ctx, path, o)
	if err != nil {
		return nil, err
	}
	s := &soundFile{File: f}
	if s.content, err = readFile(ctx, newCodecs(), f); err == nil {
		s.info, err = f.Stat()
	}
	if err == nil && s.content.file == nil {
		err = &storage.DamagedError{Path: path, What: "it is empty", Hint: "Use another backup; nothing was changed"}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return s, nil
}

// realPath follows links, so that the file is replaced and not the link to it.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	switch to, err := filepath.EvalSymlinks(abs); {
	case err == nil:
		return to, nil
	case errors.Is(err, fs.ErrNotExist):
		return abs, nil
	default:
		return "", &storage.OpenError{Path: path, What: err.Error(), Err: err}
	}
}

// lockOld holds the file that is to be put aside, nil where there is none.
func lockOld(ctx context.Context, path string, o Options) (*os.File, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, &storage.OpenError{Path: path, What: "its folder cannot be made: " + err.Error(), Err: err}
		}
		return nil, nil
	}
	o.ReadOnly = false
	f, made, err := openLocked(ctx, path, o)
	if err == nil && made {
		err = errors.Join(f.Close(), os.Remove(path), errors.New(path+" was removed meanwhile; try again"))
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// putAside gives the file at path a second name, under which it stays.
func putAside(path string, now time.Time) (string, error) {
	base := path + ".before-restore-" + now.UTC().Format("20060102T150405Z")
	aside := base
	for n := 2; ; n++ {
		err := os.Link(path, aside)
		switch {
		case err == nil:
			return aside, nil
		case errors.Is(err, fs.ErrExist):
			aside = fmt.Sprintf("%s-%d", base, n)
		default:
			// A file system without links: a copy is as good, and takes longer.
			return aside, writeFile(aside, DefaultFileMode, false, func(to *os.File) error {
				from, err := os.Open(path)
				if err != nil {
					return err
				}
				_, err = io.Copy(to, from)
				return errors.Join(err, from.Close())
			})
		}
	}
}

// whileContext is a reader that ends with a context.
type whileContext struct {
	ctx context.Context //nolint:containedctx // that of the call that reads
	r   io.Reader
}

// Read implements io.Reader.
func (w *whileContext) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}

// Compacted is the outcome of Compact: the size of the file in bytes.
type Compacted struct {
	Before, After int64
}

// Compact writes the file at path anew without its free pages, checks the
// outcome, and puts it in the place of the file. The file must not be open.
//
// Errors match storage.ErrLocked and storage.ErrDamaged; nothing is changed then.
func Compact(ctx context.Context, path string, o Options) (done Compacted, err error) {
	o = o.withDefaults()
	if path, err = realPath(path); err != nil {
		return done, err
	}
	if _, err := os.Stat(path); err != nil {
		return done, &storage.OpenError{Path: path, What: "there is no such file", Err: err}
	}
	f, _, err := openLocked(ctx, path, o)
	if err != nil {
		return done, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	held, err := readFile(ctx, newCodecs(), f)
	switch {
	case err != nil:
		return done, err
	case held.newer != nil:
		return done, held.newer
	case held.file == nil:
		return done, nil
	}
	info, err := f.Stat()
	if err != nil {
		return done, err
	}
	done.Before = info.Size()
	src, err := openBolt(f, o, true)
	if err != nil {
		return done, damaged(path, err)
	}
	defer src.Close() //nolint:errcheck // it was only read
	err = writeFile(path, info.Mode().Perm(), true, func(to *os.File) error {
		if err := compactInto(to.Name(), src, *held.file); err != nil {
			return err
		}
		found, err := VerifyFile(ctx, to.Name(), o)
		if err == nil && len(found) > 0 {
			err = errors.New(found[0].String())
		}
		if err != nil {
			return fmt.Errorf("compact %s: %w", path, err)
		}
		info, err := to.Stat()
		if err != nil {
			return err
		}
		done.After = info.Size()
		return nil
	})
	if err != nil {
		return Compacted{}, err
	}
	return done, nil
}

// compactInto writes what src holds, and says of itself, into the empty file at path.
func compactInto(path string, src *bbolt.DB, file fileRecord) error {
	const step = 16 << 20 // bytes of a transaction
	dst, err := bbolt.Open(path, DefaultFileMode, &bbolt.Options{NoSync: true, NoStatistics: true, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	dst.AllocSize = 1 << 16 // the file ends where its pages do
	err = guarded(func() error {
		if err := bbolt.Compact(dst, src, step); err != nil {
			return err
		}
		return dst.Update(func(tx *bbolt.Tx) error { return newCodecs().putFile(tx, &file) })
	})
	return errors.Join(err, dst.Close())
}
