package nova

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// OwnerFilter is a form of the pre-filter that keeps Nova's requests on Nova's
// providers.
type OwnerFilter string

// The forms.
const (
	// OwnerOnGroups requires OWNER_NOVA in every request group of Nova's own, and
	// forbids OWNER_CYBORG in the un-suffixed one.
	OwnerOnGroups OwnerFilter = ""
	// OwnerOnRoot requires it only of the root and of PCI groups, as merged upstream: a
	// card of Cyborg's below such a root may still serve a VGPU of Nova's.
	OwnerOnRoot OwnerFilter = "root"
	// OwnerOff never asks for an owner.
	OwnerOff OwnerFilter = "off"
)

// configKey is the key of the one Config.
const configKey = "nova.conf"

// Config is what nova.conf says for the whole cloud. The zero value has the defaults of a
// cloud that is kept here; Upstream has those of a live one.
//
// Source: nova/conf/scheduler.py, nova/conf/compute.py, nova/conf/pci.py and
// nova/conf/workarounds.py.
type Config struct {
	OwnerFilter OwnerFilter `json:"owner_filter,omitempty" cbor:"1,keyasint,omitempty"`
	// Off names the pre-filters that are switched off; see PrefilterNames.
	Off []string `json:"prefilters_off,omitempty" cbor:"2,keyasint,omitempty"`
	// ResizeToSameHost is [DEFAULT]allow_resize_to_same_host.
	ResizeToSameHost bool `json:"allow_resize_to_same_host,omitempty" cbor:"3,keyasint,omitempty"`
	// On names the pre-filters that are switched on of those that are off by themselves.
	On []string `json:"prefilters_on,omitempty" cbor:"9,keyasint,omitempty"`
	// PCIAliases are [pci]alias: what flavors call PCI devices, each a JSON object as
	// in nova.conf.
	PCIAliases []string `json:"pci_alias,omitempty" cbor:"4,keyasint,omitempty"`
	// PCIInPlacement is [filter_scheduler]pci_in_placement: Placement is asked for PCI
	// devices, so that hosts which do not report theirs get none of their instances.
	PCIInPlacement bool `json:"pci_in_placement,omitempty" cbor:"5,keyasint,omitempty"`
	// TenantNeedsAggregate is [scheduler]placement_aggregate_required_for_tenants: with
	// FilterTenant on, a project without host aggregates gets no host.
	TenantNeedsAggregate bool `json:"placement_aggregate_required_for_tenants,omitempty" cbor:"6,keyasint,omitempty"`
	// NoVCPUFallback is [workarounds]disable_fallback_pcpu_query: pinned CPUs are only
	// ever PCPU.
	NoVCPUFallback bool `json:"disable_fallback_pcpu_query,omitempty" cbor:"7,keyasint,omitempty"`
	// Live names the live cloud whose nova.conf this stands for, as no API reports that;
	// "" for a cloud that is kept here. Of its settings those in Given are the operator's,
	// by the name of the Option, and the others upstream's defaults. In a file it marks a
	// copy, which is left as it was until Configure.Adopt.
	Live  string   `json:"live_cloud,omitempty" cbor:"8,keyasint,omitempty"`
	Given []string `json:"given,omitempty" cbor:"10,keyasint,omitempty"`
	// Unread says why a part of the live cloud was not read, or not as a whole, when it was
	// copied, by the name of the part: what the copy lacks of it may exist all the same,
	// also once it is adopted.
	Unread map[string]string `json:"not_read,omitempty" cbor:"11,keyasint,omitempty"`
	// Read is when the live cloud was last copied, in Unix milliseconds.
	Read int64 `json:"read_at_ms,omitempty" cbor:"12,keyasint,omitempty"`
	// Moving are the consumers that changed while it was copied, so that its parts may not
	// agree about them.
	Moving []placement.ConsumerID `json:"moving,omitempty" cbor:"13,keyasint,omitempty"`
	// Projects and Users are what Keystone called the owners of what is there, by id.
	Projects map[string]string `json:"project_names,omitempty" cbor:"14,keyasint,omitempty"`
	Users    map[string]string `json:"user_names,omitempty" cbor:"15,keyasint,omitempty"`
}

// CopyOf says of which live cloud a file is a copy, and when that was read; "" if it is none.
func (c *Config) CopyOf() string {
	switch {
	case c.Live == "":
		return ""
	case c.Read == 0:
		return "copy of " + c.Live
	}
	return "copy of " + c.Live + ", read " + versioned.Time(c.Read).UTC().Format("2006-01-02 15:04") + " UTC"
}

// Aliases returns the PCI aliases that flavors use, by name.
func (c *Config) Aliases() []pci.Alias {
	aliases, err := pci.ParseAliases(c.PCIAliases)
	if err != nil {
		return nil // Validate refuses them
	}
	return aliases
}

// OwnerInForce returns the form of the owner filter that requests use: OwnerOff if it,
// or its pre-filter, is switched off. By names the settings that do that, "" if none
// does.
func (c *Config) OwnerInForce() (form OwnerFilter, by string) {
	var off []string
	if c.OwnerFilter == OwnerOff {
		off = append(off, "owner_filter is off")
	}
	if slices.Contains(c.Off, FilterOwner) {
		off = append(off, FilterOwner+" is in prefilters_off")
	}
	if len(off) > 0 {
		return OwnerOff, strings.Join(off, " and ")
	}
	return c.OwnerFilter, ""
}

// RecordKind implements versioned.Record.
func (*Config) RecordKind() versioned.Kind { return KindConfig }

// RecordKey implements versioned.Record.
func (*Config) RecordKey() []byte { return []byte(configKey) }

// RecordName implements versioned.Named.
func (*Config) RecordName() string { return "of Nova" }

// SwitchPrefilters switches pre-filters on and off, and stores only what differs from
// their defaults.
func (c *Config) SwitchPrefilters(on, off []string) {
	c.Off = slices.DeleteFunc(append(c.Off, off...), func(name string) bool { return slices.Contains(on, name) || optionOf(name) != "" })
	c.On = slices.DeleteFunc(append(c.On, on...), func(name string) bool {
		return slices.Contains(off, name) || slices.Contains(PrefilterNames(), name) && optionOf(name) == ""
	})
	for _, list := range []*[]string{&c.Off, &c.On} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

// Validate implements ledger.Row: the form of the owner filter is one of three, what
// is switched is there, and Nova could read the aliases.
func (c *Config) Validate() error {
	for _, list := range []struct {
		field string
		names []string
	}{{"prefilters_off", c.Off}, {"prefilters_on", c.On}} {
		for _, name := range list.names {
			if !slices.Contains(PrefilterNames(), name) {
				return placement.Invalid(list.field, name, "must be of "+strings.Join(PrefilterNames(), ", "))
			}
		}
	}
	switch c.OwnerFilter {
	case OwnerOnGroups, OwnerOnRoot, OwnerOff:
		aliases, err := pci.ParseAliases(c.PCIAliases)
		if err != nil {
			return err
		}
		return pci.CheckAliases(aliases, c.PCIInPlacement)
	}
	return placement.Invalid("owner_filter", string(c.OwnerFilter), `must be empty, "root" or "off"`)
}
