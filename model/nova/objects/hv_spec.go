package objects

import (
	"errors"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/versioned/object"
)

// HVSpec is one combination of processor, hypervisor and mode that a compute
// node can run.
//
// Source: nova/objects/hv_spec.py.
type HVSpec struct {
	object.Header
	Arch   object.Field[string] `field:"arch"`
	HVType object.Field[string] `field:"hv_type"`
	VMMode object.Field[string] `field:"vm_mode"`
}

// NewHVSpec returns an HVSpec with nothing set.
func NewHVSpec() *HVSpec {
	h := new(HVSpec)
	h.Arch.Of(architecture())
	h.HVType.Of(hypervisor())
	h.VMMode.Of(vmMode())
	return object.Bind(h, "HVSpec")
}

// HVSpecFromList reads the form in which the supported_instances column holds an
// HVSpec: [arch, hv_type, vm_mode].
func HVSpecFromList(list []string) (*HVSpec, error) {
	h := NewHVSpec()
	if len(list) < 3 {
		return nil, &object.ValueError{Object: "HVSpec", Field: "vm_mode", Why: errors.New("a list of arch, hv_type and vm_mode is required")}
	}
	return h, errors.Join(h.Arch.Set(list[0]), h.HVType.Set(list[1]), h.VMMode.Set(list[2]))
}

// ToList is the inverse of HVSpecFromList.
func (h *HVSpec) ToList() []string { return []string{h.Arch.Get(), h.HVType.Get(), h.VMMode.Get()} }

//nolint:gochecknoglobals // tables that nothing writes
var (
	hvSpecHistory = []object.Note{
		first(),
		{Why: "added the hypervisor vz", Lower: func(data map[string]any, _ object.Lowering) error {
			if data["hv_type"] == "vz" {
				data["hv_type"] = "parallels" // the former name of vz
			}
			return nil
		}},
		why("added the hypervisor lxd"),
	}
)

func hvSpecClass() object.Class {
	return class(NewHVSpec, "HVSpec", 1, hvSpecHistory...)
}

// architecture returns the type of processor architectures.
//
// Source: nova/virt/arch.py and nova/objects/fields.py, Architecture.
func architecture() *object.Enum[string] {
	return &object.Enum[string]{
		Values: []string{
			"alpha", "armv6", "armv7l", "armv7b", "aarch64", "cris", "i686", "ia64", "lm32", "m68k", "microblaze",
			"microblazeel", "mips", "mipsel", "mips64", "mips64el", "openrisc", "parisc", "parisc64", "ppc", "ppcle",
			"ppc64", "ppc64le", "ppcemb", "s390", "s390x", "sh4", "sh4eb", "sparc", "sparc64", "unicore32", "x86_64",
			"xtensa", "xtensaeb",
		},
		Canonical: func(name string) string {
			name = strings.ToLower(name)
			switch {
			case slices.Contains([]string{"i386", "i486", "i586", "x86_32", "x86_32p"}, name):
				return "i686"
			case name == "amd64":
				return "x86_64"
			}
			return name
		},
	}
}

// hypervisor returns the type of hypervisors as guests see them.
//
// Source: nova/objects/fields.py, HVType.
func hypervisor() *object.Enum[string] {
	return &object.Enum[string]{
		Values: []string{
			"baremetal", "bhyve", "docker", "fake", "hyperv", "ironic", "kqemu", "kvm", "lxc", "lxd", "openvz", "parallels",
			"phyp", "qemu", "test", "uml", "vbox", "vz", "vmware", "xen", "zvm", "prsm",
		},
		Canonical: func(name string) string {
			if name = strings.ToLower(name); name == "xapi" {
				return "xen"
			}
			return name
		},
	}
}

// vmMode returns the type of the interfaces between guest and host.
//
// Source: nova/objects/fields.py, VMMode.
func vmMode() *object.Enum[string] {
	return &object.Enum[string]{
		Values: []string{"hvm", "xen", "uml", "exe"},
		Canonical: func(name string) string {
			switch name = strings.ToLower(name); name {
			case "pv":
				return "xen"
			case "hv":
				return "hvm"
			case "baremetal":
				return "hvm"
			}
			return name
		},
	}
}
