package list

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/tui/component"
)

// wish is all that decides which rows there are and in which order.
type wish struct {
	order int // of Spec.Orders
	desc  bool
	expr  string // the filter as it was typed
}

// table is all rows of a Snapshot with what is needed of each to find it.
type table[R any] struct {
	of     *cloud.Snapshot
	all    []R
	ids    []string
	texts  []string // in lower case
	sorted bool     // by id
	up     []int32  // which row each stands under, -1 for none; nil without Spec.Under
}

// rows is a list for a Snapshot and a wish. The table may be of an older Snapshot
// since which the list is unchanged.
type rows[R any] struct {
	*table[R]
	at    At
	wish  wish
	order []int32                  // all of the table, sorted
	shown []int32                  // those that match, and are not folded away
	folds map[int32]component.Fold // of rows with others under them that match
}

// request is all that a list is made of.
type request[R any] struct {
	spec *Spec[R]
	at   At
	wish wish
	open folds
	old  *rows[R] // may be nil
	anew bool     // the order of old is not good any more
}

// chunk is after how many rows a filter looks whether anybody still waits.
const chunk = 1024

// build makes the rows. What the list before knows already is not made again: a
// filter alone changes neither table nor order. It stops early when ctx ends, with
// a list that is not whole.
func build[R any](ctx context.Context, r request[R]) *rows[R] {
	l := &rows[R]{at: r.at, wish: r.wish}
	if r.old != nil && r.spec.unchanged(r.old.of, r.at.Snap) {
		l.table = r.old.table
		if !r.anew && r.old.wish.order == r.wish.order && r.old.wish.desc == r.wish.desc {
			l.order = r.old.order
		}
	} else {
		l.table = newTable(ctx, r.spec, r.at.Snap)
	}
	if ctx.Err() != nil {
		return l
	}
	if l.order == nil {
		l.order = l.sort(r.spec, r.at, r.wish)
	}
	l.shown = l.order
	filter, err := filter.Compile(r.wish.expr, filter.Rows[R, At]{Fields: r.spec.Fields, At: r.at, Rows: l.all})
	if err != nil || filter.Empty() { // a wish has no filter that cannot be read
		l.nest(r.open)
		return l
	}
	l.shown = nil
	for n, i := range l.order {
		if n%chunk == 0 && ctx.Err() != nil {
			break
		}
		if filter.Match(int(i), l.texts[i]) {
			l.shown = append(l.shown, i)
		}
	}
	l.nest(r.open)
	return l
}

func newTable[R any](ctx context.Context, spec *Spec[R], snap *cloud.Snapshot) *table[R] {
	t := &table[R]{of: snap, all: spec.Rows(ctx, snap)}
	if ctx.Err() != nil {
		return t
	}
	t.ids = make([]string, len(t.all))
	t.texts = make([]string, len(t.all))
	for i, row := range t.all {
		t.ids[i] = spec.ID(row)
		t.texts[i] = strings.ToLower(spec.Text(row))
	}
	t.sorted = slices.IsSorted(t.ids)
	if spec.Under != nil {
		t.up = t.ups(spec)
	}
	return t
}

// keyed is a row while it is sorted.
type keyed struct {
	Key
	i int32
}

// sort returns the numbers of all rows in an order; ties go by text, then as the
// rows came.
func (t *table[R]) sort(spec *Spec[R], at At, w wish) []int32 {
	out := make([]int32, len(t.all))
	if len(spec.Orders) == 0 {
		for i := range out {
			out[i] = int32(i) //nolint:gosec // rows are fewer
		}
		return out
	}
	keys := make([]keyed, len(t.all))
	for i, row := range t.all {
		keys[i] = keyed{spec.Orders[w.order].Key(row, at), int32(i)} //nolint:gosec // rows are fewer
	}
	slices.SortFunc(keys, func(a, b keyed) int {
		if a.None != b.None {
			if a.None {
				return 1
			}
			return -1
		}
		c := cmp.Compare(a.Number, b.Number)
		if c == 0 {
			c = strings.Compare(a.Text, b.Text)
		}
		if c == 0 {
			c = strings.Compare(t.texts[a.i], t.texts[b.i])
		}
		if c == 0 {
			c = cmp.Compare(a.i, b.i)
		}
		if w.desc {
			return -c
		}
		return c
	})
	for n, k := range keys {
		out[n] = k.i
	}
	return out
}

// find returns which of all rows has an id, -1 where none has.
func (t *table[R]) find(id string) int {
	if !t.sorted {
		return slices.Index(t.ids, id)
	}
	if i, ok := slices.BinarySearch(t.ids, id); ok {
		return i
	}
	return -1
}
