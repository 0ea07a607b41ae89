package list

import (
	"context"
	"reflect"

	"github.com/placetop/placetop/tui/screen"
)

// build makes the rows, or takes those that another session has made.
func build(ctx context.Context, r request) *rows {
	if !r.shares() {
		return makeRows(ctx, r)
	}
	common := screen.Share(r.common, r.key(r.wish), r.good, func() *rows {
		r.anew = r.anew || r.old != nil && r.old.at.Snap != r.at.Snap && r.form.goesBy(r.wish, r.form.Live)
		return makeRows(context.WithoutCancel(ctx), r)
	})
	l := *common
	l.common, l.at = common, r.at
	return &l
}

// shares reports whether other sessions may want the same rows in the same order.
func (r request) shares() bool {
	return r.form.Common && r.common != nil && !r.form.narrow(r.wish) && len(*r.open.of(r.wish)) == 0 && !r.form.sortsByOwn(r.wish)
}

// key is the key in a Common of the rows of a wish, or of all rows of a list.
func (r request) key(of any) any {
	return struct {
		name string
		typ  reflect.Type
		of   any
	}{r.form.Name, r.form.typ, of}
}

// good reports whether rows are what would be made now.
func (r request) good(l *rows) bool {
	return l.at.Snap == r.at.Snap || r.form.unchanged(l.of, r.at.Snap) && !r.form.goesBy(r.wish, r.form.Live)
}

// table returns all rows.
func (r request) table(ctx context.Context) *table {
	read := func(ctx context.Context) *table {
		return newTable(ctx, r.form, r.at)
	}
	if r.common == nil || !r.form.Common {
		return read(ctx)
	}
	return screen.Share(r.common, r.key(nil), func(t *table) bool { return r.form.unchanged(t.of, r.at.Snap) }, func() *table {
		return read(context.WithoutCancel(ctx))
	})
}

// sortsByOwn reports whether the order depends on a field that only this list has, whose
// values may differ between sessions.
func (f *form) sortsByOwn(w wish) bool {
	return len(f.orders) > 0 && f.orders[w.order].Key == nil && f.orders[w.order].by.own
}
