package cyborg

import "strings"

// pciAddress is the address of a PCI function: its domain, bus, device and
// function, each as lower-case hexadecimal digits.
type pciAddress [4]string

// String returns the usual form, 0000:af:00.0.
func (a pciAddress) String() string { return a[0] + ":" + a[1] + ":" + a[2] + "." + a[3] }

// parsePCIAddress reads an address whose parts stand apart by the three
// separators, in either case, and returns false for anything else.
func parsePCIAddress(text, separators string) (a pciAddress, ok bool) {
	rest := strings.ToLower(text)
	for i := range 3 {
		if a[i], rest, ok = strings.Cut(rest, separators[i:i+1]); !ok {
			return pciAddress{}, false
		}
	}
	a[3] = rest
	for i, digits := range [4][2]int{{4, 8}, {2, 2}, {2, 2}, {1, 1}} {
		if !isHex(a[i], digits[0], digits[1]) {
			return pciAddress{}, false
		}
	}
	return a, true
}

// PCIAddress returns the PCI address that the name of a provider stands for,
// as "dddd:bb:dd.f" in lower case, and false where it stands for none. The three
// services write it in three ways below the root provider "host":
//
//	host_pci_0000_84_00_0   Nova, a pGPU with VGPU inventory
//	host_0000:AF:00.0       Nova, PCI in Placement
//	host_0000:af:00.0       Cyborg
//
// Source: nova/virt/libvirt/driver.py, _update_provider_tree_for_vgpu;
// nova/compute/pci_placement_translator.py, _get_rp_name_for_address;
// cyborg/accelerator/drivers/gpu/utils.py.
func PCIAddress(root, name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, root+"_")
	if !ok {
		return "", false
	}
	separators := "::."
	if r, libvirt := strings.CutPrefix(rest, "pci_"); libvirt {
		rest, separators = r, "___"
	}
	a, ok := parsePCIAddress(rest, separators)
	if !ok {
		return "", false
	}
	return a.String(), true
}

// isHex reports whether s is from least to most lower-case hexadecimal digits.
func isHex(s string, least, most int) bool {
	if len(s) < least || len(s) > most {
		return false
	}
	for _, c := range []byte(s) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}
