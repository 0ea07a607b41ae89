package kinds

import (
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Aggregate is an aggregate of Placement, of Nova, or of both under one uuid.
type Aggregate struct {
	ID       placement.AggregateID `json:"uuid"`
	Name     string                `json:"name"` // that Nova has for it
	Zone     string                `json:"availability_zone"`
	Hosts    []string              `json:"hosts"` // of Nova's
	Metadata map[string]string     `json:"metadata"`
	Members  placement.Set         // providers of Placement's

	Pools []*placement.ResourceProvider // members that share
	Trees int64                         // of members that do not
	Free  map[placement.ResourceClass]int64
}

// Broken says what is wrong with the aggregate, "" for nothing.
func (a *Aggregate) Broken() string {
	if len(a.Pools) > 0 && a.Trees == 0 {
		return "its pool serves no host"
	}
	return ""
}

// aggregateRows returns all aggregates, by uuid.
func aggregateRows(s *cloud.Snapshot) []*Aggregate {
	var out []*Aggregate
	for _, id := range (Finder{s}).Aggregates() {
		out = append(out, aggregateOf(s, id))
	}
	return out
}

func aggregateOf(s *cloud.Snapshot, id placement.AggregateID) *Aggregate {
	pl := s.Placement()
	a := &Aggregate{ID: id, Members: pl.InAggregate(id), Free: map[placement.ResourceClass]int64{}}
	if n, ok := s.Nova().Aggregate(id); ok {
		a.Name, a.Zone, a.Hosts, a.Metadata = n.Name, n.Zone(), n.Hosts, n.Metadata
	}
	pools := pl.Having(placement.SharesViaAggregate)
	trees := map[int]bool{}
	for n := range a.Members.All() {
		p := pl.ProviderAt(n)
		switch {
		case pools.Has(n):
			a.Pools = append(a.Pools, p)
			addFree(pl, a.Free, p)
		case !trees[p.RootNumber()]:
			trees[p.RootNumber()] = true
			for _, q := range pl.Tree(pl.Root(p)) {
				if !pools.Has(q.Number()) {
					addFree(pl, a.Free, q)
				}
			}
		}
	}
	a.Trees = int64(len(trees))
	return a
}

func addFree(pl *placement.Snapshot, free map[placement.ResourceClass]int64, p *placement.ResourceProvider) {
	once, known := pl.TraitID(placement.HWPCIOneTimeUse)
	for _, iu := range p.Inventories() {
		class := pl.ClassName(iu.Class)
		capacity, _ := survey.Counted(iu, known && p.HasTrait(once))
		free[class] = add(free[class], max(capacity-iu.Used, 0))
	}
}

func aggregates() *Kind {
	members := func(at At, a *Aggregate, words []string) []string { return appendMembers(at, a.Members, words) }
	free := func(name string, class placement.ResourceClass) *Field {
		return plain(name, Count, func(a *Aggregate) Value {
			if n, ok := a.Free[class]; ok {
				return countValue(n, UnitOf(class))
			}
			return Value{}
		}).hidden().help("free in its members' trees, each counted once")
	}
	record := recorded[Aggregate]()
	return &Kind{
		Name: Aggregates, Aliases: []string{"aggregate", "agg"},
		Short: "Aggregates: groups of hosts and providers, and the pools they share",
		What:  "the name or the uuid of an aggregate",
		Told:  []cloud.Part{cloud.HostAggregates},
		Also:  []cloud.Part{cloud.Contents, cloud.Allocations},
		Edits: func(row Row) ops.Editable {
			if a := row.(*Aggregate); a.Name != "" {
				return ops.EditableHostAggregate{ID: a.ID}
			}
			return nil // it exists only as a label in Placement
		},
		Fields: record.with("uuid name availability_zone:zone hosts:host metadata",
			record("name").help("that Nova gives it"),
			count("provider_count", func(a *Aggregate) int { return a.Members.Len() }).short("members"),
			words("sharing_providers", func(_ At, a *Aggregate, words []string) []string {
				for _, p := range a.Pools {
					words = append(words, p.Name())
				}
				slices.Sort(words)
				return words
			}).short("pool"),
			words("resource_providers", members).short("provider").omit().ofOne(),
			nested("free", func(_ At, a *Aggregate) any { return copiedAmounts(a.Free) }, func(at At, a *Aggregate) string { return amountsText(at, a.Free) }).
				help("free in its members' trees, each counted once"),
			text("fault", (*Aggregate).Broken).omit().graded(anyIs(Warn)),
			count("host_count", func(a *Aggregate) int { return len(a.Hosts) }).hidden(),
			free("vcpu_free", placement.VCPU),
			free("vgpu_free", placement.VGPU),
			free("disk_free", placement.DiskGB),
			plain("reach", Count, func(a *Aggregate) Value {
				if len(a.Pools) == 0 {
					return Value{}
				}
				return countValue(a.Trees, 0)
			}).hidden().help("how many hosts its pools serve").graded(func(row Row, _ Value) Grade {
				if row.(*Aggregate).Broken() != "" { // a row of this kind
					return Critical
				}
				return Plain
			}),
		),
		Columns: "uuid name availability_zone host_count provider_count sharing_providers | hosts metadata resource_providers vcpu_free vgpu_free disk_free reach",
		Flags:   []string{ByHost},
		Rows:    listed(aggregateRows),
		Find: just(func(f Finder, name string) (*Aggregate, error) {
			id, err := f.Aggregate(name)
			if err != nil {
				return nil, err
			}
			return aggregateOf(f.Snapshot, id), nil
		}),
		Names: aggregateNames,
		Text: func(_ At, row Row) string {
			a := row.(*Aggregate) // a row of this kind
			return a.ID.String() + " " + a.Name
		},
	}
}
