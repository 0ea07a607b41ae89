package screen

import (
	"sync"
	"weak"

	"github.com/placetop/placetop/model/candidates"
)

// Common is what the dashboards of one cloud compute together. The first that needs a
// value makes it, the others wait for it, and it is kept as long as one of them holds
// it. Any goroutine may use it; with a nil Common each makes its own.
type Common struct {
	mu    sync.Mutex
	found map[any]*sharedValue
}

// sharedValue is what stands under a key, with the lock for making it.
type sharedValue struct {
	making sync.Mutex
	it     any // a weak.Pointer; nil before the first
}

// Share returns what c has under key if good accepts it, or else what newOne makes,
// which must not be changed afterwards. A key has one T, and names a subject, not a
// Snapshot: good decides whether the value fits that.
func Share[T any](c *Common, key any, good func(*T) bool, newOne func() *T) *T {
	if c == nil {
		return newOne()
	}
	f := c.of(key)
	f.making.Lock()
	defer f.making.Unlock()
	if p, ok := f.it.(weak.Pointer[T]); ok {
		if v := p.Value(); v != nil && good(v) {
			return v
		}
	}
	v := newOne()
	f.it = weak.Make(v)
	return v
}

func (c *Common) of(key any) *sharedValue {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found == nil {
		c.found = map[any]*sharedValue{}
	}
	f := c.found[key]
	if f == nil {
		f = new(sharedValue)
		c.found[key] = f
	}
	return f
}

// Shared returns what dashboards have in common; nil when looking at the past, which
// each does on its own.
func (e Env) Shared() *Common {
	if _, past := e.Past(); past {
		return nil
	}
	return e.Common
}

// indexerKey is the key of the Indexer in a Common.
type indexerKey struct{}

// Indexer returns the holder of the index for questions about the cloud.
func (e Env) Indexer() *candidates.Indexer {
	return Share(e.Shared(), indexerKey{}, func(*candidates.Indexer) bool { return true }, func() *candidates.Indexer { return new(candidates.Indexer) })
}
