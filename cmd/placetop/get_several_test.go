package main

import "testing"

// TestTogether puts the rows of two clouds below each other, each with its cloud; a column
// that one of them has to show is shown.
func TestTogether(t *testing.T) {
	t.Parallel()
	part := func(wide bool, rows ...string) listing {
		value := func(row int) string { return rows[row] }
		return listing{doc: rows, rows: len(rows), columns: []listColumn{{"name", wide, false, value, func(row int) cell { return cell{text: value(row)} }}}}
	}
	all := together([]string{"a", "b"}, []listing{part(true, "one"), part(false, "two", "three")})
	if len(all.columns) != 2 || all.columns[1].wide || all.rows != 3 {
		t.Fatalf("%+v", all)
	}
	for row, want := range []string{"a one", "b two", "b three"} {
		if got := all.columns[0].value(row) + " " + all.columns[1].cell(row).text; got != want {
			t.Errorf("row %d is %q, want %q", row, got, want)
		}
	}
	if none := together(nil, nil); none.rows != 0 || len(none.columns) != 1 {
		t.Errorf("of no cloud: %+v", none)
	}
}
