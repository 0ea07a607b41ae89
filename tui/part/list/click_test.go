package list_test

import (
	"image"
	"strings"
	"testing"

	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
)

func TestClicks(t *testing.T) {
	t.Parallel()
	m := &screen.Memory{}
	h := flavorList(t, m, true, "")
	s := h.Screen.(*list.Screen)
	h.Text(t, 80, 12)
	s.Click(10, 3, false)
	if row := strings.Split(h.Text(t, 80, 12), "\n")[3]; !strings.HasPrefix(row, ">") {
		t.Errorf("the cursor is not where the click was: %q", row)
	}
	s.Click(5, 0, false)
	if got := h.Status(); !strings.Contains(got, "sort name ▾") {
		t.Errorf("a click on the head of the sorted column leaves %q", got)
	}
	head, _, _ := strings.Cut(h.Text(t, 80, 12), "\n")
	s.Click(strings.Index(head, "VCPU"), 0, false)
	if got := h.Status(); !strings.Contains(got, "sort vcpus") {
		t.Errorf("a click on another head leaves %q", got)
	}
	for _, y := range []int{-1, 11, 40} { // nothing is there
		s.Click(300, y, true)
	}
	s.Drag(10, 3) // nothing is held
	if v, ok := m.View("flavors"); !ok || v.Share != 0 || v.Sort != "vcpus" {
		t.Errorf("kept is %v", v)
	}
}

// TestAside says where more is shown of the row under the cursor: below the list, or right
// of it where there is room.
func TestAside(t *testing.T) {
	t.Parallel()
	h := flavorList(t, &screen.Memory{}, true, "")
	s := h.Screen.(*list.Screen)
	for _, size := range []image.Point{{80, 24}, {160, 48}} {
		lines := strings.Split(h.Text(t, size.X, size.Y), "\n")
		at := s.Aside()
		if wide := size.X > 120; (at.Y == 0) != wide || (at.X > 0) != wide {
			t.Fatalf("aside at %dx%d is from %v", size.X, size.Y, at)
		}
		if title := string([]rune(lines[at.Y])[at.X:]); !strings.Contains(title, "─") {
			t.Errorf("what is aside begins with %q", title)
		}
	}
}
