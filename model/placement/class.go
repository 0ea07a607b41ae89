package placement

import "strings"

// ResourceClass is the name of a kind of resource, such as VCPU or
// CUSTOM_FPGA_X1. Amounts are whole units of the class: MEMORY_MB counts MiB,
// DISK_GB counts GiB.
type ResourceClass string

// ClassID is the number of a resource class: its position in the standard list,
// or CustomID and above for a custom class. Numbers are stable within a cloud.
type ClassID int32

// CustomID is the first number of custom classes and traits.
//
// Source: placement/objects/resource_class.py, _MIN_CUSTOM_RESOURCE_CLASS_ID.
const CustomID = 10000

// Resource classes that this program refers to by name.
const (
	VCPU                 ResourceClass = "VCPU"
	MemoryMB             ResourceClass = "MEMORY_MB"
	DiskGB               ResourceClass = "DISK_GB"
	PCIDevice            ResourceClass = "PCI_DEVICE"
	VGPU                 ResourceClass = "VGPU"
	PCPU                 ResourceClass = "PCPU"
	MemEncryptionContext ResourceClass = "MEM_ENCRYPTION_CONTEXT"
	FPGA                 ResourceClass = "FPGA"
	PGPU                 ResourceClass = "PGPU"
)

// StandardClasses returns the standard resource classes; the index of each is
// its ClassID. The list is append-only: stored numbers depend on it. The slice is
// shared and must not be changed.
//
// Source: os-resource-classes, os_resource_classes/__init__.py, STANDARDS.
func StandardClasses() []ResourceClass { return standardClassList[:] }

//nolint:gochecknoglobals // an immutable table
var standardClassList = [...]ResourceClass{
	VCPU, MemoryMB, DiskGB, PCIDevice, "SRIOV_NET_VF", "NUMA_SOCKET", "NUMA_CORE", "NUMA_THREAD",
	"NUMA_MEMORY_MB", "IPV4_ADDRESS", VGPU, "VGPU_DISPLAY_HEAD", "NET_BW_EGR_KILOBIT_PER_SEC",
	"NET_BW_IGR_KILOBIT_PER_SEC", PCPU, MemEncryptionContext, FPGA, PGPU,
	"NET_PACKET_RATE_KILOPACKET_PER_SEC", "NET_PACKET_RATE_EGR_KILOPACKET_PER_SEC",
	"NET_PACKET_RATE_IGR_KILOPACKET_PER_SEC",
}

// customPrefix starts every name that users may create.
const customPrefix = "CUSTOM_"

// maxNameLength is the longest name of a class, a trait or a consumer type, in
// characters.
const maxNameLength = 255

// IsCustom reports whether c is a custom class.
func (c ResourceClass) IsCustom() bool { return strings.HasPrefix(string(c), customPrefix) }

// pciClassPrefix starts the classes that Nova makes of PCI vendor and product
// ids; without its last letter it is the class of Cyborg's generic PCI driver.
//
// Source: nova/compute/pci_placement_translator.py, _get_rc_for_dev;
// cyborg/accelerator/drivers/pci/utils.py.
const pciClassPrefix = "CUSTOM_PCI_"

// IsAccelerator reports whether providers of class c are devices that either
// Nova or Cyborg hands out, so that each must have exactly one owner: VGPU, PGPU,
// FPGA and PCI devices by vendor and product.
func (c ResourceClass) IsAccelerator() bool {
	switch c {
	case VGPU, PGPU, FPGA:
		return true
	default:
		return strings.HasPrefix(string(c)+"_", pciClassPrefix)
	}
}

// MayBeDevice reports whether units of class c may be devices: it is that of an accelerator, or one
// that somebody made up, such as CUSTOM_NIC of Cyborg's or that of a type of mediated devices.
func (c ResourceClass) MayBeDevice() bool { return c.IsAccelerator() || c.IsCustom() }

// MayBeOfPort reports whether ports may ask for class c, which only Neutron knows.
//
// Source: nova/network/neutron.py, _get_port_resource_request; os_resource_classes.
func (c ResourceClass) MayBeOfPort() bool { return strings.HasPrefix(string(c), "NET_") }

// Validate returns an error that matches ErrInvalid unless c is made of the
// letters A to Z, digits and "_", 1 to 255 of them.
//
// Source: placement/schemas/common.py, RC_PATTERN.
func (c ResourceClass) Validate() error { return validName("resource class", string(c)) }

// NormalizeClass makes a custom class name of free text: each run of characters other
// than digits and the letters A to Z, in either case, becomes one "_", letters become
// upper case, and CUSTOM_ is added in front if it is missing. "nvidia-35" becomes
// CUSTOM_NVIDIA_35. The result may be too long.
//
// Source: os_resource_classes/__init__.py, normalize_name, which puts a second
// CUSTOM_ before the first.
func NormalizeClass(text string) ResourceClass { return ResourceClass(normalizeCustom(text)) }

// NormalizeTrait is NormalizeClass for traits.
func NormalizeTrait(text string) Trait { return Trait(normalizeCustom(text)) }

func normalizeCustom(text string) string {
	var b strings.Builder
	run := false
	for _, r := range text {
		switch {
		case r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
			b.WriteRune(r)
			run = false
		case r >= 'a' && r <= 'z':
			b.WriteRune(r - 'a' + 'A')
			run = false
		case !run:
			b.WriteByte('_')
			run = true
		}
	}
	return customPrefix + strings.TrimPrefix(b.String(), customPrefix)
}

// validName checks the name of a class, a trait or a consumer type.
func validName(what, name string) error {
	switch {
	case name == "":
		return Invalid(what, name, "empty")
	case len(name) > maxNameLength:
		return Invalid(what, clip(name), "longer than 255 characters")
	}
	for _, r := range name {
		if !(r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_') {
			return Invalid(what, name, "only A-Z, 0-9 and _ are allowed")
		}
	}
	return nil
}

// clip shortens a value that is too long to be shown in full.
func clip(value string) string {
	const most = 32
	n := 0
	for i := range value {
		if n == most {
			return value[:i] + "..."
		}
		n++
	}
	return value
}

// validCustomName checks a name that a user gives.
func validCustomName(what, name string) error {
	if err := validName(what, name); err != nil {
		return err
	}
	if !strings.HasPrefix(name, customPrefix) || len(name) == len(customPrefix) {
		return Invalid(what, name, "custom names start with CUSTOM_")
	}
	return nil
}
