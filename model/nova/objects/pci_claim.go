package objects

import (
	"errors"
	"fmt"
	"slices"
)

// PciDeviceStatusError reports that the status of a device, or of its parent or
// a child, does not allow an action.
type PciDeviceStatusError struct {
	Action  string
	Address string // of the device whose status is in the way
	Status  PciDeviceStatus
	Want    []PciDeviceStatus
}

// Error implements error.
func (e *PciDeviceStatusError) Error() string {
	return fmt.Sprintf("%s: PCI device %s is %s, want one of %s", e.Action, e.Address, e.Status, e.Want)
}

// PciDeviceOwnerError reports that a device is held by another instance.
type PciDeviceOwnerError struct {
	Action         string
	Address        string
	Owner, Claimer string // uuids of instances; Claimer is empty where none may hold the device
}

// Error implements error.
func (e *PciDeviceOwnerError) Error() string {
	return fmt.Sprintf("%s: PCI device %s is owned by %q instead of %q", e.Action, e.Address, e.Owner, e.Claimer)
}

// parentMayBe returns the statuses of a physical function, one function of which
// is to be claimed or allocated.
func parentMayBe() []PciDeviceStatus {
	return []PciDeviceStatus{DeviceAvailable, DeviceUnclaimable, DeviceUnavailable}
}

// Claim gives d, which is available, to an instance that is about to use it. A
// physical function makes its functions unclaimable, and a function its parent.
// Nothing changes on an error: PciDeviceStatusError.
//
// Functions that are unclaimable or unavailable although their parent is
// available do not stand in the way (Launchpad bug 1969496).
func (l *PciDeviceList) Claim(d *PciDevice, instanceUUID string) error {
	if err := d.mustBe("claim", DeviceAvailable); err != nil {
		return err
	}
	changes, err := l.relatives("claim", d, DeviceUnclaimable, DeviceAvailable, DeviceUnclaimable, DeviceUnavailable)
	if err != nil {
		return err
	}
	return errors.Join(set(changes), d.Status.Set(DeviceClaimed), d.InstanceUUID.Set(instanceUUID))
}

// Allocate gives d, which is available or claimed by the instance, to it. The
// relatives of d become unavailable. Nothing changes on an error:
// PciDeviceStatusError or PciDeviceOwnerError.
func (l *PciDeviceList) Allocate(d *PciDevice, instanceUUID string) error {
	if err := d.mustBe("allocate", DeviceAvailable, DeviceClaimed); err != nil {
		return err
	}
	if owner := d.InstanceUUID.Get(); d.Status.Get() == DeviceClaimed && owner != instanceUUID {
		return &PciDeviceOwnerError{Action: "allocate", Address: d.Address.Get(), Owner: owner, Claimer: instanceUUID}
	}
	changes, err := l.relatives("allocate", d, DeviceUnavailable, DeviceAvailable, DeviceUnclaimable)
	if err != nil {
		return err
	}
	return errors.Join(set(changes), d.Status.Set(DeviceAllocated), d.InstanceUUID.Set(instanceUUID))
}

// relatives returns what becomes of the parent or the children of d, which is
// claimed or allocated: those that are to be of another status. Children must be
// of one of the given statuses.
func (l *PciDeviceList) relatives(action string, d *PciDevice, to PciDeviceStatus, childMayBe ...PciDeviceStatus) ([]statusChange, error) {
	var changes []statusChange
	for _, child := range l.children(d) {
		if err := child.mustBe(action, childMayBe...); err != nil {
			return nil, err
		}
		changes = append(changes, statusChange{child, to})
	}
	parent := l.parent(d)
	if parent == nil {
		return changes, nil
	}
	if err := parent.mustBe(action, parentMayBe()...); err != nil {
		return nil, err
	}
	if to == DeviceUnavailable || parent.Status.Get() == DeviceAvailable {
		changes = append(changes, statusChange{parent, to})
	}
	return changes, nil
}

// Free takes d back from the instance, or from whichever has it when
// instanceUUID is empty, and returns all devices that are available by that: d,
// its functions, or its parent once no function is in use. Nothing changes on an
// error: PciDeviceStatusError or PciDeviceOwnerError.
func (l *PciDeviceList) Free(d *PciDevice, instanceUUID string) ([]*PciDevice, error) {
	if err := d.mustBe("free", DeviceAllocated, DeviceClaimed); err != nil {
		return nil, err
	}
	if owner := d.InstanceUUID.Get(); instanceUUID != "" && owner != instanceUUID {
		return nil, &PciDeviceOwnerError{Action: "free", Address: d.Address.Get(), Owner: owner, Claimer: instanceUUID}
	}
	freed := l.children(d)
	if parent := l.parent(d); parent != nil && !slices.ContainsFunc(l.children(parent), func(sibling *PciDevice) bool {
		return sibling != d && sibling.Status.Get() != DeviceAvailable
	}) {
		freed = append(freed, parent)
	}
	freed = append(freed, d)
	var changes []statusChange
	for _, f := range freed {
		changes = append(changes, statusChange{f, DeviceAvailable})
	}
	return freed, errors.Join(set(changes), d.release())
}

// Remove says that d, which no instance has, is no longer found on its host.
// Errors are PciDeviceStatusError or PciDeviceOwnerError.
func (d *PciDevice) Remove() error {
	if err := d.mustBe("remove", parentMayBe()...); err != nil {
		return err
	}
	if owner, owned := d.InstanceUUID.Lookup(); owned {
		return &PciDeviceOwnerError{Action: "remove", Address: d.Address.Get(), Owner: owner}
	}
	return errors.Join(d.Status.Set(DeviceRemoved), d.release())
}

// Delete says that the row of d, which was removed, is gone. The error is
// PciDeviceStatusError.
func (d *PciDevice) Delete() error {
	if err := d.mustBe("delete", DeviceRemoved); err != nil {
		return err
	}
	return d.Status.Set(DeviceDeleted)
}

// release forgets which instance had d, and why.
func (d *PciDevice) release() error {
	return errors.Join(d.InstanceUUID.SetNull(), d.RequestID.SetNull())
}

func (d *PciDevice) mustBe(action string, want ...PciDeviceStatus) error {
	if status := d.Status.Get(); !slices.Contains(want, status) {
		return &PciDeviceStatusError{Action: action, Address: d.Address.Get(), Status: status, Want: want}
	}
	return nil
}

// statusChange is a device and the status that it is to have.
type statusChange struct {
	device *PciDevice
	to     PciDeviceStatus
}

func set(changes []statusChange) error {
	for _, c := range changes {
		if err := c.device.Status.Set(c.to); err != nil {
			return err
		}
	}
	return nil
}

// gone reports whether d is no longer found on its host. Such a device is no
// relative of another: it must not come back because that one is freed.
func (d *PciDevice) gone() bool {
	return d.Status.Get() == DeviceRemoved || d.Status.Get() == DeviceDeleted
}

// children returns the functions of a physical function.
func (l *PciDeviceList) children(d *PciDevice) []*PciDevice {
	if d.DevType.Get() != PF {
		return nil
	}
	return slices.DeleteFunc(l.All(), func(c *PciDevice) bool {
		return c == d || c.gone() || c.ParentAddr.Get() != d.Address.Get()
	})
}

// parent returns the physical function of a function, nil where it is not known.
func (l *PciDeviceList) parent(d *PciDevice) *PciDevice {
	address, ok := d.ParentAddr.Lookup()
	if t := d.DevType.Get(); !ok || t != VF && t != VDPA {
		return nil
	}
	for _, p := range l.All() {
		if p.DevType.Get() == PF && p.Address.Get() == address && !p.gone() {
			return p
		}
	}
	return nil
}
