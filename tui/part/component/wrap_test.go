package component_test

import (
	"slices"
	"testing"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	st := plain(t, style.Block())
	for _, c := range []struct {
		text string
		w    int
		want []string
	}{
		{"", 10, []string{""}},
		{"one two three", 20, []string{"one two three"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 6, []string{"one", "two", "three"}},
		{"no match  /gpu", 30, []string{"no match  /gpu"}},
		{"a verylongword b", 4, []string{"a", "verylongword", "b"}},
		{"漢字 漢字", 5, []string{"漢字", "漢字"}}, // two cells each
		{"one two", 0, []string{"one", "two"}},
	} {
		if got := component.Wrap(st, c.text, c.w); !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.text, c.w, got, c.want)
		}
	}
}
