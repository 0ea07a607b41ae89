package nova

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// The names of options that other code asks about.
const (
	OptionOwnerFilter = "owner_filter"
	OptionFallback    = "disable_fallback_pcpu_query"
	OptionAlias       = "pci_alias"
	OptionInPlacement = "pci_in_placement"
	optionSameHost    = "allow_resize_to_same_host"
	optionTenantNeeds = "placement_aggregate_required_for_tenants"
)

// Option is a setting of Config, by the name that the configuration file has for it.
type Option struct {
	Name string
	put  func(c *Config, value any) error
}

// Options returns the settings of Config, in order of name.
func Options() []Option {
	out := []Option{
		{optionSameHost, truth(func(c *Config) *bool { return &c.ResizeToSameHost })},
		{OptionFallback, truth(func(c *Config) *bool { return &c.NoVCPUFallback })},
		{OptionOwnerFilter, putOwnerFilter},
		{OptionAlias, putAliases},
		{OptionInPlacement, truth(func(c *Config) *bool { return &c.PCIInPlacement })},
		{optionTenantNeeds, truth(func(c *Config) *bool { return &c.TenantNeedsAggregate })},
	}
	for _, filter := range []string{FilterTenant, FilterImageType, FilterIsolate, FilterImageMetadata} {
		option := optionOf(filter)
		out = append(out, Option{option, putPrefilter(filter)})
	}
	slices.SortFunc(out, func(a, b Option) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// truth sets an option that is true or false.
func truth(at func(*Config) *bool) func(*Config, any) error {
	return func(c *Config, value any) error {
		b, ok := value.(bool)
		if !ok {
			return errors.New("must be true or false, without quotes")
		}
		*at(c) = b
		return nil
	}
}

// putPrefilter switches a pre-filter.
func putPrefilter(name string) func(*Config, any) error {
	var on bool
	read := truth(func(*Config) *bool { return &on })
	return func(c *Config, value any) error {
		if err := read(c, value); err != nil {
			return err
		}
		if on {
			c.SwitchPrefilters([]string{name}, nil)
		} else {
			c.SwitchPrefilters(nil, []string{name})
		}
		return nil
	}
}

// putOwnerFilter sets the form of the owner filter by its word.
func putOwnerFilter(c *Config, value any) error {
	word, _ := value.(string)
	for _, form := range []OwnerFilter{OwnerOnGroups, OwnerOnRoot, OwnerOff} {
		if word == form.Word() {
			c.OwnerFilter = form
			return nil
		}
	}
	return fmt.Errorf("must be %q, %q or %q", OwnerOnGroups.Word(), OwnerOnRoot.Word(), OwnerOff.Word())
}

// Word returns the form in the user's words.
func (f OwnerFilter) Word() string {
	if f == OwnerOnGroups {
		return "groups"
	}
	return string(f)
}

// putAliases sets the PCI aliases: a list of JSON objects, as in nova.conf.
func putAliases(c *Config, value any) error {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var out []string
	for _, v := range list {
		text, ok := v.(string)
		if !ok {
			return errors.New("must be a list of JSON objects in quotes, as in nova.conf")
		}
		out = append(out, text)
	}
	if _, err := pci.ParseAliases(out); err != nil {
		return err
	}
	c.PCIAliases = out
	return nil
}

// Upstream returns the settings of a live cloud of which the operator gave none: those of
// the merged OpenStack.
func Upstream(cloud string) *Config { return &Config{OwnerFilter: OwnerOnRoot, Live: cloud} }

// Give sets an option of a live cloud as the operator says. One that is not valid changes
// nothing.
//
// Errors: placement.ErrInvalid, for an unknown name too.
func (c *Config) Give(name string, value any) error {
	var names []string
	for _, o := range Options() {
		if o.Name != name {
			names = append(names, o.Name)
			continue
		}
		next := *c
		next.Off, next.On, next.Given = slices.Clone(c.Off), slices.Clone(c.On), slices.Clone(c.Given)
		if err := o.put(&next, value); err != nil {
			return &placement.InvalidError{Field: name, Why: err.Error()}
		}
		next.give(name)
		if err := next.Validate(); err != nil {
			return err
		}
		*c = next
		return nil
	}
	return &placement.InvalidError{Field: name, Why: "is unknown; the options are " + strings.Join(names, ", ")}
}

// give notes that an option is the operator's.
func (c *Config) give(name string) {
	if c.Live != "" && !slices.Contains(c.Given, name) {
		c.Given = append(c.Given, name)
		slices.Sort(c.Given)
	}
}

// Basis says whether an option of a live cloud is set by the operator or assumed, as no
// API reports it: "[scheduler]NAME is set for cloud prod". It is "" for a cloud that is
// kept here, and for the option "".
func (c *Config) Basis(option string) string {
	if c.Live == "" || option == "" {
		return ""
	}
	given := slices.Contains(c.Given, option)
	name := "[scheduler]" + option
	switch option {
	case OptionOwnerFilter: // its form is no option upstream
		if given {
			return "the owner filter is set to " + c.OwnerFilter.Word() + " for cloud " + c.Live
		}
		return "as if the owner filter were " + c.OwnerFilter.Word() + ", as merged upstream (not set for cloud " + c.Live + ")"
	case OptionAlias:
		name = "[pci]alias"
	case OptionFallback:
		name = "[workarounds]" + option
	case OptionInPlacement:
		name = "[filter_scheduler]" + option
	case optionSameHost:
		name = "[DEFAULT]" + option
	}
	if given {
		return name + " is set for cloud " + c.Live
	}
	return "as if " + name + " had upstream's default (not set for cloud " + c.Live + ")"
}
