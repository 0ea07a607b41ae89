package objects

// OSPCIDevice is a device as GET /os-pci lists it.
//
// Source: nova/api/openstack/compute/pci.py of 2015, and doc/api_samples/os-pci.
type OSPCIDevice struct {
	ID            *int64 `json:"id"` // of its row, where an object said it
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

// OSPCIList is the body of GET /os-pci.
type OSPCIList struct {
	PciDevices []OSPCIDevice `json:"pci_devices"`
}

// OSPCIShow is the body of GET /os-pci/{id}.
type OSPCIShow struct {
	PciDevice OSPCIDeviceDetail `json:"pci_device"`
}

// OSPCIHypervisor is what os-pci adds to a hypervisor.
type OSPCIHypervisor struct {
	// PciStats are flat pools: tags stand beside the fields.
	PciStats []map[string]any `json:"os-pci:pci_stats"`
}

// OSPCIServer is what os-pci adds to a server.
type OSPCIServer struct {
	PciDevices []OSPCIServerDevice `json:"os-pci:pci_devices"`
}

// OSPCIServerDevice is a device of a server.
type OSPCIServerDevice struct {
	ID int64 `json:"id"`
}

// OSPCIListOf returns the body of GET /os-pci for devices.
func OSPCIListOf(devices *PciDeviceList) OSPCIList {
	body := OSPCIList{PciDevices: []OSPCIDevice{}}
	for _, d := range devices.All() {
		body.PciDevices = append(body.PciDevices, osPCIDevice(d))
	}
	return body
}

// OSPCIShowOf returns the body of GET /os-pci/{id} for a device.
func OSPCIShowOf(d *PciDevice) OSPCIShow {
	return OSPCIShow{PciDevice: OSPCIDeviceDetail{
		OSPCIDevice: osPCIDevice(d),
		DevID:       optional(d.DevID.Lookup()),
		DevType:     string(d.DevType.Get()),
		Label:       optional(d.Label.Lookup()),
		ExtraInfo:   d.ExtraInfo.Get(),
		ServerUUID:  optional(d.InstanceUUID.Lookup()),
	}}
}

// OSPCIHypervisorOf returns what os-pci adds to the hypervisor of a compute node.
// A node without pools has none.
func OSPCIHypervisorOf(node *ComputeNode) OSPCIHypervisor {
	body := OSPCIHypervisor{PciStats: []map[string]any{}}
	if pools, ok := node.PciDevicePools.Lookup(); ok {
		for _, p := range pools.All() {
			body.PciStats = append(body.PciStats, p.ToDict())
		}
	}
	return body
}

// OSPCIServerOf returns what os-pci adds to a server. An instance without devices
// has none.
func OSPCIServerOf(instance *Instance) OSPCIServer {
	body := OSPCIServer{PciDevices: []OSPCIServerDevice{}}
	if devices, ok := instance.PciDevices.Lookup(); ok {
		for _, d := range devices.All() {
			body.PciDevices = append(body.PciDevices, OSPCIServerDevice{ID: d.ID.Get()})
		}
	}
	return body
}

func osPCIDevice(d *PciDevice) OSPCIDevice {
	return OSPCIDevice{
		ID: optional(d.ID.Lookup()), Address: d.Address.Get(), ComputeNodeID: optional(d.ComputeNodeID.Lookup()),
		ProductID: d.ProductID.Get(), VendorID: d.VendorID.Get(), Status: string(d.Status.Get()),
	}
}

// optional returns nil for what is not there.
func optional[T any](v T, ok bool) *T {
	if !ok {
		return nil
	}
	return &v
}
