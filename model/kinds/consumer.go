package kinds

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// holding is what one consumer uses of one class of one provider.
type holding struct {
	*placement.Consumer
	placement.Allocation
}

// typeField returns the field for the type of a consumer, "unknown" if it has none.
func typeField[R any](of func(R) *placement.Consumer) *Field {
	return text("consumer_type", func(r R) string { return of(r).Type().String() }).short("type")
}

func allocations() *Kind {
	of := func(h *holding) *provider { return h.Provider }
	return &Kind{
		Name: Allocations, Aliases: []string{"allocation", "alloc", "a"},
		Short: "Allocations: which consumer uses how much of what",
		What:  "the uuid of a consumer, or the name of its instance",
		Also:  []cloud.Part{cloud.Instances, cloud.Migrations},
		Fields: []*Field{
			id("consumer_uuid", func(h *holding) placement.ConsumerID { return h.ID() }).short("uuid"),
			textAt("consumer_name", func(at At, h *holding) string { return Finder{at.Snap}.ConsumerName(h.ID()) }).short("name").omit(),
			typeField(func(h *holding) *placement.Consumer { return h.Consumer }),
			text("project_id", func(h *holding) string { return h.Project() }).short("project"),
			text("user_id", func(h *holding) string { return h.User() }).short("user"),
			id("resource_provider_uuid", func(h *holding) placement.ProviderID { return h.Provider.ID() }),
			text("resource_provider", func(h *holding) string { return h.Provider.Name() }).short("provider"),
			classField(func(h *holding) placement.ClassID { return h.Class }),
			opened("used", Count, func(at At) func(*holding) Value {
				return func(h *holding) Value { return countValue(h.Used, UnitOf(at.Snap.Placement().ClassName(h.Class))) }
			}),
			ownerField(of).hidden(), rootField(of), traitsField(of).hidden(),
		},
		Columns: "consumer_uuid consumer_name consumer_type resource_provider resource_class used | project_id user_id resource_provider_uuid",
		Flags:   append(byProviders(), ByProvider, ByProject, ByType),
		Rows: func(at At, _ bool) iter.Seq[Row] {
			return func(yield func(Row) bool) {
				for c := range at.Snap.Placement().Consumers() {
					for _, h := range holdingsOf(at.Snap.Placement(), c) {
						if !yield(h) {
							return
						}
					}
				}
			}
		},
		Find: func(f Finder, name string) ([]Row, error) {
			c, err := f.Consumer(name)
			if err != nil {
				return nil, err
			}
			return slices.Collect(rowsOf(slices.Values(holdingsOf(f.Placement(), c)))), nil
		},
		Several: true,
		Names:   consumerNames,
		Text: func(at At, row Row) string {
			h := row.(*holding) // a row of this kind
			return ops.ConsumerName(at.Snap, h.ID()) + " " + h.Provider.Name()
		},
		holds: func(at At, row Row, yield func(hold) bool) {
			h := row.(*holding) // a row of this kind
			yield(hold{provider: h.Provider, class: at.Snap.Placement().ClassName(h.Class)})
		},
	}
}

// holdingsOf returns what a consumer holds, by provider name, then by class number. The
// ledger keeps it by provider and class number already.
func holdingsOf(s *placement.Snapshot, c *placement.Consumer) []*holding {
	var out []*holding
	for a := range s.Allocations(c) {
		out = append(out, &holding{c, a})
	}
	slices.SortStableFunc(out, func(a, b *holding) int { return cmp.Compare(a.Provider.Name(), b.Provider.Name()) })
	return out
}

func consumers() *Kind {
	type consumer = placement.Consumer
	return &Kind{
		Name: Consumers, Aliases: []string{"consumer", "c"},
		Short: "Consumers: what holds allocations",
		What:  "the uuid of a consumer, or the name of its instance",
		Edits: func(row Row) ops.Editable { return ops.EditableConsumer{ID: row.(*consumer).ID()} },
		Also:  []cloud.Part{cloud.Instances, cloud.Migrations, cloud.Identities},
		Fields: []*Field{
			id("uuid", (*consumer).ID),
			consumerName("name", (*consumer).ID).omit(),
			typeField(func(c *consumer) *consumer { return c }),
			text("project_id", (*consumer).Project).short("project"),
			text("user_id", (*consumer).User).short("user"),
			projectName((*consumer).Project),
			userName((*consumer).User),
			count("consumer_generation", (*consumer).Generation).short("gen"),
			words("allocations", func(at At, c *consumer, words []string) []string {
				for a := range at.Snap.Placement().Allocations(c) {
					words = append(words, string(at.Snap.Placement().ClassName(a.Class)))
				}
				return words
			}).short("class").as(inJSON(func(at At, c *consumer) any { return at.Snap.Placement().ConsumerRecord(c).Allocations })).
				help("the classes it holds").apart(),
			when("created_at", (*consumer).Created).short("age"),
			when("updated_at", (*consumer).Updated).short("updated"),
			textAt("resources", func(at At, c *consumer) string { return amountsText(at, held(at, c.ID())) }).hidden(),
			countAt("providers", func(_ At, c *consumer) int64 {
				n := 0
				for range c.ProviderNumbers() {
					n++
				}
				return int64(n)
			}).hidden(),
			textAt("flavor", func(at At, c *consumer) string {
				if i, ok := at.Snap.Nova().Instance(c.ID()); ok {
					return nova.FlavorName(i.Flavor)
				}
				return ""
			}).omit(),
			ownerAt(func(at At, c *consumer) placement.Owner { return ConsumerOwner(at.Snap.Placement(), c) }).hidden().
				help("the owner of the devices it uses, or else of its host"),
			words("where", func(at At, c *consumer, words []string) []string {
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
			}).hidden().help("the providers it is on, and their hosts"),
		},
		Columns: "uuid name consumer_type project_id resources providers | user_id consumer_generation updated_at",
		Flags:   append(byProviders(), ByProvider, ByProject, ByType),
		Rows:    func(at At, _ bool) iter.Seq[Row] { return rowsOf(at.Snap.Placement().Consumers()) },
		Find:    just(Finder.Consumer),
		Names:   consumerNames,
		Text:    func(at At, row Row) string { return ops.ConsumerName(at.Snap, row.(*consumer).ID()) }, // a row of this kind
		holds: func(at At, row Row, yield func(hold) bool) {
			for a := range at.Snap.Placement().Allocations(row.(*consumer)) { // a row of this kind
				if !yield(hold{provider: a.Provider, class: at.Snap.Placement().ClassName(a.Class)}) {
					return
				}
			}
		},
	}
}

// held returns what a consumer holds by class, over all providers.
func held(at At, id placement.ConsumerID) map[placement.ResourceClass]int64 {
	out := map[placement.ResourceClass]int64{}
	if c, ok := at.Snap.Placement().Consumer(id); ok {
		for a := range at.Snap.Placement().Allocations(c) {
			out[at.Snap.Placement().ClassName(a.Class)] += a.Used
		}
	}
	return out
}

// heldField returns the field for what a consumer holds by class, over all providers.
func heldField[R any](of func(R) placement.ConsumerID) *Field {
	return nested("resources", func(at At, r R) any { return held(at, of(r)) }, func(at At, r R) string { return amountsText(at, held(at, of(r))) }).apart()
}

// amountsText writes units by class, in the order of the classes' numbers.
func amountsText(at At, by map[placement.ResourceClass]int64) string {
	var parts []string
	for _, c := range at.Snap.Placement().Classes() {
		if n, ok := by[c]; ok {
			parts = append(parts, fmt.Sprintf("%s=%d", c, n))
		}
	}
	return strings.Join(parts, " ")
}

// ConsumerOwner returns the owner of the devices that a consumer uses, or of its host
// if it uses none.
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

// DevicesOf returns how many accelerators a consumer holds, indexed by the
// placement.Owner of their providers.
func DevicesOf(s *placement.Snapshot, id placement.ConsumerID) (held [4]int64) {
	c, ok := s.Consumer(id)
	if !ok {
		return held
	}
	for a := range s.Allocations(c) {
		if s.ClassName(a.Class).IsAccelerator() {
			held[s.Owner(a.Provider)] += a.Used
		}
	}
	return held
}

// consumerName returns the field for the name of the instance that a consumer is, or that
// it moves. Without one, filters compare ops.ConsumerName.
func consumerName[R any](name string, of func(R) placement.ConsumerID) *Field {
	f := textAt(name, func(at At, r R) string { return Finder{at.Snap}.ConsumerName(of(r)) }).help("of the instance; filters see a migration as \"resize of NAME\"")
	f.asked = func(at At) func(Row) filter.Value {
		return func(row Row) filter.Value { return filter.Text(ops.ConsumerName(at.Snap, of(row.(R)))) } // as opened
	}
	return f
}
