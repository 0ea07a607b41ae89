package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/placement"
)

// allocationRow is what one consumer uses of one class of one provider.
type allocationRow struct {
	Consumer     placement.ConsumerID    `json:"consumer_uuid"`
	ConsumerName string                  `json:"consumer_name,omitempty"` // of the instance
	Type         string                  `json:"consumer_type"`
	Project      string                  `json:"project_id"`
	User         string                  `json:"user_id"`
	Provider     placement.ProviderID    `json:"resource_provider_uuid"`
	ProviderName string                  `json:"resource_provider"`
	Class        placement.ResourceClass `json:"resource_class"`
	Used         int64                   `json:"used"`
}

func allocationsKind() kind {
	return kind{
		name: "allocations", aliases: []string{"allocation", "alloc", "a"},
		short:   "Allocations: which consumer uses how much of what",
		what:    "the uuid of a consumer, or the name of the instance that it is",
		filters: append(providerFilters(), byProvider, byProject, byType, byLimit),
		names:   consumerNames,
		print: func(q query) error {
			rows, err := allocationRows(q)
			if err != nil {
				return err
			}
			q.name = ""
			return list(q, "allocations", []column[allocationRow]{
				text("consumer_uuid", func(r allocationRow) string { return r.Consumer.String() }),
				text("consumer_name", func(r allocationRow) string { return r.ConsumerName }),
				text("consumer_type", func(r allocationRow) string { return r.Type }),
				text("resource_provider", func(r allocationRow) string { return r.ProviderName }),
				text("resource_class", func(r allocationRow) string { return string(r.Class) }),
				number("used", func(r allocationRow) int64 { return r.Used }),
				wide(text("project_id", func(r allocationRow) string { return r.Project })),
				wide(text("user_id", func(r allocationRow) string { return r.User })),
				wide(dim(text("resource_provider_uuid", func(r allocationRow) string { return r.Provider.String() }))),
			}, rows)
		},
	}
}

// allocationRows returns the allocations that q picks, by consumer, then by
// provider name, then by class number.
func allocationRows(q query) ([]allocationRow, error) {
	f := q.by
	byConsumer := q.name != ""
	var only *placement.Consumer
	if byConsumer {
		var err error
		if only, err = q.consumer(q.name); err != nil {
			return nil, err
		}
	}
	picked, err := f.providers(q.finder)
	if err != nil {
		return nil, err
	}
	p := q.Placement()
	var rows []allocationRow
	for c := range p.Consumers() {
		if byConsumer && c.ID() != only.ID() || !f.consumer(c) {
			continue
		}
		first := len(rows)
		var classes []placement.ClassID
		for a := range p.Allocations(c) {
			if !picked(a.Provider) || !f.classPicked(p.ClassName(a.Class)) {
				continue
			}
			classes = append(classes, a.Class)
			rows = append(rows, allocationRow{
				Consumer: c.ID(), ConsumerName: q.consumerName(c.ID()), Type: c.Type().String(),
				Project: c.Project(), User: c.User(),
				Provider: a.Provider.ID(), ProviderName: a.Provider.Name(), Class: p.ClassName(a.Class), Used: a.Used,
			})
		}
		// The ledger keeps them by provider and class number already; only the
		// providers of one consumer are put in the order of their names.
		slices.SortStableFunc(rows[first:], func(a, b allocationRow) int { return cmp.Compare(a.ProviderName, b.ProviderName) })
	}
	return rows, nil
}

// classPicked reports whether allocations of a class are picked: all are where no
// class was asked for.
func (f filters) classPicked(c placement.ResourceClass) bool {
	return len(f.class) == 0 || slices.Contains(f.class, string(c))
}

// consumerRow is a consumer as it is printed.
type consumerRow struct {
	UUID        placement.ConsumerID                                       `json:"uuid"`
	Name        string                                                     `json:"name,omitempty"`
	Type        string                                                     `json:"consumer_type"`
	Project     string                                                     `json:"project_id"`
	User        string                                                     `json:"user_id"`
	Generation  int64                                                      `json:"consumer_generation"`
	Allocations map[placement.ProviderID]map[placement.ResourceClass]int64 `json:"allocations"`
	Created     *time.Time                                                 `json:"created_at,omitempty"`
	Updated     *time.Time                                                 `json:"updated_at,omitempty"`

	sum string
}

func consumersKind() kind {
	return kind{
		name: "consumers", aliases: []string{"consumer", "c"},
		short:   "Consumers: what holds allocations",
		what:    "the uuid of a consumer, or the name of the instance that it is",
		filters: append(providerFilters(), byProvider, byProject, byType, byLimit),
		names:   consumerNames,
		print:   printConsumers,
	}
}

func printConsumers(q query) error {
	picked, err := q.by.providers(q.finder)
	if err != nil {
		return err
	}
	p := q.Placement()
	consumers := p.Consumers()
	if q.name != "" {
		c, err := q.consumer(q.name)
		if err != nil {
			return err
		}
		consumers = slices.Values([]*placement.Consumer{c})
	}
	var rows []consumerRow
	for c := range consumers {
		if !q.by.consumer(c) {
			continue
		}
		r := consumerRow{
			UUID: c.ID(), Name: q.consumerName(c.ID()), Type: c.Type().String(), Project: c.Project(), User: c.User(),
			Generation: c.Generation(), Allocations: p.ConsumerRecord(c).Allocations,
			Created: known(c.Created()), Updated: known(c.Updated()),
		}
		sum := map[placement.ResourceClass]int64{}
		here := false
		for a := range p.Allocations(c) {
			class := p.ClassName(a.Class)
			sum[class] += a.Used
			here = here || picked(a.Provider) && q.by.classPicked(class)
		}
		if !here {
			continue
		}
		r.sum = amounts(q.finder, sum)
		rows = append(rows, r)
	}
	return list(q, "consumers", []column[consumerRow]{
		text("uuid", func(r consumerRow) string { return r.UUID.String() }),
		text("name", func(r consumerRow) string { return r.Name }),
		text("consumer_type", func(r consumerRow) string { return r.Type }),
		text("project_id", func(r consumerRow) string { return r.Project }),
		text("resources", func(r consumerRow) string { return r.sum }),
		number("providers", func(r consumerRow) int64 { return int64(len(r.Allocations)) }),
		wide(text("user_id", func(r consumerRow) string { return r.User })),
		wide(number("consumer_generation", func(r consumerRow) int64 { return r.Generation })),
		wide(text("updated_at", func(r consumerRow) string { return stamp(r.Updated) })),
	}, rows)
}

// sortProjectUsages puts usages in the order of project, type and class number.
func sortProjectUsages(f finder, rows []projectUsageRow) {
	number := func(r projectUsageRow) placement.ClassID { id, _ := f.Placement().ClassID(r.Class); return id }
	slices.SortFunc(rows, func(a, b projectUsageRow) int {
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Type, b.Type), cmp.Compare(number(a), number(b)))
	})
}

// The words that complete the names of things.

func providerNames(f finder) []string {
	var out []string
	for p := range f.Placement().Providers() {
		out = append(out, p.Name())
	}
	return out
}

func consumerNames(f finder) []string {
	var out []string
	for c := range f.Placement().Consumers() {
		id := c.ID().String()
		if name := f.consumerName(c.ID()); name != "" {
			id = fmt.Sprintf("%s\t%s", id, name)
		}
		out = append(out, id)
	}
	return out
}

func projectNames(f finder) []string {
	return distinct(f, (*placement.Consumer).Project)
}

func typeNames(f finder) []string {
	return distinct(f, func(c *placement.Consumer) string { return c.Type().String() })
}

func distinct(f finder, of func(*placement.Consumer) string) []string {
	var out []string
	for c := range f.Placement().Consumers() {
		out = append(out, of(c))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
