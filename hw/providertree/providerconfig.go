package providertree

import (
	"errors"
	"fmt"
	"io"
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

// configFile is a file that adds inventories and traits of its own to resource providers.
//
// Source: nova/compute/provider_config.py.
type configFile struct {
	Meta struct {
		Version yaml.Node `yaml:"schema_version"`
	} `yaml:"meta"`
	Source    yaml.Node     `yaml:"__source_file"`
	Providers []configEntry `yaml:"providers"`
}

// configEntry is what a file adds to one provider. Inventories lack what has Placement's
// defaults.
type configEntry struct {
	Identification map[string]string `yaml:"identification"` // uuid or name
	Inventories    struct {
		Additional []map[placement.ResourceClass]map[string]float64 `yaml:"additional"`
	} `yaml:"inventories"`
	Traits struct {
		Additional []placement.Trait `yaml:"additional"`
	} `yaml:"traits"`
}

// parseProviderConfig reads a configFile. The error matches placement.ErrInvalid.
func parseProviderConfig(f novaconf.File) (configs []tracker.ProviderConfig, notes []string, err error) {
	var all, more yaml.Node
	var doc configFile
	from := yaml.NewDecoder(strings.NewReader(f.Text))
	if err = from.Decode(&all); errors.Is(err, io.EOF) {
		err = nil // nothing is missed below
	} else if err == nil {
		err = all.Decode(&doc)
	}
	if err == nil && !errors.Is(from.Decode(&more), io.EOF) {
		err = errors.New("there is more than one document")
	}
	if err != nil {
		what, _, _ := strings.Cut(strings.Join(strings.Fields(err.Error()), " "), " into ") // a type of ours
		return nil, nil, &placement.InvalidError{Field: f.Path, Why: "cannot be read as YAML: " + what}
	}
	fault := func(field, format string, args ...any) error {
		return &placement.InvalidError{Field: f.Path + ": " + field, Why: fmt.Sprintf(format, args...)}
	}
	version := doc.Meta.Version
	switch major, minor, _ := strings.Cut(version.Value, "."); {
	case version.ShortTag() != "!!str":
		return nil, nil, fault("meta.schema_version", `must be a text such as "1.0"`)
	case major != "1" || !regexp.MustCompile(`^([0-9]|[1-9][0-9]+)$`).MatchString(minor):
		return nil, nil, fault("meta.schema_version", "%q is not supported: 1.0 is", version.Value)
	case minor != "0":
		notes = append(notes, fmt.Sprintf("%s: schema_version %s is newer than 1.0, so that some of its fields may be ignored", f.Path, version.Value))
	}
	if !doc.Source.IsZero() {
		return nil, nil, fault("__source_file", "is for Nova's own use")
	}
	if at, want := mistyped(all.Content[0], ""); want != "" {
		return nil, nil, fault(at, "must be a %s", want)
	}
	for i, entry := range doc.Providers {
		c, err := entry.config(func(field, format string, args ...any) error {
			return fault(fmt.Sprintf("providers[%d].%s", i, field), format, args...)
		})
		if err != nil {
			return nil, nil, err
		}
		if len(c.Inventories)+len(c.Traits) == 0 {
			notes = append(notes, fmt.Sprintf("%s: provider %s has no additional inventories or traits, and is ignored", f.Path, c.ID))
			continue
		}
		c.File = path.Base(f.Path)
		configs = append(configs, c)
	}
	return configs, notes, nil
}

// schema returns the tag in YAML of the values that Nova takes at a place in a file, and words
// for it; nothing for a place that it does not read. Items of lists, and what operators name,
// are * there.
func schema(at string) (tag, words string) {
	switch at {
	case ".providers", ".providers.*.inventories.additional", ".providers.*.traits.additional":
		return "!!seq", "list"
	case "", ".providers.*", ".providers.*.identification", ".providers.*.inventories", ".providers.*.traits",
		".providers.*.inventories.additional.*", ".providers.*.inventories.additional.*.*":
		return "!!map", "mapping"
	case ".providers.*.identification.*", ".providers.*.traits.additional.*":
		return "!!str", "text: put it in quotes"
	case ".providers.*.inventories.additional.*.*.*":
		return "!!float", "number"
	}
	return "", ""
}

// mistyped returns where in n, which is at a place in a file, the first value is of a type that
// Nova's schema does not allow there, and what it must be; want is "" for none. YAML's decoder
// takes much for a text, and null for anything.
func mistyped(n *yaml.Node, at string) (where, want string) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	tag, words := schema(at)
	if is := n.ShortTag(); tag != is && (tag != "!!float" || is != "!!int") {
		return fmt.Sprintf("line %d: %s", n.Line, strings.TrimPrefix(at, ".")), words
	}
	for i, item := range n.Content {
		next := at + ".*"
		switch key := n.Content[i&^1]; {
		case n.Kind == yaml.SequenceNode:
		case i%2 == 0:
			continue
		case key.ShortTag() == "!!merge":
			next = at
		default:
			if tag, _ := schema(at + "." + key.Value); tag != "" {
				next = at + "." + key.Value
			}
		}
		if where, want = mistyped(item, next); want != "" {
			return where, want
		}
	}
	return "", ""
}

// config returns the checked form of an entry; fault makes the error about one of its fields.
func (e configEntry) config(fault func(field, format string, args ...any) error) (tracker.ProviderConfig, error) {
	c := tracker.ProviderConfig{Inventories: map[placement.ResourceClass]placement.Inventory{}, Traits: e.Traits.Additional}
	name, named := e.Identification["name"]
	text, byID := e.Identification["uuid"]
	switch {
	case len(e.Identification) != 1 || !named && !byID:
		return c, fault("identification", "must have either uuid or name, and nothing else")
	case named && (name == "" || len([]rune(name)) > 200):
		return c, fault("identification.name", "must have 1 to 200 characters")
	case named:
		c.ID = name
	case text == tracker.AnyComputeNode:
		c.ID = text
	default:
		u, err := uuid.Parse(text)
		if err != nil || len(text) != len(u.String()) {
			return c, fault("identification.uuid", "%q is neither a uuid nor %s", text, tracker.AnyComputeNode)
		}
		c.ID = u.String()
	}
	for i, classes := range e.Inventories.Additional {
		for _, class := range slices.Sorted(maps.Keys(classes)) {
			at := fmt.Sprintf("inventories.additional[%d].%s", i, class)
			if !class.IsCustom() || class.Validate() != nil {
				return c, fault(at, "is not allowed: only custom resource classes are, such as CUSTOM_LICENSE")
			}
			inv, err := inventory(classes[class])
			if err != nil {
				return c, fault(at, "%v", err)
			}
			c.Inventories[class] = inv
		}
	}
	for i, trait := range c.Traits {
		if !trait.IsCustom() || trait.Validate() != nil {
			return c, fault(fmt.Sprintf("traits.additional[%d]", i), "%s is not allowed: only custom traits are, such as CUSTOM_RACK_7", trait)
		}
	}
	return c, nil
}

// inventory returns the inventory with these fields.
func inventory(fields map[string]float64) (placement.Inventory, error) {
	inv := placement.NewInventory(0)
	if _, ok := fields["total"]; !ok {
		return inv, errors.New("must have a total")
	}
	whole := maps.Collect(inv.Whole())
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		n := fields[key]
		switch into := whole[key]; {
		case key == placement.Ratio:
			inv.AllocationRatio = n
		case into == nil:
			return inv, fmt.Errorf("%s is no field of an inventory", key)
		case n != float64(int64(n)):
			return inv, fmt.Errorf("%s is %v, which is not a whole number", key, n)
		default:
			*into = int64(n)
		}
	}
	return inv, inv.Validate()
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
