package audit

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

// endsLikePCI reports whether a name may end in a PCI address, without a look at
// the name of the root.
func endsLikePCI(name string) bool {
	n := len(name)
	return n > 2 && (name[n-2] == '.' || name[n-2] == '_')
}
