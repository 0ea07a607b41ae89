package insight

import (
	"cmp"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/placement"
)

// Summary is a whole cloud in numbers. Each provider counts once: a host's share of a
// pool belongs to the pool, and is never added up over hosts.
type Summary struct {
	Providers    int // all of them
	Roots        int // those without parent: compute nodes, sharing pools
	Consumers    int
	Aggregates   int // with members
	SharingPools int // providers with MISC_SHARES_VIA_AGGREGATE

	Classes []ClassTotal                   // of every class with inventory, by class number
	Owners  map[placement.Owner]OwnerTotal // of accelerator providers; all four owners are there
}

// ClassTotal is the sum of one class over distinct providers. Amounts are in
// units of the class.
type ClassTotal struct {
	Class placement.ResourceClass

	Total    int64
	Reserved int64
	Capacity int64 // sum of (total - reserved) * ratio, each truncated as shown; devices for one time use count while in use
	Used     int64 // what consumers hold, migrations included
	Held     int64 // the part of Used that migrations hold: old claims, not yet confirmed or leaked

	// Withheld is what of the totals cannot be allocated: total - capacity if the ratio
	// is at most 1, else reserved.
	Withheld int64
	// Physical is the part of Capacity that is there without over-commit.
	Physical int64

	Over int64 // units used beyond the capacity, over-full providers only; not those that are so rightly, see RuleOverCapacity
	Free int64 // units free on providers with room: a claim fits one provider at a time
	// Largest is the most that one claim can get: of one provider, and within the
	// units that it allows.
	Largest int64

	Providers     int // with an inventory of the class
	OverProviders int // with more used than their capacity
}

// OwnerTotal is the accelerators of one owner.
type OwnerTotal struct {
	Providers int          // with inventory of an accelerator class
	Classes   []ClassTotal // of their accelerator classes, by class number
}

// Class returns the total of class c; the zero value if nothing has it.
func (t Summary) Class(c placement.ResourceClass) ClassTotal { return find(t.Classes, c) }

// Class returns the total of class c; the zero value if the owner has none.
func (t OwnerTotal) Class(c placement.ResourceClass) ClassTotal { return find(t.Classes, c) }

func find(ts []ClassTotal, c placement.ResourceClass) ClassTotal {
	for _, t := range ts {
		if t.Class == c {
			return t
		}
	}
	return ClassTotal{Class: c}
}

// Totals adds up the whole of s.
func Totals(s *cloud.Snapshot) Summary {
	p := s.Placement()
	t := Summary{
		Providers: p.ProviderCount(),
		Roots:     p.RootSet().Len(),
		Consumers: p.ConsumerCount(),

		SharingPools: p.Having(placement.SharesViaAggregate).Len(),

		Owners: make(map[placement.Owner]OwnerTotal, 4),
	}
	for range p.Aggregates() {
		t.Aggregates++
	}
	accelerators := survey.AcceleratorClasses(p)
	nova, cyborg := survey.OwnerSets(p)
	oneTime := p.Having(placement.HWPCIOneTimeUse)
	var all classSums
	var byOwner [4]classSums
	var owned [4]int
	for n := range p.AllProviders().All() {
		counted, once := false, oneTime.Has(n)
		for _, iu := range p.ProviderAt(n).Inventories() {
			all.add(iu, once)
			if accelerators.Has(iu.Class) {
				o := survey.OwnerOf(nova.Has(n), cyborg.Has(n))
				byOwner[o].add(iu, once)
				if !counted {
					owned[o]++
					counted = true
				}
			}
		}
	}
	for a := range heldByMigrations(s) {
		all.at(a.Class).Held += a.Used
		if n := a.Provider.Number(); accelerators.Has(a.Class) {
			byOwner[survey.OwnerOf(nova.Has(n), cyborg.Has(n))].at(a.Class).Held += a.Used
		}
	}
	t.Classes = all.list(p)
	for o := range byOwner {
		t.Owners[placement.Owner(o)] = OwnerTotal{Providers: owned[o], Classes: byOwner[o].list(p)}
	}
	return t
}

// heldByMigrations yields the allocations of all consumers that are migrations, by their
// type or by Nova's ledger, as a real Nova sets no type.
func heldByMigrations(s *cloud.Snapshot) func(yield func(placement.Allocation) bool) {
	return func(yield func(placement.Allocation) bool) {
		p := s.Placement()
		for c := range p.Consumers() {
			if c.Type() != placement.MigrationConsumer {
				continue
			}
			for a := range p.Allocations(c) {
				if !yield(a) {
					return
				}
			}
		}
		for m := range s.Nova().Migrations() {
			c, ok := p.Consumer(m.UUID)
			if !ok || c.Type() == placement.MigrationConsumer {
				continue
			}
			for a := range p.Allocations(c) {
				if !yield(a) {
					return
				}
			}
		}
	}
}

// classSums adds up inventories by class. Standard classes have small numbers, which serve as
// indexes.
type classSums struct {
	standard [32]ClassTotal
	custom   map[placement.ClassID]*ClassTotal
}

// at returns the sum of a class.
func (s *classSums) at(c placement.ClassID) *ClassTotal {
	if c >= 0 && int(c) < len(s.standard) {
		return &s.standard[c]
	}
	t, ok := s.custom[c]
	if !ok {
		if s.custom == nil {
			s.custom = map[placement.ClassID]*ClassTotal{}
		}
		t = new(ClassTotal)
		s.custom[c] = t
	}
	return t
}

// add adds an inventory. A one-time-use device is not over-full when all of it is
// reserved.
func (s *classSums) add(iu placement.InventoryUsage, oneTime bool) {
	t := s.at(iu.Class)
	capacity, reserved := survey.Counted(iu, oneTime)
	t.Providers++
	t.Total += iu.Total
	t.Reserved += reserved
	t.Capacity = saturate(t.Capacity, capacity)
	t.Used += iu.Used
	if iu.AllocationRatio > 1 {
		t.Withheld += reserved
		t.Physical += iu.Total - reserved
	} else {
		t.Withheld += iu.Total - capacity
		t.Physical += capacity
	}
	if free := capacity - iu.Used; free > 0 {
		t.Free = saturate(t.Free, free)
		first, last := iu.Inventory.UsableUnits()
		if most := min(last, free/iu.StepSize*iu.StepSize); most >= first {
			t.Largest = max(t.Largest, most)
		}
	}
	if iu.Used > capacity {
		t.Over += iu.Used - capacity
		t.OverProviders++
	}
}

// saturate adds two amounts that are not negative, and returns the largest number if the
// sum would overflow: an allocation_ratio may be as large as placement.MaxRatio.
func saturate(a, b int64) int64 {
	if sum := a + b; sum >= a || b < 0 {
		return sum
	}
	return 1<<63 - 1
}

// list returns the sums of the classes that any provider has, by class number.
func (s *classSums) list(p *placement.Snapshot) []ClassTotal {
	type row struct {
		id placement.ClassID
		t  *ClassTotal
	}
	var rows []row
	for id := range s.standard {
		if t := &s.standard[id]; t.Providers > 0 {
			rows = append(rows, row{placement.ClassID(id), t})
		}
	}
	for id, t := range s.custom {
		if t.Providers > 0 {
			rows = append(rows, row{id, t})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.id, b.id) })
	out := make([]ClassTotal, len(rows))
	for i, r := range rows {
		out[i] = *r.t
		out[i].Class = p.ClassName(r.id)
	}
	return out
}
