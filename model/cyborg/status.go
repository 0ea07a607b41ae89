package cyborg

import (
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
)

// SetDeviceStatus returns what disabling and enabling a device writes: of a device
// in maintenance all inventory is reserved, so that nothing new lands on it and what
// is there stays; enabled, nothing is. What is as it should be is not written.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid for another status.
//
// Source: cyborg/api/controllers/v2/devices.py, enable and disable;
// cyborg/common/placement_client.py, update_rp_inventory_reserved (microversion 1.26).
func SetDeviceStatus(s *Snapshot, p *placement.Snapshot, device uuid.UUID, status DeviceStatus) (PutRecords, []placement.Op, error) {
	if status != Enabled && status != Maintaining {
		return PutRecords{}, nil, invalid("status", string(status), "must be enabled or maintaining")
	}
	d, ok := s.Device(device)
	if !ok {
		return PutRecords{}, nil, &placement.NotFoundError{What: "device", Name: device.String()}
	}
	var c PutRecords
	if d.Status != status {
		c.Put(s, d.Edit(func(d *Device) { d.Status = status }))
	}
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
		if status == Maintaining {
			inv.Reserved = inv.Total
		}
		if inv != iu.Inventory {
			ops = append(ops, placement.SetInventory{Provider: rp.ID(), Generation: placement.Generation(rp.Generation()), Class: class, Inventory: inv})
		}
	}
	return c, ops, nil
}
