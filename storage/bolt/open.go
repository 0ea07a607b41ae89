package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
)

// initialMmapSize is the size of the address range that the file is mapped into, which
// costs no memory. Below it, a writer never waits for a reader when the file grows.
const initialMmapSize = 1 << 30

// lockTimeout is how long bbolt waits for the lock of a file, which this process has already.
const lockTimeout = 200 * time.Millisecond

// allocSize is the step by which the file grows.
const allocSize = 1 << 20

// Open opens the file at path. If there is none, it makes the file and the folders
// above it. It reads the whole file and leaves it unchanged, with two exceptions: one of an
// older schema is replaced by an upgraded copy, and one of which one of bbolt's two meta
// pages is invalid gets a new revision: see leapOver.
//
// Errors match storage.ErrLocked where another process has the file open,
// storage.ErrDamaged where its content cannot be what was written, storage.ErrNewer
// where only a newer release can read it, and placement.ErrUnavailable in each of
// these cases except the last, and where path is not a file or may not be read. A file
// that only a newer release may write is opened for reading, and so is one of which
// only the journal is damaged; Capabilities say why.
func Open(ctx context.Context, path string, o engine.Options) (*Store, error) {
	f, made, err := openLocked(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if !o.ReadOnly {
		diskfile.Sweep(filepath.Dir(path))
	}
	s, err := open(ctx, f, o)
	if err != nil {
		if made {
			_ = os.Remove(path)
		}
		return nil, err
	}
	if made {
		if err := diskfile.SyncDir(filepath.Dir(path)); err != nil {
			_ = s.Close()
			return nil, &storage.OpenError{Path: path, What: "its folder could not be synced to disk: " + err.Error(), Err: err}
		}
	}
	return s, nil
}

// open makes a Store of a locked file, which it closes if it fails.
func open(ctx context.Context, f *os.File, o engine.Options) (_ *Store, err error) {
	path := f.Name()
	of, err := read(ctx, path, f, !o.ReadOnly)
	if err == nil && of.upgraded() && !o.ReadOnly && of.newer == nil && len(of.journal) == 0 {
		of, err = replaceOld(ctx, of, o)
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = of.close() // what was written of a new file is taken back
		}
	}()
	if of.file == nil {
		if err := initialise(of, o); err != nil {
			return nil, err
		}
	}
	s := newStore(path, of, o)
	if s.readOnly == "" && of.meta != nil { // it was not made now
		if err := of.checkFree(); err != nil {
			return nil, err
		}
	}
	if s.aged != "" && s.readOnly == "" {
		if err := s.leapOver(s.aged); err != nil {
			return nil, &storage.OpenError{Path: path, What: s.aged + ", and it cannot be written: " + err.Error(), Hint: hintFor(err), Remedy: storage.ReadOnly, Err: err}
		}
	}
	if s.readOnly != "" {
		close(s.queue.Done)
	} else {
		go s.write()
	}
	return s, nil
}

// checkFree makes bbolt check its list of free pages, for a file that is about to be written:
// a page that is wrongly in it would be written over. Nothing else was found to be wrong.
func (f *openFile) checkFree() error {
	err := guarded(func() error {
		return f.db.View(func(tx *bbolt.Tx) (first error) {
			f.meta.check(f.opened, tx, func(err error) { first = cmp.Or(first, err) })
			return first
		})
	})
	if err == nil {
		return nil
	}
	return &storage.DamagedError{
		Path: f.path, What: "bbolt finds fault with its pages: " + ofPages(err), Err: err,
		Hint: "It was left unchanged, and its records are intact", Remedy: storage.Rewrite,
	}
}

// ofPages returns what bbolt's check says, which panics at some faults and tells that, too.
func ofPages(err error) string { return strings.TrimPrefix(err.Error(), "panic: ") }

// initialise makes a cloud of an empty file.
func initialise(of *openFile, o engine.Options) (err error) {
	f := of.locked
	if o.ReadOnly {
		return &storage.OpenError{Path: f.Name(), What: "it is empty", Hint: "Name another file"}
	}
	if of.db == nil {
		of.db, err = openBolt(f, false)
	}
	newID := uuid.New
	if o.NewID != nil {
		newID = o.NewID
	}
	if err == nil {
		of.file = &fileRecord{
			Major: Schema().Major, Minor: Schema().Minor, UUID: newID(),
			Created: o.Clock().UnixMilli(), CreatedBy: o.Version, AtSec: of.snapshot.At().Unix(),
		}
		err = guarded(func() error {
			return of.db.Update(func(tx *bbolt.Tx) error {
				for _, name := range []string{metaBucket, journalBucket} {
					if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
						return err
					}
				}
				return newCodecs().putFile(tx, of.file)
			})
		})
	}
	if err != nil {
		_ = os.Truncate(f.Name(), 0) // as it was, or nearly
		return &storage.OpenError{Path: f.Name(), What: "it cannot be written: " + err.Error(), Hint: hintFor(err), Remedy: remedyFor(err), Err: err}
	}
	return nil
}

// damaged returns err as the damage of the file.
func damaged(path string, err error) *storage.DamagedError {
	remedy := storage.GoBack
	if errors.Is(err, errNotBolt) || errors.Is(err, errForeign) {
		remedy = storage.NameOrGoBack
	}
	return &storage.DamagedError{Path: path, What: err.Error(), Hint: "It was left unchanged", Remedy: remedy, Err: err}
}

// openBolt passes f to bbolt, which panics if it finds fault with a page. f is then no longer
// locked: bbolt still maps it into memory, so that closing it would not unlock it.
func openBolt(f *os.File, readOnly bool) (db *bbolt.DB, err error) {
	err = guarded(func() (err error) {
		db, err = bbolt.Open(f.Name(), diskfile.DefaultMode, &bbolt.Options{
			Timeout:         lockTimeout,
			OpenFile:        func(string, int, fs.FileMode) (*os.File, error) { return f, nil },
			ReadOnly:        readOnly,
			InitialMmapSize: initialMmapSize,
			FreelistType:    bbolt.FreelistMapType,
			NoStatistics:    true,
		})
		return err
	})
	if err != nil {
		_ = diskfile.Unlock(f) // bbolt has mostly closed it
		return nil, err
	}
	db.AllocSize = allocSize
	return db, nil
}

// newBolt makes bbolt fill the empty file f, which is synced by whoever keeps it.
func newBolt(f *os.File) (*bbolt.DB, error) {
	db, err := bbolt.Open(f.Name(), diskfile.DefaultMode, &bbolt.Options{
		Timeout:  lockTimeout,
		OpenFile: func(string, int, fs.FileMode) (*os.File, error) { return f, nil },
		NoSync:   true, NoStatistics: true, FreelistType: bbolt.FreelistMapType,
	})
	if err != nil {
		return nil, err
	}
	db.AllocSize = 1 << 16 // the file ends after its last page
	return db, nil
}

// openLocked opens the file at path and locks it: for itself, or with ReadOnly together
// with other readers. It reports whether it made the file.
func openLocked(ctx context.Context, path string, o engine.Options) (f *os.File, made bool, err error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, false, &storage.OpenError{Path: path, What: err.Error(), Err: err}
	}
	wait, cancel := context.WithTimeoutCause(ctx, max(o.Wait, 0), diskfile.ErrHeld)
	defer cancel()
	told := sync.OnceFunc(func() {
		if o.Waiting != nil {
			o.Waiting(diskfile.Locked(abs, o.Clock()))
		}
	})
	for {
		f, made, err = openRegular(abs, o)
		if err != nil {
			return nil, false, err
		}
		if err := diskfile.WaitLock(wait, f, !o.ReadOnly, patience, told); err != nil {
			_ = f.Close()
			if errors.Is(err, diskfile.ErrHeld) {
				return nil, false, diskfile.Locked(abs, o.Clock())
			}
			return nil, false, err
		}
		// While this process waited, another may have replaced this file, as Restore
		// does.
		if err := diskfile.SamePlace(f, abs); err == nil {
			return f, made, nil
		}
		_ = f.Close()
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
	}
}

// openRegular opens the file at path, or makes it.
func openRegular(path string, o engine.Options) (f *os.File, made bool, err error) {
	fail := func(what, hint string, err error) (*os.File, bool, error) {
		return nil, false, &storage.OpenError{Path: path, What: what, Hint: hint, Err: err}
	}
	named := func(what string) string { return strings.TrimSpace(what + " " + o.NamedBy) }
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.ReadOnly:
		return fail("there is no such file", named("Name another file"), err)
	case errors.Is(err, fs.ErrNotExist):
		if link, err := os.Lstat(path); err == nil && link.Mode()&fs.ModeSymlink != 0 {
			return fail("it is a link to a file that is not there", named("Create that file, or name another one"), nil)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fail("its folder cannot be created: "+err.Error(), named("Name another file"), err)
		}
		made = true
	case err != nil:
		return fail(err.Error(), named("Name another file"), err)
	case !info.Mode().IsRegular():
		return fail("it is "+diskfile.Irregular(info), named("Name a file"), nil)
	}
	flags := os.O_RDWR
	if o.ReadOnly {
		flags = os.O_RDONLY
	}
	if made {
		flags |= os.O_CREATE | os.O_EXCL
	}
	f, err = os.OpenFile(path, flags, diskfile.DefaultMode)
	switch {
	case made && errors.Is(err, fs.ErrExist): // another process was faster
		return openRegular(path, o)
	case made && err != nil:
		return fail(fmt.Sprintf("it cannot be created in the folder %s: %v", filepath.Dir(path), causeOf(err)), named("Name a file in another folder"), err)
	case (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) && !o.ReadOnly:
		return nil, false, &storage.OpenError{
			Path: path, What: "it is not writable: " + err.Error(), Hint: "Make it writable first", Remedy: storage.ReadOnly, Err: err,
		}
	case errors.Is(err, fs.ErrPermission):
		return fail("it is not readable: "+err.Error(), "Ask its owner for access", err)
	case err != nil:
		return fail(err.Error(), named("Name another file"), err)
	}
	return f, made, nil
}

// causeOf returns err without the name of the file, which the message around it already
// has.
func causeOf(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
