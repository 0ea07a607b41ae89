package list

import (
	"testing"
)

// TestSplitIsAboutHalf gives the list the width at which it drops no column, and the pane
// beside it the rest.
func TestSplitIsAboutHalf(t *testing.T) {
	t.Parallel()
	var s split
	for _, tt := range []struct {
		name               string
		width, least, left int
	}{
		{"five ninths", 160, 0, 88},
		{"what its columns need", 160, 100, 104},
		{"no more than leaves room for the pane", 160, 150, 120},
		{"another width", 200, 0, 111},
		{"one box of 80 columns", 136, 0, 84},
	} {
		if got := s.width(tt.width, tt.least); got != tt.left {
			t.Errorf("%s: the list has %d of %d cells, want %d", tt.name, got, tt.width, tt.left)
		}
	}
}

func TestResize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                      string
		share, times, want, lines int
	}{
		{"half", 0, 1, 50, 12},
		{"nearly all", 0, 2, leastShare, 20},
		{"the list alone", 0, 3, 100, 1},
		{"back to as it was", 0, 4, 0, 0},
		{"from a width that an earlier release remembered", 60, 1, leastShare, 20},
	} {
		s := split{share: tt.share, h: 24}
		for range tt.times {
			s.resize()
		}
		if s.share != tt.want || s.room != tt.lines {
			t.Errorf("%s: %d %% and %d lines, want %d and %d", tt.name, s.share, s.room, tt.want, tt.lines)
		}
	}
}
