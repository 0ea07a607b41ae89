package list

import (
	"image"
	"testing"
)

func TestResize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		share       int
		steps       []int
		want, lines int
	}{
		{"half", 0, []int{1}, 50, 12},
		{"nearly all, and no more", 0, []int{1, 1, 1}, leastShare, 20},
		{"back to as it was", 0, []int{1, -1}, 0, 0},
		{"the list alone, and no less", 0, []int{-1, -1}, 100, 1},
		{"from where somebody dragged it", 60, []int{1}, leastShare, 20},
	} {
		s := Split{Share: tt.share, h: 24}
		for _, step := range tt.steps {
			s.resize(step)
		}
		if s.Share != tt.want || s.Room != tt.lines {
			t.Errorf("%s: %d %% and %d lines, want %d and %d", tt.name, s.Share, s.Room, tt.want, tt.lines)
		}
	}
}

// TestAside says where more is shown of the row under the cursor: below the list, or right
// of it.
func TestAside(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		split Split
		want  image.Point
	}{
		{Split{lines: 10}, image.Pt(0, 12)},
		{Split{left: 90}, image.Pt(90, 0)},
		{},
	} {
		if got := (&Screen{topRows: 2, split: tt.split}).Aside(); got != tt.want {
			t.Errorf("%v, want %v", got, tt.want)
		}
	}
}
