package kinds

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

type provider = placement.ResourceProvider

// rowsOf returns rows of one type as Rows.
func rowsOf[R any](all iter.Seq[R]) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for r := range all {
			if !yield(r) {
				return
			}
		}
	}
}

// listed returns a Rows for a kind whose rows are made of the whole cloud.
func listed[R any](all func(*cloud.Snapshot) []R) func(At, bool) iter.Seq[Row] {
	return func(at At, _ bool) iter.Seq[Row] { return rowsOf(slices.Values(all(at.Snap))) }
}

// just returns a Find for a kind in which a name means one thing.
func just[R any](find func(Finder, string) (R, error)) func(Finder, string) ([]Row, error) {
	return func(f Finder, name string) ([]Row, error) {
		r, err := find(f, name)
		return []Row{r}, err
	}
}

func providers() *Kind {
	self := func(p *provider) *provider { return p }
	return &Kind{
		Name: Providers, Aliases: []string{"provider", "rp", "p"},
		Short: "Resource providers, as trees",
		What:  "the name or the uuid of a provider",
		Asks:  []cloud.Part{cloud.HostAggregates}, // their names
		Edits: func(row Row) ops.Editable { return ops.EditableProvider{ID: row.(*provider).ID()} },
		Fields: slices.Concat([]*Field{
			id("uuid", (*provider).ID),
			text("name", (*provider).Name),
			count("generation", (*provider).Generation).short("gen"),
			idAt("parent_provider_uuid", func(at At, p *provider) (id placement.ProviderID) {
				if up, ok := at.Snap.Placement().Parent(p); ok {
					id = up.ID()
				}
				return id
			}).short("parent"),
			idAt("root_provider_uuid", func(at At, p *provider) placement.ProviderID { return at.Snap.Placement().Root(p).ID() }),
			ownerField(self),
			yesAt("sharing", func(at At, p *provider) bool { return at.Snap.Placement().Shares(p) }).help("whether others can use it through an aggregate"),
			words("inventories", appendClasses).short("class").as(inJSON(inventoriesOf)).help("the classes it has inventories of"),
			traitsField(self),
			aggregatesField(self),
			countAt("consumers", func(at At, p *provider) int64 { return int64(at.Snap.Placement().CountConsumersOf(p)) }),
			when("created_at", (*provider).Created).short("age"),
			when("updated_at", (*provider).Updated).short("updated"),
			sharedField(self),
			textAt("usage", func(at At, p *provider) string {
				var out []string
				for _, iu := range p.Inventories() {
					out = append(out, fmt.Sprintf("%s=%d/%d", at.Snap.Placement().ClassName(iu.Class), iu.Used, iu.Capacity()))
				}
				return strings.Join(out, " ")
			}).hidden(),
			rootField(self),
		}, hidden(amounts(stockOf)), hidden(limits())),
		Columns: "name owner generation consumers uuid | usage traits aggregates sharing parent_provider_uuid shared",
		Flags:   byProviders(),
		Rows: func(at At, _ bool) iter.Seq[Row] {
			return func(yield func(Row) bool) {
				for root := range at.Snap.Placement().Roots() {
					for _, p := range at.Snap.Placement().Tree(root) {
						if !yield(p) {
							return
						}
					}
				}
			}
		},
		Find:  just(Finder.Provider),
		Names: namesIn(Providers, "name"),
		Under: func(at At, row Row) Row {
			if up, ok := at.Snap.Placement().Parent(row.(*provider)); ok { // a row of this kind
				return up
			}
			return nil
		},
		holds: func(_ At, row Row, yield func(hold) bool) {
			yield(hold{provider: row.(*provider)}) // a row of this kind
		},
	}
}

func appendClasses(at At, p *provider, words []string) []string {
	for _, iu := range p.Inventories() {
		words = append(words, string(at.Snap.Placement().ClassName(iu.Class)))
	}
	return words
}

// ownerField returns the field for the owner of a provider. The sets of owners are read
// once for all rows.
func ownerField[R any](of func(R) *provider) *Field {
	f := opened("owner", Owner, func(at At) func(R) Value {
		byNova, byCyborg := at.Snap.Placement().Having(placement.OwnerNova), at.Snap.Placement().Having(placement.OwnerCyborg)
		return func(r R) Value {
			n := of(r).Number()
			return textValue(survey.OwnerOf(byNova.Has(n), byCyborg.Has(n)).String())
		}
	}).help("nova, cyborg, both or none")
	f.asked = func(at At) func(Row) filter.Value {
		byNova, byCyborg := at.Snap.Placement().Having(placement.OwnerNova), at.Snap.Placement().Having(placement.OwnerCyborg)
		words := &filter.Words{Word: func(n int32) string { return placement.Owner(n).String() }}
		one := make([]int32, 1)
		return func(row Row) filter.Value {
			n := of(row.(R)).Number() // as opened
			one[0] = int32(survey.OwnerOf(byNova.Has(n), byCyborg.Has(n)))
			return filter.Numbered(words, one...)
		}
	}
	return f
}

// traitsField returns the field for the traits of a provider. Filters compare each trait
// once for all providers.
func traitsField[R any](of func(R) *provider) *Field {
	f := counted("traits", "trait", func(r R) int { return len(of(r).TraitIDs()) }, func(at At, r R, words []string) []string {
		for _, t := range at.Snap.Placement().TraitsOf(of(r)) {
			words = append(words, string(t))
		}
		return words
	})
	f.asked = func(at At) func(Row) filter.Value {
		words := &filter.Words{Word: func(n int32) string { return string(at.Snap.Placement().TraitName(placement.TraitID(n))) }}
		var last []int32 // of the last row asked for
		return func(row Row) filter.Value {
			last = last[:0]
			for _, t := range of(row.(R)).TraitIDs() { // as opened
				last = append(last, int32(t))
			}
			return filter.Numbered(words, last...)
		}
	}
	return f
}

// aggregatesField returns the field for the aggregates of a provider: filters compare
// their uuids and their names in Nova.
func aggregatesField[R any](of func(R) *provider) *Field {
	ids := func(_ At, r R, words []string) []string {
		for _, a := range of(r).Aggregates() {
			words = append(words, a.String())
		}
		return words
	}
	return counted("aggregates", "agg", func(r R) int { return len(of(r).Aggregates()) }, ids).askedAs(words("", func(at At, r R, words []string) []string {
		for _, a := range of(r).Aggregates() {
			if name := (Finder{at.Snap}).AggregateName(a); name != "" {
				words = append(words, name)
			}
		}
		return ids(at, r, words)
	}))
}

func rootField[R any](of func(R) *provider) *Field {
	return textAt("root", func(at At, r R) string { return at.Snap.Placement().Root(of(r)).Name() }).hidden().help("the name of the provider at the top of its tree")
}

// classField returns the field for the name of a resource class.
func classField[R any](of func(R) placement.ClassID) *Field {
	return textAt("resource_class", func(at At, r R) string { return string(at.Snap.Placement().ClassName(of(r))) }).short("class")
}

// appendMembers appends the names of the providers in a set, sorted.
func appendMembers(at At, s placement.Set, words []string) []string {
	for p := range at.Snap.Placement().Providers() {
		if s.Has(p.Number()) {
			words = append(words, p.Name())
		}
	}
	return words
}
