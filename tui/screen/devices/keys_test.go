package devices_test

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
)

// TestDisable presses the key that takes a device out of service, on the list and
// on the page, and then the one that puts it back.
func TestDisable(t *testing.T) {
	t.Parallel()
	c := screentest.Fleet(t)
	var d *cyborg.Device
	for one := range c.Snapshot().Cyborg().DevicesOn("cmp-1") {
		d = one
	}
	shown := func() []*screentest.Host {
		return []*screentest.Host{open(t, c, "uuid="+d.UUID.String()), page(t, c, screentest.Plain(), "uuid="+d.UUID.String())}
	}
	for _, h := range shown() {
		if h.Press("e"); h.Last() != (screen.Goto{To: place.SetDevice{ID: d.UUID, Disable: true}}) {
			t.Errorf("e asks for %v", h.Last())
		}
	}
	plan, err := ops.PlanDeviceStatus(c.Snapshot(), d.UUID, true)
	must.Succeed(t, err)
	must.Succeed(t, c.Change(plan.Change))
	for _, h := range shown() {
		if h.Press("e"); h.Last() != (screen.Goto{To: place.SetDevice{ID: d.UUID}}) {
			t.Errorf("e asks for %v of a device that is out of service", h.Last())
		}
	}
	none := open(t, screentest.NewCloud(cloud.Empty()), "")
	if none.Press("e"); none.Last() != nil {
		t.Errorf("e asks for %v where there is no device", none.Last())
	}
}
