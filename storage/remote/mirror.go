package remote

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// mirror holds what was answered so far.
type mirror struct {
	providers map[placement.ProviderID]*provider
	consumers map[placement.ConsumerID]*consumer
	classes   numbers[placement.ResourceClass]
	traits    numbers[placement.Trait]
	strict    bool // records returns only completely read providers

	mu     sync.Mutex // guards what follows, which is read beside the rest
	nova   novaMirror
	cyborg cyborgMirror
	seen   seen
	order  order
}

// seen is what the records of Nova and Cyborg rest on in Placement, as of the last
// records.
type seen struct {
	owner map[placement.ProviderID]bool   // whether a root has OWNER_NOVA; without those whose traits were not read
	named map[string]placement.ProviderID // by name
}

// see returns what there is to see now.
func (m *mirror) see() seen {
	out := seen{map[placement.ProviderID]bool{}, make(map[string]placement.ProviderID, len(m.providers))}
	for id, p := range m.providers {
		out.named[p.Name] = id
		if p.Parent == nil && p.have[itsTraits] {
			out.owner[id] = slices.Contains(p.traits, placement.OwnerNova)
		}
	}
	return out
}

// provider is what is known of a resource provider.
type provider struct {
	listed
	have        [parts]bool // which of its parts were read
	at          int64       // the oldest generation of any of them
	again       bool        // its parts did not fit together: something was written meanwhile
	inventories map[placement.ResourceClass]placement.Inventory
	aggregates  []placement.AggregateID
	traits      []placement.Trait
	held        map[placement.ConsumerID]holding
}

// part is a part of a provider that is read separately.
type part int

const (
	itsTraits part = iota
	itsInventories
	itsAllocations
	itsAggregates
	parts
)

// whole reports whether all of a provider was read.
func (p *provider) whole() bool { return p.have == [parts]bool{true, true, true, true} }

// of takes in the generation that came with a part.
func (p *provider) of(generation int64) {
	p.again = p.again || generation != p.at
	p.at = min(p.at, generation)
}

// listed is a provider in a list of providers.
type listed struct {
	UUID       placement.ProviderID  `json:"uuid"`
	Name       string                `json:"name"`
	Generation int64                 `json:"generation"`
	Parent     *placement.ProviderID `json:"parent_provider_uuid"`
}

// holding is what a consumer holds of one provider.
type holding struct {
	Resources  map[placement.ResourceClass]int64 `json:"resources"`
	Generation int64                             `json:"consumer_generation"`
}

// consumer is what is known of a consumer.
type consumer struct {
	consumerOwner
	typ        placement.ConsumerType
	generation int64 // of the consumer when that was read
	known      bool
	guessed    bool // from Nova, and not confirmed yet
	partly     bool // it may also hold something of a provider that is not listed
}

func newMirror() *mirror {
	m := &mirror{providers: map[placement.ProviderID]*provider{}, consumers: map[placement.ConsumerID]*consumer{}}
	m.classes.take(placement.StandardClasses())
	m.traits.take(placement.StandardTraits())
	return m
}

// numbers assigns numbers, which the API does not report, to custom names.
type numbers[N ~string] struct {
	standard map[N]bool
	of       map[N]int32
	given    int32 // how many numbers
}

func (n *numbers[N]) take(standard []N) {
	n.standard, n.of = make(map[N]bool, len(standard)), map[N]int32{}
	for _, name := range standard {
		n.standard[name] = true
	}
}

// knows reports whether a name can be stored: a standard one that is newer than this
// program cannot.
func (n *numbers[N]) knows(name N) bool {
	_, ok := n.of[name]
	return ok || n.standard[name]
}

// list takes in all names; new custom ones get unused numbers.
func (n *numbers[N]) list(names []N, custom func(N) bool) {
	is := make(map[N]int32, len(n.of))
	for _, name := range names {
		if !custom(name) {
			continue
		}
		id, ok := n.of[name]
		if !ok {
			id = placement.CustomID + n.given
			n.given++
		}
		is[name] = id
	}
	n.of = is
}

// list takes in a list of all providers.
func (m *mirror) list(all []listed) {
	there := make(map[placement.ProviderID]bool, len(all))
	for _, l := range all {
		there[l.UUID] = true
		p := m.providers[l.UUID]
		if p == nil {
			p = &provider{}
			m.providers[l.UUID] = p
		}
		p.listed = l
	}
	for id, p := range m.providers {
		if there[id] {
			continue
		}
		for who := range p.held {
			if c := m.consumers[who]; c != nil {
				c.partly = true
			}
		}
		delete(m.providers, id)
	}
}

// stale returns the providers to be read, in order of name: those never read, and those
// that have changed since.
func (m *mirror) stale() (fresh, changed []placement.ProviderID) {
	for id, p := range m.providers {
		switch {
		case !p.whole():
			fresh = append(fresh, id)
		case p.again || p.at != p.Generation:
			changed = append(changed, id)
		}
	}
	byName := func(a, b placement.ProviderID) int {
		return cmp.Or(cmp.Compare(m.providers[a].Name, m.providers[b].Name), a.Compare(b))
	}
	slices.SortStableFunc(fresh, byName)
	slices.SortStableFunc(changed, byName)
	return fresh, changed
}

// root returns the root of the tree of a provider.
func (m *mirror) root(p *provider) *provider {
	for range len(m.providers) { // a circle has no root
		if p.Parent == nil || m.providers[*p.Parent] == nil {
			break
		}
		p = m.providers[*p.Parent]
	}
	return p
}

// treesOf returns the unread providers in the trees of some providers, in the order of
// these.
func (m *mirror) treesOf(ids []placement.ProviderID) []placement.ProviderID {
	order := map[*provider]int{}
	for i, id := range ids {
		if p := m.providers[id]; p != nil {
			if root := m.root(p); order[root] == 0 {
				order[root] = i + 1
			}
		}
	}
	var out []placement.ProviderID
	for id, p := range m.providers {
		if !p.whole() && order[m.root(p)] > 0 {
			out = append(out, id)
		}
	}
	slices.SortStableFunc(out, func(a, b placement.ProviderID) int {
		p, q := m.providers[a], m.providers[b]
		return cmp.Or(cmp.Compare(order[m.root(p)], order[m.root(q)]), cmp.Compare(p.Name, q.Name), a.Compare(b))
	})
	return out
}

// byTree orders providers by the names of their roots, and by their own within a tree.
func (m *mirror) byTree(ids []placement.ProviderID) []placement.ProviderID {
	type key struct {
		root, name string
		id         placement.ProviderID
	}
	keys := make([]key, len(ids))
	for i, id := range ids {
		keys[i] = key{m.root(m.providers[id]).Name, m.providers[id].Name, id}
	}
	slices.SortStableFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.root, b.root), cmp.Compare(a.name, b.name), a.id.Compare(b.id))
	})
	out := make([]placement.ProviderID, len(ids))
	for i, k := range keys {
		out[i] = k.id
	}
	return out
}

// there returns those of the providers that still exist.
func (m *mirror) there(ids []placement.ProviderID) []placement.ProviderID {
	return slices.DeleteFunc(slices.Clone(ids), func(id placement.ProviderID) bool { return m.providers[id] == nil })
}

// holders returns the consumers of some providers, or with none of all, each with the
// lowest generation that any provider reported: a write guarded by it is refused if
// another write has come since.
func (m *mirror) holders(of ...placement.ProviderID) map[placement.ConsumerID]int64 {
	out := map[placement.ConsumerID]int64{}
	take := func(p *provider) {
		for id, h := range p.held {
			if g, ok := out[id]; !ok || h.Generation < g {
				out[id] = h.Generation
			}
		}
	}
	for _, id := range of {
		if p := m.providers[id]; p != nil {
			take(p)
		}
	}
	if len(of) == 0 {
		for _, p := range m.providers {
			take(p)
		}
	}
	return out
}

// records returns what is known of the cloud, in the order of a Snapshot.
func (m *mirror) records() []versioned.Record {
	var out []versioned.Record
	for _, name := range slices.Sorted(maps.Keys(m.classes.of)) {
		out = append(out, &placement.ClassRecord{ID: placement.ClassID(m.classes.of[name]), Name: name})
	}
	for _, name := range slices.Sorted(maps.Keys(m.traits.of)) {
		out = append(out, &placement.TraitRecord{ID: placement.TraitID(m.traits.of[name]), Name: name})
	}
	kept := m.rooted()
	ids := slices.SortedStableFunc(maps.Keys(kept), placement.ProviderID.Compare)
	for _, id := range ids {
		out = append(out, m.providerRecord(kept[id]))
	}
	for _, id := range ids {
		if traits := m.known(kept[id].traits); len(traits) > 0 {
			out = append(out, &placement.ProviderTraitsRecord{Provider: id, Traits: traits})
		}
	}
	is := m.see()
	m.mu.Lock()
	m.seen = is
	m.mu.Unlock()
	return slices.Concat(out, m.consumerRecords(kept), m.beside())
}

// beside returns the records of Nova and Cyborg. Unlike the rest of the mirror they may
// be asked for while Placement is read.
func (m *mirror) beside() []versioned.Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.nova.records(m.seen)
	if m.nova.config != nil && len(m.seen.named)+len(out) > 0 { // an empty cloud is empty
		out = slices.Concat([]versioned.Record{m.nova.config}, out)
	}
	return slices.Concat(out, m.cyborg.records(m.seen))
}

// servers returns what Nova answered about its servers and migrations.
func (m *mirror) servers() ([]novaServer, []novaMigration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.nova.servers, m.nova.migrations
}

// rooted returns the providers all of whose ancestors exist: a list that was made while a
// tree was being deleted may lack some.
func (m *mirror) rooted() map[placement.ProviderID]*provider {
	kept := make(map[placement.ProviderID]*provider, len(m.providers))
	var keep func(p *provider, depth int) bool
	keep = func(p *provider, depth int) bool {
		if kept[p.UUID] != nil {
			return true
		}
		if m.strict && !p.whole() || p.UUID.IsZero() || !named(p.Name) || depth > len(m.providers) {
			return false
		}
		if p.Parent != nil {
			parent := m.providers[*p.Parent]
			if parent == nil || !keep(parent, depth+1) {
				return false
			}
		}
		kept[p.UUID] = p
		return true
	}
	for _, p := range m.providers {
		keep(p, 0)
	}
	return kept
}

// named reports whether a name is valid for a provider.
func named(name string) bool { return name != "" && len([]rune(name)) <= 200 }

func (m *mirror) providerRecord(p *provider) *placement.ProviderRecord {
	r := &placement.ProviderRecord{UUID: p.UUID, Name: p.Name, Generation: p.Generation, Parent: p.Parent}
	if p.whole() {
		r.Generation = min(r.Generation, p.at)
	}
	for class, inv := range p.inventories {
		if !m.shows(p, class) {
			continue
		}
		if r.Inventories == nil {
			r.Inventories = map[placement.ResourceClass]placement.Inventory{}
		}
		r.Inventories[class] = inv
	}
	r.Aggregates = slices.Compact(slices.SortedStableFunc(slices.Values(p.aggregates), placement.AggregateID.Compare))
	return r
}

// known returns the traits that can be stored, sorted, without duplicates.
func (m *mirror) known(traits []placement.Trait) []placement.Trait {
	var out []placement.Trait
	for _, t := range traits {
		if m.traits.knows(t) {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// consumerRecords returns the consumers and allocations on the kept providers.
// Allocations without an inventory, which was read at another moment, are left out.
func (m *mirror) consumerRecords(kept map[placement.ProviderID]*provider) []versioned.Record {
	all := map[placement.ConsumerID]*placement.ConsumerRecord{}
	for id, p := range kept {
		for who, h := range p.held {
			c := m.consumers[who]
			if c == nil || !c.known || who.IsZero() {
				continue
			}
			of := map[placement.ResourceClass]int64{}
			for class, n := range h.Resources {
				if m.shows(p, class) && n > 0 && n <= placement.MaxInt {
					of[class] = n
				}
			}
			if len(of) == 0 {
				continue
			}
			r := all[who]
			if r == nil {
				r = &placement.ConsumerRecord{
					UUID: who, Type: c.typ, Project: c.project, User: c.user, Generation: c.generation,
					Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{},
				}
				all[who] = r
			}
			r.Generation = min(r.Generation, h.Generation)
			r.Allocations[id] = of
		}
	}
	out := make([]versioned.Record, 0, len(all))
	for _, id := range slices.SortedStableFunc(maps.Keys(all), placement.ConsumerID.Compare) {
		out = append(out, all[id])
	}
	return out
}

// shows reports whether records have the inventory of a class.
func (m *mirror) shows(p *provider, class placement.ResourceClass) bool {
	inv, ok := p.inventories[class]
	return ok && m.classes.knows(class) && inv.Validate() == nil
}

// sums returns what each user of each project holds in all, and the number of their
// consumers.
func (m *mirror) sums() (map[consumerOwner]map[placement.ResourceClass]int64, map[consumerOwner]int64) {
	sums, counts := map[consumerOwner]map[placement.ResourceClass]int64{}, map[consumerOwner]int64{}
	for _, c := range m.consumers {
		if c.known {
			counts[c.consumerOwner]++
		}
	}
	for _, p := range m.providers {
		for who, h := range p.held {
			c := m.consumers[who]
			if c == nil || !c.known {
				continue
			}
			if sums[c.consumerOwner] == nil {
				sums[c.consumerOwner] = map[placement.ResourceClass]int64{}
			}
			for class, n := range h.Resources {
				sums[c.consumerOwner][class] += n
			}
		}
	}
	return sums, counts
}

// usage returns what the consumers of each project hold in all.
func (m *mirror) usage() map[string]map[placement.ResourceClass]int64 {
	out := map[string]map[placement.ResourceClass]int64{}
	sums, _ := m.sums()
	for is, sum := range sums {
		if out[is.project] == nil {
			out[is.project] = map[placement.ResourceClass]int64{}
		}
		for class, n := range sum {
			out[is.project][class] += n
		}
	}
	return out
}
