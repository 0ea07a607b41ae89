package diskfile

import (
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// Watched is what some files say. They are read again once one of them has changed.
type Watched[T any] struct {
	o    WatchOptions
	read func() (T, error)

	mu     sync.Mutex
	now    T
	seen   []stamp // of the files as they were read last
	fresh  []stamp // and as they were when they were looked at last
	looked time.Time
}

// WatchOptions say which files are watched, and who is told.
type WatchOptions struct {
	Paths []string
	Clock func() time.Time
	// Settle has changed files read only once they are the same at two looks: while somebody
	// writes one in its place, half of it may be there, and be good as far as it goes.
	Settle bool
	// Changed reports that the files were read again, or why what was read before counts;
	// may be nil.
	Changed func(err error)
}

// lookEvery is how often the files are looked at, at most.
const lookEvery = time.Second

// stamp tells two versions of a file apart.
type stamp struct {
	at   time.Time
	size int64
	mode fs.FileMode
}

// Watch reads the files by read, whose error it returns. Where read fails later, what it
// gave before counts until it succeeds again.
func Watch[T any](o WatchOptions, read func() (T, error)) (*Watched[T], error) {
	w := &Watched[T]{o: o, read: read, looked: o.Clock(), seen: stamps(o.Paths)}
	var err error
	w.now, err = read()
	return w, err
}

// Current returns what the files say. It may be called from any goroutine.
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

// stamps looks at files. One that is not there has none.
func stamps(paths []string) []stamp {
	out := make([]stamp, len(paths))
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil {
			out[i] = stamp{info.ModTime(), info.Size(), info.Mode()}
		}
	}
	return out
}
