package kinds

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Trait is a trait, with who has it and who asks for it.
type Trait struct {
	ID        placement.TraitID
	Name      placement.Trait `json:"name"`
	Providers int64           `json:"provider_count"` // that have it
	Consumers int64           `json:"consumer_count"` // on these; one that is on two of them counts twice
	requesters
}

// Namespace returns the group of the trait: OWNER, HW, COMPUTE, CUSTOM and so on.
func (t *Trait) Namespace() string {
	word, _, _ := strings.Cut(string(t.Name), "_")
	return word
}

// Note says in a few words what is remarkable about the trait, and how bad that is.
func (t *Trait) Note() (string, Grade) {
	switch {
	case t.Providers == 0 && len(t.flavors) > 0:
		return "flavors ask, nobody has it", Critical
	case t.Providers == 0 && len(t.profiles) > 0:
		return "profiles ask, nobody has it", Critical
	case t.Providers == 0 && t.Name.IsCustom():
		return "unused, safe to delete", Notice
	case t.Name == placement.OwnerNova:
		return "nova owns these", Plain
	case t.Name == placement.OwnerCyborg:
		return "cyborg owns these", Plain
	}
	return "", Plain
}

// traitRows returns all traits.
func traitRows(s *cloud.Snapshot) []*Trait {
	pl, d := s.Placement(), demandOf(s)
	consumers := map[placement.TraitID]int64{}
	for p := range pl.Providers() {
		if n := pl.CountConsumersOf(p); n > 0 {
			for _, t := range p.TraitIDs() {
				consumers[t] += int64(n)
			}
		}
	}
	var out []*Trait
	for id, name := range pl.Traits() {
		out = append(out, &Trait{ID: id, Name: name, Providers: int64(pl.WithTrait(id).Len()), Consumers: consumers[id], requesters: of(d.traits, name)})
	}
	return out
}

func traits() *Kind {
	note := text("note", func(t *Trait) string { text, _ := t.Note(); return text }).omit().graded(func(row Row, _ Value) Grade {
		_, g := row.(*Trait).Note() // a row of this kind
		return g
	})
	record := recorded[Trait]()
	return &Kind{
		Name: Traits, Aliases: []string{"trait", "t"},
		Short: "Traits: which providers have them, and which flavors ask for them",
		What:  "the name of a trait",
		Also:  []cloud.Part{cloud.Flavors, cloud.Profiles},
		Fields: slices.Concat(record.with("name custom namespace provider_count:provs",
			yes("custom", func(t *Trait) bool { return t.Name.IsCustom() }),
			text("namespace", (*Trait).Namespace).short("ns").hidden(),
			record("consumer_count:consumers").help("on these providers; one on two of them counts twice"),
		), requesterFields(func(t *Trait) requesters { return t.requesters }), []*Field{
			note,
			words("resource_providers", func(at At, t *Trait, words []string) []string {
				return appendMembers(at, at.Snap.Placement().WithTrait(t.ID), words)
			}).short("provider").omit().ofOne(),
		}),
		Columns: "name provider_count consumer_count flavors | custom device_profiles | note?",
		Flags:   []string{ByAssociated},
		Rows:    listed(traitRows),
		Find: just(func(f Finder, name string) (*Trait, error) {
			id, err := f.Trait(name)
			if err != nil {
				return nil, err
			}
			all := traitRows(f.Snapshot)
			return all[slices.IndexFunc(all, func(t *Trait) bool { return t.ID == id })], nil
		}),
		Names: namesIn(Traits, "name"),
	}
}
