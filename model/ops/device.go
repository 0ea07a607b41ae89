package ops

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
)

// PlanDeviceStatus plans to disable a device, so that nothing new lands on it and its
// users stay, or to enable it again.
//
// Errors: placement.ErrNotFound.
func PlanDeviceStatus(s *cloud.Snapshot, id uuid.UUID, disable bool) (Plan, error) {
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		verb, op := "enable", cloud.Op(cyborg.EnableDevice{Device: id})
		if disable {
			verb, op = "disable", cyborg.DisableDevice{Device: id}
		}
		c := cloud.Change{Ops: append(s.Cyborg().StatusOps(s.Placement(), id, disable), op)}
		if d, ok := s.Cyborg().Device(id); ok {
			c.Note = fmt.Sprintf("%s device %s:%s", verb, d.Hostname, s.Cyborg().AddressOf(id))
		}
		return c, nil
	}).Plan(s)
}
