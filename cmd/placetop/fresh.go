package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// freshFile is a file that a command has made for its cloud.
type freshFile struct {
	store  storage.Store
	path   string
	filled bool // it was there, and empty
	half   bool // what it holds so far is of no use
}

// madeHere notes that store is in a file that this command makes: it is taken back if the
// command fails. Half says that this holds until the whole cloud is in it; otherwise it
// does until the first change is.
func (p *program) madeHere(store storage.Store, filled, half bool) {
	if path := p.place(); path != "" && follows(store) == nil {
		p.fresh = &freshFile{store, path, filled, half}
	}
}

// takeBack removes the file that a command has made which failed with err, as an empty or
// half a cloud would look like a whole one, and says what is left.
func (p *program) takeBack(err error) error {
	f := p.fresh
	if err == nil || f == nil || errors.Is(err, cloud.ErrInDoubt) || !f.half && f.store.Snapshot().Revision() > 0 {
		return err
	}
	var fault error
	if f.filled {
		fault = errors.Join(f.store.Close(), os.Truncate(f.path, 0))
	} else {
		fault = errors.Join(os.Remove(f.path), f.store.Close()) // in this order: nobody opens it in between
	}
	switch {
	case fault != nil:
		return fmt.Errorf("%w; %s is left, and is incomplete: %w", err, p.settings.DB, fault)
	case f.filled:
		return fmt.Errorf("%w; %s is empty again", err, p.settings.DB)
	}
	return fmt.Errorf("%w; %s was removed again", err, p.settings.DB)
}
