package list

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/screen"
)

// wish is everything that decides which rows are shown, and in which order.
type wish struct {
	order int // index in Spec.Orders
	desc  bool
	expr  string // the typed filter
	also  int    // index in Spec.Also
	class placement.ResourceClass
	flat  bool
}

// narrow reports whether w may hide rows.
func (f *form) narrow(w wish) bool { return f.Also.expr(w.also) != "" || w.expr != "" }

// goesBy reports whether the selection of rows, or their order, depends on some fields.
// Of a filter it only looks at the names.
func (f *form) goesBy(w wish, fields []string) bool {
	return slices.ContainsFunc(fields, func(name string) bool {
		return strings.Contains(w.expr, name) || len(f.orders) > 0 && f.orders[w.order].Name == name
	})
}

// sortsAs reports whether both give rows the same order.
func (w wish) sortsAs(other wish) bool {
	w.expr, w.also = other.expr, other.also
	return w == other
}

// table is all rows of a Snapshot with what is needed to find each. Sessions share it: it
// is immutable, except for its caches.
type table struct {
	of         *cloud.Snapshot
	all        []any
	ids        []string
	texts      []string // in lower case
	saying     sync.Mutex
	said       []string // of the first rows; made by looked
	sorted     bool     // by id
	*hierarchy          // nil if rows are not nested
}

// rows is the list for a Snapshot and a wish. The table may be of an older Snapshot,
// since which the list has not changed.
type rows struct {
	*table
	at      At
	wish    wish
	order   []int32 // all rows of the table, sorted
	passed  []bool  // for all rows, whether they match; nil if all do
	shown   []int32 // the matching rows that are not folded away
	matched int
	nested  *nestedView // nil if rows are not nested
	leaves  []leaf      // if nothing matches
}

// leaf is how many rows a part of a filter passes by itself.
type leaf struct {
	part string
	n    int
}

// request is everything that a list is made from.
type request struct {
	form *form
	at   At
	wish wish
	open folds
	old  *rows // may be nil
	anew bool  // the order of old is no longer right

	memory *screen.Memory // has the named filters
	common *screen.Common
}

// chunk is after how many rows a filter checks whether its result is still wanted.
const chunk = 1024

// makeRows makes the rows. It reuses what the previous list has: a new filter changes
// neither table nor order. It stops early when ctx ends, with an incomplete list.
func makeRows(ctx context.Context, r request) *rows {
	l := &rows{at: r.at, wish: r.wish}
	if r.old != nil && r.form.unchanged(r.old.of, r.at.Snap) {
		l.table = r.old.table
		if !r.anew && r.old.wish.sortsAs(r.wish) {
			l.order = r.old.order
		}
	} else {
		l.table = r.table(ctx)
	}
	if ctx.Err() != nil {
		return l
	}
	if l.order == nil {
		l.order = l.sort(r.form, r.at, r.wish)
	}
	l.shown = l.order
	f := filterRows{r.form, l.all, r.at, r.memory}
	if r.form.narrow(r.wish) {
		l.passed = make([]bool, len(l.ids))
		l.matched = r.pick(ctx, l.table, f, l.passed, r.wish.expr, r.form.Also.expr(r.wish.also))
	} else {
		l.matched = len(l.ids)
	}
	if l.matched == 0 && r.form.narrow(r.wish) {
		l.leaves = r.leaves(ctx, l.table, f)
	}
	if l.hierarchy != nil && !r.wish.flat {
		l.fold(r.form, r.open)
		return l
	}
	if l.passed != nil {
		l.shown = make([]int32, 0, l.matched)
		for _, i := range l.order {
			if l.passed[i] {
				l.shown = append(l.shown, i)
			}
		}
	}
	return l
}

// pick marks the rows that pass all of some filters, and returns their number. The
// filters of a wish can always be parsed.
func (r request) pick(ctx context.Context, t *table, f filterRows, passed []bool, exprs ...string) int {
	picks := make([]*filter.Filter, 0, len(exprs))
	for _, expr := range exprs {
		if pick, err := filter.Compile(expr, f); err == nil && !pick.Empty() {
			picks = append(picks, pick)
		}
	}
	texts := t.looked(ctx, r.form, r.at, picks)
	heads := r.form.Heads && t.hierarchy != nil
	n := 0
	var some []int32
	for from := 0; from < len(t.texts) && ctx.Err() == nil; from += chunk {
		var first *filter.Filter
		if len(picks) > 0 {
			first = picks[0]
		}
		some = first.Append(some[:0], texts, from, from+chunk)
		for _, i := range some {
			if heads && t.size[i] > 1 || len(picks) > 1 && !picks[1].Match(int(i), texts[i]) {
				continue
			}
			if passed != nil {
				passed[i] = true
			}
			n++
		}
	}
	return n
}

// mostLeaves limits how many parts of a filter are tried one by one.
const mostLeaves = 6

// leaves returns how many rows each part of a filter passes by itself, to show which of
// them passes nothing.
func (r request) leaves(ctx context.Context, t *table, f filterRows) []leaf {
	var out []leaf
	parts := strings.Fields(r.wish.expr)
	if strings.ContainsAny(r.wish.expr, `()|"/`) || strings.Contains(r.wish.expr, "-f ") {
		parts = []string{r.wish.expr}
	}
	if len(parts) < 2 && (len(parts) == 0 || r.form.Also.expr(r.wish.also) == "") {
		return nil // the number for the whole filter says it
	}
	for _, part := range parts[:min(len(parts), mostLeaves)] {
		if pick, err := filter.Compile(part, f); err == nil && !pick.Empty() {
			out = append(out, leaf{part, r.pick(ctx, t, f, nil, part)})
		}
	}
	if r.form.Also.expr(r.wish.also) != "" {
		out = append(out, leaf{r.form.Also.word(r.wish.also), r.pick(ctx, t, f, nil, r.form.Also.expr(r.wish.also))})
	}
	return out
}

func newTable(ctx context.Context, f *form, at At) *table {
	t := &table{of: at.Snap, all: f.Rows(ctx, at.Snap)}
	if ctx.Err() != nil {
		return t
	}
	t.ids = make([]string, len(t.all))
	t.texts = make([]string, len(t.all))
	said := func(kinds.Row) string { return "" }
	if f.kind != nil {
		said = f.kind.Key(at)
	}
	of := f.Of(at)
	for i, row := range t.all {
		t.ids[i] = f.ID(row)
		if f.Text != nil {
			t.texts[i] = strings.ToLower(f.Text(row))
		} else {
			t.texts[i] = said(of(row))
		}
	}
	t.sorted = slices.IsSorted(t.ids)
	if f.nested {
		t.hierarchy = newHierarchy(t.ups(f))
	}
	return t
}

// sort returns the numbers of all rows in an order; ties are broken by text, then by the
// original order. Nested rows are sorted among those with the same parent.
func (t *table) sort(f *form, at At, w wish) []int32 {
	out := make([]int32, len(t.ids))
	for i := range out {
		out[i] = int32(i) // rows are fewer
	}
	compare := func(a, b int32) int { return cmp.Compare(a, b) }
	switch {
	case len(f.orders) == 0, f.Sorted && w.order == 0 && !w.desc:
	case f.Sorted && w.order == 0:
		compare = func(a, b int32) int { return cmp.Compare(b, a) }
	default:
		keys, get := make([]Key, len(t.ids)), f.key(w.order, at)
		for i := range keys {
			keys[i] = get(t.all[i])
		}
		compare = func(a, b int32) int { return t.compare(&keys[a], &keys[b], a, b, w.desc) }
	}
	if t.hierarchy != nil && !w.flat {
		return t.hierarchy.sort(out[:0], compare)
	}
	if len(f.orders) > 0 {
		slices.SortFunc(out, compare)
	}
	return out
}

// compare says which of two rows comes first. Equal rows are ordered by their text, in
// either direction.
func (t *table) compare(x, y *Key, a, b int32, desc bool) int {
	if x.None != y.None {
		if x.None {
			return 1
		}
		return -1
	}
	c := cmp.Compare(x.Number, y.Number)
	if c == 0 {
		c = strings.Compare(x.Text, y.Text)
	}
	if desc {
		c = -c
	}
	if c == 0 {
		c = strings.Compare(t.texts[a], t.texts[b])
	}
	if c == 0 {
		c = cmp.Compare(a, b)
	}
	return c
}

// find returns the number of the row with an id, -1 if there is none.
func (t *table) find(id string) int {
	if !t.sorted {
		return slices.Index(t.ids, id)
	}
	if i, ok := slices.BinarySearch(t.ids, id); ok {
		return i
	}
	return -1
}
