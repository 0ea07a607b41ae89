package nova

// PCIRequests returns the PCI devices that an instance asks for with flavor f.
func (s *Snapshot) PCIRequests(i *Instance, f *Flavor) ([]PCIRequest, error) {
	return s.pciRequests(i.RequestSpec(f))
}
