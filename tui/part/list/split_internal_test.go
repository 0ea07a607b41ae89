package list

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// TestSplitIsAboutHalf gives the list the width at which it drops no column, and the pane
// beside it the rest.
func TestSplitIsAboutHalf(t *testing.T) {
	t.Parallel()
	palette := must.Get(themes.Load(nil, themes.Default))(t)
	st := style.NewPlain(palette, style.Block())
	s := Split{
		List:   func(int, int) string { return "" },
		Box:    func() component.Box { return component.Box{} },
		Beside: func(w, _ int) panel.Pane { return panel.Pane{Width: w} },
	}
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
		s.Least = tt.least
		if s.draw(st, tt.width, 40); s.left != tt.left {
			t.Errorf("%s: the list has %d of %d cells, want %d", tt.name, s.left, tt.width, tt.left)
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
		s := Split{Share: tt.share, h: 24}
		for range tt.times {
			s.resize()
		}
		if s.Share != tt.want || s.Room != tt.lines {
			t.Errorf("%s: %d %% and %d lines, want %d and %d", tt.name, s.Share, s.Room, tt.want, tt.lines)
		}
	}
}
