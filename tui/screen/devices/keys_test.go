package devices_test

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestDisable presses the key that takes a device out of service, in the list and on the
// page, and then the one that puts it back.
func TestDisable(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	var d *cyborg.Device
	for one := range c.Snapshot().Cyborg().DevicesOn("cmp-1") {
		d = one
	}
	shown := func() []*tuitest.Host {
		return []*tuitest.Host{open(t, c, "uuid="+d.UUID.String()), page(t, c, tuitest.Plain(), "uuid="+d.UUID.String())}
	}
	for _, h := range shown() {
		h.Asks("e", screen.Goto{To: place.SetDevice{ID: d.UUID, Disable: true}})
	}
	plan := must.Get(ops.PlanDeviceStatus(c.Snapshot(), d.UUID, true))(t)
	must.Succeed(t, c.Change(plan.Change))
	for _, h := range shown() {
		h.Asks("e", screen.Goto{To: place.SetDevice{ID: d.UUID}})
	}
	// Marked devices count, wherever the cursor is.
	marked := open(t, c, "")
	marked.Sort("status")
	marked.Press("g", " ", " ", "G")
	able, ok := action.Find("e", marked.Screen.Actions())
	marked.Press(" ")
	mixed, _ := action.Find("e", marked.Screen.Actions())
	if !ok || able.Title != "disable 2..." || mixed.Title != "disable 3..." {
		t.Errorf("e with enabled devices marked is %q, with one that is not %q", able.Title, mixed.Title)
	}
	none := open(t, tuitest.NewCloud(cloud.Empty()), "")
	none.Asks("e", nil)
}
