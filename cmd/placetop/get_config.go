package main

import (
	"strconv"

	"github.com/placetop/placetop/model/nova"
)

// configRow is what the operator has set for all of Nova, and what comes of it.
type configRow struct {
	OwnerFilter ownerFilterWord `json:"owner_filter"`
	Off         []string        `json:"prefilters_off"`
	On          []string        `json:"prefilters_on"`
	SameHost    bool            `json:"allow_resize_to_same_host"`
	PCIAliases  []string        `json:"pci_alias"`
	InPlacement bool            `json:"pci_in_placement"`
	Gate        gateRow         `json:"owner_gate"`
}

// gateRow is the gate of the owner filter as it is printed.
type gateRow struct {
	Open    bool   `json:"open"`
	Minimum int    `json:"minimum_version"` // 0 where no nova-compute says one
	Need    int    `json:"needed_version"`
	Holds   int    `json:"old_services"` // that hold it closed
	Words   string `json:"words"`
}

func configKind() kind {
	return kind{
		name: "config", aliases: []string{"conf"},
		short: "What is set for all of Nova, and whether the owner is asked for",
		what:  "left out: there is one",
		print: func(q query) error {
			if q.name != "" {
				return usageErrorf("leave out the name", "there is no configuration %q", q.name)
			}
			q.name = "nova.conf" // the one that there is
			c, g := q.Nova().Config(), q.Nova().Gate()
			return list(q, "settings", configColumns(), []configRow{newConfigRow(c, g)})
		},
	}
}

func newConfigRow(c *nova.Config, g nova.Gate) configRow {
	return configRow{
		OwnerFilter: ownerFilterOf(c.OwnerFilter), Off: filled(c.Off), On: filled(c.On), SameHost: c.ResizeToSameHost,
		PCIAliases: filled(c.PCIAliases), InPlacement: c.PCIInPlacement,
		Gate: gateRow{Open: g.Open, Minimum: g.Minimum, Need: g.Need, Holds: len(g.Holds), Words: g.Words()},
	}
}

func configColumns() []column[configRow] {
	return []column[configRow]{
		text("owner_filter", func(r configRow) string { return string(r.OwnerFilter) }),
		text("owner_gate", func(r configRow) string { return r.Gate.Words }),
		text("prefilters_off", func(r configRow) string { return join(r.Off) }),
		wide(text("prefilters_on", func(r configRow) string { return join(r.On) })),
		text("allow_resize_to_same_host", func(r configRow) string { return strconv.FormatBool(r.SameHost) }),
		wide(text("pci_in_placement", func(r configRow) string { return strconv.FormatBool(r.InPlacement) })),
		wide(text("pci_alias", func(r configRow) string { return join(r.PCIAliases) })),
		wide(number("minimum_version", func(r configRow) int64 { return int64(r.Gate.Minimum) })),
		wide(number("old_services", func(r configRow) int64 { return int64(r.Gate.Holds) })),
	}
}
