package bolt

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// Engine keeps clouds in files: a place is the path of one.
type Engine struct{}

var (
	_ engine.Opener     = Engine{}
	_ engine.Peeker     = Engine{}
	_ engine.Restorer   = Engine{}
	_ engine.Compacter  = Engine{}
	_ engine.FileKeeper = Engine{}
	_ engine.Backuper   = (*Store)(nil)
	_ engine.Damageable = (*Store)(nil)
	_ engine.Newer      = (*Store)(nil)
	_ engine.Tester     = (*Store)(nil)
	_ engine.Aged       = (*Store)(nil)
)

// options returns the Options of Open for those of any engine.
func options(o engine.Options) Options {
	wait := o.Wait
	if wait == 0 {
		wait = -1 // 0 would mean the default
	}
	return Options{Clock: o.Clock, Version: o.Version, NewID: o.NewID, ReadOnly: o.ReadOnly, LockTimeout: wait, Waiting: o.Waiting, NamedBy: o.NamedBy, Committed: o.Committed, Failing: o.Failing}
}

// Scheme implements engine.Opener.
func (Engine) Scheme() string { return "bolt" }

// Has implements engine.Opener. An empty file, as made by touch or mktemp, counts as
// none: the first write makes a cloud of it.
func (Engine) Has(path string) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil:
		return !info.Mode().IsRegular() || info.Size() > 0, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	default:
		return false, err
	}
}

// Open implements engine.Opener.
func (Engine) Open(ctx context.Context, path string, o engine.Options) (storage.Store, error) {
	s, err := Open(ctx, path, options(o))
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Peek implements engine.Peeker.
func (Engine) Peek(ctx context.Context, path string) (*cloud.Snapshot, error) { return Peek(ctx, path) }

// Restore implements engine.Restorer.
func (Engine) Restore(ctx context.Context, backup, path string, o engine.Options) (engine.RestoreResult, error) {
	return Restore(ctx, backup, path, options(o))
}

// Restorable implements engine.Restorer.
func (Engine) Restorable(ctx context.Context, backup, path string, o engine.Options) (engine.RestoreResult, error) {
	return Restorable(ctx, backup, path, options(o))
}

// Compact implements engine.Compacter.
func (Engine) Compact(ctx context.Context, path string, o engine.Options) (engine.CompactResult, error) {
	return Compact(ctx, path, options(o))
}

// Holds implements engine.FileKeeper.
func (Engine) Holds(f *os.File) bool { return Holds(f) }
