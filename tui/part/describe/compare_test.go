package describe_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/part/describe"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestCompare shows of two providers what only one of them has, and what differs.
func TestCompare(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	of := func(name string) describe.Subject {
		t.Helper()
		k := kinds.Of(kinds.Providers)
		at := kinds.At{Snap: c.Snapshot(), Now: tuitest.Now()}
		rows, err := k.Find(kinds.Finder{Snapshot: c.Snapshot()}, name)
		if err != nil || len(rows) != 1 {
			t.Fatal(name, err)
		}
		return describe.Subject{Kind: k, At: at, Row: rows[0]}
	}
	page := describe.Compare(tuitest.Plain(), of("cmp-007_pci_0000_41_00_0"), of("cmp-012_pci_0000_41_00_0"))
	text := page.Text()
	must.Say(t, text,
		"owner: nova   |   none", "inventories VGPU used: 9   |   0", "traits: CUSTOM_NVIDIA_20B0_A100  HW_GPU_API_VULKAN", "values alike")
	for _, not := range []string{"total:", "uuid"} {
		if strings.Contains(text, not) {
			t.Errorf("tells of %s, which is alike or but a name:\n%s", not, text)
		}
	}
	same := describe.Compare(tuitest.Plain(), of("cmp-007"), of("cmp-007"))
	if text := same.Text(); strings.Count(text, "\n") != 2 {
		t.Errorf("a thing differs from itself:\n%s", text)
	}
	for _, w := range []int{20, 40, 80, 160} {
		for _, line := range strings.Split(page.View(w, 20), "\n") {
			if n := len([]rune(line)); n != w {
				t.Errorf("a line is %d cells, not %d: %q", n, w, line)
			}
		}
	}
}

// TestCompareFlavors says which traits only one of two flavors asks for, including those
// that no extra spec names.
func TestCompareFlavors(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	of := func(name string) describe.Subject {
		f, _ := c.Snapshot().Nova().FlavorNamed(name)
		return describe.Subject{Kind: kinds.Of(kinds.Flavors), At: kinds.At{Snap: c.Snapshot(), Now: tuitest.Now()}, Row: f}
	}
	h := tuitest.Open(t, c, describe.Compare(tuitest.Plain(), of("gpu.a100.1"), of("gpu.t4.1")))
	h.At(120, 40).Wants("extra specs", "traits", "CUSTOM_NVIDIA_A100", "OWNER_CYBORG")
}
