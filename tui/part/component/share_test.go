package component_test

import (
	"slices"
	"testing"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestTexts checks that a text with nothing after it runs into the empty columns, so that
// it widens no column while there is room.
func TestTexts(t *testing.T) {
	t.Parallel()
	row := func(texts ...string) (out []component.Seg) {
		for _, text := range texts {
			out = append(out, component.Seg{Token: themes.Text, Text: text})
		}
		return out
	}
	rows := [][]component.Seg{row("a", "one", "x"), row("bb", "twelve services", "", "z"), row("c", "four", "yyyyyyyy")}
	rows[0], rows[2] = append(rows[0], row("p")...), append(rows[2], row("q")...)
	for w, want := range map[int][]string{
		24: {"a  one    x        p    ", "bb twelve services z    ", "c  four   yyyyyyyy q    "},
		18: {"a  one  x        p", "bb twelve servi… z", "c  four yyyyyyyy q"},
	} {
		if got := component.Texts(tuitest.Plain(), w, rows); !slices.Equal(got, want) {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
	}
}
