package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/insight"
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

// inventories returns which providers q picks for a list by class, and which classes.
func (q query) inventories() (picked func(*placement.ResourceProvider) bool, class func(placement.ResourceClass) bool, err error) {
	f := q.by
	if q.name != "" {
		f.provider = q.name
	}
	picked, err = f.providers(q.finder)
	classes := map[placement.ResourceClass]bool{}
	for _, c := range f.class {
		classes[placement.ResourceClass(c)] = true
	}
	return picked, func(c placement.ResourceClass) bool { return len(classes) == 0 || classes[c] }, err
}

// inventoryRows returns the inventories that q picks: of the picked providers, by
// provider name, and of the picked classes only.
func inventoryRows(q query) ([]inventoryRow, error) {
	picked, classes, err := q.inventories()
	if err != nil {
		return nil, err
	}
	p := q.Placement()
	var rows []inventoryRow
	for rp := range p.Providers() {
		if !picked(rp) {
			continue
		}
		for _, iu := range rp.Inventories() {
			name := p.ClassName(iu.Class)
			if !classes(name) {
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

// usageRow is what is used of one class of a provider as it is printed, or what a host
// has of a pool that serves it: that has no amounts of its own, so that who adds up the
// rows counts the pool once.
type usageRow struct {
	Provider placement.ProviderID    `json:"resource_provider_uuid"`
	Name     string                  `json:"resource_provider"`
	Class    placement.ResourceClass `json:"resource_class"`
	*usageAmounts
	Shared *shareRow `json:"shared,omitempty"`
}

// usageAmounts is what is used of a class of a provider.
type usageAmounts struct {
	Used     int64 `json:"used"`
	Capacity int64 `json:"capacity"`
	Free     int64 `json:"free"`

	over bool
}

// shareRow is a class of a pool as a host sees it.
type shareRow struct {
	Pool     placement.ProviderID    `json:"pool_uuid"`
	Name     string                  `json:"pool"`
	Class    placement.ResourceClass `json:"resource_class"`
	Here     int64                   `json:"used_by_host"`
	Held     int64                   `json:"held_by_migrations_of_host"`
	Used     int64                   `json:"pool_used"`
	Capacity int64                   `json:"pool_capacity"`
	Free     int64                   `json:"pool_free"`
}

// String returns the share in words: "ceph DISK_GB 20 of 60/100".
func (r shareRow) String() string {
	return fmt.Sprintf("%s %s %d of %d/%d", r.Name, r.Class, r.Here, r.Used, r.Capacity)
}

// sharesOf returns what the host whose root p is has of pools; none for another
// provider.
func sharesOf(shares insight.Shares, p *placement.ResourceProvider) []shareRow {
	if !p.IsRoot() {
		return nil
	}
	var out []shareRow
	for _, t := range shares.Of(p) {
		out = append(out, shareRow{t.Pool, t.Name, t.Class, t.Here, t.Held, t.Used, t.Capacity, t.Free()})
	}
	return out
}

// sharedColumn is the column that says what a host has of pools.
func sharedColumn[T any](of func(T) []shareRow) column[T] {
	return wide(text("shared", func(row T) string {
		var parts []string
		for _, r := range of(row) {
			parts = append(parts, r.String())
		}
		return strings.Join(parts, ", ")
	}))
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
			rows, err := usageRows(q)
			if err != nil {
				return err
			}
			q.name = ""
			return list(q, "usages", usageColumns(rows), rows)
		},
	}
}

// usageRows returns the usages that q picks: of each provider by class, and of a host
// what it has of pools below that.
func usageRows(q query) ([]usageRow, error) {
	picked, classes, err := q.inventories()
	if err != nil {
		return nil, err
	}
	// A host that has a class of a pool alone is none of those that have the class.
	byPool := q
	byPool.by.class = nil
	served, _, err := byPool.inventories()
	if err != nil {
		return nil, err
	}
	p := q.Placement()
	shares := insight.NewShares(q.Snapshot)
	var rows []usageRow
	for rp := range p.Providers() {
		if !served(rp) {
			continue
		}
		for _, iu := range rp.Inventories() {
			if name := p.ClassName(iu.Class); picked(rp) && classes(name) {
				rows = append(rows, usageRow{
					Provider: rp.ID(), Name: rp.Name(), Class: name,
					usageAmounts: &usageAmounts{Used: iu.Used, Capacity: iu.Capacity(), Free: iu.Free(), over: iu.OverCapacity()},
				})
			}
		}
		for _, share := range sharesOf(shares, rp) {
			if classes(share.Class) {
				rows = append(rows, usageRow{Provider: rp.ID(), Name: rp.Name(), Class: share.Class, Shared: &share})
			}
		}
	}
	return rows, nil
}

// usageColumns returns the columns of usages. Tables show a host's share in the columns
// of the amounts, with the pool's own figures beside it, where CSV has columns for it.
func usageColumns(rows []usageRow) []column[usageRow] {
	amount := func(name string, own func(*usageAmounts) string, pool func(*shareRow) string) column[usageRow] {
		cell := func(r usageRow) string {
			if r.usageAmounts == nil {
				return ""
			}
			return own(r.usageAmounts)
		}
		return column[usageRow]{name: name, right: true, cell: cell, shown: func(r usageRow) string {
			if r.Shared != nil {
				return pool(r.Shared)
			}
			return cell(r)
		}}
	}
	digits := func(n int64) string { return strconv.FormatInt(n, 10) }
	used := amount("used", func(a *usageAmounts) string { return digits(a.Used) }, func(s *shareRow) string { return digits(s.Here) })
	used.token = func(r usageRow) themes.Token {
		if r.usageAmounts != nil && r.over {
			return themes.Critical
		}
		return themes.Text
	}
	share := func(name string, of func(*shareRow) int64) column[usageRow] {
		return wide(column[usageRow]{name: name, right: true, cell: func(r usageRow) string {
			if r.Shared == nil {
				return ""
			}
			return digits(of(r.Shared))
		}})
	}
	pool := text("pool", func(r usageRow) string {
		if r.Shared == nil {
			return ""
		}
		return r.Shared.Name
	})
	pool.shown = func(r usageRow) string {
		if r.Shared == nil {
			return ""
		}
		return fmt.Sprintf("shares %s, %d used in all", r.Shared.Name, r.Shared.Used)
	}
	if !slices.ContainsFunc(rows, func(r usageRow) bool { return r.Shared != nil }) {
		pool = wide(pool)
	}
	return []column[usageRow]{
		text("resource_provider", func(r usageRow) string { return r.Name }),
		text("resource_class", func(r usageRow) string { return string(r.Class) }),
		used,
		amount("capacity", func(a *usageAmounts) string { return digits(a.Capacity) }, func(s *shareRow) string { return digits(s.Capacity) }),
		amount("free", func(a *usageAmounts) string { return digits(a.Free) }, func(s *shareRow) string { return digits(s.Free) }),
		amount("percent", func(a *usageAmounts) string { return percent(a.Used, a.Capacity) }, func(s *shareRow) string { return percent(s.Here, s.Capacity) }),
		pool,
		wide(dim(text("resource_provider_uuid", func(r usageRow) string { return r.Provider.String() }))),
		share("used_by_host", func(s *shareRow) int64 { return s.Here }),
		share("pool_used", func(s *shareRow) int64 { return s.Used }),
		share("pool_capacity", func(s *shareRow) int64 { return s.Capacity }),
		share("pool_free", func(s *shareRow) int64 { return s.Free }),
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
