package diskfile

import (
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// Watched is the content of some files. They are read again once one of them has
// changed.
type Watched[T any] struct {
	o    WatchOptions
	read func() (T, error)

	mu     sync.Mutex
	now    T
	seen   []stamp // of the files when last read
	fresh  []stamp // of the files when last looked at
	looked time.Time
}

// WatchOptions say which files are watched, and who is told about changes.
type WatchOptions struct {
	Paths []string
	Clock func() time.Time
	// Settle delays reading changed files until they look the same twice: a file that
	// is being rewritten in place may be incomplete and still valid as far as it goes.
	Settle bool
	// Changed is called when the files were read again, with nil, or with the reason
	// why the previous content stays in use; may be nil.
	Changed func(err error)
}

// lookEvery is the shortest time between two looks at the files.
const lookEvery = time.Second

// stamp tells two versions of a file apart.
type stamp struct {
	at   time.Time
	size int64
	mode fs.FileMode
}

// Watch reads the files by read, and returns its error. If read fails later, its last
// result stays in use until it succeeds again.
func Watch[T any](o WatchOptions, read func() (T, error)) (*Watched[T], error) {
	w := &Watched[T]{o: o, read: read, looked: o.Clock(), seen: stamps(o.Paths)}
	var err error
	w.now, err = read()
	return w, err
}

// Current returns the content of the files. It may be called from any goroutine.
func (w *Watched[T]) Current() T {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.o.Clock()
	if now.Sub(w.looked) < lookEvery {
		return w.now
	}
	w.looked = now
	was := w.fresh
	w.fresh = stamps(w.o.Paths)
	if slices.Equal(w.fresh, w.seen) || w.o.Settle && !slices.Equal(w.fresh, was) {
		return w.now
	}
	w.seen = w.fresh
	fresh, err := w.read()
	if err == nil {
		w.now = fresh
	}
	if w.o.Changed != nil {
		w.o.Changed(err)
	}
	return w.now
}

// stamps returns a stamp for each file, the zero one if it does not exist.
func stamps(paths []string) []stamp {
	out := make([]stamp, len(paths))
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil {
			out[i] = stamp{info.ModTime(), info.Size(), info.Mode()}
		}
	}
	return out
}
