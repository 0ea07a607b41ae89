package flavors_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestChanges presses the keys that change flavors, in the list and on the page.
func TestChanges(t *testing.T) {
	t.Parallel()
	list := open(t, tuitest.Fleet(t), "gpu.t4.1")
	about := page(t, tuitest.Fleet(t), tuitest.Plain(), "gpu.t4.1")
	for key, want := range map[string]tea.Msg{
		"b": screen.Goto{To: place.Boot{Flavor: "gpu.t4.1"}},
		"e": screen.Goto{To: place.SetFlavor{Name: "gpu.t4.1"}},
		"D": screen.Goto{To: place.DelFlavor{Name: "gpu.t4.1"}},
	} {
		for _, h := range []*tuitest.Host{list, about} {
			h.Asks(key, want)
		}
	}
	for _, h := range []*tuitest.Host{list, open(t, tuitest.NewCloud(cloud.Empty()), "")} {
		h.Asks("n", screen.Goto{To: place.SetFlavor{}})
	}
}

// TestNothingToChange shows why the keys do nothing: an old revision cannot be changed, a
// disabled flavor cannot be booted, an empty list has none.
func TestNothingToChange(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	t4, _ := c.Snapshot().Nova().FlavorNamed("gpu.t4.1")
	revise(t, c, nova.SetExtraSpecs{Flavor: "gpu.t4.1", ExtraSpecs: nova.EditsOf(t4.ExtraSpecs, nil)})
	revise(t, c, nova.DisableFlavor{Flavor: "cpu.large", Disabled: true})
	for _, test := range []struct {
		h        *tuitest.Host
		key, why string
	}{
		{page(t, c, tuitest.Plain(), "gpu.t4.1"), "e", "there is a newer one: gpu.t4.1#2"},
		{page(t, c, tuitest.Plain(), "gpu.t4.1#2"), "e", ""},
		{open(t, c, "cpu.large"), "b", "cpu.large is disabled"},
		{open(t, c, "cpu.large"), "e", ""},
		{open(t, tuitest.NewCloud(cloud.Empty()), ""), "D", "no flavor under the cursor"},
	} {
		a, ok := action.Find(test.key, test.h.Screen.Actions())
		if !ok || a.Disabled != test.why {
			t.Errorf("%s is disabled as %q, want %q", test.key, a.Disabled, test.why)
		}
	}
}

// revise applies a change of Nova's ledger.
func revise(t *testing.T, c *tuitest.Cloud, op nova.Op) {
	t.Helper()
	must.Succeed(t, c.Change(cloud.Change{At: tuitest.Now(), Ops: []cloud.Op{op}}))
}

func TestOwnerFilter(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Fleet(t), "")
	for _, want := range []string{"owner=nova", "owner=cyborg", "owner=both", "owner=none", ""} {
		h.Press("o")
		if got := h.At(120, 24).Text(); want != "" && !strings.Contains(h.Status(), want) {
			t.Errorf("o leads to %q, want %q:\n%s", h.Status(), want, got)
		}
	}
	if strings.Contains(h.Status(), "owner=") {
		t.Errorf("o does not come round: %s", h.Status())
	}
}
