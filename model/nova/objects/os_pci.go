package objects

// OSPCIDevice is a device as GET /os-pci lists it.
//
// Source: nova/api/openstack/compute/pci.py of 2015, and doc/api_samples/os-pci.
type OSPCIDevice struct {
	ID            *int64 `json:"id"` // of its row; nil if the object did not say it
	Address       string `json:"address"`
	ComputeNodeID *int64 `json:"compute_node_id"`
	ProductID     string `json:"product_id"`
	VendorID      string `json:"vendor_id"`
	Status        string `json:"status"`
}

// OSPCIDeviceDetail is a device as GET /os-pci/{id} shows it.
type OSPCIDeviceDetail struct {
	OSPCIDevice
	DevID      *string           `json:"dev_id"`
	DevType    string            `json:"dev_type"`
	Label      *string           `json:"label"`
	ExtraInfo  map[string]string `json:"extra_info"`
	ServerUUID *string           `json:"server_uuid"`
}

// OSPCIShow is the body of GET /os-pci/{id}.
type OSPCIShow struct {
	PciDevice OSPCIDeviceDetail `json:"pci_device"`
}

// OSPCIShowOf returns the body of GET /os-pci/{id} for a device.
func OSPCIShowOf(d *PciDevice) OSPCIShow {
	info, ok := d.ExtraInfo.Lookup()
	if !ok {
		info = map[string]string{}
	}
	return OSPCIShow{PciDevice: OSPCIDeviceDetail{
		OSPCIDevice: osPCIDevice(d),
		DevID:       optional(d.DevID.Lookup()),
		DevType:     string(d.DevType.Get()),
		Label:       optional(d.Label.Lookup()),
		ExtraInfo:   info,
		ServerUUID:  optional(d.InstanceUUID.Lookup()),
	}}
}

func osPCIDevice(d *PciDevice) OSPCIDevice {
	return OSPCIDevice{
		ID: optional(d.ID.Lookup()), Address: d.Address.Get(), ComputeNodeID: optional(d.ComputeNodeID.Lookup()),
		ProductID: d.ProductID.Get(), VendorID: d.VendorID.Get(), Status: string(d.Status.Get()),
	}
}

// optional returns a pointer to v, or nil if it is not set.
func optional[T any](v T, ok bool) *T {
	if !ok {
		return nil
	}
	return &v
}
