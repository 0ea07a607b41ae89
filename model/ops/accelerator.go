package ops

import (
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// pciClassPrefix starts the classes that Nova makes of PCI vendor and product
// ids; without its last letter it is the class of Cyborg's generic PCI driver.
//
// Source: nova/compute/pci_placement_translator.py, _get_rc_for_dev;
// cyborg/accelerator/drivers/pci/utils.py.
const pciClassPrefix = "CUSTOM_PCI_"

// IsAccelerator reports whether providers of class c are devices that either
// Nova or Cyborg hands out, so that each must have exactly one owner: VGPU, PGPU,
// FPGA and PCI devices by vendor and product.
func IsAccelerator(c placement.ResourceClass) bool {
	switch c {
	case placement.VGPU, placement.PGPU, placement.FPGA:
		return true
	default:
		return strings.HasPrefix(string(c)+"_", pciClassPrefix)
	}
}

// classFlags holds one flag for each resource class of a cloud.
type classFlags struct {
	standard [64]bool
	custom   map[placement.ClassID]bool
}

// acceleratorClasses flags the accelerator classes that s knows.
func acceleratorClasses(s *placement.Snapshot) classFlags {
	f := classFlags{custom: map[placement.ClassID]bool{}}
	for id, name := range s.Classes() {
		switch {
		case !IsAccelerator(name):
		case int(id) < len(f.standard):
			f.standard[id] = true
		default:
			f.custom[id] = true
		}
	}
	return f
}

// has reports whether the flag of class c is set.
func (f *classFlags) has(c placement.ClassID) bool {
	if c >= 0 && int(c) < len(f.standard) {
		return f.standard[c]
	}
	return f.custom[c]
}

// any returns the first class of p whose flag is set.
func (f *classFlags) any(p *placement.ResourceProvider) (placement.InventoryUsage, bool) {
	for _, iu := range p.Inventories() {
		if f.has(iu.Class) {
			return iu, true
		}
	}
	return placement.InventoryUsage{}, false
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
	seps := "::."
	if r, libvirt := strings.CutPrefix(rest, "pci_"); libvirt {
		rest, seps = r, "___"
	}
	rest = strings.ToLower(rest)
	parts := [4]string{}
	for i := range 3 {
		if parts[i], rest, ok = strings.Cut(rest, seps[i:i+1]); !ok {
			return "", false
		}
	}
	parts[3] = rest
	for i, digits := range [4][2]int{{4, 8}, {2, 2}, {2, 2}, {1, 1}} {
		if !isHex(parts[i], digits[0], digits[1]) {
			return "", false
		}
	}
	return parts[0] + ":" + parts[1] + ":" + parts[2] + "." + parts[3], true
}

// endsLikePCI reports whether a name may end in a PCI address, without a look at
// the name of the root.
func endsLikePCI(name string) bool {
	n := len(name)
	return n > 2 && (name[n-2] == '.' || name[n-2] == '_')
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
