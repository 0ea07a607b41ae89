package sysfs

import "strings"

// VFIOVGPU is the nvidia folder of a virtual function: where recent NVIDIA drivers
// show and set vGPU types if the kernel has no mediated devices.
//
// Source: NVIDIA Virtual GPU Software User Guide, "Creating an NVIDIA vGPU on a
// Linux with KVM Hypervisor That Uses a Vendor-Specific VFIO Framework".
type VFIOVGPU struct {
	// Creatable are the types that a vGPU of this VF can have now. The list shrinks,
	// even to nothing, as other VFs of the card get their types.
	Creatable []VGPUType // nvidia/creatable_vgpu_types
	// Current is the id of the type in use, 0 where the VF has no vGPU, and -1
	// where that could not be read.
	Current int // nvidia/current_vgpu_type
}

// VGPUType is one type of vGPU of the vendor-specific VFIO framework.
type VGPUType struct {
	ID   int
	Name string // such as "NVIDIA H200X-141C"
}

// ParseVGPUTypes reads creatable_vgpu_types: lines of "ID : name", after an optional
// line of headings. The error is about the first bad line and matches ErrSyntax; the
// good lines are still returned.
func ParseVGPUTypes(text string) ([]VGPUType, error) {
	var (
		types []VGPUType
		bad   error
	)
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		id, name, ok := strings.Cut(line, ":")
		n, err := parseInt(id)
		name = strings.TrimSpace(name)
		switch {
		case ok && err == nil && n > 0 && name != "":
			types = append(types, VGPUType{n, name})
		case i == 0 && ok && strings.EqualFold(strings.TrimSpace(id), "id"):
			// headings
		case bad == nil:
			bad = syntaxError(line, "a vGPU type such as 1428 : NVIDIA H200X-141C")
		}
	}
	return types, bad
}

// vfioVGPU reads the nvidia folder of a VF; nil if it has none.
func (s *scan) vfioVGPU(device folder) *VFIOVGPU {
	if !device.has("nvidia") {
		return nil
	}
	dir, ok := s.list(device.path("nvidia"), "vGPU types")
	if !ok || !dir.has("current_vgpu_type") && !dir.has("creatable_vgpu_types") {
		return nil
	}
	v := &VFIOVGPU{Current: s.number(dir, "current_vgpu_type", "vGPU type in use", -1)}
	if text, ok := s.text(dir, "creatable_vgpu_types", "creatable vGPU types"); ok {
		types, err := ParseVGPUTypes(text)
		if err != nil {
			s.gap(dir.path("creatable_vgpu_types"), "creatable vGPU types", err)
		}
		v.Creatable = types
	}
	return v
}
