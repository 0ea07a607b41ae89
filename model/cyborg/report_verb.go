package cyborg

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// ReportDevice is a card that an agent sees, and how its host reaches it. An existing
// one keeps its status; a new one is enabled.
//
// Errors: placement.ErrInvalid.
//
// Source: cyborg/conductor/manager.py, drv_device_make_diff; cyborg/objects/device.py,
// create and save.
type ReportDevice struct {
	verb
	Device      *Device
	ControlPath *ControlPath
}

// ReportDeployable is a part of a card that an agent sees, with its driver's
// description, and its new and removed attach handles.
//
// Errors: placement.ErrInUse for an attach handle to be removed that has come into use;
// placement.ErrInvalid.
//
// Source: cyborg/conductor/manager.py, drv_deployable_make_diff.
type ReportDeployable struct {
	verb
	Deployable *Deployable
	Attributes map[string]string // class and traits, all of them; nil leaves those that there are
	Handles    []*AttachHandle   // new ones
	Gone       []uuid.UUID       // attach handles
}

// RemoveDeployable removes a part of a card that is no longer there, with its
// attributes and attach handles.
//
// Errors: placement.ErrNotFound; placement.ErrInUse while an attach handle of it is in
// use.
//
// Source: cyborg/objects/driver_objects/driver_deployable.py, destroy.
type RemoveDeployable struct {
	verb
	Deployable uuid.UUID
}

// RemoveDevice removes a card that is no longer there.
//
// Errors: placement.ErrNotFound; placement.ErrInUse while it has deployables.
//
// Source: cyborg/objects/driver_objects/driver_device.py, destroy.
type RemoveDevice struct {
	verb
	Device uuid.UUID
}

func (op ReportDevice) String() string {
	return "report device " + op.ControlPath.Info + " of " + op.Device.Hostname
}

func (op ReportDeployable) String() string { return "report deployable " + op.Deployable.Name }
func (op RemoveDeployable) String() string { return "remove deployable " + op.Deployable.String() }
func (op RemoveDevice) String() string     { return "remove device " + op.Device.String() }

func (op ReportDevice) apply(e edit) error {
	own := *op.Device
	own.Status, own.Created = Enabled, versioned.Millis(e.At)
	if has, ok := e.Now.Device(own.UUID); ok {
		own.Status, own.Created = has.Status, has.Created
	}
	if err := e.Put(&own); err != nil {
		return err
	}
	return e.Put(op.ControlPath)
}

func (op ReportDeployable) apply(e edit) error {
	if err := e.Put(op.Deployable); err != nil {
		return err
	}
	for _, id := range op.Gone {
		h, ok := e.Now.AttachHandle(id)
		if !ok {
			continue
		}
		if h.InUse {
			return fmt.Errorf("attach handle %s of %s: %w", h.UUID, op.Deployable.Name, placement.ErrInUse)
		}
		if err := e.Delete(h); err != nil {
			return err
		}
	}
	for _, h := range op.Handles {
		if err := e.Put(h); err != nil {
			return err
		}
	}
	if op.Attributes == nil {
		return nil
	}
	return op.attributes(e)
}

// attributes sets the attributes of the deployable to those reported.
func (op ReportDeployable) attributes(e edit) error {
	want, deployable := maps.Clone(op.Attributes), op.Deployable.UUID
	for _, a := range slices.Collect(e.Now.AttributesOf(deployable)) {
		value, ok := want[a.Key]
		delete(want, a.Key)
		err := e.Put(&Attribute{UUID: a.UUID, Deployable: deployable, Key: a.Key, Value: value})
		if !ok {
			err = e.Delete(a)
		}
		if err != nil {
			return err
		}
	}
	for key, value := range want {
		if err := e.Put(&Attribute{UUID: named("attribute", deployable.String(), key), Deployable: deployable, Key: key, Value: value}); err != nil {
			return err
		}
	}
	return nil
}

func (op RemoveDeployable) apply(e edit) error {
	d, ok := e.Now.Deployable(op.Deployable)
	if !ok {
		return placement.NotFound("deployable", op.Deployable.String())
	}
	var handles []uuid.UUID
	for h := range e.Now.AttachHandlesOf(d.UUID) {
		handles = append(handles, h.UUID)
	}
	if err := (ReportDeployable{Deployable: d, Attributes: map[string]string{}, Gone: handles}).apply(e); err != nil {
		return err
	}
	return e.Delete(d)
}

func (op RemoveDevice) apply(e edit) error {
	d, ok := e.Now.Device(op.Device)
	if !ok {
		return placement.NotFound("device", op.Device.String())
	}
	for part := range e.Now.DeployablesOf(d.UUID) {
		return fmt.Errorf("device %s on %s has deployable %s: %w", d.UUID, d.Hostname, part.Name, placement.ErrInUse)
	}
	for _, path := range slices.Collect(e.Now.ControlPathsOf(d.UUID)) {
		if err := e.Delete(path); err != nil {
			return err
		}
	}
	return e.Delete(d)
}
