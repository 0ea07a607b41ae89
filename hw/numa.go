package hw

import "context"

// numa uses sysfs.
func (p *prober) numa(ctx context.Context) (part, gaps) {
	nodes, at := p.tree.NUMANodes(ctx)
	return func(h *Host) { h.NUMA = nodes }, at
}

// pci gets the devices from sysfs, and their names from the machine's database.
func (p *prober) pci(ctx context.Context) (part, gaps) {
	found, at := p.tree.PCIDevices(ctx)
	names, more := p.pciNames(found)
	devices := make([]PCIDevice, len(found))
	for i, d := range found {
		vendor, device := names.of(d.Vendor, d.Device)
		devices[i] = PCIDevice{PCIDevice: d, VendorName: vendor, DeviceName: device}
	}
	return func(h *Host) { h.PCI = devices }, append(at, more...)
}

// mediated uses sysfs.
func (p *prober) mediated(ctx context.Context) (part, gaps) {
	m, at := p.tree.Mediated(ctx)
	return func(h *Host) { h.Mediated = m }, at
}
