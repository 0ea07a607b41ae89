package main

import (
	"strconv"

	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/placement"
)

// traitRow is a trait as it is printed.
type traitRow struct {
	Name      placement.Trait `json:"name"`
	Custom    bool            `json:"custom"`
	Count     int             `json:"provider_count"`
	Providers []string        `json:"resource_providers,omitempty"` // names; only of one trait asked for by name
}

func traitsKind() kind {
	return kind{
		name: "traits", aliases: []string{"trait", "t"},
		short:   "Traits: what providers may be asked to have",
		what:    "the name of a trait",
		filters: []string{byAssociated, byLimit},
		names:   traitNames,
		print: func(q query) error {
			p := q.Placement()
			row := func(id placement.TraitID, t placement.Trait) traitRow {
				return traitRow{Name: t, Custom: t.IsCustom(), Count: p.WithTrait(id).Len()}
			}
			var rows []traitRow
			if q.name != "" {
				id, err := q.trait(q.name)
				if err != nil {
					return err
				}
				r := row(id, placement.Trait(q.name))
				r.Providers = membersOf(q.finder, p.WithTrait(id))
				rows = append(rows, r)
			} else {
				for id, t := range p.Traits() {
					if r := row(id, t); r.Count > 0 || !q.by.associated {
						rows = append(rows, r)
					}
				}
			}
			return list(q, "traits", []column[traitRow]{
				text("name", func(r traitRow) string { return string(r.Name) }),
				number("provider_count", func(r traitRow) int64 { return int64(r.Count) }),
				wide(text("custom", func(r traitRow) string { return strconv.FormatBool(r.Custom) })),
			}, rows)
		},
	}
}

// membersOf returns the names of the providers in a set, sorted.
func membersOf(f finder, s placement.Set) []string {
	var out []string
	for p := range f.Placement().Providers() {
		if s.Has(p.Number()) {
			out = append(out, p.Name())
		}
	}
	return out
}

// classRow is a resource class as it is printed.
type classRow struct {
	ID       placement.ClassID       `json:"id"`
	Name     placement.ResourceClass `json:"name"`
	Custom   bool                    `json:"custom"`
	Count    int                     `json:"provider_count"`
	Capacity int64                   `json:"capacity"` // over all providers, each once
	Used     int64                   `json:"used"`
}

func classesKind() kind {
	return kind{
		name: "classes", aliases: []string{"class", "rc"},
		short:   "Resource classes, with how much of each the whole cloud has",
		what:    "the name of a resource class",
		filters: []string{byAssociated, byLimit},
		names:   classNames,
		print: func(q query) error {
			p := q.Placement()
			only := placement.ClassID(-1)
			if q.name != "" {
				var err error
				if only, err = q.class(q.name); err != nil {
					return err
				}
			}
			sums := map[placement.ResourceClass]*classRow{}
			var rows []*classRow
			for id, c := range p.Classes() {
				r := &classRow{ID: id, Name: c, Custom: c.IsCustom(), Count: p.WithClass(id).Len()}
				sums[c] = r
				if only >= 0 && id != only || q.by.associated && r.Count == 0 {
					continue
				}
				rows = append(rows, r)
			}
			for _, t := range insight.Totals(q.Snapshot).Classes {
				sums[t.Class].Capacity, sums[t.Class].Used = t.Capacity, t.Used
			}
			return list(q, "classes", []column[*classRow]{
				text("name", func(r *classRow) string { return string(r.Name) }),
				number("provider_count", func(r *classRow) int64 { return int64(r.Count) }),
				number("used", func(r *classRow) int64 { return r.Used }),
				number("capacity", func(r *classRow) int64 { return r.Capacity }),
				{name: "percent", right: true, cell: func(r *classRow) string { return percent(r.Used, r.Capacity) }},
				wide(number("id", func(r *classRow) int64 { return int64(r.ID) })),
				wide(text("custom", func(r *classRow) string { return strconv.FormatBool(r.Custom) })),
			}, rows)
		},
	}
}

func traitNames(f finder) []string {
	var out []string
	for _, t := range f.Placement().Traits() {
		out = append(out, string(t))
	}
	return out
}

// usedTraits returns the traits that any provider has.
func usedTraits(f finder) []string {
	var out []string
	for id, t := range f.Placement().Traits() {
		if f.Placement().WithTrait(id).Len() > 0 {
			out = append(out, string(t))
		}
	}
	return out
}

func classNames(f finder) []string {
	var out []string
	for _, c := range f.Placement().Classes() {
		out = append(out, string(c))
	}
	return out
}
