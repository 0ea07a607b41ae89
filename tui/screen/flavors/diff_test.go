package flavors_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
)

// TestDiff marks two flavors and shows what differs: attributes, extra specs, and the
// request to Placement. It follows the cloud.
func TestDiff(t *testing.T) {
	t.Parallel()
	c := screentest.Fleet(t)
	h := open(c, "gpu")
	for _, marks := range []int{0, 1} {
		if a, _ := action.Find("=", h.Screen.Actions()); a.Disabled != "mark two flavors with space" {
			t.Errorf("with %d marks it is disabled as %q", marks, a.Disabled)
		}
		h.Press(" ")
	}
	h.Press("=")
	page := screentest.Open(c, h.Last().(screen.PushMsg).Screen, false)
	text := page.Text(t, 120, 30)
	must.Say(t, text, "gpu.a100.1", "gpu.both", "extra spec", "resourcesdevice_profile_0", "VGPU:1", "query", "accel:device_profile")
	if strings.Contains(text, "description") {
		t.Errorf("what is the same is shown:\n%s", text)
	}
	revise(t, c, nova.DisableFlavor{Flavor: "gpu.both", Disabled: true})
	page.Feed()
	page.Shows(t, 120, 30, "disabled")
}
