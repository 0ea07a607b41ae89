package pci

import "strings"

// OfProvider returns the PCI function of a provider, from its name below the root
// provider, and whether the name is libvirt's; ok is false if it has none. The services
// write the address in three ways:
//
//	host_pci_0000_84_00_0   Nova, a card with mediated devices: libvirt's name
//	host_0000:AF:00.0       Nova, a passed-through device
//	host_0000:af:00.0       Cyborg
//
// The last two are the same if the address has no letters.
//
// Source: nova/virt/libvirt/driver.py, _update_provider_tree_for_vgpu;
// nova/compute/pci_placement_translator.py, _get_rp_name_for_address;
// cyborg/accelerator/drivers/gpu/utils.py.
func OfProvider(root, name string) (a Address, libvirt, ok bool) {
	suffix, below := strings.CutPrefix(name, root+"_")
	if !below {
		return Address{}, false, false
	}
	if strings.HasPrefix(suffix, nodeDevicePrefix) {
		a, err := ParseNodeDevice(suffix)
		return a, err == nil, err == nil
	}
	a, err := ParseAddress(suffix)
	return a, false, err == nil
}
