package list_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
)

func TestClicks(t *testing.T) {
	t.Parallel()
	h := flavorList(t, &screen.Memory{}, true, "")
	s := h.Screen.(*list.Screen)
	h.At(80, 12).Text()
	s.Click(10, 3)
	if row := strings.Split(h.At(80, 12).Text(), "\n")[3]; !strings.HasPrefix(row, ">") {
		t.Errorf("the cursor is not where the click was: %q", row)
	}
	s.Click(5, 0)
	if got := h.Status(); !strings.Contains(got, "sort name ▾") {
		t.Errorf("a click on the head of the sorted column leaves %q", got)
	}
	head, _, _ := strings.Cut(h.At(80, 12).Text(), "\n")
	s.Click(strings.Index(head, "VCPU"), 0)
	if got := h.Status(); !strings.Contains(got, "sort vcpus") {
		t.Errorf("a click on another head leaves %q", got)
	}
	for _, y := range []int{-1, 11, 40} { // nothing is there
		s.Click(300, y)
	}
}
