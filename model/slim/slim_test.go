package slim_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/slim"
)

func TestAgainstSlices(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 12).Draw(t, "rows")
		limit := rapid.IntRange(0, 10).Draw(t, "limit")
		drop := func(n int) bool { return n >= limit }
		was, here := slices.Clone(rows), slices.Clone(rows)
		if got, want := slim.DeleteFunc(here, drop), slices.DeleteFunc(was, drop); !slices.Equal(got, want) || !slices.Equal(here, was) {
			t.Fatalf("got %v in %v, want %v in %v", got, here, want, was)
		}
		at := rapid.IntRange(0, len(rows)).Draw(t, "at")
		if got, want := slim.Insert(slices.Clone(rows), at, -1), slices.Insert(slices.Clone(rows), at, -1); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}
