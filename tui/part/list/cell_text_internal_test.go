package list

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest/must"
)

// TestTextsEndWithTheirContext ends the wish for the texts of a list while they are made:
// they are left at that, and whoever wants them next goes on from there.
func TestTextsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	type row struct{ asked int }
	all := make([]row, 3*chunk)
	var asked func()
	f := newForm(erase(Spec[*row]{
		Name: "rows", Says: []string{"word"},
		Rows: func(context.Context, *cloud.Snapshot) []*row { return Pointers(all) },
		ID:   func(*row) string { return "" },
		Text: func(*row) string { return "" },
		Fields: []*kinds.Field{kinds.TextField("word", func(r *row, _ At) string {
			r.asked++
			asked()
			return "word"
		})},
	}), reflect.TypeFor[*row]())
	rows := newTable(t.Context(), f, At{})
	by := []*filter.Filter{must.Get(filter.Compile("word", filterRows{form: f}))(t)}

	ctx, cancel := context.WithCancel(t.Context())
	asked = cancel
	rows.looked(ctx, f, At{}, by)
	if all[0].asked == 0 || all[len(all)-1].asked > 0 {
		t.Errorf("the first row was asked %d times, the last %d", all[0].asked, all[len(all)-1].asked)
	}
	asked = func() {}
	if texts := rows.looked(t.Context(), f, At{}, by); len(texts) != len(all) || slices.Contains(texts, "") {
		t.Errorf("there are %d texts of %d rows, some of them empty", len(texts), len(all))
	}
	for i, r := range all {
		if r != all[0] {
			t.Fatalf("row %d was asked %d times, the first %d", i, r.asked, all[0].asked)
		}
	}
}
