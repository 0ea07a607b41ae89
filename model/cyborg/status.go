package cyborg

import (
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
)

// DisableDevice takes a device out of service: it is in maintenance. StatusOps returns
// the matching operations in Placement.
//
// Errors: placement.ErrNotFound.
//
// Source: cyborg/api/controllers/v2/devices.py, disable.
type DisableDevice struct {
	verb
	Device uuid.UUID
}

// EnableDevice undoes DisableDevice.
//
// Errors: placement.ErrNotFound.
//
// Source: cyborg/api/controllers/v2/devices.py, enable.
type EnableDevice struct {
	verb
	Device uuid.UUID
}

func (op DisableDevice) String() string { return "disable device " + op.Device.String() }
func (op EnableDevice) String() string  { return "enable device " + op.Device.String() }

func (op DisableDevice) apply(e edit) error { return setStatus(e, op.Device, Maintaining) }

func (op EnableDevice) apply(e edit) error { return setStatus(e, op.Device, Enabled) }

func setStatus(e edit, device uuid.UUID, status DeviceStatus) error {
	d, ok := e.Now.Device(device)
	if !ok {
		return placement.NotFound("device", device.String())
	}
	return e.Put(d.Edit(func(d *Device) { d.Status = status }))
}

// StatusOps returns what disabling or enabling a device writes in Placement: in
// maintenance all inventory is reserved, so that nothing new lands on it and its users
// stay; enabled, nothing is. Unchanged inventories are not written.
//
// Source: cyborg/common/placement_client.py, update_rp_inventory_reserved (microversion 1.26).
func (s *Snapshot) StatusOps(p *placement.Snapshot, device uuid.UUID, disabled bool) []placement.Op {
	var ops []placement.Op
	w := placementWriter{p: p}
	for part := range s.DeployablesOf(device) {
		rp, ok := p.Provider(part.Provider)
		if !ok {
			continue
		}
		class := s.reported(part.UUID).class
		iu, ok := w.inventory(rp, class)
		if !ok {
			continue
		}
		inv := iu.Inventory
		inv.Reserved = 0
		if disabled {
			inv.Reserved = inv.Total
		}
		if inv != iu.Inventory {
			ops = append(ops, placement.SetInventory{Provider: rp.ID(), Generation: rp.Expect(), Class: class, Inventory: inv})
		}
	}
	return ops
}
