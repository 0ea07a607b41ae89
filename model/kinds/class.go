package kinds

import (
	"math"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/placement"
)

// Class is a resource class with how much of it the whole cloud has; each provider
// counts once.
type Class struct {
	ID        placement.ClassID       `json:"id"`
	Name      placement.ResourceClass `json:"name"`
	Providers int64                   `json:"provider_count"`
	Total     int64                   `json:"total"` // this and the next in units of the class
	Reserved  int64                   `json:"reserved"`
	Capacity  int64                   `json:"capacity"`
	Used      int64                   `json:"used"`
	Owned     [4]int64                // of Capacity, by placement.Owner
	free      int64                   // on providers with room
	requesters
}

// Mostly returns who owns most of the class, and what percentage that is.
func (c *Class) Mostly() (placement.Owner, int64) {
	const percent = 100
	best := placement.OwnedByNone
	for o := range c.Owned {
		if c.Owned[o] > c.Owned[best] {
			best = placement.Owner(o) // an index of four
		}
	}
	if c.Capacity <= 0 {
		return best, 0
	}
	return best, int64(float64(c.Owned[best]) / float64(c.Capacity) * percent)
}

// add adds two amounts without overflow: an allocation_ratio may be as large as
// placement.MaxRatio.
func add(a, b int64) int64 {
	if sum := a + b; sum >= a || b < 0 {
		return sum
	}
	return math.MaxInt64
}

// classRows returns all classes.
func classRows(s *cloud.Snapshot) []*Class {
	pl, d := s.Placement(), demandOf(s)
	var out []*Class
	by := map[placement.ClassID]*Class{}
	for id, name := range pl.Classes() {
		c := &Class{ID: id, Name: name, Providers: int64(pl.WithClass(id).Len()), requesters: of(d.classes, name)}
		by[id], out = c, append(out, c)
	}
	byNova, byCyborg := survey.OwnerSets(pl)
	oneTime := pl.Having(placement.HWPCIOneTimeUse)
	for p := range pl.Providers() {
		owner := survey.OwnerOf(byNova.Has(p.Number()), byCyborg.Has(p.Number()))
		for _, iu := range p.Inventories() {
			c := by[iu.Class]
			capacity, reserved := survey.Counted(iu, oneTime.Has(p.Number()))
			c.Total, c.Reserved, c.Used = c.Total+iu.Total, c.Reserved+reserved, c.Used+iu.Used
			c.Capacity = add(c.Capacity, capacity)
			c.free = add(c.free, max(capacity-iu.Used, 0))
			c.Owned[owner] = add(c.Owned[owner], capacity)
		}
	}
	return out
}

// overfull grades what is free: less than nothing is too much in use.
func overfull(_ Row, v Value) Grade {
	if v.Int() < 0 {
		return Critical
	}
	return Plain
}

func classes() *Kind {
	record := recorded[Class]()
	amount := func(f *Field) *Field {
		return sized(f, func(_ At, c *Class) placement.ResourceClass { return c.Name })
	}
	return &Kind{
		Name: Classes, Aliases: []string{"class", "rc"},
		Short: "Resource classes, with how much of each the whole cloud has",
		What:  "the name of a resource class",
		Also:  []cloud.Part{cloud.Flavors, cloud.Profiles},
		Fields: slices.Concat(record.with("id name",
			yes("custom", func(c *Class) bool { return c.Name.IsCustom() }),
			record("provider_count:provs").graded(func(row Row, v Value) Grade {
				if v.Int() == 0 && row.(*Class).Name.IsCustom() { // a row of this kind
					return Notice
				}
				return Plain
			}),
			amount(record("total")).help("over all providers, each counted once"),
			amount(record("reserved")).short("res"),
			amount(record("capacity")).short("cap").help("over all providers, each counted once"),
			amount(record("used")),
			plain("percent", Count, func(c *Class) Value { return percentValue(c.Used, c.Capacity) }).short("used%").hidden().graded(func(_ Row, v Value) Grade {
				const high = 90 // percent, from which it is nearly used up
				if v.n >= high {
					return Warn
				}
				return Plain
			}),
			amount(count("free", func(c *Class) int64 { return c.free })).hidden().help("on providers with room: one that holds too much takes none from others"),
			ownerAt(func(_ At, c *Class) placement.Owner { o, _ := c.Mostly(); return o }).hidden().help("the owner of most of it"),
		), requesterFields(func(c *Class) requesters { return c.requesters }), []*Field{
			words("resource_providers", func(at At, c *Class, words []string) []string {
				return appendMembers(at, at.Snap.Placement().WithClass(c.ID), words)
			}).short("provider").omit().ofOne(),
		}),
		Columns: "name provider_count used capacity percent | id total reserved custom flavors device_profiles",
		Flags:   []string{ByAssociated},
		Rows:    listed(classRows),
		Find: just(func(f Finder, name string) (*Class, error) {
			id, err := f.Class(name)
			if err != nil {
				return nil, err
			}
			all := classRows(f.Snapshot)
			return all[slices.IndexFunc(all, func(c *Class) bool { return c.ID == id })], nil
		}),
		Names: namesIn(Classes, "name"),
		Text:  func(_ At, row Row) string { return string(row.(*Class).Name) }, // a row of this kind
	}
}
