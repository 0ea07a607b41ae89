package bolt

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
)

// Backup implements storage.Store: it writes the file as of one revision to w, in a
// form that Open accepts.
//
// One read transaction is held for as long as that takes, so w should be as fast as a
// disk. Writers continue meanwhile, but cannot reuse the pages that they free: the
// file grows by what is written while the backup runs.
//
// A file with a damaged journal is refused, as Restore would refuse the copy. So is one
// with an invalid meta page that is open for reading only: the copy would show no trace of
// the page, and give out again the revisions of a lost transaction.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	switch {
	case s.journal != nil:
		return s.journal
	case s.aged != "" && s.newer != nil:
		return &storage.DamagedError{Path: s.path, What: s.aged, Hint: "No backup was made: first open it with the newer placetop that wrote it, which leaves out the revisions that it may have lost"}
	case s.aged != "" && s.readOnly != "":
		return &storage.DamagedError{Path: s.path, What: s.aged, Hint: "No backup was made: first leave out the revisions that it may have lost", Remedy: storage.Rewrite}
	}
	if s.isClosed() {
		return storage.ErrClosed
	}
	// The transaction pins its pages, which are then read from the file. w does not run
	// under guard: its panics are its own.
	var tx *bbolt.Tx
	err := s.begin(func() (err error) {
		tx, err = s.db.Begin(false)
		return err
	})
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // ends a transaction that only reads
	out := bufio.NewWriterSize(&contextWriter{ctx: ctx, closed: s.quit, w: w}, 1<<20)
	if _, err := tx.WriteTo(out); err != nil {
		return fmt.Errorf("backup of %s: %w", s.path, err)
	}
	return out.Flush()
}

// BackupFile writes a backup to the file at path, which appears once it is complete,
// on disk, and has been read back: Restore will accept it. It may overwrite what
// diskfile.Write may with the options to, including older backups, but never the file
// itself or one that holds another cloud.
//
// Errors are those of diskfile.Write, and match storage.ErrDamaged where Restore would
// not accept the backup.
func (s *Store) BackupFile(ctx context.Context, path string, to diskfile.Options) error {
	to.Clock = s.options.Clock
	to.Spare = func(f *os.File) (is, hint string) { return s.spare(ctx, f) }
	to.Keep = append(slices.Clone(to.Keep), diskfile.ProtectedFile{Path: s.path, Is: "the file to be backed up"})
	return diskfile.Write(path, to, func(f *os.File) error {
		if err := s.Backup(ctx, f); err != nil {
			return err
		}
		found, err := verifyFile(ctx, f)
		if err != nil || len(found) == 0 {
			return err
		}
		return unsound(s.path, found, "No backup was made", storage.GoBack)
	})
}

// spare returns why f must not be overwritten: it is not an older backup of the file.
func (s *Store) spare(ctx context.Context, f *os.File) (is, hint string) {
	return spare(ctx, f, func() (own uuid.UUID, err error) {
		err = s.begin(func() error {
			return s.db.View(func(tx *bbolt.Tx) error {
				file, err := s.codecs.fileIn(tx)
				if err == nil {
					own = file.UUID
				}
				return err
			})
		})
		return own, err
	})
}

// spare returns why f must not be overwritten: it is not an older backup of what own names.
func spare(ctx context.Context, f *os.File, own func() (uuid.UUID, error)) (is, hint string) {
	if txidOf(f) == 0 {
		return "", ""
	}
	const hinted = "Name another file, or remove this one first"
	id, err := own()
	if err == nil {
		var held content
		if held, err = readUnlocked(ctx, f); err == nil && held.file != nil && held.file.UUID == id {
			return "", ""
		}
	}
	if err != nil {
		return "a file whose cloud cannot be identified: " + err.Error(), hinted
	}
	return "a file that holds another cloud", hinted
}

// contextWriter is a writer that fails once a context ends, or the store is closed.
type contextWriter struct {
	ctx    context.Context //nolint:containedctx // that of the call that writes
	closed <-chan struct{}
	w      io.Writer
}

// Write implements io.Writer.
func (u *contextWriter) Write(p []byte) (int, error) {
	select {
	case <-u.ctx.Done():
		return 0, u.ctx.Err()
	case <-u.closed:
		return 0, storage.ErrClosed
	default:
		return u.w.Write(p)
	}
}
