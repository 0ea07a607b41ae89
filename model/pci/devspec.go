package pci

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// DeviceSpec picks the devices of a host that Nova may pass through. Its zero fields
// match everything.
//
// Source: nova/pci/devspec.py, PciDeviceSpec.
type DeviceSpec struct {
	Vendor, Product string // four hexadecimal digits in lower case; "" for any
	Address         *Pattern
	DevName         string            // a network interface, such as enp3s0f0; "" for any device
	Tags            map[string]string // other keys, such as physical_network
}

// Function is what a DeviceSpec needs to know of a PCI function to match it.
type Function struct {
	Address         Address
	Parent          *Address // the physical function of a virtual one
	Vendor, Product string   // four hexadecimal digits in lower case
	Nets            []string // its network interfaces
	ParentNets      []string // those of its parent
	Serial          string   // of the card, from its vital product data
}

// ParseDeviceSpecs reads the values of [pci]device_spec, each a JSON object or a list
// of them, in their order. inPlacement says that the host reports its devices to
// Placement. The error matches placement.ErrInvalid.
//
// Source: nova/pci/whitelist.py, _parse_white_list_from_config.
func ParseDeviceSpecs(texts []string, inPlacement bool) ([]DeviceSpec, error) {
	var out []DeviceSpec
	for _, text := range texts {
		var objects []map[string]any
		one := map[string]any(nil)
		if err := json.Unmarshal([]byte(text), &one); err == nil && one != nil {
			objects = append(objects, one)
		} else if err := json.Unmarshal([]byte(text), &objects); err != nil || objects == nil || slices.ContainsFunc(objects, func(o map[string]any) bool { return o == nil }) {
			return nil, specFault(text, `must be a JSON object such as {"vendor_id": "8086", "product_id": "37c8"}, or a list of them`)
		}
		for _, o := range objects {
			spec, err := parseDeviceSpec(o)
			if err == nil && spec.Tags[KeyOnce] == yes && !inPlacement {
				err = fmt.Errorf("%s is for hosts that report their devices in Placement: set report_in_placement", KeyOnce)
			}
			if err != nil {
				return nil, specFault(text, "%w", err)
			}
			out = append(out, spec)
		}
	}
	return out, nil
}

func specFault(text, format string, args ...any) error {
	return &placement.InvalidError{Field: "[pci]device_spec " + text, Why: fmt.Errorf(format, args...).Error()}
}

func parseDeviceSpec(o map[string]any) (DeviceSpec, error) {
	s := DeviceSpec{Tags: map[string]string{}}
	o = maps.Clone(o)
	var err error
	if s.Vendor, err = takeID(o, KeyVendor); err != nil {
		return s, err
	}
	if s.Product, err = takeID(o, KeyProduct); err != nil {
		return s, err
	}
	const devname, address = "devname", "address"
	if s.DevName, err = takeText(o, devname); err != nil {
		return s, err
	}
	at := o[address]
	delete(o, address)
	given := at != nil && at != ""
	switch {
	case given && s.DevName != "":
		return s, fmt.Errorf("has both %s and %s, but only one is allowed", devname, address)
	case given:
		if s.Address, err = parsePattern(at); err != nil {
			return s, err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		switch v := o[key].(type) {
		case string:
			s.Tags[key] = v
		case bool, float64:
			s.Tags[key] = fmt.Sprint(v)
		case nil:
		default:
			return s, fmt.Errorf("%s must be a string in quotes", key)
		}
	}
	for _, key := range []string{KeyManaged, KeyMigrate, KeyOnce} {
		if s.Tags[key] == "" {
			continue
		}
		if s.Tags[key], err = truthOf(s.Tags[key]); err != nil {
			return s, fmt.Errorf("%s: %w", key, err)
		}
	}
	if _, err = s.Class(Function{Vendor: "0000", Product: "0000"}); err != nil {
		return s, err
	}
	_, err = s.Traits()
	return s, err
}

// takeText takes a text out of o, "" if it has none.
func takeText(o map[string]any, key string) (string, error) {
	v, has := o[key]
	delete(o, key)
	text, isText := v.(string)
	if has && !isText && v != nil {
		return "", fmt.Errorf("%s must be a string in quotes", key)
	}
	return text, nil
}

// takeID takes the id of a vendor or a product out of o, "" if it has none or allows any.
func takeID(o map[string]any, key string) (string, error) {
	text, err := takeText(o, key)
	if err != nil {
		return "", err
	}
	return hexField(key, strings.TrimSpace(text), 0xffff, 4)
}

// hexField reads a hexadecimal number up to most, and returns it with the given number of
// digits; "" and * mean any, and return "".
//
// Source: nova/pci/devspec.py, _set_pci_dev_info.
func hexField(name, text string, most uint64, digits int) (string, error) {
	if text == "" || text == "*" {
		return "", nil
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(text), "0x"), 16, 64)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s %q is not a hexadecimal number", name, text)
	case n > most:
		return "", fmt.Errorf("%s %q is greater than %X", name, text, most)
	}
	return fmt.Sprintf("%0*x", digits, n), nil
}

// Matches reports whether s picks a function: also by the address of its parent, where
// s has one whole address.
//
// Source: nova/pci/devspec.py, PciDeviceSpec.match and WhitelistPciAddress.match.
func (s DeviceSpec) Matches(f Function) bool {
	switch {
	case s.Vendor != "" && s.Vendor != f.Vendor, s.Product != "" && s.Product != f.Product:
		return false
	case s.DevName != "" && !slices.Contains(f.Nets, s.DevName) && !slices.Contains(f.ParentNets, s.DevName):
		return false
	case s.Address != nil && !s.Address.matches(f.Address) && (f.Parent == nil || !s.Address.whole() || !s.Address.matches(*f.Parent)):
		return false
	case s.remote() && f.Serial == "":
		return false
	}
	return true
}

// remote reports whether a network backend on the card itself manages the device: such
// a card is known by its serial number.
func (s DeviceSpec) remote() bool {
	truth, err := truthOf(s.Tags[KeyRemote])
	return err == nil && truth == yes
}

// Class returns the resource class of a function that s picks.
//
// Source: nova/compute/pci_placement_translator.py, _get_rc_for_dev.
func (s DeviceSpec) Class(f Function) (placement.ResourceClass, error) {
	return Class(s.Tags[KeyClass], f.Vendor, f.Product)
}

// Traits returns the traits of the functions that s picks, without those that every
// provider of Nova's has.
//
// Source: nova/compute/pci_placement_translator.py, _get_traits_for_dev.
func (s DeviceSpec) Traits() ([]placement.Trait, error) {
	out, err := Traits(s.Tags[KeyTraits])
	if err != nil {
		return nil, err
	}
	if s.Tags[KeyOnce] == yes {
		out = append(out, placement.HWPCIOneTimeUse)
	}
	if s.Tags[KeyMigrate] == yes {
		out = append(out, placement.HWPCILiveMigratable)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// String returns the address of s, its interface, or the ids that it matches, as
// 10de:1eb8.
func (s DeviceSpec) String() string {
	any := func(id string) string {
		if id == "" {
			return "*"
		}
		return id
	}
	switch {
	case s.Address != nil:
		return s.Address.String()
	case s.DevName != "":
		return s.DevName
	}
	return any(s.Vendor) + ":" + any(s.Product)
}
