package list

import (
	"context"
	"reflect"

	"github.com/placetop/placetop/tui/screen"
)

// tableKey is the key in a screen.Common of all rows of a list.
type tableKey struct {
	name string
	typ  reflect.Type
}

// table returns all rows, or those that another session has read.
func (r request) table(ctx context.Context) *table {
	if r.common == nil || !r.form.Common {
		return newTable(ctx, r.form, r.at)
	}
	return screen.Share(r.common, tableKey{r.form.Name, r.form.typ}, func(t *table) bool { return r.form.unchanged(t.of, r.at.Snap) }, func() *table {
		return newTable(context.WithoutCancel(ctx), r.form, r.at)
	})
}
