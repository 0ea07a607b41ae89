package kinds

import (
	"cmp"
	"iter"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// PoolShare is a class of a pool from the point of view of one host that it serves.
type PoolShare struct {
	Host *placement.ResourceProvider // the root
	Share
}

// hostsOf returns the roots of the trees that a pool serves, by name.
func (s Shares) hostsOf(pool *placement.ResourceProvider) []*placement.ResourceProvider {
	seen := map[int]bool{pool.RootNumber(): true}
	var out []*placement.ResourceProvider
	for _, a := range pool.Aggregates() {
		for n := range s.view.Ledger.InAggregate(a).All() {
			p := s.view.Ledger.ProviderAt(n)
			if root := p.RootNumber(); !seen[root] && !s.view.Sharing.Has(n) {
				seen[root] = true
				out = append(out, s.view.Ledger.ProviderAt(root))
			}
		}
	}
	slices.SortFunc(out, placement.ByName)
	return out
}

// OfPool returns what each host that a pool serves has of it, by name of the host, then
// class number. It is what Of returns for each of them, in one pass over the consumers.
func (s Shares) OfPool(pool *placement.ResourceProvider) []*PoolShare {
	return s.ofPool(pool, s.view.Ledger.ConsumersOf(pool), s.hostsOf(pool)...)
}

// ofPool returns what hosts have of a pool, as far as consumers hold it.
func (s Shares) ofPool(pool *placement.ResourceProvider, consumers iter.Seq[*placement.Consumer], hosts ...*placement.ResourceProvider) []*PoolShare {
	type key struct {
		root  int
		class placement.ClassID
	}
	here, held := map[key]int64{}, map[key]int64{}
	for c := range consumers {
		var home *placement.ResourceProvider
		for class, amount := range s.view.Ledger.UsedBy(c, pool) {
			if home == nil {
				home = s.home(c, pool)
			}
			if home == nil {
				break
			}
			k := key{home.Number(), class}
			here[k] += amount
			if s.view.IsMigration(c) {
				held[k] += amount
			}
		}
	}
	var out []*PoolShare
	for _, host := range hosts {
		for _, iu := range pool.Inventories() {
			capacity, k := iu.Capacity(), key{host.Number(), iu.Class}
			out = append(out, &PoolShare{host, Share{
				Pool: pool.ID(), Name: pool.Name(), Class: s.view.Ledger.ClassName(iu.Class),
				Here: here[k], Held: held[k], Used: iu.Used, Capacity: capacity, Free: capacity - iu.Used,
			}})
		}
	}
	return out
}

// Pool is a provider that others use through an aggregate, with one of its classes.
type Pool struct {
	*Stock
	Class placement.ResourceClass `json:"resource_class"` // that of Stock, by name
	Hosts int64                   `json:"host_count"`     // that it serves
}

// poolRows returns the classes of all pools, by name of the pool.
func poolRows(s *cloud.Snapshot) []*Pool {
	shares := NewShares(s)
	var out []*Pool
	for n := range shares.view.Sharing.All() {
		out = append(out, shares.poolRows(shares.view.Ledger.ProviderAt(n))...)
	}
	slices.SortStableFunc(out, func(a, b *Pool) int { return cmp.Compare(a.Provider.Name(), b.Provider.Name()) })
	return out
}

// poolRows returns the classes of a pool; one without any still has a row.
func (s Shares) poolRows(p *placement.ResourceProvider) []*Pool {
	hosts := int64(len(s.hostsOf(p)))
	var out []*Pool
	for x := range stocks(p) {
		out = append(out, &Pool{x, s.view.Ledger.ClassName(x.InventoryUsage.Class), hosts})
	}
	if len(out) == 0 {
		out = append(out, &Pool{&Stock{Provider: p}, "", hosts})
	}
	return out
}

// mostSharers is up to how many consumers of a pool its hosts' shares are computed with each
// look at it.
const mostSharers = 5000

func pools() *Kind {
	self := func(p *Pool) *provider { return p.Provider }
	users := poolShares()
	users.Things, users.Columns = "hosts", "host used_by_host percent held_by_migrations_of_host"
	record := recorded[Pool]()
	amount := func(f *Field) *Field {
		return sized(f, func(_ At, p *Pool) placement.ResourceClass { return p.Class })
	}
	reach := func(row Row, _ Value) Grade {
		if row.(*Pool).Hosts == 0 { // a row of this kind
			return Critical
		}
		return Plain
	}
	return &Kind{
		Name: Pools, Aliases: []string{"pool"},
		Short: "Pools: providers that hosts share through an aggregate",
		What:  "the name or the uuid of a pool",
		Asks:  []cloud.Part{cloud.HostAggregates}, // their names
		Fields: []*Field{
			text("name", func(p *Pool) string { return p.Provider.Name() }),
			record("resource_class:class"),
			amount(record("total")),
			amount(record("reserved")),
			amount(count("capacity", func(p *Pool) int64 { return p.Capacity() })).short("cap"),
			amount(count("used", func(p *Pool) int64 { return p.Used })),
			amount(count("free", func(p *Pool) int64 { return p.Free() })).graded(overfull),
			plain("percent", Count, func(p *Pool) Value { return percentValue(p.Used, p.Capacity()) }).short("used%").hidden(),
			text("fault", func(p *Pool) string {
				if p.Hosts == 0 {
					return "no host shares an aggregate with it: nobody can use it"
				}
				return ""
			}).omit().graded(anyIs(Warn)),
			record("host_count:hosts").graded(reach).help("that it serves"),
			aggregatesField(self).apart(),
			words("aggregate_names", func(at At, p *Pool, words []string) []string {
				for _, a := range p.Provider.Aggregates() {
					words = append(words, cmp.Or(Finder{at.Snap}.AggregateName(a), a.String()))
				}
				return words
			}).hidden(),
			countAt("consumers", func(at At, p *Pool) int64 { return int64(at.Snap.Placement().CountConsumersOf(p.Provider)) }),
			id("uuid", func(p *Pool) placement.ProviderID { return p.Provider.ID() }),
			rootField(self),
		},
		Columns: "name resource_class used capacity free percent host_count aggregate_names | total reserved consumers uuid",
		Flags:   []string{ByClass, ByAggregate},
		Rows:    listed(poolRows),
		Find: func(f Finder, name string) ([]Row, error) {
			p, err := f.pool(name)
			if err != nil {
				return nil, err
			}
			return slices.Collect(rowsOf(slices.Values(NewShares(f.Snapshot).poolRows(p)))), nil
		},
		Several: true,
		Parts: []Part{{users, func(at At, row Row) []Row {
			var out []Row
			if p := row.(*Pool); at.Snap.Placement().CountConsumersOf(p.Provider) <= mostSharers { // a row of this kind
				for _, s := range NewShares(at.Snap).OfPool(p.Provider) {
					if s.Class == p.Class {
						out = append(out, s)
					}
				}
			}
			slices.SortStableFunc(out, func(a, b Row) int { return cmp.Compare(b.(*PoolShare).Here, a.(*PoolShare).Here) }) // as above
			return out
		}}},
		Names: namesIn(Pools, "name"),
		holds: func(_ At, row Row, yield func(hold) bool) {
			p := row.(*Pool) // a row of this kind
			yield(hold{provider: p.Provider, class: p.Class})
		},
	}
}

// pool returns the pool with the name or uuid text.
func (f Finder) pool(text string) (*placement.ResourceProvider, error) {
	p, err := f.Provider(text)
	if err == nil && !f.Placement().Shares(p) {
		return nil, placement.NotFound("sharing pool", text)
	}
	return p, err
}

// poolShares returns the kind for the hosts that pools serve, each with its share of each
// class of a pool.
func poolShares() *Kind {
	record := recorded[PoolShare]()
	amount := func(name string) *Field {
		return sized(record(name), func(_ At, s *PoolShare) placement.ResourceClass { return s.Class })
	}
	return &Kind{
		Name: PoolShares, Aliases: []string{"share"}, Things: "shares of hosts in pools",
		Short: "Shares: which hosts a pool serves, and what each uses of it",
		What:  "the name or the uuid of a pool",
		Also:  []cloud.Part{cloud.Hypervisors, cloud.Instances, cloud.Migrations},
		Fields: record.with("host pool resource_class:class used_by_host held_by_migrations_of_host percent pool_used pool_capacity pool_free host_uuid pool_uuid",
			text("host", func(s *PoolShare) string { return s.Host.Name() }),
			amount("used_by_host").short("here").help("by consumers that are on the host"),
			amount("held_by_migrations_of_host").short("held").help("the part of that held by migrations"),
			plain("percent", Count, func(s *PoolShare) Value { return percentValue(s.Here, s.Capacity) }).short("share%").hidden().help("of the pool's capacity"),
			amount("pool_used").help("by consumers of all hosts: the same in each row"),
			amount("pool_capacity"),
			amount("pool_free"),
			id("host_uuid", func(s *PoolShare) placement.ProviderID { return s.Host.ID() }),
		),
		Columns: "host pool resource_class used_by_host percent pool_used pool_capacity | held_by_migrations_of_host pool_free host_uuid pool_uuid",
		Flags:   []string{ByClass, ByProvider},
		Rows: func(at At, _ bool) iter.Seq[Row] {
			return func(yield func(Row) bool) {
				shares := NewShares(at.Snap)
				for _, p := range poolProviders(at.Snap) {
					for _, s := range shares.OfPool(p) {
						if !yield(s) {
							return
						}
					}
				}
			}
		},
		Find: func(f Finder, name string) ([]Row, error) {
			p, err := f.pool(name)
			if err != nil {
				return nil, err
			}
			return slices.Collect(rowsOf(slices.Values(NewShares(f.Snapshot).OfPool(p)))), nil
		},
		Several: true,
		Names:   namesIn(Pools, "name"),
		Text: func(_ At, row Row) string {
			s := row.(*PoolShare) // a row of this kind
			return s.Host.Name() + " " + s.Name
		},
		holds: func(_ At, row Row, yield func(hold) bool) {
			s := row.(*PoolShare) // a row of this kind
			yield(hold{provider: s.Host, class: s.Class, shared: true})
		},
	}
}

// poolProviders returns the pools, by name.
func poolProviders(s *cloud.Snapshot) []*placement.ResourceProvider {
	var out []*placement.ResourceProvider
	for n := range s.Placement().Having(placement.SharesViaAggregate).All() {
		out = append(out, s.Placement().ProviderAt(n))
	}
	slices.SortFunc(out, placement.ByName)
	return out
}
