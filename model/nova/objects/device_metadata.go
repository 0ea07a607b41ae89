package objects

import (
	"regexp"
	"strings"
	"sync"

	"github.com/placetop/placetop/model/versioned/object"
)

// InstanceDeviceMetadata is what the guest of an instance can read about its tagged
// devices.
//
// Source: nova/objects/virt_device_metadata.py.
type InstanceDeviceMetadata struct {
	object.Header
	// Devices are DeviceMetadata, NetworkInterfaceMetadata or DiskMetadata.
	Devices object.Field[[]object.Object] `field:"devices"`
}

// NewInstanceDeviceMetadata returns an InstanceDeviceMetadata with nothing set.
func NewInstanceDeviceMetadata() *InstanceDeviceMetadata {
	m := new(InstanceDeviceMetadata)
	m.Devices.Of(object.ListOf[object.Object]("DeviceMetadata", "NetworkInterfaceMetadata", "DiskMetadata"))
	return object.Bind(m, "InstanceDeviceMetadata")
}

// DeviceMetadata is what a guest can read about a device.
//
// Source: nova/objects/virt_device_metadata.py.
type DeviceMetadata struct {
	object.Header
	Bus  object.Field[object.Object] `field:"bus"` // a DeviceBus or one of the buses
	Tags object.Field[[]string]      `field:"tags"`
}

// NewDeviceMetadata returns a DeviceMetadata with nothing set.
func NewDeviceMetadata() *DeviceMetadata {
	m := new(DeviceMetadata)
	m.onABus()
	return object.Bind(m, "DeviceMetadata")
}

// onABus sets the classes that the bus may have.
func (m *DeviceMetadata) onABus() {
	m.Bus.Of(object.Instance[object.Object]("DeviceBus", "PCIDeviceBus", "USBDeviceBus", "SCSIDeviceBus", "IDEDeviceBus", "XenDeviceBus"))
}

// NetworkInterfaceMetadata is what a guest can read about a network interface.
//
// Source: nova/objects/virt_device_metadata.py.
type NetworkInterfaceMetadata struct {
	DeviceMetadata
	MAC       object.Field[string] `field:"mac"`
	VLAN      object.Field[int64]  `field:"vlan"`
	VFTrusted object.Field[bool]   `field:"vf_trusted,default=false"`
}

// NewNetworkInterfaceMetadata returns a NetworkInterfaceMetadata with nothing
// set.
func NewNetworkInterfaceMetadata() *NetworkInterfaceMetadata {
	m := new(NetworkInterfaceMetadata)
	m.onABus()
	m.MAC.Of(macAddress())
	return object.Bind(m, "NetworkInterfaceMetadata")
}

func macAddress() *object.Pattern {
	t := pattern("MACAddress", `[0-9a-f]{2}(:[0-9a-f]{2}){5}`)
	t.Fold = func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", ":") }
	return t
}

// pattern returns the type of texts that match a regular expression in full.
func pattern(name, expression string) *object.Pattern {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:" + expression + ")$") }) // few programs need it
	return &object.Pattern{Name: name, Match: func(text string) bool { return compiled().MatchString(text) }}
}

// DiskMetadata is what a guest can read about a disk.
//
// Source: nova/objects/virt_device_metadata.py.
type DiskMetadata struct {
	DeviceMetadata
	Serial object.Field[string] `field:"serial,null"`
	Path   object.Field[string] `field:"path,null"`
}

// NewDiskMetadata returns a DiskMetadata with nothing set.
func NewDiskMetadata() *DiskMetadata {
	m := new(DiskMetadata)
	m.onABus()
	return object.Bind(m, "DiskMetadata")
}

// DeviceBus is a bus without an address.
//
// Source: nova/objects/virt_device_metadata.py.
type DeviceBus struct{ object.Header }

// AddressedBus is the bus and address at which a device is plugged in. Its class is
// that of the bus.
//
// Source: nova/objects/virt_device_metadata.py.
type AddressedBus struct {
	object.Header
	Address object.Field[string] `field:"address"`
}

// NewPCIDeviceBus returns the place of a PCI device, with nothing set.
func NewPCIDeviceBus() *AddressedBus {
	t := pattern("PCIAddress", `[0-9a-f]{4}:[0-9a-f]{2}:[0-1][0-9a-f].[0-7]`)
	t.Fold = strings.ToLower
	return newBus("PCIDeviceBus", t)
}

// NewUSBDeviceBus returns the place of a USB device, with nothing set.
func NewUSBDeviceBus() *AddressedBus {
	return newBus("USBDeviceBus", pattern("USBAddress", `[a-f0-9]+:[a-f0-9]+`))
}

// NewSCSIDeviceBus returns the place of a SCSI device, with nothing set.
func NewSCSIDeviceBus() *AddressedBus {
	return newBus("SCSIDeviceBus", pattern("SCSIAddress", `[a-f0-9]+:[a-f0-9]+:[a-f0-9]+:[a-f0-9]+`))
}

// NewIDEDeviceBus returns the place of an IDE device, with nothing set.
func NewIDEDeviceBus() *AddressedBus {
	return newBus("IDEDeviceBus", pattern("IDEAddress", `[0-1]:[0-1]`))
}

// NewXenDeviceBus returns the place of a Xen device, with nothing set.
func NewXenDeviceBus() *AddressedBus {
	return newBus("XenDeviceBus", pattern("XenAddress", `(00[0-9]{2}00)|[1-9][0-9]+`))
}

func newBus(class string, address *object.Pattern) *AddressedBus {
	b := new(AddressedBus)
	b.Address.Of(address)
	return object.Bind(b, class)
}

//nolint:gochecknoglobals // tables that nothing writes
var (
	networkInterfaceMetadataHistory = []object.Note{
		first(),
		adds("vlan"),
		adds("vf_trusted"),
	}
)

func deviceMetadataClasses() []object.Class {
	return []object.Class{
		class(NewInstanceDeviceMetadata, "InstanceDeviceMetadata", 1, initial...),
		class(NewDeviceMetadata, "DeviceMetadata", 1, initial...),
		class(NewNetworkInterfaceMetadata, "NetworkInterfaceMetadata", 1, networkInterfaceMetadataHistory...),
		class(NewDiskMetadata, "DiskMetadata", 1, initial...),
		plain[*DeviceBus](1, initial...),
		class(NewPCIDeviceBus, "PCIDeviceBus", 1, initial...),
		class(NewUSBDeviceBus, "USBDeviceBus", 1, initial...),
		class(NewSCSIDeviceBus, "SCSIDeviceBus", 1, initial...),
		class(NewIDEDeviceBus, "IDEDeviceBus", 1, initial...),
		class(NewXenDeviceBus, "XenDeviceBus", 1, initial...),
	}
}
