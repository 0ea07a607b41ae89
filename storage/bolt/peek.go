package bolt

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// Peek implements engine.Peeker: it reads the cloud in the file at path without locking it, as it was a moment ago,
// even while another process has it open and writes to it. Errors are those of Open,
// except storage.ErrLocked.
func (Engine) Peek(ctx context.Context, path string) (*cloud.Snapshot, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, &storage.OpenError{Path: path, What: err.Error(), Err: err}
	}
	f, _, err := openRegular(abs, engine.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	held, err := readUnlocked(ctx, f)
	return held.snapshot, err
}

// readUnlocked reads what f holds from a copy. A transaction that is written meanwhile may
// reuse pages that have been copied, or are about to be: the copy is then made again.
func readUnlocked(ctx context.Context, f *os.File) (content, error) {
	const tries = 20
	var last error
	for range tries {
		info, err := f.Stat()
		if err != nil {
			return content{}, &storage.OpenError{Path: f.Name(), What: err.Error(), Err: err}
		}
		before := txidOf(f)
		copy, err := copied(f, info.Size())
		if err != nil {
			return content{}, &storage.OpenError{Path: f.Name(), What: "no copy of it can be made to read: " + err.Error(), Hint: hintFor(err), Err: err}
		}
		changed := txidOf(f) != before
		of, err := read(ctx, f.Name(), copy, false)
		if err == nil {
			held := of.content
			return held, of.close()
		}
		if last = err; !changed || !errors.Is(err, storage.ErrDamaged) {
			break
		}
	}
	return content{}, last
}

// Holds implements engine.FileKeeper. It reports whether f is a bbolt file, as every file of a
// cloud is.
func (Engine) Holds(f *os.File) bool { return txidOf(f) != 0 }

// txidOf returns the number of the newest transaction, 0 if it cannot be read.
func txidOf(f *os.File) uint64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	m, err := readMeta(f, info.Size())
	if err != nil {
		return 0
	}
	return m.txid
}
