package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// aggregateRow is an aggregate as it is printed: what Placement knows of it, and
// what Nova knows of the host aggregate with the same uuid.
type aggregateRow struct {
	UUID      placement.AggregateID `json:"uuid"`
	Name      string                `json:"name"` // "" where Nova has none
	Zone      string                `json:"availability_zone"`
	Hosts     []string              `json:"hosts"`
	Metadata  map[string]string     `json:"metadata"`
	Count     int                   `json:"provider_count"`
	Sharing   []string              `json:"sharing_providers"`            // names
	Providers []string              `json:"resource_providers,omitempty"` // names; only of one aggregate asked for
}

func aggregatesKind() kind {
	return kind{
		name: "aggregates", aliases: []string{"aggregate", "agg"},
		short:   "Aggregates: groups of hosts and providers, and the pools that they share",
		what:    "the name or the uuid of an aggregate",
		filters: []string{byHost, byLimit},
		names:   aggregateNames,
		print: func(q query) error {
			var only placement.AggregateID
			if q.name != "" {
				var err error
				if only, err = q.aggregate(q.name); err != nil {
					return err
				}
			}
			var rows []aggregateRow
			for _, id := range q.aggregates() {
				if q.name != "" && id != only {
					continue
				}
				r := newAggregateRow(q.finder, id)
				if q.by.host != "" && !slices.Contains(r.Hosts, q.by.host) {
					continue
				}
				if q.name == "" && (q.out.format == formatJSON || q.out.format == formatYAML) {
					r.Providers = nil
				}
				rows = append(rows, r)
			}
			return list(q, "aggregates", aggregateColumns(), rows)
		},
	}
}

func newAggregateRow(f finder, id placement.AggregateID) aggregateRow {
	p := f.Placement()
	r := aggregateRow{UUID: id, Hosts: []string{}, Metadata: map[string]string{}, Sharing: []string{}}
	if a, ok := f.Nova().Aggregate(id); ok {
		r.Name, r.Zone, r.Hosts = a.Name, a.Zone(), append(r.Hosts, a.Hosts...)
		maps.Copy(r.Metadata, a.Metadata)
	}
	r.Providers = membersOf(f, p.InAggregate(id))
	r.Count = len(r.Providers)
	for _, n := range r.Providers {
		if rp, ok := p.ProviderByName(n); ok && p.Shares(rp) {
			r.Sharing = append(r.Sharing, n)
		}
	}
	return r
}

func aggregateColumns() []column[aggregateRow] {
	return []column[aggregateRow]{
		text("uuid", func(r aggregateRow) string { return r.UUID.String() }),
		text("name", func(r aggregateRow) string { return r.Name }),
		text("availability_zone", func(r aggregateRow) string { return r.Zone }),
		number("host_count", func(r aggregateRow) int64 { return int64(len(r.Hosts)) }),
		number("provider_count", func(r aggregateRow) int64 { return int64(r.Count) }),
		text("sharing_providers", func(r aggregateRow) string { return join(r.Sharing) }),
		wide(text("hosts", func(r aggregateRow) string { return join(r.Hosts) })),
		wide(text("metadata", func(r aggregateRow) string { return properties(r.Metadata) })),
		wide(text("resource_providers", func(r aggregateRow) string { return join(r.Providers) })),
	}
}

// properties writes what is under each key for one cell, by key.
func properties(m map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, k+"="+m[k])
	}
	return strings.Join(parts, " ")
}
