package audit

import "github.com/placetop/placetop/model/placement"

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
		case !name.IsAccelerator():
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
