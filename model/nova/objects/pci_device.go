package objects

import (
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned/object"
)

// PciDeviceType is what kind of function a PCI device is.
type PciDeviceType string

// The types of PCI devices.
const (
	PCI  PciDeviceType = "type-PCI"
	PF   PciDeviceType = "type-PF" // physical function
	VF   PciDeviceType = "type-VF" // virtual function, of the PF at its ParentAddr
	VDPA PciDeviceType = "vdpa"    // vDPA function, also of the PF at its ParentAddr
)

// PciDeviceStatus is whether a PCI device may be used.
type PciDeviceStatus string

// The statuses of PCI devices.
const (
	DeviceAvailable   PciDeviceStatus = "available"
	DeviceClaimed     PciDeviceStatus = "claimed"     // an instance is about to get it
	DeviceAllocated   PciDeviceStatus = "allocated"   // an instance has it
	DeviceRemoved     PciDeviceStatus = "removed"     // no longer found on the host
	DeviceDeleted     PciDeviceStatus = "deleted"     // as DeviceRemoved, and its row is gone
	DeviceUnclaimable PciDeviceStatus = "unclaimable" // its parent or a child is claimed
	DeviceUnavailable PciDeviceStatus = "unavailable" // its parent or a child is allocated
)

// Next returns the statuses that a device of status s may have next.
//
// Source: nova/objects/pci_device.py.
func (s PciDeviceStatus) Next() []PciDeviceStatus {
	switch s {
	case DeviceAvailable:
		return []PciDeviceStatus{DeviceClaimed, DeviceAllocated, DeviceUnclaimable, DeviceUnavailable, DeviceRemoved}
	case DeviceClaimed:
		return []PciDeviceStatus{DeviceAllocated, DeviceAvailable}
	case DeviceAllocated:
		return []PciDeviceStatus{DeviceAvailable}
	case DeviceUnclaimable:
		return []PciDeviceStatus{DeviceUnavailable, DeviceAvailable, DeviceRemoved}
	case DeviceUnavailable:
		return []PciDeviceStatus{DeviceUnclaimable, DeviceAvailable, DeviceRemoved}
	case DeviceRemoved:
		return []PciDeviceStatus{DeviceDeleted}
	default:
		return nil
	}
}

// PciDevice is a PCI device of a compute node that instances may have.
//
// Source: nova/objects/pci_device.py.
type PciDevice struct {
	object.Header
	object.Persistent
	ID            object.Field[int64]             `field:"id"`
	UUID          object.Field[uuid.UUID]         `field:"uuid"`
	ComputeNodeID object.Field[int64]             `field:"compute_node_id,null"`
	Address       object.Field[string]            `field:"address"`    // such as 0000:84:00.0
	VendorID      object.Field[string]            `field:"vendor_id"`  // four hexadecimal digits in lower case
	ProductID     object.Field[string]            `field:"product_id"` // four hexadecimal digits in lower case
	DevType       object.Field[PciDeviceType]     `field:"dev_type"`
	Status        object.Field[PciDeviceStatus]   `field:"status"`
	DevID         object.Field[string]            `field:"dev_id,null"` // of the hypervisor, such as pci_0000_84_00_0
	Label         object.Field[string]            `field:"label,null"`
	InstanceUUID  object.Field[string]            `field:"instance_uuid,null"`
	RequestID     object.Field[string]            `field:"request_id,null"`
	ExtraInfo     object.Field[map[string]string] `field:"extra_info,default={}"`
	NUMANode      object.Field[int64]             `field:"numa_node,null"`
	ParentAddr    object.Field[string]            `field:"parent_addr,null"`
}

// NewPciDevice returns a PciDevice with nothing set.
func NewPciDevice() *PciDevice {
	d := new(PciDevice)
	d.DevType.Of(object.OneOf(PCI, PF, VF, VDPA))
	d.Status.Of(object.OneOf(DeviceAvailable, DeviceClaimed, DeviceAllocated, DeviceRemoved, DeviceDeleted, DeviceUnavailable, DeviceUnclaimable))
	return object.Bind(d, "PciDevice")
}

// PciDeviceList is a list of PCI devices: those of one compute node, where their
// statuses are changed.
type PciDeviceList struct{ object.Sequence[*PciDevice] }

// NewPciDeviceList returns an empty list.
func NewPciDeviceList() *PciDeviceList { return object.MakeList[PciDeviceList]() }

// CountForInstance returns how much PCI_DEVICE an instance has: its allocated
// devices of type PCI. Functions of SR-IOV devices do not count.
func (l *PciDeviceList) CountForInstance(instanceUUID string) int64 {
	var count int64
	for _, d := range l.All() {
		if d.Status.Get() == DeviceAllocated && d.DevType.Get() == PCI && d.InstanceUUID.Get() == instanceUUID {
			count++
		}
	}
	return count
}

//nolint:gochecknoglobals // tables that nothing writes
var (
	pciDeviceHistory = []object.Note{
		first(),
		unicode(),
		adds("request_id"),
		adds("numa_node"),
		{Why: "added fields", Adds: []string{"parent_addr"}, Lower: moveParentAddr},
		{Why: "added the statuses unclaimable and unavailable", Lower: refuseWords("status", DeviceUnclaimable, DeviceUnavailable)},
		adds("uuid"),
		{Why: "added the type vdpa", Lower: refuseWords("dev_type", VDPA)},
	}
	pciDeviceListHistory = []object.Note{
		pins("PciDevice", "1.1"),
		pins("PciDevice", "1.2"),
		pins("PciDevice", "1.3"),
		why("added get_by_parent_address"),
	}
)

func pciDeviceClasses() []object.Class {
	return []object.Class{
		class(NewPciDevice, "PciDevice", 1, pciDeviceHistory...),
		list[*PciDeviceList](1, pciDeviceListHistory...),
	}
}

// moveParentAddr puts the address of the parent where readers before 1.4 look.
func moveParentAddr(data map[string]any, _ object.Lowering) error {
	parent, ok := data["parent_addr"].(string)
	if !ok {
		return nil
	}
	extra, ok := data["extra_info"].(map[string]any)
	if !ok {
		extra = map[string]any{}
		data["extra_info"] = extra
	}
	extra["phys_function"] = parent
	return nil
}

// refuseWords refuses to lower an object whose field has a word that older readers do not
// know.
func refuseWords[T ~string](field string, words ...T) func(map[string]any, object.Lowering) error {
	return func(data map[string]any, l object.Lowering) error {
		if word, ok := data[field].(string); ok && slices.Contains(words, T(word)) {
			return l.Refuse(field, word)
		}
		return nil
	}
}
