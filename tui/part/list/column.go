package list

import (
	"sync"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
)

// columns caches the values of fields in the rows of a table, as far as filters have
// needed them, so that a filter need not read each row again at the next key.
type columns struct {
	mu sync.Mutex
	at At // when they were read
	of map[string]*filter.Column
}

// take returns the column of a field at some moment, for one reader at a time; nil if
// there is none.
func (c *columns) take(name string, at At) *filter.Column {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !alike(c.at, at) {
		return nil
	}
	column := c.of[name]
	delete(c.of, name)
	return column
}

// give returns columns to the cache. Those of another moment are dropped.
func (c *columns) give(at At, all map[string]*filter.Column) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !alike(c.at, at) {
		c.at, c.of = at, nil
	}
	if c.of == nil {
		c.of = map[string]*filter.Column{}
	}
	for name, column := range all {
		column.Through(nil)
		c.of[name] = column
	}
}

// alike reports whether rows have the same values at two moments, except for what changes
// with time.
func alike(a, b At) bool { return a.Snap == b.Snap && a.Class == b.Class && a.Nested == b.Nested }

// reading is the columns that are read while a list is made.
type reading struct {
	from *columns
	of   map[string]*filter.Column
}

// done returns the columns to the cache.
func (r *reading) done(at At) { r.from.give(at, r.of) }

// Column implements filter.Columned. It returns none for the list's own fields, and for
// those that change with time.
func (r fielded) Column(name string) *filter.Column {
	f, ok := r.field(name)
	if r.read == nil || !ok || f.kind == nil || f.kind.Timely() || f.kind.Type == kinds.Time || len(r.all) == 0 {
		return nil
	}
	column := r.read.of[name]
	if column == nil {
		if column = r.read.from.take(name, r.at); column == nil {
			column = filter.NewColumn(len(r.all))
		}
		column.Through(r.Field(name))
		r.read.of[name] = column
	}
	return column
}
