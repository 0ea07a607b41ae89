package bolt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

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
	test := func() { result <- s.test() }
	for inspect := s.inspect; ; inspect = nil {
		select {
		case inspect <- test:
		case err := <-result:
			return err
		case <-s.queue.Done:
			return storage.ErrClosed
		case <-ctx.Done():
			return fmt.Errorf("the disk has not done what was asked of it: %w", ctx.Err())
		}
	}
}

// test returns why the file cannot be written, between two commits.
func (s *Store) test() error {
	err := s.stillThere()
	if err == nil {
		err = diskfile.MayWrite(s.path)
	}
	if err == nil && s.failing != nil {
		if err = s.mayGrow(); err == nil {
			_, err = s.persist(s.newest.Load(), nil)
		}
	}
	s.wrote(err)
	return err
}

// mayGrow returns why the file could not grow by a step, after a commit that failed: a
// commit that finds room in the file itself says nothing about the next.
func (s *Store) mayGrow() error {
	if errors.Is(s.failing, syscall.EFBIG) {
		return s.failing // until this program is started again
	}
	return diskfile.Probe(filepath.Dir(s.path), allocSize)
}

// wrote notes whether the file could be written, and tells whom it concerns when that
// changes.
func (s *Store) wrote(err error) {
	if err == nil && s.failing != nil {
		err = s.mayGrow()
	}
	was := s.failing
	s.failing = err
	if (err == nil) != (was == nil) && s.options.Failing != nil {
		s.options.Failing(err)
	}
}
