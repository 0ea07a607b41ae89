package list

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/part/component"
)

// wish is all that decides which rows there are and in which order.
type wish struct {
	order int // of Spec.Orders
	desc  bool
	expr  string // the filter as it was typed
}

// table is all rows of a Snapshot with what is needed of each to find it.
type table struct {
	of     *cloud.Snapshot
	all    listing
	ids    []string
	texts  []string // in lower case
	sorted bool     // by id
	up     []int32  // which row each stands under, -1 for none; nil without Spec.Under
}

// rows is a list for a Snapshot and a wish. The table may be of an older Snapshot
// since which the list is unchanged.
type rows struct {
	*table
	at    At
	wish  wish
	order []int32                  // all of the table, sorted
	shown []int32                  // those that match, and are not folded away
	folds map[int32]component.Fold // of rows with others under them that match
}

// request is all that a list is made of.
type request struct {
	form *form
	from listing
	at   At
	wish wish
	open folds
	old  *rows // may be nil
	anew bool  // the order of old is not good any more
}

// chunk is after how many rows a filter looks whether anybody still waits.
const chunk = 1024

// build makes the rows. What the list before knows already is not made again: a
// filter alone changes neither table nor order. It stops early when ctx ends, with
// a list that is not whole.
func build(ctx context.Context, r request) *rows {
	l := &rows{at: r.at, wish: r.wish}
	if r.old != nil && r.form.unchanged(r.old.of, r.at.Snap) {
		l.table = r.old.table
		if !r.anew && r.old.wish.order == r.wish.order && r.old.wish.desc == r.wish.desc {
			l.order = r.old.order
		}
	} else {
		l.table = newTable(ctx, r.form, r.from.read(ctx, r.at.Snap), r.at.Snap)
	}
	if ctx.Err() != nil {
		return l
	}
	if l.order == nil {
		l.order = l.sort(r.form, r.at, r.wish)
	}
	l.shown = l.order
	pick, err := l.all.filter(r.wish.expr, r.at)
	if err != nil || pick.Empty() { // a wish has no filter that cannot be read
		l.nest(r.open)
		return l
	}
	l.shown = nil
	for n, i := range l.order {
		if n%chunk == 0 && ctx.Err() != nil {
			break
		}
		if pick.Match(int(i), l.texts[i]) {
			l.shown = append(l.shown, i)
		}
	}
	l.nest(r.open)
	return l
}

func newTable(ctx context.Context, f *form, all listing, snap *cloud.Snapshot) *table {
	t := &table{of: snap, all: all}
	if ctx.Err() != nil {
		return t
	}
	t.ids = make([]string, all.len())
	t.texts = make([]string, all.len())
	for i := range t.ids {
		t.ids[i] = all.id(i)
		t.texts[i] = strings.ToLower(all.text(i))
	}
	t.sorted = slices.IsSorted(t.ids)
	if f.nested {
		t.up = t.ups()
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
func (t *table) sort(f *form, at At, w wish) []int32 {
	out := make([]int32, len(t.ids))
	if len(f.orders) == 0 {
		for i := range out {
			out[i] = int32(i) //nolint:gosec // rows are fewer
		}
		return out
	}
	keys := make([]keyed, len(t.ids))
	for i := range keys {
		keys[i] = keyed{t.all.key(w.order, i, at), int32(i)} //nolint:gosec // rows are fewer
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
func (t *table) find(id string) int {
	if !t.sorted {
		return slices.Index(t.ids, id)
	}
	if i, ok := slices.BinarySearch(t.ids, id); ok {
		return i
	}
	return -1
}
