package pci

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// Spec is what a PCI request asks of a device, as Nova keeps it: vendor_id,
// product_id, dev_type and whatever else its alias says, by key.
type Spec map[string]string

// The keys of a Spec.
const (
	KeyVendor  = "vendor_id"
	KeyProduct = "product_id"
	KeyDevType = "dev_type"
	KeyClass   = "resource_class"
	KeyTraits  = "traits" // separated by commas
	KeyMigrate = "live_migratable"
	KeyNetwork = "physical_network"
	KeyRemote  = "remote_managed"
	KeyManaged = "managed"
	KeyOnce    = "one_time_use"
	yes, no    = "true", "false"

	keyName       = "name"
	keyType       = "device_type"
	keyPolicy     = "numa_policy"
	keyCapability = "capability_type" // does not select devices
	legacyPolicy  = "legacy"
)

// Alias is what operators call devices that flavors may ask for.
//
// Source: nova/pci/request.py, _get_alias_from_config.
type Alias struct {
	Name       string
	NUMAPolicy string // required, legacy, preferred or socket
	Specs      []Spec // a device must meet one of them
}

// aliasFields returns the fields of an alias, each with the values that it may have; nil
// for any text.
//
// Source: nova/pci/request.py, _ALIAS_SCHEMA.
func aliasFields() map[string][]string {
	return map[string][]string{
		keyName: nil, keyCapability: {"pci"}, KeyProduct: nil, KeyVendor: nil,
		keyType:   {"type-PCI", "type-PF", "type-VF"},
		keyPolicy: {"required", "legacy", "preferred", "socket"},
		KeyClass:  nil, KeyTraits: nil, KeyMigrate: nil,
	}
}

// fourHex matches the ids of vendors and products.
var fourHex = regexp.MustCompile(`^[0-9a-fA-F]{4}$`)

// ParseAliases reads the values of [pci]alias, each a JSON object, and returns them by
// name. Entries with the same name become alternatives in one Alias. The error matches
// placement.ErrInvalid.
//
// Source: nova/pci/request.py, _get_alias_from_config.
func ParseAliases(texts []string) ([]Alias, error) {
	var out []Alias
	for _, text := range texts {
		one, err := parseAlias(text)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(out, func(a Alias) bool { return a.Name == one.Name })
		if i < 0 {
			out = append(out, one)
			continue
		}
		has, is := out[i].Specs[0][KeyDevType], one.Specs[0][KeyDevType]
		switch {
		case out[i].NUMAPolicy != one.NUMAPolicy:
			return nil, aliasFault(text, "another alias %s has numa_policy %s, but all aliases of one name must agree", one.Name, out[i].NUMAPolicy)
		case has == "" || has != is:
			return nil, aliasFault(text, "all aliases named %s must have the same device_type", one.Name)
		}
		out[i].Specs = append(out[i].Specs, one.Specs...)
	}
	slices.SortStableFunc(out, func(a, b Alias) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func aliasFault(text, format string, args ...any) error {
	return &placement.InvalidError{Field: "[pci]alias " + text, Why: fmt.Sprintf(format, args...)}
}

func parseAlias(text string) (Alias, error) {
	var raw map[string]any
	if err := json.Unmarshal([]byte(text), &raw); err != nil || raw == nil {
		return Alias{}, aliasFault(text, `must be a JSON object such as {"vendor_id": "8086", "product_id": "37c8", "name": "qat"}`)
	}
	spec, fields := Spec{}, aliasFields()
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		values, known := fields[key]
		value, isText := raw[key].(string)
		switch {
		case !known:
			return Alias{}, aliasFault(text, "%q is not one of %s", key, strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
		case !isText:
			return Alias{}, aliasFault(text, "%s must be a string in quotes", key)
		case values != nil && !slices.Contains(values, value):
			return Alias{}, aliasFault(text, "%s must be one of %s", key, strings.Join(values, ", "))
		case (key == KeyVendor || key == KeyProduct) && !fourHex.MatchString(value):
			return Alias{}, aliasFault(text, "%s must be four hexadecimal digits", key)
		}
		spec[key] = value
	}
	name, named := spec[keyName]
	if !named || name == "" || len([]rune(name)) > 256 {
		return Alias{}, aliasFault(text, "needs a name of 1 to 256 characters")
	}
	a := Alias{Name: strings.TrimSpace(name), NUMAPolicy: spec[keyPolicy], Specs: []Spec{spec}}
	if a.NUMAPolicy == "" {
		a.NUMAPolicy = legacyPolicy
	}
	if t := spec[keyType]; t != "" {
		spec[KeyDevType] = t
	}
	if v, ok := spec[KeyMigrate]; ok {
		truth, err := truthOf(v)
		if err != nil {
			return Alias{}, aliasFault(text, "%s: %v", KeyMigrate, err)
		}
		spec[KeyMigrate] = truth
	}
	for _, key := range []string{keyName, keyPolicy, keyType, keyCapability} {
		delete(spec, key)
	}
	return a, nil
}

// truthOf reads a boolean as oslo does in strict mode, and returns yes or no.
//
// Source: oslo_utils/strutils.py, bool_from_string.
func truthOf(text string) (string, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	switch {
	case slices.Contains([]string{"1", "t", yes, "on", "y", "yes"}, word):
		return yes, nil
	case slices.Contains([]string{"0", "f", no, "off", "n", "no"}, word):
		return no, nil
	}
	return "", fmt.Errorf("%q is not a boolean", text)
}

// CheckAliases returns why aliases cannot be requested, nil if they can. With
// inPlacement each must map to one class: by its ids, or by a resource_class.
// Otherwise each must have both ids.
//
// Source: nova/pci/request.py, _validate_aliases.
func CheckAliases(aliases []Alias, inPlacement bool) error {
	for _, a := range aliases {
		if inPlacement && len(a.Specs) > 1 {
			return placement.Invalid(
				"[pci]alias", a.Name,
				"has several specs, but pci_in_placement allows only one: give several device_spec the same resource_class instead")
		}
		for _, s := range a.Specs {
			byIDs := s[KeyVendor] != "" && s[KeyProduct] != ""
			_, byClass := s[KeyClass]
			switch {
			case byIDs:
			case !inPlacement:
				return placement.Invalid("[pci]alias", a.Name, "needs vendor_id and product_id")
			case !byClass:
				return placement.Invalid("[pci]alias", a.Name, "needs vendor_id and product_id, or a resource_class")
			}
		}
	}
	return nil
}

// Class returns the resource class for devices of the given ids: the named one,
// normalised, or else one made of the ids.
//
// Source: nova/compute/pci_placement_translator.py, get_resource_class.
func Class(named, vendor, product string) (placement.ResourceClass, error) {
	class := placement.ResourceClass(strings.ToUpper(named))
	switch {
	case named == "":
		class = placement.ResourceClass("CUSTOM_PCI_" + strings.ToUpper(vendor+"_"+product))
	case !slices.Contains(placement.StandardClasses(), class):
		class = placement.NormalizeClass(named)
	}
	if err := class.Validate(); err != nil {
		return "", fmt.Errorf("resource_class %q: %w", named, err)
	}
	return class, nil
}

// Traits returns the traits in a comma-separated list, normalised, each once, by name.
//
// Source: nova/compute/pci_placement_translator.py, get_traits.
func Traits(list string) ([]placement.Trait, error) {
	var out []placement.Trait
	for _, text := range strings.Split(list, ",") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		t := placement.Trait(strings.ToUpper(text))
		if !slices.Contains(placement.StandardTraits(), t) {
			t = placement.NormalizeTrait(text)
		}
		if err := t.Validate(); err != nil {
			return nil, fmt.Errorf("traits %q: %w", list, err)
		}
		out = append(out, t)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
