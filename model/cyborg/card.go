package cyborg

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// Card is one card of a host as found by a driver of Cyborg's agent.
//
// Source: cyborg/accelerator/drivers/driver.py, discover;
// cyborg/objects/driver_objects/driver_device.py.
type Card struct {
	Address pci.Address
	Type    DeviceType // what the card is for
	Vendor  string     // PCI vendor id: 10de
	Product string     // PCI product id: 1eb8
	Model   string     // for people
	// Generic says that the driver for any PCI device found the card, and not the
	// one for its type; AI chips and GPUs of other vendors than NVIDIA have no other.
	Generic bool
	// Parts are the parts of the card that can be allocated, each a resource provider;
	// nil means the card as a whole.
	Parts []Part
}

// Part is the part of a card behind one PCI function.
type Part struct {
	Function pci.Address // the zero address means that of the card
	MdevType string      // such as nvidia-222, for virtual GPUs; "" for the function as a whole
	MdevName string      // the name that the driver gives the type: "GRID T4-2B"
	// Units are how many can be used at once: for virtual GPUs those that exist and those
	// that can still be made. 0 means that the part does not exist.
	Units  int64
	Traits []placement.Trait // that the driver reports in addition to its usual ones
}

// vendorName returns the name of a PCI vendor in traits, in upper case, or the id itself
// if it has none.
//
// Source: cyborg/accelerator/common/utils.py, VENDOR_MAPS.
func vendorName(id string) string {
	names := map[string]string{"10de": "NVIDIA", "102b": "MATROX", "1bd4": "INSPUR", "8086": "INTEL", "1099": "SAMSUNG", "1cf2": "ZTE", "10ee": "XILINX", "19e5": "HUAWEI"}
	return cmp.Or(names[strings.ToLower(id)], strings.ToUpper(id))
}

// unit is a part of a card, with what a deployable needs.
type unit struct {
	name    string // of the deployable and its provider
	address pci.Address
	part    Part
	class   placement.ResourceClass
	traits  []placement.Trait // the owner first, if the driver reports one
	driver  string
}

// units returns the parts of c on a host. The error matches placement.ErrInvalid.
func (c Card) units(host string) ([]unit, error) {
	parts := c.Parts
	if parts == nil {
		parts = []Part{{Units: 1}}
	}
	out := make([]unit, 0, len(parts))
	for _, part := range parts {
		address := cmp.Or(part.Function, c.Address)
		switch {
		case part.MdevType != "" && (c.generic() || c.Type != GPU):
			return nil, invalid("mdev type of "+address.String(), part.MdevType, "only NVIDIA cards have virtual GPUs")
		case part.Units < 0 || part.Units > mostHandles:
			return nil, invalid("units of "+address.String(), fmt.Sprint(part.Units), fmt.Sprintf("must be from 0 to %d", mostHandles))
		}
		u := unit{name: host + "_" + address.String(), address: address, part: part, driver: vendorName(c.Vendor)}
		var err error
		if u.class, u.traits, err = c.kind(part); err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

// mostHandles is how many attach handles one function may have, far more than any card
// has.
const mostHandles = 4096

// generic reports whether c is reported by the driver for any PCI device.
func (c Card) generic() bool {
	return c.Generic || c.Type == AIChip || c.Type == GPU && vendorName(c.Vendor) != "NVIDIA"
}

// kind returns the class of a part and its traits, as the driver of c reports
// them.
//
// Source: cyborg/accelerator/drivers: gpu/utils.py, get_traits; pci/utils.py;
// fpga, qat, nic and ssd, whose drivers do not report OWNER_CYBORG.
func (c Card) kind(part Part) (placement.ResourceClass, []placement.Trait, error) {
	product, vendor := strings.ToUpper(c.Product), vendorName(c.Vendor)
	if c.generic() {
		return classPCI, traitsOf(part, placement.OwnerCyborg, "CUSTOM_PCI_"+vendor, "CUSTOM_PCI_PRODUCT_ID_"+product), nil
	}
	class := map[DeviceType]placement.ResourceClass{FPGA: placement.FPGA, QAT: classQAT, NIC: classNIC, SSD: classSSD}[c.Type]
	switch {
	case c.Type == GPU && part.MdevType != "":
		return placement.VGPU, traitsOf(part, placement.OwnerCyborg, "CUSTOM_NVIDIA_"+product+"_"+mdevWord(part)), nil
	case c.Type == GPU:
		return placement.PGPU, traitsOf(part, placement.OwnerCyborg, "CUSTOM_NVIDIA_"+product), nil
	case class != "":
		prefix := "CUSTOM_" + string(c.Type) + "_"
		return class, traitsOf(part, "", prefix+vendor, prefix+"PRODUCT_ID_"+product), nil
	}
	return "", nil, invalid("type of "+c.Address.String(), string(c.Type), "must be GPU, FPGA, AICHIP, QAT, NIC or SSD")
}

// reportedClasses returns the classes that Cyborg's drivers report.
func reportedClasses() []placement.ResourceClass {
	return []placement.ResourceClass{placement.VGPU, placement.PGPU, placement.FPGA, classQAT, classNIC, classSSD, classPCI}
}

// mdevWord returns the second word of the name of an mdev type: "T4-2B" of
// "GRID T4-2B".
func mdevWord(part Part) string {
	words := strings.Fields(part.MdevName)
	switch len(words) {
	case 0:
		return part.MdevType
	case 1:
		return words[0]
	}
	return words[1]
}

// traitsOf returns the traits of a part: its owner, if there is one, those made from
// names, and the part's own, without duplicates.
func traitsOf(part Part, owner placement.Trait, names ...string) []placement.Trait {
	var out []placement.Trait
	seen := map[placement.Trait]bool{"": true}
	add := func(t placement.Trait) {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	add(owner)
	for _, n := range names {
		add(placement.NormalizeTrait(n))
	}
	for _, t := range part.Traits {
		add(t)
	}
	return out
}

// controlPathInfo returns the info of the control path to the card at an address, which
// identifies the card.
func controlPathInfo(a pci.Address) string { return infoText(pciInfo(a)) }

// infoText writes an object of words as Cyborg does, sorted and with a space after each
// comma and colon, so that it compares equal with what Cyborg has written.
func infoText(object map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		name, _ := json.Marshal(key) // a text is always written
		text, _ := json.Marshal(object[key])
		parts = append(parts, string(name)+": "+string(text))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func pciInfo(a pci.Address) map[string]string {
	return map[string]string{
		"domain": fmt.Sprintf("%04x", a.Domain), "bus": fmt.Sprintf("%02x", a.Bus),
		"device": fmt.Sprintf("%02x", a.Device), "function": fmt.Sprintf("%x", a.Function),
	}
}

// The keys of the info of an attach handle of type MDEV.
const (
	askedType = "asked_type"
	vgpuMark  = "vgpu_mark"
)

// attachType returns how a unit of u is attached.
func (u unit) attachType() AttachType {
	if u.part.MdevType != "" {
		return AttachMdev
	}
	return AttachPCI
}

// attachInfo returns the info of unit n of u.
//
// Source: cyborg/accelerator/drivers/gpu/utils.py, _generate_attach_handles.
func (u unit) attachInfo(n int) string {
	info := pciInfo(u.address)
	if u.part.MdevType != "" {
		info[askedType] = u.part.MdevType
		info[vgpuMark] = fmt.Sprintf("%s_%d", u.part.MdevType, n)
	}
	return infoText(info)
}

// named returns the uuid of the record that words identify. It depends only on them, so
// that a plan is the same whenever it is made.
func named(words ...string) uuid.UUID {
	space := uuid.NewSHA1(uuid.NameSpaceDNS, []byte("cyborg.placetop"))
	return uuid.NewSHA1(space, []byte(strings.Join(words, "\x00")))
}

// ProviderID returns the uuid that Cyborg derives for a resource provider from its
// name, so that recreating it gives the same.
//
// Source: cyborg/conductor/manager.py, provider_report.
func ProviderID(name string) placement.ProviderID {
	return placement.ProviderID(uuid.NewMD5(uuid.NameSpaceDNS, []byte(name)))
}
