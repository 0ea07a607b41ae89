package bolt

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// Engine keeps clouds in files: a place is the path of one.
type Engine struct{}

var (
	_ engine.Opener      = Engine{}
	_ engine.Peeker      = Engine{}
	_ engine.Restorer    = Engine{}
	_ engine.Compacter   = Engine{}
	_ engine.FileKeeper  = Engine{}
	_ engine.Backuper    = (*Store)(nil)
	_ engine.Conditioned = (*Store)(nil)
	_ engine.Tester      = (*Store)(nil)
)

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
	s, err := Open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}
