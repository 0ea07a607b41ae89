package devices

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// OpenDevice makes the screen of a place.
func OpenDevice(env screen.Env, at place.SetDevice) (screen.Screen, error) {
	verb := "enable"
	if at.Disable {
		verb = "disable"
	}
	snap := env.Cloud.Snapshot()
	d, ok := snap.Cyborg().Device(at.ID)
	if !ok {
		return nil, &placement.NotFoundError{What: "device", Name: at.ID.String()}
	}
	title := fmt.Sprintf("%s the %s %s on %s", verb, d.Type, d.Model, d.Hostname)
	return confirm.Write(env, snap, verb, title, func(s *cloud.Snapshot) (ops.Plan, error) {
		return ops.PlanDeviceStatus(s, at.ID, at.Disable)
	}, ""), nil
}
