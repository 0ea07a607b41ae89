package attach

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"time"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/follow"
	"github.com/placetop/placetop/storage/shared"
)

// longestName is the most bytes in the name of a socket, without its folder.
const longestName = 64

// Socket returns where the holder of a file listens: beside the file itself, even if
// file is a link to it.
func Socket(file string) (string, error) {
	abs, err := filepath.Abs(file)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", err
	}
	dir, name := filepath.Split(abs)
	const suffix = ".sock"
	if len(name)+len(suffix) > longestName {
		sum := fnv.New64a()
		_, _ = sum.Write([]byte(name)) // never fails
		name = fmt.Sprintf("%s-%016x", name[:longestName-len(suffix)-17], sum.Sum64())
	}
	return filepath.Join(dir, name+suffix), nil
}

// How long one attempt to open a place takes during the wait for it, and how long to wait
// before naming the holder.
const (
	tryTime  = 100 * time.Millisecond
	patience = 500 * time.Millisecond
	lookTime = 5 * time.Second // for a look at what a holder that has gone has left
)

// Open opens a place of an engine that keeps files, or follows the process that holds
// it. If that process accepts no followers, Open waits for the place or for the
// process, as the options say.
//
// Errors are those of the engine.
func Open(ctx context.Context, e engine.Opener, place string, o engine.Options) (storage.Store, error) {
	start := o.Clock()
	one := o
	one.Wait, one.Waiting = 0, nil
	told := o.Waiting == nil
	for {
		s, err := e.Open(ctx, place, one)
		var held *storage.LockedError
		if err == nil || !errors.As(err, &held) {
			return s, err
		}
		f, refused := dial(ctx, e, place, o)
		if refused == nil {
			return f, nil
		}
		waited := o.Clock().Sub(start)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case waited >= o.Wait:
			if !errors.Is(refused, ErrNobody) {
				held.Hint = "Attaching to it failed: " + refused.Error() + ". " + held.Hint
			}
			return nil, err
		case !told && waited >= patience:
			o.Waiting(held)
			told = true
		}
		one.Wait = min(tryTime, o.Wait-waited)
	}
}

// dial follows the process that holds a file.
func dial(ctx context.Context, e engine.Opener, file string, o engine.Options) (*follow.Store, error) {
	path, err := Socket(file)
	if err != nil {
		return nil, ErrNobody
	}
	f := follow.Options{Clock: o.Clock, Release: o.Version, As: o.As, Reopen: func(ctx context.Context) (storage.Store, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime) // the caller may have left by then
		defer cancel()
		look := o
		look.As, look.ReadOnly, look.Wait, look.Waiting, look.Committed = "", true, lookTime, func(*storage.LockedError) {}, nil
		return Open(ctx, e, file, look)
	}}
	if o.ReadOnly {
		f.ReadOnly = file + " was opened read-only"
	}
	s, err := Dial(ctx, path, f)
	if errors.Is(err, shared.ErrGone) {
		return nil, ErrNobody
	}
	return s, err
}
