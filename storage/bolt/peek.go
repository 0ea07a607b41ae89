package bolt

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// Peek reads the cloud in the file at path without locking it: as it was a moment ago,
// even while another process has it open and writes to it.
//
// A page that is overwritten while it is read is detected: pages know their numbers,
// records their checksums, and the file the sum of all records. Peek then reads again,
// as long as the file keeps changing. Errors are those of Open, except
// storage.ErrLocked.
func Peek(ctx context.Context, path string) (*cloud.Snapshot, error) {
	const tries = 20
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, &storage.OpenError{Path: path, What: err.Error(), Err: err}
	}
	c := newCodecs()
	var last error
	for range tries {
		f, _, err := openRegular(abs, Options{ReadOnly: true})
		if err != nil {
			return nil, err
		}
		before := txidOf(f)
		held, err := readFile(ctx, c, f)
		changed := txidOf(f) != before
		_ = f.Close() // it was only read
		if err == nil {
			return held.snapshot, nil
		}
		// While it was read, the content of the log may have grown, never shrunk.
		if last = err; !errors.Is(err, storage.ErrDamaged) || !changed && !errors.Is(err, errLog) {
			break
		}
	}
	return nil, last
}

// Holds reports whether f is a bbolt file, as every file of a cloud is.
func Holds(f *os.File) bool { return txidOf(f) != 0 }

// txidOf returns the number of the newest transaction, 0 if it cannot be read.
func txidOf(f *os.File) uint64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	im, err := readImage(f, info.Size())
	if err != nil {
		return 0
	}
	return im.txid
}
