package placement

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/tidwall/btree"

	"github.com/placetop/placetop/model/versioned"
)

// Load returns the ledger that consists of records, which may come in any order: the
// result, errors included, is that of PutRecords on an empty ledger. Records that come
// in the order of Snapshot.Records, read by a versioned.Bulk, are loaded fastest.
//
// The Snapshot shares no memory with the records except the bytes of their strings.
func Load(records []versioned.Record) (*Snapshot, error) {
	if s := quickLoad(records); s != nil {
		return s, nil
	}
	put := PutRecords{Records: make([]versioned.Change, len(records))}
	for i, r := range records {
		if d, ok := r.(versioned.Draft); ok {
			r = d.Full()
		}
		put.Records[i].After = r
	}
	s, _, err := Empty().Apply(Change{Ops: []Op{put}})
	return s, err
}

// loader builds a ledger from records without faults. Its maps are faster than the trees
// of the ledger, and let equal strings and lists share memory.
type loader struct {
	*edit
	numbers map[ProviderID]uint32
	classes map[ResourceClass]ClassID
	traits  map[Trait]TraitID
	lists   map[*Trait][]TraitID // lists of traits by the address of their first name
	byNames map[string][]TraitID // lists of traits by their names, joined
	joined  []byte               // scratch

	identities map[string]string // projects and users
	typ        ConsumerType      // of the previous consumer
}

// quickLoad is Load for records without faults. It returns nil if it finds one, and
// leaves it to PutRecords to say which.
func quickLoad(records []versioned.Record) *Snapshot {
	l := &loader{
		edit: &edit{state: Empty().state, by: new(owner)}, identities: map[string]string{}, lists: map[*Trait][]TraitID{}, byNames: map[string][]TraitID{},
		classes: map[ResourceClass]ClassID{}, traits: map[Trait]TraitID{},
	}
	ofKind := map[versioned.Kind]int{}
	for _, r := range records {
		if r == nil {
			return nil
		}
		ofKind[r.RecordKind()]++
	}
	providers := make([]*providerDraft, 0, ofKind[KindProvider])
	tags := make([]*ProviderTraitsRecord, 0, ofKind[KindProviderTraits])
	consumers := make([]*consumerDraft, 0, ofKind[KindConsumer])
	for _, r := range records {
		ok := true
		switch r := r.(type) {
		case *ClassRecord:
			ok = loadName(l.classIndex, l.classIDs, int32(r.ID), string(r.Name))
		case *TraitRecord:
			ok = loadName(l.traitIndex, l.traitIDs, int32(r.ID), string(r.Name))
		case *providerDraft:
			providers = append(providers, r)
		case *ProviderRecord:
			providers = append(providers, r.draft())
		case *ProviderTraitsRecord:
			tags = append(tags, r)
		case *consumerDraft:
			consumers = append(consumers, r)
		case *ConsumerRecord:
			d := r.draft()
			consumers, ok = append(consumers, d), d != nil
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
	return snapshotOf(l.finish())
}

// loadName adds a custom name and its number, and reports whether both are valid and new.
func loadName(all *btree.Map[uint32, *index], ids *btree.Map[string, uint32], id int32, name string) bool {
	_, isNamed := ids.Get(name)
	_, isNumbered := all.Get(uint32(id))
	if isNamed || isNumbered || validCustomRecord("", id, name) != nil {
		return false
	}
	all.Set(uint32(id), &index{name: name})
	ids.Set(name, uint32(id))
	return true
}

// loadProviders makes the providers. Those of a tree get consecutive numbers, parents
// first, so that a search finds them close together in memory.
func (l *loader) loadProviders(drafts []*providerDraft) bool {
	if !sortUnique(drafts, func(a, b *providerDraft) int { return a.id.Compare(b.id) }) {
		return false
	}
	trees, ok := treesOf(drafts)
	if !ok {
		return false
	}
	l.numbers = make(map[ProviderID]uint32, len(drafts))
	names := make([]*ResourceProvider, 0, len(drafts))
	var add func(i int, parent, root uint32) bool
	add = func(i int, parent, root uint32) bool {
		number := uint32(len(names))
		if parent == noProvider {
			root = number
			l.roots.add(int(number), l.by)
		}
		p := l.provider(drafts[i], number)
		if p == nil {
			return false
		}
		p.parent, p.root = parent, root
		l.numbers[p.id] = number
		l.providers.set(number, p, l.by)
		l.all.add(int(number), l.by)
		names = append(names, p)
		for c := trees.child[i]; c != nobody; c = trees.sibling[c] {
			p.children = append(p.children, uint32(len(names)))
			if !add(c, number, root) {
				return false
			}
		}
		return true
	}
	for i := trees.root; i != nobody; i = trees.sibling[i] {
		if !add(i, noProvider, 0) {
			return false
		}
	}
	if len(names) != len(drafts) {
		return false // the others are in a loop
	}
	for _, d := range drafts {
		l.byID.Load(numbered{l.numbers[d.id], uuid.UUID(d.id)})
	}
	if !sortUnique(names, func(a, b *ResourceProvider) int { return cmp.Compare(a.name, b.name) }) {
		return false
	}
	for _, p := range names {
		l.byName.Load(p.name, p.number)
	}
	return true
}

// trees links a list of providers into trees, by their indexes in the list.
type trees struct {
	root    int   // the first provider without parent
	child   []int // the first child of each
	sibling []int // the next child of the same parent, or the next root
}

// nobody is the index of no provider.
const nobody = -1

// treesOf returns the trees of drafts, which are sorted; false if a parent is missing.
func treesOf(drafts []*providerDraft) (trees, bool) {
	t := trees{root: nobody, child: make([]int, len(drafts)), sibling: make([]int, len(drafts))}
	for i := range drafts {
		t.child[i] = nobody
	}
	for i, d := range slices.Backward(drafts) {
		if !d.child {
			t.root, t.sibling[i] = i, t.root
			continue
		}
		up, ok := slices.BinarySearchFunc(drafts, d.parent, func(d *providerDraft, id ProviderID) int { return d.id.Compare(id) })
		if !ok {
			return trees{}, false
		}
		t.child[up], t.sibling[i] = i, t.child[up]
	}
	return t, true
}

// provider makes a provider, except for its place in the tree and its traits; nil if the
// draft has a fault.
func (l *loader) provider(d *providerDraft, number uint32) *ResourceProvider {
	if d.id.IsZero() || d.generation < 0 || validProviderName(d.name) != nil {
		return nil
	}
	p := &ResourceProvider{
		id: d.id, name: d.name, number: number, by: l.by, generation: d.generation, created: d.created, updated: d.updated,
	}
	if len(d.inventories) > 0 {
		p.inventories = make([]InventoryUsage, 0, len(d.inventories))
	}
	for _, inv := range d.inventories {
		class, ok := l.classes[inv.class]
		if !ok || inv.Validate() != nil {
			return nil
		}
		p.inventories = append(p.inventories, InventoryUsage{Inventory: inv.Inventory, Class: class})
		editSet(&l.classSets, class, l.WithClass).add(int(number), l.by)
	}
	slices.SortStableFunc(p.inventories, func(a, b InventoryUsage) int { return cmp.Compare(a.Class, b.Class) })
	if len(d.aggregates) > 0 {
		aggregates, err := aggregateList(d.aggregates)
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
	for _, r := range records {
		number, ok := l.numbers[r.Provider]
		if !ok {
			return false
		}
		ids := l.traitList(r.Traits)
		if ids == nil {
			return false
		}
		l.providers.at(number).traits = ids
		for _, t := range ids {
			editSet(&l.traitSets, t, l.WithTrait).add(int(number), l.by)
		}
	}
	return true
}

// traitList returns the numbers of traits, ascending, the same list for all equal
// ones; nil for an unknown trait or one given twice.
func (l *loader) traitList(names []Trait) []TraitID {
	if len(names) == 0 {
		return l.traitIDsOf(names)
	}
	// Records that a Bulk read share their lists.
	if ids, ok := l.lists[&names[0]]; ok && len(ids) == len(names) {
		return ids
	}
	l.joined = l.joined[:0]
	for _, t := range names {
		l.joined = append(append(l.joined, t...), ' ')
	}
	ids, ok := l.byNames[string(l.joined)]
	if !ok || len(ids) != len(names) {
		if ids = l.traitIDsOf(names); ids == nil {
			return nil
		}
		l.byNames[string(l.joined)] = ids
	}
	l.lists[&names[0]] = ids
	return ids
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
	slices.Sort(ids)
	if len(slices.Compact(ids)) < len(names) {
		return nil
	}
	return ids
}

// loadConsumers makes the consumers and counts what they hold.
func (l *loader) loadConsumers(drafts []*consumerDraft) bool {
	if !sortUnique(drafts, func(a, b *consumerDraft) int { return a.id.Compare(b.id) }) {
		return false
	}
	tallies := tallyMap{}
	start := make([]int, l.all.Len()+1) // of the holdings of a provider, among all
	for _, d := range drafts {
		c := l.consumer(d)
		if c == nil {
			return false
		}
		l.consumers.Load(consumerEntry{c.id, c})
		tallies.count(c)
		for number := range c.ProviderNumbers() {
			start[number+1]++
		}
	}
	for i := range l.all.Len() {
		start[i+1] += start[i]
	}
	// By provider, and by consumer within a provider, as they are now.
	held := make([]numbered, start[l.all.Len()])
	for c := range l.Consumers() {
		for number := range c.ProviderNumbers() {
			held[start[number]] = numbered{uint32(number), uuid.UUID(c.id)}
			start[number]++
		}
	}
	for _, h := range held {
		l.holdings.Load(h)
	}
	for _, t := range slices.SortedFunc(maps.Values(tallies), (*Tally).compare) {
		l.tallies.Load(t)
	}
	return true
}

// consumer makes a consumer and adds what it holds to the usages; nil if the draft has a
// fault.
func (l *loader) consumer(d *consumerDraft) *Consumer {
	c := &Consumer{id: d.id, typ: d.typ, generation: d.generation, created: d.created, updated: d.updated}
	if c.id.IsZero() || c.generation < 0 || len(d.allocations) == 0 ||
		!l.identity(d.project, &c.project) || !l.identity(d.user, &c.user) {
		return nil
	}
	if c.typ != l.typ {
		if c.typ != "" && validName("", string(c.typ)) != nil {
			return nil
		}
		l.typ = c.typ // nearly all have the same
	}
	c.typ = l.typ
	c.allocations = make([]allocation, len(d.allocations))
	var p *ResourceProvider
	for i, a := range d.allocations {
		if p == nil || p.id != a.provider {
			number, ok := l.numbers[a.provider]
			if !ok {
				return nil
			}
			p = l.providers.at(number)
		}
		class, ok := l.classes[a.class]
		at := slices.IndexFunc(p.inventories, func(iu InventoryUsage) bool { return iu.Class == class })
		if !ok || at < 0 || a.used < 1 || a.used > MaxInt {
			return nil
		}
		p.inventories[at].Used += a.used
		c.allocations[i] = allocation{provider: p.number, class: class, used: a.used}
	}
	sortAllocations(c.allocations)
	return c
}

// identity sets *into to a project or user id, the same string for all equal ones, and
// reports whether it is valid.
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

// sortUnique sorts s in place, and reports whether all its elements are different.
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
