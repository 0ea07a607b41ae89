package kinds

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// providerText is a provider as the user edits it in a text.
type providerText struct {
	Name        string                   `yaml:"name"`
	Parent      string                   `yaml:"parent"`
	Inventories map[string]inventoryText `yaml:"inventories"`
	Traits      []string                 `yaml:"traits"`
	Aggregates  []string                 `yaml:"aggregates"`
}

// inventoryText is an inventory in a providerText. What is left out has its default.
type inventoryText struct {
	Total           int64    `yaml:"total"`
	Reserved        int64    `yaml:"reserved"`
	AllocationRatio *float64 `yaml:"allocation_ratio"`
	MinUnit         *int64   `yaml:"min_unit"`
	MaxUnit         *int64   `yaml:"max_unit"`
	StepSize        *int64   `yaml:"step_size"`
}

// textOfProvider writes a provider as readProvider reads it.
func textOfProvider(s *cloud.Snapshot, id placement.ProviderID, st ops.ProviderState) (string, error) {
	d := providerText{Name: st.Name, Inventories: map[string]inventoryText{}, Traits: []string{}, Aggregates: []string{}}
	if !st.Parent.IsZero() {
		d.Parent = s.Placement().ProviderName(st.Parent)
	}
	for class, inv := range st.Inventories {
		d.Inventories[string(class)] = inventoryText{inv.Total, inv.Reserved, &inv.AllocationRatio, &inv.MinUnit, &inv.MaxUnit, &inv.StepSize}
	}
	for _, t := range st.Traits {
		d.Traits = append(d.Traits, string(t))
	}
	for _, a := range st.Aggregates {
		d.Aggregates = append(d.Aggregates, a.String())
	}
	body, err := encode(d)
	if err != nil {
		return "", fmt.Errorf("write %s as YAML: %w", st.Name, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# resource provider %s, as of revision %d\n", id, s.Revision())
	b.WriteString(saveAndQuit)
	b.WriteString("# Inventories, traits and aggregates that you remove here are deleted.\n")
	return b.String() + string(body), nil
}

// readProvider reads an edited provider. Aggregates may be given by Nova's names for
// them; fields of an inventory that are left out have their defaults.
//
// Errors: where and what cannot be read; *NameError and placement.ErrNotFound for a
// parent or an aggregate that does not exist; placement.ErrInvalid.
func readProvider(s *cloud.Snapshot, text string) (ops.ProviderState, error) {
	var d providerText
	if err := decode(text, &d); err != nil {
		return ops.ProviderState{}, err
	}
	st := ops.ProviderState{Name: strings.TrimSpace(d.Name), Inventories: map[placement.ResourceClass]placement.Inventory{}}
	if st.Name == "" {
		return st, placement.Invalid("name", d.Name, "a provider needs a name")
	}
	find := Finder{Snapshot: s}
	if up := strings.TrimSpace(d.Parent); up != "" {
		p, err := find.Provider(up)
		if err != nil {
			return st, err
		}
		st.Parent = p.ID()
	}
	for _, name := range slices.Sorted(maps.Keys(d.Inventories)) {
		inv := d.Inventories[name].inventory()
		if err := inv.Validate(); err != nil {
			return st, fmt.Errorf("%s: %w", name, err)
		}
		st.Inventories[placement.ResourceClass(name)] = inv
	}
	for _, name := range d.Traits {
		st.Traits = append(st.Traits, placement.Trait(strings.TrimSpace(name)))
	}
	slices.Sort(st.Traits)
	for _, name := range d.Aggregates {
		a, err := find.AggregateToBe(strings.TrimSpace(name))
		if err != nil {
			return st, err
		}
		st.Aggregates = append(st.Aggregates, a)
	}
	slices.SortStableFunc(st.Aggregates, placement.AggregateID.Compare)
	return st, nil
}

// mostText is how long a text may be: ten times a provider with all standard traits.
const mostText = 1 << 20

// saveAndQuit says in a text what an editor is for, in a line of 80 cells.
const saveAndQuit = "# Save and quit to see what would change; nothing is written before you accept.\n"

// EditText writes a thing as YAML, to be edited and read by ReadEdit. State is what
// ops.Editable.State returned.
func EditText(s *cloud.Snapshot, of ops.Editable, state ops.State) (string, error) {
	if p, ok := of.(ops.EditableProvider); ok {
		return textOfProvider(s, p.ID, state.(ops.ProviderState))
	}
	body, err := encode(state)
	if err != nil {
		return "", fmt.Errorf("write %s as YAML: %w", of.Called(s), err)
	}
	return fmt.Sprintf("# %s, as of revision %d\n", of.Called(s), s.Revision()) +
		saveAndQuit + string(body), nil
}

// ReadEdit parses an edited text into a state of the type of like.
//
// Errors: where and what cannot be read; those of what it names.
func ReadEdit(s *cloud.Snapshot, like ops.State, text string) (ops.State, error) {
	if _, ok := like.(ops.ProviderState); ok {
		return readProvider(s, text)
	}
	to := reflect.New(reflect.TypeOf(like))
	if err := decode(text, to.Interface()); err != nil {
		return nil, err
	}
	return to.Elem().Interface().(ops.State), nil
}

// encode writes a document, with lists and mappings indented as OpenStack writes them.
func encode(from any) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	e.CompactSeqIndent()
	if err := e.Encode(from); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

// decode reads a document into what to points at.
func decode(text string, to any) error {
	if len(text) > mostText {
		return placement.Invalid("text", "it", "is longer than 1 MiB")
	}
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(to); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("it cannot be read: %s", yamlFault(err)) //nolint:err113 // reworded
	}
	return nil
}

// yamlFault says in one line what is wrong with a text, and where.
func yamlFault(err error) string {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) {
		return strings.TrimPrefix(err.Error(), "yaml: ")
	}
	first := wrong.Errors[0]
	if before, _, unknown := strings.Cut(first, " not found in type "); unknown {
		return strings.Replace(before, "field", "unknown field", 1)
	}
	where, what, is := strings.Cut(first, "cannot unmarshal ")
	into := strings.LastIndex(what, " into ") // the value may contain it, too
	if !is || into < 0 {
		return first
	}
	tag, value, _ := strings.Cut(what[:into], " ")
	switch tag {
	case "!!seq":
		value = "a list"
	case "!!map":
		value = "a mapping"
	default:
		value = strings.ReplaceAll(value, "`", `"`)
	}
	return where + value + " is not " + yamlTypes(what[into+len(" into "):])
}

// yamlTypes returns the word for values of a Go type in a document.
func yamlTypes(of string) string {
	switch {
	case strings.HasPrefix(of, "int"):
		return "a whole number"
	case strings.HasPrefix(of, "float"):
		return "a number"
	case of == "string":
		return "a text"
	case of == "bool":
		return "true or false"
	case strings.HasPrefix(of, "[]"):
		return "a list"
	default:
		return "a mapping"
	}
}

// inventory returns the inventory, with defaults for what is left out.
func (t inventoryText) inventory() placement.Inventory {
	inv := placement.NewInventory(t.Total)
	inv.Reserved = t.Reserved
	if t.AllocationRatio != nil {
		inv.AllocationRatio = *t.AllocationRatio
	}
	for _, f := range []struct {
		to   *int64
		from *int64
	}{{&inv.MinUnit, t.MinUnit}, {&inv.MaxUnit, t.MaxUnit}, {&inv.StepSize, t.StepSize}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	return inv
}
