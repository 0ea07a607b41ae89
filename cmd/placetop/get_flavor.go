package main

import (
	"maps"
	"strconv"
	"time"

	"github.com/placetop/placetop/model/nova"
)

// flavorRow is a flavor as it is printed.
type flavorRow struct {
	Name        string            `json:"name"`
	Ref         string            `json:"ref"` // what instances hold of it
	Revision    int64             `json:"revision"`
	FlavorID    string            `json:"flavorid"`
	VCPUs       int64             `json:"vcpus"`
	MemoryMB    int64             `json:"memory_mb"`
	RootGB      int64             `json:"root_gb"`
	EphemeralGB int64             `json:"ephemeral_gb"`
	SwapMB      int64             `json:"swap_mb"`
	Disabled    bool              `json:"disabled"`
	Public      bool              `json:"is_public"`
	Deleted     bool              `json:"deleted"`
	Description string            `json:"description"`
	ExtraSpecs  map[string]string `json:"extra_specs"`
	Instances   int               `json:"instance_count"` // live ones that were booted with it
	Created     *time.Time        `json:"created_at,omitempty"`
}

func flavorsKind() kind {
	return kind{
		name: "flavors", aliases: []string{"flavor", "f"},
		short:   "Flavors: what instances may ask for",
		what:    "the name, the ref or the id of a flavor",
		filters: []string{byAll, byLimit},
		names:   flavorNames,
		print: func(q query) error {
			var only *nova.Flavor
			if q.name != "" {
				var err error
				if only, err = q.flavor(q.name); err != nil {
					return err
				}
			}
			used := map[string]int{}
			for i := range q.Nova().Instances() {
				if i.Live() {
					used[i.Flavor]++
				}
			}
			var rows []flavorRow
			flavors := q.Nova().CurrentFlavors()
			if q.by.all || only != nil {
				flavors = q.Nova().Flavors()
			}
			for v := range flavors {
				if only == nil || v == only {
					rows = append(rows, newFlavorRow(v, used[v.Ref()]))
				}
			}
			return list(q, "flavors", flavorColumns(), rows)
		},
	}
}

func newFlavorRow(v *nova.Flavor, instances int) flavorRow {
	r := flavorRow{
		Name: v.Name, Ref: v.Ref(), Revision: v.Revision, FlavorID: v.FlavorID,
		VCPUs: v.VCPUs, MemoryMB: v.MemoryMB, RootGB: v.RootGB, EphemeralGB: v.EphemeralGB, SwapMB: v.SwapMB,
		Disabled: v.Disabled, Public: !v.Private, Deleted: v.Deleted, Description: v.Description,
		ExtraSpecs: map[string]string{}, Instances: instances, Created: moment(v.Created),
	}
	maps.Copy(r.ExtraSpecs, v.ExtraSpecs)
	return r
}

func flavorColumns() []column[flavorRow] {
	return []column[flavorRow]{
		text("ref", func(r flavorRow) string { return r.Ref }),
		number("vcpus", func(r flavorRow) int64 { return r.VCPUs }),
		number("memory_mb", func(r flavorRow) int64 { return r.MemoryMB }),
		number("root_gb", func(r flavorRow) int64 { return r.RootGB }),
		number("ephemeral_gb", func(r flavorRow) int64 { return r.EphemeralGB }),
		number("swap_mb", func(r flavorRow) int64 { return r.SwapMB }),
		number("instance_count", func(r flavorRow) int64 { return int64(r.Instances) }),
		text("extra_specs", func(r flavorRow) string { return properties(r.ExtraSpecs) }),
		wide(text("flavorid", func(r flavorRow) string { return r.FlavorID })),
		wide(text("disabled", func(r flavorRow) string { return strconv.FormatBool(r.Disabled) })),
		wide(text("is_public", func(r flavorRow) string { return strconv.FormatBool(r.Public) })),
		wide(text("deleted", func(r flavorRow) string { return strconv.FormatBool(r.Deleted) })),
		wide(text("description", func(r flavorRow) string { return r.Description })),
		wide(text("created_at", func(r flavorRow) string { return stamp(r.Created) })),
	}
}
