package kinds

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/placement"
)

// Stock is the inventory of one class of a provider, with its usage.
type Stock struct {
	Provider *placement.ResourceProvider
	placement.InventoryUsage
}

// stocks yields the inventories of a provider.
func stocks(p *provider) iter.Seq[*Stock] {
	return func(yield func(*Stock) bool) {
		for _, iu := range p.Inventories() {
			if !yield(&Stock{p, iu}) {
				return
			}
		}
	}
}

// UnitOf returns the unit of a class.
func UnitOf(c placement.ResourceClass) filter.Unit {
	switch {
	case strings.HasSuffix(string(c), "_MB"):
		return filter.MB
	case strings.HasSuffix(string(c), "_GB"):
		return filter.GB
	default:
		return filter.Count
	}
}

// Unused returns what can still be claimed. A one-time-use device is reserved as a
// whole while it is in use: it counts as full then, not as over capacity.
func (x *Stock) Unused(oneTime placement.Set) int64 {
	if x.Used > x.Capacity() && x.Reserved == x.Total && oneTime.Has(x.Provider.Number()) {
		return 0
	}
	return x.Free()
}

// amount returns a field that is a number of units of an inventory's class, nothing if
// the row has no inventory.
func amount[R any](name string, stock func(At) func(R) *Stock, get func(x *Stock, oneTime placement.Set) int64) *Field {
	return opened(name, Count, func(at At) func(R) Value {
		of, pl := stock(at), at.Snap.Placement()
		oneTime := pl.Having(placement.HWPCIOneTimeUse)
		return func(r R) Value {
			x := of(r)
			if x == nil {
				return Value{}
			}
			return countValue(get(x, oneTime), UnitOf(pl.ClassName(x.Class)))
		}
	})
}

const percentHelp = "used of capacity, rounded down, so that 100 means full"

// amounts returns the fields for the capacity and the usage of an inventory.
func amounts[R any](stock func(At) func(R) *Stock) []*Field {
	return []*Field{
		amount("capacity", stock, func(x *Stock, _ placement.Set) int64 { return x.Capacity() }).short("cap"),
		amount("used", stock, func(x *Stock, _ placement.Set) int64 { return x.Used }),
		amount("free", stock, (*Stock).Unused),
		opened("percent", Count, func(at At) func(R) Value {
			of := stock(at)
			return func(r R) Value {
				if x := of(r); x != nil {
					return percentValue(x.Used, x.Capacity())
				}
				return Value{}
			}
		}).short("used%").hidden().help(percentHelp),
	}
}

// limits returns the fields that a provider's own inventory sets; nothing if only
// providers below it have one, as those may differ.
func limits() []*Field {
	own := func(at At) func(*provider) *Stock {
		at.Nested = false
		return stockOf(at)
	}
	whole := func(name string, get func(x *Stock) int64) *Field {
		return amount(name, own, func(x *Stock, _ placement.Set) int64 { return get(x) })
	}
	return []*Field{
		whole("total", func(x *Stock) int64 { return x.Total }),
		whole("reserved", func(x *Stock) int64 { return x.Reserved }),
		opened("ratio", Ratio, func(at At) func(*provider) Value {
			of := own(at)
			return func(p *provider) Value {
				if x := of(p); x != nil {
					return ratioValue(x.AllocationRatio)
				}
				return Value{}
			}
		}).help("the allocation ratio"),
		whole("max_unit", func(x *Stock) int64 { return x.MaxUnit }),
	}
}

// hidden returns the fields for columns and filters only.
func hidden(fields []*Field) []*Field {
	for _, f := range fields {
		f.hidden()
	}
	return fields
}

// stockOf returns a getter for the inventory of a provider that at is about.
func stockOf(at At) func(*provider) *Stock {
	var x Stock // of the last row asked for
	class, known := at.Snap.Placement().ClassID(at.Class)
	if at.Nested && known {
		return treeStock(at, class)
	}
	return func(p *provider) *Stock {
		if at.Class != "" {
			iu, ok := p.Inventory(class)
			if !known || !ok {
				return nil
			}
			x = Stock{p, iu}
			return &x
		}
		n := 0
		for _, iu := range p.Inventories() {
			x = Stock{p, iu}
			n++
		}
		if n != 1 {
			return nil
		}
		return &x
	}
}

// treeStock returns a getter for the sum of a class over a provider and everything below
// it.
func treeStock(at At, class placement.ClassID) func(*provider) *Stock {
	pl, oneTime := at.Snap.Placement(), at.Snap.Placement().Having(placement.HWPCIOneTimeUse)
	var sum Stock // of the last row asked for
	return func(p *provider) *Stock {
		has := false
		sum = Stock{Provider: p}
		sum.Class, sum.AllocationRatio = class, 1
		for q := range pl.Within(p) {
			iu, ok := q.Inventory(class)
			if !ok {
				continue
			}
			x, capacity := Stock{q, iu}, iu.Capacity()
			if x.Used > capacity && x.Unused(oneTime) == 0 {
				capacity = x.Used
			}
			if sum.Total += capacity; sum.Total < 0 && capacity > 0 {
				sum.Total = math.MaxInt64 // an allocation_ratio may be as large as placement.MaxRatio
			}
			sum.Used += iu.Used
			has = true
		}
		if !has {
			return nil
		}
		return &sum
	}
}

// inventory is an inventory with derived values, as shown in JSON.
type inventory struct {
	placement.Inventory
	Capacity int64 `json:"capacity"`
	Used     int64 `json:"used"`
}

// inventoriesOf returns the inventories of a provider by class.
func inventoriesOf(at At, p *provider) any {
	out := map[placement.ResourceClass]inventory{}
	for _, iu := range p.Inventories() {
		out[at.Snap.Placement().ClassName(iu.Class)] = inventory{iu.Inventory, iu.Capacity(), iu.Used}
	}
	return out
}

func inventories() *Kind {
	of := func(x *Stock) *provider { return x.Provider }
	record := recorded[Stock]()
	whole := func(name string) *Field {
		return sized(record(name), func(at At, x *Stock) placement.ResourceClass { return at.Snap.Placement().ClassName(x.Class) })
	}
	figures := amounts(func(At) func(*Stock) *Stock { return func(x *Stock) *Stock { return x } })
	figures[1].graded(func(row Row, _ Value) Grade {
		if row.(*Stock).OverCapacity() { // a row of this kind
			return Critical
		}
		return Plain
	})
	return &Kind{
		Name: Inventories, Aliases: []string{"inventory", "inv"},
		Short: "Inventories: how much of each class a provider has",
		What:  "the name or the uuid of a provider",
		Asks:  []cloud.Part{cloud.HostAggregates}, // their names
		Fields: slices.Concat([]*Field{
			id("resource_provider_uuid", func(x *Stock) placement.ProviderID { return x.Provider.ID() }).short("uuid"),
			text("resource_provider", func(x *Stock) string { return x.Provider.Name() }).short("name"),
			classField(func(x *Stock) placement.ClassID { return x.Class }),
			whole("total"), whole("reserved"), whole("min_unit"), whole("max_unit"), whole("step_size"),
			record("allocation_ratio:ratio"),
		}, figures, []*Field{
			count("resource_provider_generation", func(x *Stock) int64 { return x.Provider.Generation() }).short("gen"),
			ownerField(of).hidden(), rootField(of), traitsField(of).hidden(), aggregatesField(of).hidden(),
		}),
		Columns: "resource_provider resource_class total reserved allocation_ratio capacity used | " +
			"free min_unit max_unit step_size resource_provider_generation resource_provider_uuid",
		Flags: byProviders(),
		Rows: func(at At, _ bool) iter.Seq[Row] {
			return func(yield func(Row) bool) {
				for p := range at.Snap.Placement().Providers() {
					for x := range stocks(p) {
						if !yield(x) {
							return
						}
					}
				}
			}
		},
		Find: func(f Finder, name string) ([]Row, error) {
			p, err := f.Provider(name)
			if err != nil {
				return nil, err
			}
			return slices.Collect(rowsOf(stocks(p))), nil
		},
		Several: true,
		Names:   namesIn(Providers, "name"),
		holds: func(at At, row Row, yield func(hold) bool) {
			x := row.(*Stock) // a row of this kind
			yield(hold{provider: x.Provider, class: at.Snap.Placement().ClassName(x.Class)})
		},
	}
}

// sharedField returns the field for a host's shares of the pools that serve it.
func sharedField[R any](of func(R) *provider) *Field {
	return opened("shared", Words, func(at At) func(R) Value {
		shares := NewShares(at.Snap)
		return func(r R) Value {
			var parts []string
			for _, s := range shares.ofHost(of(r)) {
				parts = append(parts, s.String())
			}
			return textValue(strings.Join(parts, ", "))
		}
	}).as(func(at At) func(Row) any {
		shares := NewShares(at.Snap)
		return func(row Row) any {
			if found := shares.ofHost(of(row.(R))); len(found) > 0 { // as opened
				return found
			}
			return nil
		}
	}).omit().help("the host's share of pools, and the pools' own figures")
}

// use is the usage of one class of a provider, or a host's share of a pool that serves
// it: what the host uses, and what the pool has and has free. Sums must leave out rows
// with a pool, which has rows of its own.
type use struct {
	*provider
	Class    placement.ResourceClass `json:"resource_class"`
	Used     int64                   `json:"used"`
	Capacity int64                   `json:"capacity"`
	Free     int64                   `json:"free"`
	shared   *Share
}

func usages() *Kind {
	of := func(u *use) *provider { return u.provider }
	record := recorded[use]()
	whole := func(name string) *Field {
		return sized(record(name), func(_ At, u *use) placement.ResourceClass { return u.Class })
	}
	return &Kind{
		Name: Usages, Aliases: []string{"usage", "u"},
		Short: "Usages: how much of each class is used, by provider, project or type of consumer",
		What:  "the name or the uuid of a provider",
		Fields: []*Field{
			id("resource_provider_uuid", func(u *use) placement.ProviderID { return u.ID() }).short("uuid"),
			text("resource_provider", func(u *use) string { return u.provider.Name() }).short("name"),
			record("resource_class:class"),
			whole("used").graded(func(row Row, _ Value) Grade {
				if u := row.(*use); u.shared == nil && u.Used > u.Capacity { // a row of this kind
					return Critical
				}
				return Plain
			}),
			whole("capacity").short("cap"),
			whole("free"),
			plain("shared", Words, func(u *use) Value { return Value{} }).as(inJSON(func(_ At, u *use) any {
				if u.shared == nil {
					return nil
				}
				return u.shared
			})).omit(),
			plain("percent", Count, func(u *use) Value { return percentValue(u.Used, u.Capacity) }).short("used%").hidden().help(percentHelp),
			showing(plain("pool", Text, func(u *use) Value {
				return given(u.shared, func(s Share) Value { return textValue(s.Name) })
			}), func(_ At, u *use) string {
				if u.shared == nil {
					return ""
				}
				return fmt.Sprintf("shares %s, %d used in all", u.shared.Name, u.shared.Used)
			}).hidden(),
			plain("pool_used", Count, func(u *use) Value {
				return given(u.shared, func(s Share) Value { return countValue(s.Used, UnitOf(s.Class)) })
			}).hidden(),
			ownerField(of).hidden(), rootField(of), traitsField(of).hidden(),
		},
		Columns: "resource_provider resource_class used capacity free percent pool? | " +
			"resource_provider_uuid pool_used",
		Flags: append(byProviders(), ByProject, ByType),
		Rows: func(at At, _ bool) iter.Seq[Row] {
			return func(yield func(Row) bool) {
				shares := NewShares(at.Snap)
				for p := range at.Snap.Placement().Providers() {
					for _, u := range usesOf(shares, p) {
						if !yield(u) {
							return
						}
					}
				}
			}
		},
		Find: func(f Finder, name string) ([]Row, error) {
			p, err := f.Provider(name)
			if err != nil {
				return nil, err
			}
			return slices.Collect(rowsOf(slices.Values(usesOf(NewShares(f.Snapshot), p)))), nil
		},
		Several: true,
		Names:   namesIn(Providers, "name"),
		by:      usedBy,
		holds: func(_ At, row Row, yield func(hold) bool) {
			u := row.(*use) // a row of this kind
			yield(hold{provider: u.provider, class: u.Class, shared: u.shared != nil})
		},
	}
}

// usesOf returns the usage of a provider by class, followed by a host's shares of pools.
func usesOf(shares Shares, p *provider) []*use {
	var out []*use
	pl := shares.view.Ledger
	oneTime := pl.Having(placement.HWPCIOneTimeUse)
	for x := range stocks(p) {
		out = append(out, &use{p, pl.ClassName(x.Class), x.Used, x.Capacity(), x.Unused(oneTime), nil})
	}
	for _, s := range shares.ofHost(p) {
		out = append(out, &use{p, s.Class, s.Here, s.Capacity, s.Free, &s})
	}
	return out
}

// sum is the usage of one class by the consumers of one project and type.
type sum struct {
	Project   string `json:"project_id"`
	Type      string `json:"consumer_type"`
	class     placement.ClassID
	Used      int64 `json:"used"`
	Consumers int64 `json:"consumer_count"`
}

// usedBy returns usage by project and consumer type, as Placement counts it against
// quotas, in the order of project, type and class number.
//
// Source: placement/handlers/usage.py, list_usages.
func usedBy(at At, p Pick) (*Kind, []Row, error) {
	found, err := allocations().Get(Query{At: at, Pick: p})
	if err != nil {
		return nil, nil, err
	}
	sums := map[sum]*sum{}
	last := map[sum]*placement.Consumer{} // the rows of a consumer are consecutive
	var rows []Row
	for _, row := range found.Rows {
		h := row.(*holding) // a row of that kind
		key := sum{Project: h.Project(), Type: h.Type().String(), class: h.Class}
		s := sums[key]
		if s == nil {
			one := key
			s = &one
			sums[key], rows = s, append(rows, s)
		}
		if s.Used += h.Used; last[key] != h.Consumer {
			s.Consumers++
			last[key] = h.Consumer
		}
	}
	slices.SortStableFunc(rows, func(x, y Row) int {
		a, b := x.(*sum), y.(*sum) // made above
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Type, b.Type), cmp.Compare(a.class, b.class))
	})
	record := recorded[sum]()
	return &Kind{
		Name: Usages,
		Fields: record.with("project_id:project consumer_type:type resource_class used consumer_count:consumers",
			classField(func(s *sum) placement.ClassID { return s.class }),
		),
		Columns: "project_id consumer_type resource_class used consumer_count",
		Several: true,
	}, rows, nil
}
