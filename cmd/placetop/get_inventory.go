package main

import (
	"strconv"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
)

// inventoryRow is the inventory of one class of a provider as it is printed.
type inventoryRow struct {
	Provider placement.ProviderID    `json:"resource_provider_uuid"`
	Name     string                  `json:"resource_provider"`
	Class    placement.ResourceClass `json:"resource_class"`
	inventoryFields
	Free       int64 `json:"free"`
	Generation int64 `json:"resource_provider_generation"`

	over bool
}

func inventoriesKind() kind {
	return kind{
		name: "inventories", aliases: []string{"inventory", "inv"},
		short:   "Inventories: how much of each class a provider has",
		what:    "the name or the uuid of a provider",
		filters: append(providerFilters(), byLimit),
		names:   providerNames,
		print: func(q query) error {
			rows, err := inventoryRows(q)
			if err != nil {
				return err
			}
			q.name = "" // several rows, even of one provider
			return list(q, "inventories", []column[inventoryRow]{
				text("resource_provider", func(r inventoryRow) string { return r.Name }),
				text("resource_class", func(r inventoryRow) string { return string(r.Class) }),
				number("total", func(r inventoryRow) int64 { return r.Total }),
				number("reserved", func(r inventoryRow) int64 { return r.Reserved }),
				{name: "allocation_ratio", right: true, cell: func(r inventoryRow) string {
					return strconv.FormatFloat(r.AllocationRatio, 'f', -1, 64)
				}},
				number("capacity", func(r inventoryRow) int64 { return r.Capacity }),
				overToken(number("used", func(r inventoryRow) int64 { return r.Used })),
				wide(number("free", func(r inventoryRow) int64 { return r.Free })),
				wide(number("min_unit", func(r inventoryRow) int64 { return r.MinUnit })),
				wide(number("max_unit", func(r inventoryRow) int64 { return r.MaxUnit })),
				wide(number("step_size", func(r inventoryRow) int64 { return r.StepSize })),
				wide(number("resource_provider_generation", func(r inventoryRow) int64 { return r.Generation })),
				wide(dim(text("resource_provider_uuid", func(r inventoryRow) string { return r.Provider.String() }))),
			}, rows)
		},
	}
}

// overToken colours a number of an inventory that is used beyond its capacity.
func overToken(c column[inventoryRow]) column[inventoryRow] {
	c.token = func(r inventoryRow) themes.Token {
		if r.over {
			return themes.Critical
		}
		return themes.Text
	}
	return c
}

// inventoryRows returns the inventories that q picks: of the picked providers, by
// provider name, and of the picked classes only.
func inventoryRows(q query) ([]inventoryRow, error) {
	f := q.by
	if q.name != "" {
		f.provider = q.name
	}
	picked, err := f.providers(q.finder)
	if err != nil {
		return nil, err
	}
	classes := map[placement.ResourceClass]bool{}
	for _, c := range f.class {
		classes[placement.ResourceClass(c)] = true
	}
	p := q.Placement()
	var rows []inventoryRow
	for rp := range p.Providers() {
		if !picked(rp) {
			continue
		}
		for _, iu := range rp.Inventories() {
			name := p.ClassName(iu.Class)
			if len(classes) > 0 && !classes[name] {
				continue
			}
			rows = append(rows, inventoryRow{
				Provider: rp.ID(), Name: rp.Name(), Class: name, inventoryFields: fieldsOf(iu),
				Free: iu.Free(), Generation: rp.Generation(), over: iu.OverCapacity(),
			})
		}
	}
	return rows, nil
}

// usageRow is what is used of one class of a provider as it is printed.
type usageRow struct {
	Provider placement.ProviderID    `json:"resource_provider_uuid"`
	Name     string                  `json:"resource_provider"`
	Class    placement.ResourceClass `json:"resource_class"`
	Used     int64                   `json:"used"`
	Capacity int64                   `json:"capacity"`
	Free     int64                   `json:"free"`

	over bool
}

// projectUsageRow is what consumers of one project and type use of one class.
type projectUsageRow struct {
	Project   string                  `json:"project_id"`
	Type      string                  `json:"consumer_type"`
	Class     placement.ResourceClass `json:"resource_class"`
	Used      int64                   `json:"used"`
	Consumers int                     `json:"consumer_count"`
}

func usagesKind() kind {
	return kind{
		name: "usages", aliases: []string{"usage", "u"},
		short:   "Usages: how much of each class is used; with --project or --type by whom",
		what:    "the name or the uuid of a provider",
		filters: append(providerFilters(), byProject, byType, byLimit),
		names:   providerNames,
		print: func(q query) error {
			if q.by.project != "" || q.by.typ != "" {
				return printProjectUsages(q)
			}
			inventories, err := inventoryRows(q)
			if err != nil {
				return err
			}
			var rows []usageRow
			for _, r := range inventories {
				rows = append(rows, usageRow{
					Provider: r.Provider, Name: r.Name, Class: r.Class, Used: r.Used, Capacity: r.Capacity, Free: r.Free, over: r.over,
				})
			}
			q.name = ""
			used := number("used", func(r usageRow) int64 { return r.Used })
			used.token = func(r usageRow) themes.Token {
				if r.over {
					return themes.Critical
				}
				return themes.Text
			}
			return list(q, "usages", []column[usageRow]{
				text("resource_provider", func(r usageRow) string { return r.Name }),
				text("resource_class", func(r usageRow) string { return string(r.Class) }),
				used,
				number("capacity", func(r usageRow) int64 { return r.Capacity }),
				number("free", func(r usageRow) int64 { return r.Free }),
				{name: "percent", right: true, cell: func(r usageRow) string { return percent(r.Used, r.Capacity) }},
				wide(dim(text("resource_provider_uuid", func(r usageRow) string { return r.Provider.String() }))),
			}, rows)
		},
	}
}

// printProjectUsages prints usage by project and consumer type, as Placement
// counts it against quotas.
//
// Source: placement/handlers/usage.py, list_usages.
func printProjectUsages(q query) error {
	rows, err := allocationRows(q)
	if err != nil {
		return err
	}
	type key struct {
		project, typ string
		class        placement.ResourceClass
	}
	sums := map[key]*projectUsageRow{}
	seen := map[key]map[placement.ConsumerID]bool{}
	var order []key
	for _, r := range rows {
		k := key{r.Project, r.Type, r.Class}
		if sums[k] == nil {
			sums[k] = &projectUsageRow{Project: r.Project, Type: r.Type, Class: r.Class}
			seen[k] = map[placement.ConsumerID]bool{}
			order = append(order, k)
		}
		sums[k].Used += r.Used
		if !seen[k][r.Consumer] {
			seen[k][r.Consumer] = true
			sums[k].Consumers++
		}
	}
	out := make([]projectUsageRow, len(order))
	for i, k := range order {
		out[i] = *sums[k]
	}
	sortProjectUsages(q.finder, out)
	q.name = ""
	return list(q, "usages", []column[projectUsageRow]{
		text("project_id", func(r projectUsageRow) string { return r.Project }),
		text("consumer_type", func(r projectUsageRow) string { return r.Type }),
		text("resource_class", func(r projectUsageRow) string { return string(r.Class) }),
		number("used", func(r projectUsageRow) int64 { return r.Used }),
		number("consumer_count", func(r projectUsageRow) int64 { return int64(r.Consumers) }),
	}, out)
}
