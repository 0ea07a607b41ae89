package survey

import "github.com/placetop/placetop/model/placement"

// ClassFlags holds one flag for each resource class of a cloud.
type ClassFlags struct {
	standard [64]bool
	custom   map[placement.ClassID]bool
}

// AcceleratorClasses flags the accelerator classes that s knows.
func AcceleratorClasses(s *placement.Snapshot) ClassFlags {
	f := ClassFlags{custom: map[placement.ClassID]bool{}}
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

// Has reports whether the flag of class c is set.
func (f *ClassFlags) Has(c placement.ClassID) bool {
	if c >= 0 && int(c) < len(f.standard) {
		return f.standard[c]
	}
	return f.custom[c]
}

// Any returns the first class of p whose flag is set.
func (f *ClassFlags) Any(p *placement.ResourceProvider) (placement.InventoryUsage, bool) {
	for _, iu := range p.Inventories() {
		if f.Has(iu.Class) {
			return iu, true
		}
	}
	return placement.InventoryUsage{}, false
}
