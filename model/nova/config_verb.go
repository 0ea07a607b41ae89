package nova

import (
	"slices"

	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Configure sets options of nova.conf for the whole cloud. No API has it.
//
// Errors: placement.ErrNotFound for a PCI alias that is to go and is not there;
// placement.ErrInvalid, also for Adopt where there is no copy.
type Configure struct {
	verb
	OwnerFilter      *OwnerFilter // nil for as it is, and so below
	ResizeToSameHost *bool
	PCIInPlacement   *bool
	// TenantNeedsAggregate and NoVCPUFallback are as in Config.
	TenantNeedsAggregate *bool
	NoVCPUFallback       *bool
	PrefiltersOn         []string // to be switched on
	PrefiltersOff        []string // to be switched off
	PCIAliases           []string // each a JSON object as in nova.conf; in place of those of their names
	NoPCIAliases         []string // names of those that are to go
	Adopt                bool     // make a copy of a live cloud a cloud that is kept here
}

// CreateCell creates a cell. No API has it: nova-manage writes the mapping.
//
// Errors: placement.ErrExists; placement.ErrInvalid.
//
// Source: nova/cmd/manage.py, CellV2Commands.create_cell.
type CreateCell struct {
	verb
	Name string
}

func (Configure) String() string     { return "set config of Nova" }
func (op CreateCell) String() string { return "create cell " + op.Name }

func (op Configure) apply(e edit) error {
	own := versioned.Clone(e.Now.Config())
	set(&own.OwnerFilter, op.OwnerFilter)
	set(&own.ResizeToSameHost, op.ResizeToSameHost)
	set(&own.PCIInPlacement, op.PCIInPlacement)
	set(&own.TenantNeedsAggregate, op.TenantNeedsAggregate)
	set(&own.NoVCPUFallback, op.NoVCPUFallback)
	own.SwitchPrefilters(op.PrefiltersOn, op.PrefiltersOff)
	if err := own.editAliases(op.PCIAliases, op.NoPCIAliases); err != nil {
		return err
	}
	for name, is := range map[string]bool{
		OptionOwnerFilter: op.OwnerFilter != nil, optionSameHost: op.ResizeToSameHost != nil, OptionInPlacement: op.PCIInPlacement != nil,
		optionTenantNeeds: op.TenantNeedsAggregate != nil, OptionFallback: op.NoVCPUFallback != nil, OptionAlias: len(op.PCIAliases)+len(op.NoPCIAliases) > 0,
	} {
		if is {
			own.give(name)
		}
	}
	for _, name := range slices.Concat(op.PrefiltersOn, op.PrefiltersOff) {
		if option := optionOf(name); option != "" {
			own.give(option)
		}
	}
	if op.Adopt {
		if own.Live == "" {
			return &placement.InvalidError{Field: "adopt", Why: "has nothing to adopt: this is no copy of a live cloud"}
		}
		own.Live, own.Given, own.Read = "", nil, 0 // what was not read is no better known for it
	}
	return e.Put(own)
}

func set[T any](at, to *T) {
	if to != nil {
		*at = *to
	}
}

// editAliases adds PCI aliases, or replaces those with the same names, and removes
// others.
func (c *Config) editAliases(put, gone []string) error {
	more, err := pci.ParseAliases(put)
	if err != nil {
		return err
	}
	named := func(text string) string {
		one, err := pci.ParseAliases([]string{text})
		if err != nil {
			return ""
		}
		return one[0].Name
	}
	gone = slices.Clone(gone)
	for _, name := range gone {
		if !slices.ContainsFunc(c.PCIAliases, func(text string) bool { return named(text) == name }) {
			return placement.NotFound("PCI alias", name)
		}
	}
	for _, a := range more {
		gone = append(gone, a.Name)
	}
	c.PCIAliases = append(slices.DeleteFunc(c.PCIAliases, func(text string) bool { return slices.Contains(gone, named(text)) }), put...)
	if len(c.PCIAliases) == 0 {
		c.PCIAliases = nil // as in a record that is read without any
	}
	return nil
}

func (op CreateCell) apply(e edit) error {
	if _, ok := e.Now.Cell(op.Name); ok {
		return &placement.ExistsError{What: "cell", Field: "name", Value: op.Name}
	}
	return e.Put(&Cell{Name: op.Name})
}
