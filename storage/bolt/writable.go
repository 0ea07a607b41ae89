package bolt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
)

// Writable implements engine.Tester. After a commit that failed it tries another one,
// without a change, so that a server which got no more writes since finds out when the
// disk has room again.
func (s *Store) Writable(ctx context.Context) error {
	switch {
	case s.isClosed():
		return storage.ErrClosed
	case s.readOnly != "":
		return nil
	}
	result := make(chan error, 1)
	test := func(w *writer) { result <- w.test() }
	for inspect := s.inspect; ; inspect = nil {
		select {
		case inspect <- test:
		case err := <-result:
			return err
		case <-s.done:
			return storage.ErrClosed
		case <-ctx.Done():
			return fmt.Errorf("the disk has not done what was asked of it: %w", ctx.Err())
		}
	}
}

// test returns why the file cannot be written, between two commits.
func (w *writer) test() error {
	err := w.stillThere()
	if err == nil {
		err = diskfile.MayWrite(w.path)
	}
	if err == nil && w.failing != nil {
		if err = w.mayGrow(); err == nil {
			err = w.toBolt()
		}
	}
	w.wrote(err)
	return err
}

// mayGrow returns why the file could not grow by a step, after a commit that failed: a
// commit that finds room in the file itself says nothing about the next.
func (w *writer) mayGrow() error {
	if errors.Is(w.failing, syscall.EFBIG) || errors.Is(w.failing, berrors.ErrMaxSizeReached) {
		return w.failing // until this program is started again
	}
	return diskfile.Probe(filepath.Dir(w.path), allocSize)
}

// wrote notes whether the file could be written, and tells whom it concerns when that
// changes.
func (w *writer) wrote(err error) {
	if err == nil && w.failing != nil {
		err = w.mayGrow()
	}
	was := w.failing
	w.failing = err
	if (err == nil) != (was == nil) && w.options.Failing != nil {
		w.options.Failing(err)
	}
}
