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
	read func() (T, error)

	mu    sync.Mutex
	now   T
	files files
}

// files are what a Watched looks at.
type files struct {
	WatchOptions
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
	w := &Watched[T]{read: read, files: files{WatchOptions: o, looked: o.Clock(), seen: stamps(o.Paths)}}
	var err error
	w.now, err = read()
	return w, err
}

// Current returns the content of the files. It may be called from any goroutine.
func (w *Watched[T]) Current() T {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.files.changed() {
		fresh, err := w.read()
		if err == nil {
			w.now = fresh
		}
		if w.files.Changed != nil {
			w.files.Changed(err)
		}
	}
	return w.now
}

// changed reports whether it is time to read the files again.
func (f *files) changed() bool {
	now := f.Clock()
	if now.Sub(f.looked) < lookEvery {
		return false
	}
	f.looked = now
	was := f.fresh
	f.fresh = stamps(f.Paths)
	if slices.Equal(f.fresh, f.seen) || f.Settle && !slices.Equal(f.fresh, was) {
		return false
	}
	f.seen = f.fresh
	return true
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
