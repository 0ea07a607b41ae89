package placement

import (
	"cmp"
	"slices"

	"github.com/placetop/placetop/model/versioned"
)

// Load returns the ledger that consists of records, which may come in any order:
// the outcome, errors included, is that of PutRecords on an empty ledger.
// Records that come in the order of Snapshot.Records are loaded fastest.
//
// The Snapshot shares no memory with the records but the text of their strings.
func Load(records []versioned.Record) (*Snapshot, error) {
	if s := quickLoad(records); s != nil {
		return s, nil
	}
	put := PutRecords{Changes: make([]versioned.Change, len(records))}
	for i, r := range records {
		put.Changes[i].After = r
	}
	s, _, err := Empty().Apply(Change{Ops: []Op{put}})
	return s, err
}

// loader builds a ledger from records that are all as they should be. Its maps
// are quicker to ask than the trees of the ledger, and give equal strings and
// equal lists one place in memory.
type loader struct {
	*edit
	numbers map[ProviderID]uint32
	classes map[ResourceClass]ClassID
	traits  map[Trait]TraitID
	lists   map[string][]TraitID // lists of traits by their names, joined

	identities map[string]string // projects and users
	typ        ConsumerType      // of the consumer before
	rows       []allocation      // scratch
}

// quickLoad is Load for records without any fault. It returns nil where it finds
// one, and leaves it to PutRecords to say which.
func quickLoad(records []versioned.Record) *Snapshot {
	l := &loader{
		edit: &edit{state: Empty().state, by: new(owner)}, identities: map[string]string{}, lists: map[string][]TraitID{},
		classes: map[ResourceClass]ClassID{}, traits: map[Trait]TraitID{},
	}
	var providers []*ProviderRecord
	var tags []*ProviderTraitsRecord
	var consumers []*ConsumerRecord
	for _, r := range records {
		ok := true
		switch r := r.(type) {
		case *ClassRecord:
			ok = l.class(r)
		case *TraitRecord:
			ok = l.trait(r)
		case *ProviderRecord:
			providers = append(providers, r)
		case *ProviderTraitsRecord:
			tags = append(tags, r)
		case *ConsumerRecord:
			consumers = append(consumers, r)
		default:
			ok = false
		}
		if !ok {
			return nil
		}
	}
	for id, name := range l.Classes() {
		l.classes[name] = id
	}
	for id, name := range l.Traits() {
		l.traits[name] = id
	}
	if !l.loadProviders(providers) || !l.loadTraits(tags) || !l.loadConsumers(consumers) {
		return nil
	}
	return &Snapshot{state: l.finish()}
}

func (l *loader) class(r *ClassRecord) bool {
	_, named := l.classIDs.Get(r.Name)
	_, numbered := l.classNames.Get(r.ID)
	if named || numbered || validCustomRecord("", int32(r.ID), string(r.Name)) != nil {
		return false
	}
	l.classNames.Set(r.ID, r.Name)
	l.classIDs.Set(r.Name, r.ID)
	return true
}

func (l *loader) trait(r *TraitRecord) bool {
	_, named := l.traitIDs.Get(r.Name)
	_, numbered := l.traitNames.Get(r.ID)
	if named || numbered || validCustomRecord("", int32(r.ID), string(r.Name)) != nil {
		return false
	}
	l.traitNames.Set(r.ID, r.Name)
	l.traitIDs.Set(r.Name, r.ID)
	return true
}

// loadProviders makes the providers. Those of a tree get numbers next to each
// other, parents first, so that a search finds them close together.
func (l *loader) loadProviders(records []*ProviderRecord) bool {
	if !sortUnique(records, func(a, b *ProviderRecord) int { return a.UUID.Compare(b.UUID) }) {
		return false
	}
	position := make(map[ProviderID]int, len(records))
	for i, r := range records {
		position[r.UUID] = i
	}
	var roots []int
	children := make(map[int][]int)
	for i, r := range records {
		if r.Parent == nil {
			roots = append(roots, i)
			continue
		}
		up, ok := position[*r.Parent]
		if !ok {
			return false
		}
		children[up] = append(children[up], i)
	}

	l.numbers = make(map[ProviderID]uint32, len(records))
	names := make([]*ResourceProvider, 0, len(records))
	var add func(i int, parent, root uint32) bool
	add = func(i int, parent, root uint32) bool {
		number := uint32(len(names))
		if parent == noProvider {
			root = number
			l.roots.add(int(number), l.by)
		}
		p := l.provider(records[i], number)
		if p == nil {
			return false
		}
		p.parent, p.root = parent, root
		l.numbers[p.id] = number
		l.providers.set(number, p, l.by)
		l.all.add(int(number), l.by)
		names = append(names, p)
		for _, c := range children[i] {
			p.children = append(p.children, uint32(len(names)))
			if !add(c, number, root) {
				return false
			}
		}
		return true
	}
	for _, i := range roots {
		if !add(i, noProvider, 0) {
			return false
		}
	}
	if len(names) != len(records) {
		return false // the others are in a loop
	}
	for _, r := range records {
		l.byID.Load(providerKey{id: r.UUID, number: l.numbers[r.UUID]})
	}
	if !sortUnique(names, func(a, b *ResourceProvider) int { return cmp.Compare(a.name, b.name) }) {
		return false
	}
	for _, p := range names {
		l.byName.Load(p.name, p.number)
	}
	return true
}

// provider makes a provider, all but its place in the tree and its traits; nil
// where the record has a fault.
func (l *loader) provider(r *ProviderRecord, number uint32) *ResourceProvider {
	if r.UUID.IsZero() || r.Generation < 0 || validProviderName(r.Name) != nil {
		return nil
	}
	p := &ResourceProvider{
		id: r.UUID, name: r.Name, number: number, by: l.by, generation: r.Generation, created: r.Created, updated: r.Updated,
	}
	if len(r.Inventories) > 0 {
		p.inventories = make([]InventoryUsage, 0, len(r.Inventories))
	}
	for name, inv := range r.Inventories {
		class, ok := l.classes[name]
		if !ok || inv.Validate() != nil {
			return nil
		}
		p.inventories = append(p.inventories, InventoryUsage{Inventory: inv, Class: class})
		editSet(&l.classSets, class, l.WithClass).add(int(number), l.by)
	}
	slices.SortFunc(p.inventories, func(a, b InventoryUsage) int { return cmp.Compare(a.Class, b.Class) })
	if len(r.Aggregates) > 0 {
		aggregates, err := aggregateList(r.Aggregates)
		if err != nil {
			return nil
		}
		l.setAggregates(p, aggregates)
	}
	return p
}

// loadTraits gives providers their traits.
func (l *loader) loadTraits(records []*ProviderTraitsRecord) bool {
	if !sortUnique(records, func(a, b *ProviderTraitsRecord) int { return a.Provider.Compare(b.Provider) }) {
		return false
	}
	var joined []byte
	for _, r := range records {
		number, ok := l.numbers[r.Provider]
		if !ok {
			return false
		}
		joined = joined[:0]
		for _, t := range r.Traits {
			joined = append(append(joined, t...), ' ')
		}
		ids, ok := l.lists[string(joined)]
		if !ok || len(ids) != len(r.Traits) {
			if ids = l.traitIDsOf(r.Traits); ids == nil {
				return false
			}
			l.lists[string(joined)] = ids
		}
		l.providers.at(number).traits = ids
		for _, t := range ids {
			editSet(&l.traitSets, t, l.WithTrait).add(int(number), l.by)
		}
	}
	return true
}

// traitIDsOf returns the numbers of traits, ascending; nil for an unknown trait
// or one given twice.
func (l *loader) traitIDsOf(names []Trait) []TraitID {
	ids := make([]TraitID, 0, len(names))
	for _, t := range names {
		id, ok := l.traits[t]
		if !ok {
			return nil
		}
		ids = append(ids, id)
	}
	if !sortUnique(ids, cmp.Compare[TraitID]) {
		return nil
	}
	return ids
}

// loadConsumers makes the consumers and counts what they hold.
func (l *loader) loadConsumers(records []*ConsumerRecord) bool {
	if !sortUnique(records, func(a, b *ConsumerRecord) int { return a.UUID.Compare(b.UUID) }) {
		return false
	}
	held := make([]holding, 0, len(records))
	for _, r := range records {
		c := l.consumer(r)
		if c == nil {
			return false
		}
		l.consumers.Load(consumerEntry{c.id, c})
		last := noProvider
		for _, a := range c.allocations {
			if a.provider != last {
				last = a.provider
				held = append(held, holding{a.provider, c.id})
			}
		}
	}
	// By provider, and by consumer within a provider, as they are now.
	start := make([]int, l.all.Len()+1)
	for _, h := range held {
		start[h.provider+1]++
	}
	for i := range l.all.Len() {
		start[i+1] += start[i]
	}
	sorted := make([]holding, len(held))
	for _, h := range held {
		sorted[start[h.provider]] = h
		start[h.provider]++
	}
	for _, h := range sorted {
		l.holdings.Load(h)
	}
	return true
}

// consumer makes a consumer and adds what it holds to the usages; nil where the
// record has a fault.
func (l *loader) consumer(r *ConsumerRecord) *Consumer {
	c := &Consumer{
		id: r.UUID, typ: r.Type, generation: r.Generation, created: r.Created, updated: r.Updated,
	}
	if c.id.IsZero() || c.generation < 0 || len(r.Allocations) == 0 ||
		!l.identity(r.Project, &c.project) || !l.identity(r.User, &c.user) {
		return nil
	}
	if c.typ != l.typ {
		if c.typ != "" && validName("", string(c.typ)) != nil {
			return nil
		}
		l.typ = c.typ // nearly all have the same
	}
	c.typ = l.typ
	rows := l.rows[:0]
	for id, of := range r.Allocations {
		number, ok := l.numbers[id]
		if !ok || len(of) == 0 {
			return nil
		}
		p := l.providers.at(number)
		for name, amount := range of {
			class, ok := l.classes[name]
			at := slices.IndexFunc(p.inventories, func(iu InventoryUsage) bool { return iu.Class == class })
			if !ok || at < 0 || amount < 1 || amount > MaxInt {
				return nil
			}
			p.inventories[at].Used += amount
			rows = append(rows, allocation{provider: number, class: class, used: amount})
		}
	}
	sortAllocations(rows)
	c.allocations, l.rows = slices.Clone(rows), rows
	return c
}

// identity sets into to a project or user id, the same string for all equal ones,
// and reports whether it is a valid one.
func (l *loader) identity(id string, into *string) bool {
	one, ok := l.identities[id]
	if !ok {
		if validIdentity("", id) != nil {
			return false
		}
		one = id
		l.identities[id] = one
	}
	*into = one
	return true
}

// sortUnique sorts s in place unless it is sorted, and reports whether all are
// different.
func sortUnique[T any](s []T, compare func(a, b T) int) bool {
	if !slices.IsSortedFunc(s, compare) {
		slices.SortFunc(s, compare)
	}
	for i := 1; i < len(s); i++ {
		if compare(s[i-1], s[i]) == 0 {
			return false
		}
	}
	return true
}
