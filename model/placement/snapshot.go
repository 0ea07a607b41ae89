package placement

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/internal/ordered"
)

// Snapshot is Placement's whole ledger as an immutable value. Readers on any goroutine
// may hold it as long as they like; Apply makes the next one and leaves this one as it
// is. The two share everything that the change does not touch.
//
// Usage per provider and class is kept, not summed on read, and so are the indexes
// that searches need: the providers with a class, with a trait, in an aggregate, as
// Sets of provider numbers.
type Snapshot struct {
	// fork guards the copying of the trees: Copy marks the original, which only one
	// goroutine may do at a time. Readers do not lock it.
	fork sync.Mutex
	state

	offers offersCache
}

func snapshotOf(s state) *Snapshot { return &Snapshot{state: s, offers: new(sync.Map)} }

// state is what a Snapshot consists of, and what an edit works on.
type state struct {
	providers table
	free      Set // numbers of removed providers, to be reused
	roots     Set // numbers of the providers without parent
	all       Set // numbers of all providers
	shape     uint64

	byID      ordered.Set[numbered]
	byName    ordered.Map[string, uint32]
	consumers ordered.Set[consumerEntry]
	holdings  ordered.Set[numbered] // providers with the consumers that have allocations there
	tallies   ordered.Set[*Tally]

	classIDs, traitIDs ordered.Map[string, uint32] // of all names, standard ones too
	aggregateIDs       ordered.Set[numbered]       // of those that have members

	classIndex, traitIndex, aggregateIndex ordered.Map[uint32, *index] // by number
}

// numbered is a number with a uuid. There is one type for all such pairs, and one for all
// names with their numbers, so that few kinds of trees are compiled.
type numbered struct {
	number uint32
	id     uuid.UUID
}

func (n numbered) compareID(o numbered) int { return bytes.Compare(n.id[:], o.id[:]) }

type consumerEntry struct {
	id ConsumerID
	*Consumer
}

// index says which providers have a class, a trait or an aggregate. It never changes.
type index struct {
	name string // of a custom class or trait, else ""
	of   Set    // numbers of providers
}

// degree is that of the trees, half as large as the one that the library takes by itself.
// A write copies a node on each level, so that smaller nodes have a claim allocate a fifth
// less in all, and take less time, though there may be a level more.
const degree = 16

// Empty returns the ledger of a cloud without providers: only the standard classes and
// traits.
func Empty() *Snapshot {
	byUUID := func(a, b numbered) bool { return a.compareID(b) < 0 }
	s := snapshotOf(state{
		byID: ordered.NewSet(degree, byUUID),
		consumers: ordered.NewSet(degree, func(a, b consumerEntry) bool {
			return a.id.Compare(b.id) < 0
		}),
		holdings: ordered.NewSet(degree, func(a, b numbered) bool {
			if a.number != b.number {
				return a.number < b.number
			}
			return a.compareID(b) < 0
		}),
		tallies:        ordered.NewSet(degree, func(a, b *Tally) bool { return a.compare(b) < 0 }),
		aggregateIDs:   ordered.NewSet(degree, byUUID),
		byName:         ordered.NewMap[string, uint32](degree),
		classIDs:       ordered.NewMap[string, uint32](degree),
		traitIDs:       ordered.NewMap[string, uint32](degree),
		classIndex:     ordered.NewMap[uint32, *index](degree),
		traitIndex:     ordered.NewMap[uint32, *index](degree),
		aggregateIndex: ordered.NewMap[uint32, *index](degree),
	})
	for i, c := range StandardClasses() {
		s.classIDs.Set(string(c), uint32(i))
	}
	for i, t := range StandardTraits() {
		s.traitIDs.Set(string(t), uint32(i))
	}
	return s
}

// forked returns a copy of the state, which may be changed without changing s.
func (s *Snapshot) forked() state {
	s.fork.Lock()
	defer s.fork.Unlock()
	n := s.state
	n.byID = s.byID.Copy()
	n.byName = s.byName.Copy()
	n.consumers = s.consumers.Copy()
	n.holdings = s.holdings.Copy()
	n.tallies = s.tallies.Copy()
	n.classIDs = s.classIDs.Copy()
	n.traitIDs = s.traitIDs.Copy()
	n.aggregateIDs = s.aggregateIDs.Copy()
	n.classIndex = s.classIndex.Copy()
	n.traitIndex = s.traitIndex.Copy()
	n.aggregateIndex = s.aggregateIndex.Copy()
	return n
}

// Shape returns a number that grows whenever a provider comes or goes, is renamed or
// moved, or gets other inventories, traits or aggregates. Claims leave it unchanged,
// so that lists of providers need not be rebuilt for them. It only compares Snapshots
// that were made one from another.
func (s *state) Shape() uint64 { return s.shape }

// ProviderCount returns how many providers there are.
func (s *state) ProviderCount() int { return s.all.Len() }

// ConsumerCount returns how many consumers there are.
func (s *state) ConsumerCount() int { return s.consumers.Len() }

// Provider returns the provider with the given uuid.
func (s *state) Provider(id ProviderID) (*ResourceProvider, bool) {
	k, ok := s.byID.Get(numbered{id: uuid.UUID(id)})
	if !ok {
		return nil, false
	}
	return s.providers.at(k.number), true
}

// ProviderName returns the name of a provider, or its uuid if there is none.
func (s *state) ProviderName(id ProviderID) string {
	if p, ok := s.Provider(id); ok {
		return p.Name()
	}
	return id.String()
}

// FindProvider is Provider with an error for a provider that does not exist.
//
// Errors: *NotFoundError.
func (s *state) FindProvider(id ProviderID) (*ResourceProvider, error) {
	p, ok := s.Provider(id)
	if !ok {
		return nil, NotFound("resource provider", id.String())
	}
	return p, nil
}

// FindConsumer is Consumer with an error for one that holds nothing.
//
// Errors: *NotFoundError.
func (s *state) FindConsumer(id ConsumerID) (*Consumer, error) {
	c, ok := s.Consumer(id)
	if !ok {
		return nil, NotFound("consumer", id.String())
	}
	return c, nil
}

// InventoryOf returns the inventory of a class of a provider, with its usage.
func (s *state) InventoryOf(p *ResourceProvider, class ResourceClass) (InventoryUsage, bool) {
	id, ok := s.ClassID(class)
	if !ok {
		return InventoryUsage{}, false
	}
	return p.Inventory(id)
}

// ProviderByName returns the provider with the given name. Names are compared
// exactly, case included.
func (s *state) ProviderByName(name string) (*ResourceProvider, bool) {
	n, ok := s.byName.Get(name)
	if !ok {
		return nil, false
	}
	return s.providers.at(n), true
}

// ProviderAt returns the provider with the given number, which must come from a
// Set or a provider of this Snapshot.
func (s *state) ProviderAt(number int) *ResourceProvider { return s.providers.at(uint32(number)) }

// NumberBound returns a number above the number of every provider.
func (s *state) NumberBound() int { return s.providers.bound() }

// Providers yields all providers by name.
func (s *state) Providers() iter.Seq[*ResourceProvider] {
	return func(yield func(*ResourceProvider) bool) {
		s.byName.Scan(func(_ string, n uint32) bool { return yield(s.providers.at(n)) })
	}
}

// providersByID yields all providers by uuid.
func (s *state) providersByID() iter.Seq[*ResourceProvider] {
	return func(yield func(*ResourceProvider) bool) {
		s.byID.Scan(func(k numbered) bool { return yield(s.providers.at(k.number)) })
	}
}

// Roots yields the providers without parent by name.
func (s *state) Roots() iter.Seq[*ResourceProvider] {
	return func(yield func(*ResourceProvider) bool) {
		s.byName.Scan(func(_ string, n uint32) bool {
			p := s.providers.at(n)
			return !p.IsRoot() || yield(p)
		})
	}
}

// Parent returns the parent of p, and false for a root.
func (s *state) Parent(p *ResourceProvider) (*ResourceProvider, bool) {
	if p.parent == noProvider {
		return nil, false
	}
	return s.providers.at(p.parent), true
}

// Root returns the root of the tree that p is in: p itself for a root.
func (s *state) Root(p *ResourceProvider) *ResourceProvider { return s.providers.at(p.root) }

// Children returns the children of p by name.
func (s *state) Children(p *ResourceProvider) []*ResourceProvider {
	if len(p.children) == 0 {
		return nil
	}
	out := make([]*ResourceProvider, len(p.children))
	for i, n := range p.children {
		out[i] = s.providers.at(n)
	}
	slices.SortStableFunc(out, func(a, b *ResourceProvider) int { return strings.Compare(a.name, b.name) })
	return out
}

// Tree yields p and all below it with their depth, parents first, siblings by
// name. The depth of p is 0.
func (s *state) Tree(p *ResourceProvider) iter.Seq2[int, *ResourceProvider] {
	return func(yield func(int, *ResourceProvider) bool) {
		s.walk(p, 0, yield)
	}
}

func (s *state) walk(p *ResourceProvider, depth int, yield func(int, *ResourceProvider) bool) bool {
	if !yield(depth, p) {
		return false
	}
	for _, c := range s.Children(p) {
		if !s.walk(c, depth+1, yield) {
			return false
		}
	}
	return true
}

// Within yields p and all below it, in no particular order: for sums, which need none.
func (s *state) Within(p *ResourceProvider) iter.Seq[*ResourceProvider] {
	return func(yield func(*ResourceProvider) bool) { s.within(p, yield) }
}

func (s *state) within(p *ResourceProvider, yield func(*ResourceProvider) bool) bool {
	if !yield(p) {
		return false
	}
	for _, n := range p.children {
		if !s.within(s.providers.at(n), yield) {
			return false
		}
	}
	return true
}

// Consumer returns the consumer with the given uuid. A consumer that holds
// nothing does not exist.
func (s *state) Consumer(id ConsumerID) (*Consumer, bool) {
	e, ok := s.consumers.Get(consumerEntry{id: id})
	return e.Consumer, ok
}

// Consumers yields all consumers by uuid.
func (s *state) Consumers() iter.Seq[*Consumer] {
	return func(yield func(*Consumer) bool) {
		s.consumers.Scan(func(e consumerEntry) bool { return yield(e.Consumer) })
	}
}

// ConsumersOf yields the consumers with allocations on p by uuid.
func (s *state) ConsumersOf(p *ResourceProvider) iter.Seq[*Consumer] {
	return func(yield func(*Consumer) bool) {
		s.holdings.Ascend(numbered{number: p.number}, func(h numbered) bool {
			if h.number != p.number {
				return false
			}
			c, _ := s.Consumer(ConsumerID(h.id))
			return yield(c)
		})
	}
}

// HasConsumers reports whether any consumer has an allocation on p.
func (s *state) HasConsumers(p *ResourceProvider) bool {
	for range s.ConsumersOf(p) {
		return true
	}
	return false
}

// Allocation is what a consumer uses of one class on one provider.
type Allocation struct {
	Provider *ResourceProvider
	Class    ClassID
	Used     int64 // units of the class, at least 1
}

// Allocations yields what c holds, class by class, grouped by provider.
func (s *state) Allocations(c *Consumer) iter.Seq[Allocation] {
	return func(yield func(Allocation) bool) {
		for _, a := range c.allocations {
			if !yield(Allocation{Provider: s.providers.at(a.provider), Class: a.class, Used: a.used}) {
				return
			}
		}
	}
}

// UsedBy yields what c holds on p: class and units.
func (s *state) UsedBy(c *Consumer, p *ResourceProvider) iter.Seq2[ClassID, int64] {
	return func(yield func(ClassID, int64) bool) {
		for _, a := range c.allocations {
			if a.provider == p.number && !yield(a.class, a.used) {
				return
			}
		}
	}
}

// ClassID returns the number of a class, and false if the cloud does not know
// it.
func (s *state) ClassID(c ResourceClass) (ClassID, bool) {
	n, ok := s.classIDs.Get(string(c))
	return ClassID(n), ok
}

// ClassName returns the name of the class with the given number, "" if there
// is none.
func (s *state) ClassName(id ClassID) ResourceClass {
	if standard := StandardClasses(); id >= 0 && int(id) < len(standard) {
		return standard[id]
	}
	return ResourceClass(indexAt(s.classIndex, uint32(id)).name)
}

// Classes yields all classes by number: the standard ones, then the custom ones.
func (s *state) Classes() iter.Seq2[ClassID, ResourceClass] {
	return allNames[ClassID](StandardClasses(), s.classIndex)
}

// allNames yields the standard names, whose indexes are their numbers, then the custom
// ones.
func allNames[ID ~int32, N ~string](standard []N, all ordered.Map[uint32, *index]) iter.Seq2[ID, N] {
	return func(yield func(ID, N) bool) {
		for i, name := range standard {
			if !yield(ID(i), name) {
				return
			}
		}
		all.Ascend(CustomID, func(n uint32, ix *index) bool { return ix.name == "" || yield(ID(n), N(ix.name)) })
	}
}

// customNames yields the numbers and names of the custom classes or traits among all.
func customNames(all ordered.Map[uint32, *index], yield func(id int32, name string) bool) {
	all.Ascend(CustomID, func(n uint32, ix *index) bool { return ix.name == "" || yield(int32(n), ix.name) })
}

// indexAt returns the index with the given number, an empty one if there is none.
func indexAt(all ordered.Map[uint32, *index], number uint32) index {
	if ix, ok := all.Get(number); ok {
		return *ix
	}
	return index{}
}

// TraitID returns the number of a trait, and false if the cloud does not know
// it.
func (s *state) TraitID(t Trait) (TraitID, bool) {
	n, ok := s.traitIDs.Get(string(t))
	return TraitID(n), ok
}

// TraitName returns the name of the trait with the given number, "" if there
// is none.
func (s *state) TraitName(id TraitID) Trait {
	if standard := StandardTraits(); id >= 0 && int(id) < len(standard) {
		return standard[id]
	}
	return Trait(indexAt(s.traitIndex, uint32(id)).name)
}

// Traits yields all traits by number: the standard ones, then the custom ones.
func (s *state) Traits() iter.Seq2[TraitID, Trait] {
	return allNames[TraitID](StandardTraits(), s.traitIndex)
}

// TraitsOf returns the names of the traits of p, sorted. In the order of Traits they are
// those of p.TraitIDs.
func (s *state) TraitsOf(p *ResourceProvider) []Trait {
	out := make([]Trait, len(p.traits))
	for i, id := range p.traits {
		out[i] = s.TraitName(id)
	}
	slices.Sort(out)
	return out
}

// AllProviders returns the numbers of all providers.
func (s *state) AllProviders() Set { return s.all }

// RootSet returns the numbers of the providers without parent.
func (s *state) RootSet() Set { return s.roots }

// WithClass returns the numbers of the providers that have an inventory of c.
func (s *state) WithClass(c ClassID) Set { return indexAt(s.classIndex, uint32(c)).of }

// WithTrait returns the numbers of the providers that have trait t.
func (s *state) WithTrait(t TraitID) Set { return indexAt(s.traitIndex, uint32(t)).of }

// Having returns the providers with the trait of the given name, none if the cloud
// does not know it.
func (s *state) Having(t Trait) Set {
	id, ok := s.TraitID(t)
	if !ok {
		return Set{}
	}
	return s.WithTrait(id)
}

// InAggregate returns the numbers of the providers that are themselves in a.
func (s *state) InAggregate(a AggregateID) Set {
	n, ok := s.aggregateIDs.Get(numbered{id: uuid.UUID(a)})
	if !ok {
		return Set{}
	}
	return indexAt(s.aggregateIndex, n.number).of
}

// Aggregates yields the aggregates that have members, by uuid.
func (s *state) Aggregates() iter.Seq2[AggregateID, Set] {
	return func(yield func(AggregateID, Set) bool) {
		s.aggregateIDs.Scan(func(n numbered) bool { return yield(AggregateID(n.id), indexAt(s.aggregateIndex, n.number).of) })
	}
}

// Owner says which service owns p, by the traits of p itself.
func (s *state) Owner(p *ResourceProvider) Owner {
	nova, _ := s.TraitID(OwnerNova)
	cyborg, _ := s.TraitID(OwnerCyborg)
	switch n, c := p.HasTrait(nova), p.HasTrait(cyborg); {
	case n && c:
		return OwnedByBoth
	case n:
		return OwnedByNova
	case c:
		return OwnedByCyborg
	}
	return OwnedByNone
}

// Shares reports whether p is a sharing provider: its inventory may be used by
// every tree that has a provider in one of its aggregates.
func (s *state) Shares(p *ResourceProvider) bool {
	id, _ := s.TraitID(SharesViaAggregate)
	return p.HasTrait(id)
}
