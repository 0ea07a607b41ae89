package list

import (
	"image"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// TestSplitByNeed gives a list that cuts cells what the pane beside it can spare, and
// keeps that until the width of the terminal changes.
func TestSplitByNeed(t *testing.T) {
	t.Parallel()
	palette := must.Get(themes.Load(nil, themes.Default))(t)
	st := style.NewPlain(palette, style.Block())
	wants, cuts := 0, false
	s := Split{
		List:   func(int, int) []byte { return nil },
		Box:    func() component.Box { return component.Box{} },
		Beside: func(w, _ int) panel.Pane { return panel.Pane{Width: w} },
		Wants:  func() int { return wants },
		Cuts:   func() bool { return cuts },
	}
	for _, tt := range []struct {
		name               string
		width, wants, left int
		cuts               bool
	}{
		{"nothing is cut", 160, 0, 88, false},
		{"a cell is", 160, 88, 92, true},
		{"none is now", 160, 0, 92, false},
		{"more than there is to spare, and all is told on more lines", 160, 300, 98, false},
		{"more than there is to spare", 160, 300, 114, true},
		{"another width", 200, 0, 111, false},
	} {
		wants, cuts = tt.wants, tt.cuts
		s.draw(nil, st, tt.width, 40)
		if s.left != tt.left {
			t.Errorf("%s: the list has %d of %d cells, want %d", tt.name, s.left, tt.width, tt.left)
		}
	}
}

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
		{"from a width that an earlier release remembered", 60, []int{1}, leastShare, 20},
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

// TestAside checks where the pane about the row under the cursor is: below the list, or to
// its right.
func TestAside(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		split Split
		want  image.Point
	}{
		{Split{lines: 10}, image.Pt(0, 12)}, // below the lines above the list
		{Split{left: 90}, image.Pt(90, 0)},
		{Split{}, image.Point{}},
	} {
		got := (&Screen{topRows: 2, split: tt.split, grid: &component.Grid{}}).Aside()
		if got != tt.want {
			t.Errorf("%v, want %v", got, tt.want)
		}
	}
}
