package providertree

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"go.yaml.in/yaml/v3"

	"github.com/placetop/placetop/hw/novaconf"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// parseProviderConfig reads a file that adds inventories and traits of its own to
// resource providers. The error matches placement.ErrInvalid.
//
// Source: nova/compute/provider_config.py.
func parseProviderConfig(f novaconf.File) (configs []tracker.ProviderConfig, notes []string, err error) {
	r := yamlReader{file: f.Path}
	var doc any
	if err := yaml.Unmarshal([]byte(f.Text), &doc); err != nil {
		return nil, nil, r.fault("", "cannot be read as YAML: %s", strings.TrimSpace(err.Error()))
	}
	top, _ := doc.(map[string]any)
	meta, _ := top["meta"].(map[string]any)
	version, ok := meta["schema_version"].(string)
	switch major, minor, _ := strings.Cut(version, "."); {
	case !ok:
		return nil, nil, r.fault("meta.schema_version", `must be a text such as "1.0"`)
	case major != "1" || !regexp.MustCompile(`^([0-9]|[1-9][0-9]+)$`).MatchString(minor):
		return nil, nil, r.fault("meta.schema_version", "%q is not supported: 1.0 is", version)
	case minor != "0":
		notes = append(notes, fmt.Sprintf("%s: schema_version %s is newer than 1.0, so that some of its fields may be ignored", f.Path, version))
	}
	if _, reserved := top["__source_file"]; reserved {
		return nil, nil, r.fault("__source_file", "is for Nova's own use")
	}
	providers, given := top["providers"]
	list, ok := providers.([]any)
	if given && !ok {
		return nil, nil, r.fault("providers", "must be a list")
	}
	for i, one := range list {
		c, err := r.provider(fmt.Sprintf("providers[%d]", i), one)
		if err != nil {
			return nil, nil, err
		}
		if len(c.Inventories)+len(c.Traits) == 0 {
			notes = append(notes, fmt.Sprintf("%s: provider %s has no additional inventories or traits, and is ignored", f.Path, c.ID))
			continue
		}
		configs = append(configs, c)
	}
	return configs, notes, nil
}

// yamlReader reads the parts of one file.
type yamlReader struct{ file string }

func (r yamlReader) fault(field, format string, args ...any) error {
	return &placement.InvalidError{Field: strings.TrimSpace(r.file + ": " + field), Why: fmt.Sprintf(format, args...)}
}

// provider reads an element of providers.
func (r yamlReader) provider(at string, v any) (tracker.ProviderConfig, error) {
	c := tracker.ProviderConfig{File: path.Base(r.file), Inventories: map[placement.ResourceClass]placement.Inventory{}}
	o, ok := v.(map[string]any)
	if !ok {
		return c, r.fault(at, "must have identification, and inventories or traits")
	}
	id, ok := o["identification"].(map[string]any)
	name, named := id["name"].(string)
	text, byID := id["uuid"].(string)
	switch {
	case !ok || len(id) != 1 || !named && !byID:
		return c, r.fault(at+".identification", "must have either uuid or name, and nothing else")
	case named && (name == "" || len([]rune(name)) > 200):
		return c, r.fault(at+".identification.name", "must have 1 to 200 characters")
	case named:
		c.ID = name
	case text == tracker.AnyComputeNode:
		c.ID = text
	default:
		u, err := uuid.Parse(text)
		if err != nil || len(text) != len(u.String()) {
			return c, r.fault(at+".identification.uuid", "%q is neither a uuid nor %s", text, tracker.AnyComputeNode)
		}
		c.ID = u.String()
	}
	inventories, err := r.additional(at+".inventories", o["inventories"])
	if err != nil {
		return c, err
	}
	for i, item := range inventories {
		at := fmt.Sprintf("%s.inventories.additional[%d]", at, i)
		classes, ok := item.(map[string]any)
		if !ok {
			return c, r.fault(at, "must be a resource class with its inventory")
		}
		for _, class := range slices.Sorted(maps.Keys(classes)) {
			inv, err := r.inventory(at+"."+class, placement.ResourceClass(class), classes[class])
			if err != nil {
				return c, err
			}
			c.Inventories[placement.ResourceClass(class)] = inv
		}
	}
	traits, err := r.additional(at+".traits", o["traits"])
	if err != nil {
		return c, err
	}
	for i, item := range traits {
		at := fmt.Sprintf("%s.traits.additional[%d]", at, i)
		text, ok := item.(string)
		trait := placement.Trait(text)
		if !ok || !trait.IsCustom() || trait.Validate() != nil {
			return c, r.fault(at, "%v is not allowed: only custom traits are, such as CUSTOM_RACK_7", item)
		}
		c.Traits = append(c.Traits, trait)
	}
	return c, nil
}

// additional returns the list "additional" of inventories or traits.
func (r yamlReader) additional(at string, v any) ([]any, error) {
	if v == nil {
		return nil, nil
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, r.fault(at, `must have a list "additional"`)
	}
	list, ok := o["additional"].([]any)
	if _, given := o["additional"]; given && !ok {
		return nil, r.fault(at+".additional", "must be a list")
	}
	return list, nil
}

// inventory reads an inventory; what it leaves out has Placement's defaults.
func (r yamlReader) inventory(at string, class placement.ResourceClass, v any) (placement.Inventory, error) {
	inv := placement.NewInventory(0)
	o, ok := v.(map[string]any)
	switch {
	case !class.IsCustom() || class.Validate() != nil:
		return inv, r.fault(at, "is not allowed: only custom resource classes are, such as CUSTOM_LICENSE")
	case !ok || o["total"] == nil:
		return inv, r.fault(at, "must have a total")
	}
	whole := map[string]*int64{"total": &inv.Total, "reserved": &inv.Reserved, "min_unit": &inv.MinUnit, "max_unit": &inv.MaxUnit, "step_size": &inv.StepSize}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		n, isWhole := wholeNumber(o[key])
		switch into := whole[key]; {
		case into != nil && isWhole:
			*into = n
		case into != nil:
			return inv, r.fault(at+"."+key, "%v is not a whole number", o[key])
		case key != "allocation_ratio":
			return inv, r.fault(at+"."+key, "is no field of an inventory")
		case isWhole:
			inv.AllocationRatio = float64(n)
		default:
			f, ok := o[key].(float64)
			if !ok {
				return inv, r.fault(at+"."+key, "%v is not a number", o[key])
			}
			inv.AllocationRatio = f
		}
	}
	if err := inv.Validate(); err != nil {
		return inv, fmt.Errorf("%s: %s: %w", r.file, at, err)
	}
	return inv, nil
}

// wholeNumber returns a number of YAML; 4.0 is whole.
func wholeNumber(v any) (int64, bool) {
	switch n := v.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	case uint64:
		return int64(min(n, 1<<62)), true
	case float64:
		return int64(n), n == float64(int64(n))
	}
	return 0, false
}

// twice returns an error if two files, or two places in one, are about one provider.
//
// Source: nova/compute/provider_config.py, get_provider_configs.
func twice(configs []tracker.ProviderConfig) error {
	files := map[string]string{}
	for _, c := range configs {
		if other, ok := files[c.ID]; ok {
			return &placement.InvalidError{Field: "provider " + c.ID, Why: fmt.Sprintf("it is defined twice, in %s and %s: define it once", other, c.File)}
		}
		files[c.ID] = c.File
	}
	return nil
}
