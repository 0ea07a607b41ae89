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

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
)

// Restore implements engine.Restorer: it replaces the file at path by a copy of the file backup, once every record of
// the backup has been read and checked. The old file, damaged or not, is kept beside
// it as PATH.before-restore-TIME. At no time is there no file at path.
//
// Errors match storage.ErrLocked where the file at path, or the backup, is open, and
// storage.ErrDamaged where the backup is damaged; then nothing is changed.
func (Engine) Restore(ctx context.Context, backup, path string, o engine.Options) (engine.RestoreResult, error) {
	from, path, done, err := openBackup(ctx, backup, path, o)
	if err != nil {
		return engine.RestoreResult{}, err
	}
	defer from.file.Close() //nolint:errcheck // it was only read
	old, err := lockOld(ctx, path, o)
	if err != nil {
		return engine.RestoreResult{}, err
	}
	if old != nil {
		defer old.Close() //nolint:errcheck // it is only held
	}
	if old != nil {
		if done.Aside, err = putAside(path, "before-restore", o.Clock()); err != nil {
			return engine.RestoreResult{}, err
		}
	}
	err = diskfile.Write(path, diskfile.Options{Clock: o.Clock, Overwrite: true, Held: old != nil}, func(f *os.File) error {
		_, err := io.Copy(f, &whileContext{ctx: ctx, r: io.NewSectionReader(from.file, 0, from.info.Size())})
		return err
	})
	if err != nil {
		if done.Aside != "" {
			_ = os.Remove(done.Aside) // path is still the old file
		}
		return engine.RestoreResult{}, during("restore", path, err)
	}
	return done, nil
}

// during adds to err what was being done to the file at path, unless err already says so.
func during(what, path string, err error) error {
	if errors.As(err, new(*storage.TargetError)) {
		return err
	}
	return fmt.Errorf("%s %s: %w", what, path, err)
}

// Restorable implements engine.Restorer. It returns what Restore would, and changes nothing.
func (Engine) Restorable(ctx context.Context, backup, path string, o engine.Options) (engine.RestoreResult, error) {
	from, _, done, err := openBackup(ctx, backup, path, o)
	if err != nil {
		return engine.RestoreResult{}, err
	}
	return done, from.file.Close()
}

// openBackup opens the file backup, which will be restored, and returns the path that it
// goes to.
func openBackup(ctx context.Context, backup, path string, o engine.Options) (from *soundFile, to string, done engine.RestoreResult, err error) {
	if from, err = openSound(ctx, backup, o); err != nil {
		return nil, "", done, err
	}
	if to, err = realPath(path); err == nil {
		if here, there := os.Stat(to); there == nil && os.SameFile(here, from.info) {
			err = &storage.OpenError{Path: to, What: "it is the backup itself", Hint: "Name another file to restore to"}
		}
	}
	if err != nil {
		_ = from.file.Close()
		return nil, "", done, err
	}
	return from, to, engine.RestoreResult{Revision: from.content.snapshot.Revision(), At: from.content.snapshot.At()}, nil
}

// soundFile is an open file that was read completely.
type soundFile struct {
	file    *os.File
	info    fs.FileInfo
	content content
}

// openSound opens a file for reading and reads all of it. A defect that Verify would find
// is an error.
func openSound(ctx context.Context, path string, o engine.Options) (*soundFile, error) {
	o.NamedBy = ""
	found, err := VerifyFile(ctx, path, o)
	if broken, ok := errors.AsType[*storage.DamagedError](err); ok {
		broken.Hint, broken.Remedy = "Use another backup; nothing was changed", storage.NoRemedy
	}
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		return nil, unsound(path, found, "Use another backup; nothing was changed", storage.NoRemedy)
	}
	o.ReadOnly = true
	f, _, err := openLocked(ctx, path, o)
	if err != nil {
		return nil, err
	}
	s := &soundFile{file: f}
	if s.content, err = readUnlocked(ctx, f); err == nil {
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

// realPath follows links, so that the file is replaced and not a link to it.
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

// lockOld locks the file that will be put aside; it returns nil if there is none.
func lockOld(ctx context.Context, path string, o engine.Options) (*os.File, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, &storage.OpenError{Path: path, What: "its folder cannot be created: " + err.Error(), Err: err}
		}
		return nil, nil
	}
	o.ReadOnly = false
	f, made, err := openLocked(ctx, path, o)
	if err == nil && made {
		err = errors.Join(f.Close(), os.Remove(path), errors.New(path+" was removed in the meantime; try again"))
	}
	if err == nil {
		if err = onlyName(f); err != nil {
			_ = f.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// onlyName refuses a file with other hard links: it is replaced under the given name, and
// the others would keep the old content.
func onlyName(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if n := diskfile.Names(info); n > 1 {
		return &storage.TargetError{
			Path: f.Name(), What: fmt.Sprintf("it has %d names (hard links), and only this one would get the new contents", n),
			Hint: "Remove the others, or work on a copy",
		}
	}
	return nil
}

// putAside gives the file at path a second name, under which it stays: PATH.WHEN and the
// time.
func putAside(path, when string, now time.Time) (string, error) {
	base := path + "." + when + "-" + now.UTC().Format("20060102T150405Z")
	aside := base
	for n := 2; ; n++ {
		err := os.Link(path, aside)
		switch {
		case err == nil:
			return aside, nil
		case errors.Is(err, fs.ErrExist):
			aside = fmt.Sprintf("%s-%d", base, n)
		default:
			// A file system without links: a copy does as well, and takes longer.
			return aside, copyOf(path, aside)
		}
	}
}

// copyOf copies the file at path, with its owner and mode.
func copyOf(path, to string) error {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // it was only read
	info, err := from.Stat()
	if err != nil {
		return err
	}
	return diskfile.Write(to, diskfile.Options{Like: info}, func(f *os.File) error {
		_, err := io.Copy(f, from)
		return err
	})
}

// whileContext is a reader that fails once a context ends.
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

// skipAndCompact compacts a file with one invalid meta page, which it closes. Opening it for
// writing leaves out the revisions that may have been given out: a compacted file shows no
// trace of the page.
func skipAndCompact(ctx context.Context, held *openFile, o engine.Options) (engine.CompactResult, error) {
	if err := held.close(); err != nil {
		return engine.CompactResult{}, err
	}
	o.ReadOnly = false
	s, err := Open(ctx, held.path, o)
	if err == nil {
		if s.readOnly != "" {
			err = errors.New(s.readOnly)
		}
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		return engine.CompactResult{}, err
	}
	done, err := Engine{}.Compact(ctx, held.path, o)
	done.Aged = held.aged
	return done, err
}

// Compact implements engine.Compacter: it writes the file at path again without its free pages, checks the result, and
// replaces the file by it. The file must not be open.
//
// Errors match storage.ErrLocked and storage.ErrDamaged; then nothing is changed.
func (Engine) Compact(ctx context.Context, path string, o engine.Options) (done engine.CompactResult, err error) {
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
	if err := onlyName(f); err != nil {
		return done, err
	}
	info, err := f.Stat()
	if err != nil {
		return done, err
	}
	done.Before = info.Size()
	held, err := read(ctx, path, f, true)
	if err != nil {
		return done, err
	}
	defer func() { _ = held.close() }() // it was only read
	switch {
	case held.newer != nil:
		return done, held.newer
	case len(held.journal) > 0:
		return done, journalDamage(path, held.journal)
	case held.file == nil:
		return engine.CompactResult{}, nil
	case held.aged != "":
		return skipAndCompact(ctx, held, o)
	}
	err = diskfile.Write(path, diskfile.Options{Clock: o.Clock, Overwrite: true, Held: true}, func(to *os.File) error {
		if err := rebuild(ctx, to, func(dst *bbolt.DB) error { return compactInto(dst, held.db, *held.file) }); err != nil {
			return err
		}
		info, err := to.Stat()
		if err != nil {
			return err
		}
		done.After = info.Size()
		return nil
	})
	if err != nil {
		return engine.CompactResult{}, during("compact", path, err)
	}
	return done, nil
}

// compactInto writes the content of src into dst, and file as of the transaction that it is of
// there: the transactions of dst count from the beginning.
func compactInto(dst, src *bbolt.DB, file fileRecord) error {
	if err := bbolt.Compact(dst, src, bulk); err != nil {
		return err
	}
	return dst.Update(func(tx *bbolt.Tx) error { return newCodecs().putFile(tx, &file) })
}

// rebuild makes fill write the empty file f, and checks the result. The lock on f is
// shared with bbolt meanwhile, which releases it when it closes.
func rebuild(ctx context.Context, f *os.File, fill func(*bbolt.DB) error) error {
	again, err := diskfile.Dup(f)
	if err != nil {
		return err
	}
	dst, err := newBolt(again)
	if err != nil {
		_ = again.Close()
		return err
	}
	if err := errors.Join(guarded(func() error { return fill(dst) }), dst.Close(), diskfile.TryLock(f, true)); err != nil {
		return err
	}
	found, err := verifyFile(ctx, f)
	if err == nil && len(found) > 0 {
		err = errors.New(found[0].String())
	}
	return err
}
