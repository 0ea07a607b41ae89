package bolt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
)

// Backup implements storage.Store: it writes the file as of one revision to w,
// which then is a file that Open takes.
//
// One read transaction is held for as long as that takes, so w should be as fast
// as a disk. Writers go on meanwhile, but cannot use again the pages that they
// leave: the file grows by what is written while the backup runs.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	// The transaction pins its pages, which then are read from the file. What w
	// does is not run under guard: its panics are its own.
	var tx *bbolt.Tx
	err := s.begin(func() (err error) { tx, err = s.db.Begin(false); return err })
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // ends a transaction that only reads
	out := bufio.NewWriterSize(&until{ctx: ctx, closed: s.quit, w: w}, 1<<20)
	if _, err := tx.WriteTo(out); err != nil {
		return fmt.Errorf("backup of %s: %w", s.path, err)
	}
	return out.Flush()
}

// BackupFile writes a backup to the file at path, which appears once it is whole
// and on disk. An existing file is an error that matches placement.ErrExists,
// unless overwrite is set.
func (s *Store) BackupFile(ctx context.Context, path string, overwrite bool) error {
	if here, err := os.Stat(path); err == nil {
		if own, err := os.Stat(s.path); err == nil && os.SameFile(here, own) {
			return &storage.OpenError{Path: path, What: "it is the file that is to be backed up", Hint: "Name another file"}
		}
	}
	return writeFile(path, s.options.FileMode, overwrite, func(f *os.File) error { return s.Backup(ctx, f) })
}

// until is a writer that ends with a context, and with the store.
type until struct {
	ctx    context.Context //nolint:containedctx // that of the call that writes
	closed <-chan struct{}
	w      io.Writer
}

// Write implements io.Writer.
func (u *until) Write(p []byte) (int, error) {
	select {
	case <-u.ctx.Done():
		return 0, u.ctx.Err()
	case <-u.closed:
		return 0, storage.ErrClosed
	default:
		return u.w.Write(p)
	}
}

// writeFile makes the file at path of what write writes: beside it first, then
// in its place, once it is on disk.
func writeFile(path string, mode fs.FileMode, overwrite bool, write func(*os.File) error) (err error) {
	exists := func() error {
		return &placement.ExistsError{What: "file", Field: "name", Value: path}
	}
	if info, err := os.Stat(path); err == nil {
		switch {
		case info.IsDir():
			return &storage.OpenError{Path: path, What: "it is a folder", Hint: "Name a file"}
		case !overwrite:
			return exists()
		}
	}
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return &storage.OpenError{Path: path, What: "no file can be made beside it: " + err.Error(), Err: err}
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err := errors.Join(write(f), f.Chmod(mode)); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if overwrite {
		err = os.Rename(f.Name(), path)
	} else {
		// A link fails where a file has come up meanwhile; a rename would not.
		if err = os.Link(f.Name(), path); errors.Is(err, fs.ErrExist) {
			return exists()
		} else if err != nil { // a file system without links
			err = os.Rename(f.Name(), path)
		} else {
			err = os.Remove(f.Name())
		}
	}
	if err != nil {
		return err
	}
	return syncDir(dir)
}
