package audit

import (
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// ProviderFields returns the fields of rows that have a resource provider.
func ProviderFields[R any](provider func(R) *placement.ResourceProvider) []Field[R] {
	text := func(name string, get func(*placement.ResourceProvider, At) string) Field[R] {
		return filter.TextField(name, func(r R, at At) string { return get(provider(r), at) })
	}
	return []Field[R]{
		filter.WordsField("agg", func(r R, _ At, words []string) []string {
			for _, a := range provider(r).Aggregates() {
				words = append(words, a.String())
			}
			return words
		}),
		filter.NumberField("gen", filter.Count, func(r R, _ At) (float64, bool) { return float64(provider(r).Generation()), true }),
		text("name", func(p *placement.ResourceProvider, _ At) string { return p.Name() }),
		ownerField(provider),
		text("root", func(p *placement.ResourceProvider, at At) string { return at.Snap.Placement().Root(p).Name() }),
		traitField(provider),
		text("uuid", func(p *placement.ResourceProvider, _ At) string { return p.ID().String() }),
	}
}

// ClassesField returns the field of the classes of which rows have a provider with
// an inventory.
func ClassesField[R any](provider func(R) *placement.ResourceProvider) Field[R] {
	return filter.WordsField("class", func(r R, at At, words []string) []string {
		for _, iu := range provider(r).Inventories() {
			words = append(words, string(at.Snap.Placement().ClassName(iu.Class)))
		}
		return words
	})
}

// ownerField is the field of whose a provider is. The sets of owners are read once
// for all rows.
func ownerField[R any](provider func(R) *placement.ResourceProvider) Field[R] {
	return Field[R]{Name: "owner", Open: func(at At) func(R) filter.Value {
		nova, cyborg := survey.OwnerSets(at.Snap.Placement())
		return func(r R) filter.Value {
			n := provider(r).Number()
			return filter.Text(survey.OwnerOf(nova.Has(n), cyborg.Has(n)).String())
		}
	}}
}

// traitField is the field of the traits of a provider. Filters ask for those of
// every provider: names are brought to lower case once.
func traitField[R any](provider func(R) *placement.ResourceProvider) Field[R] {
	return Field[R]{Name: "trait", Open: func(at At) func(R) filter.Value {
		lower := map[placement.TraitID]string{}
		var names []string // of the row that was asked for last
		return func(r R) filter.Value {
			names = names[:0]
			for _, t := range provider(r).TraitIDs() {
				name, ok := lower[t]
				if !ok {
					name = strings.ToLower(string(at.Snap.Placement().TraitName(t)))
					lower[t] = name
				}
				names = append(names, name)
			}
			return filter.List(names...)
		}
	}}
}

// Stock is an inventory of a provider with what is used of it.
type Stock struct {
	Provider *placement.ResourceProvider
	placement.InventoryUsage
}

// AmountFields returns the fields of rows that have an inventory; those without say
// nothing.
func AmountFields[R any](stock func(R, At) (Stock, bool)) []Field[R] {
	amount := func(name string, get func(used, capacity int64) int64) Field[R] {
		return Field[R]{Name: name, Open: func(at At) func(R) filter.Value {
			once := at.Snap.Placement().Having(placement.HWPCIOneTimeUse)
			return func(r R) filter.Value {
				x, ok := stock(r, at)
				if !ok {
					return filter.Value{}
				}
				capacity := x.Capacity()
				// A device for one time use is reserved as a whole while it is in use: it is full.
				if x.Used > capacity && x.Reserved == x.Total && once.Has(x.Provider.Number()) {
					capacity = x.Used
				}
				unit := UnitOf(at.Snap.Placement().ClassName(x.Class))
				if name == usedPercent {
					unit = filter.Count
				}
				return filter.Number(float64(get(x.Used, capacity)), unit)
			}
		}}
	}
	return []Field[R]{
		amount("cap", func(_, capacity int64) int64 { return capacity }),
		amount("free", func(used, capacity int64) int64 { return capacity - used }),
		amount("used", func(used, _ int64) int64 { return used }),
		amount(usedPercent, percent),
	}
}

// usedPercent is the name of the field of how much of an inventory is used.
const usedPercent = "used%"

// percent returns how much of a capacity is used, rounded down, so that 100 means
// full.
func percent(used, capacity int64) int64 {
	switch {
	case capacity > 0:
		return int64(float64(used) / float64(capacity) * 100)
	case used > 0:
		return 100
	default:
		return 0
	}
}

// ConsumerFields returns the fields of rows that have a consumer.
func ConsumerFields[R any](consumer func(R) *placement.Consumer) []Field[R] {
	words := func(name string, get func(at At, c *placement.Consumer, words []string) []string) Field[R] {
		return filter.WordsField(name, func(r R, at At, words []string) []string { return get(at, consumer(r), words) })
	}
	return []Field[R]{
		agoField("age", func(r R) time.Time { return consumer(r).Created() }),
		words("class", func(at At, c *placement.Consumer, words []string) []string {
			for a := range at.Snap.Placement().Allocations(c) {
				words = append(words, string(at.Snap.Placement().ClassName(a.Class)))
			}
			return words
		}),
		filter.TextField("flavor", func(r R, at At) string {
			if i, ok := at.Snap.Nova().Instance(consumer(r).ID()); ok {
				return nova.FlavorName(i.Flavor)
			}
			return ""
		}),
		filter.NumberField("gen", filter.Count, func(r R, _ At) (float64, bool) { return float64(consumer(r).Generation()), true }),
		filter.TextField("name", func(r R, at At) string { return ops.ConsumerName(at.Snap, consumer(r).ID()) }),
		filter.TextField("owner", func(r R, at At) string { return ConsumerOwner(at.Snap.Placement(), consumer(r)).String() }),
		textField("project", func(r R) string { return consumer(r).Project() }),
		textField("type", func(r R) string { return consumer(r).Type().String() }),
		textField("user", func(r R) string { return consumer(r).User() }),
		textField("uuid", func(r R) string { return consumer(r).ID().String() }),
		words("where", func(at At, c *placement.Consumer, words []string) []string {
			pl := at.Snap.Placement()
			for n := range c.ProviderNumbers() {
				p := pl.ProviderAt(n)
				for _, name := range []string{pl.Root(p).Name(), p.Name()} {
					if !slices.Contains(words, name) {
						words = append(words, name)
					}
				}
			}
			return words
		}),
	}
}

// ConsumerOwner says whose devices a consumer uses, or whose its host is where it
// uses none.
func ConsumerOwner(s *placement.Snapshot, c *placement.Consumer) placement.Owner {
	var nova, cyborg, below bool
	for n := range c.ProviderNumbers() {
		p := s.ProviderAt(n)
		if o := s.Owner(p); !p.IsRoot() && o != placement.OwnedByNone {
			below = true
			nova = nova || o != placement.OwnedByCyborg
			cyborg = cyborg || o != placement.OwnedByNova
		}
	}
	if below {
		return survey.OwnerOf(nova, cyborg)
	}
	for n := range c.ProviderNumbers() {
		if p := s.ProviderAt(n); p.IsRoot() && !s.Shares(p) {
			return s.Owner(p)
		}
	}
	return placement.OwnedByNone
}
