package placement_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// consumer is the part of a consumer that the tests compare.
type consumer struct {
	Generation    int64
	Type          placement.ConsumerType
	Project, User string
	Holds         map[string]int64 // units by "provider class"
}

// consumes fails unless the named consumer is like want, or does not exist if want is
// nil.
func consumes(name string, want *consumer) func(*testing.T, *placement.Snapshot) {
	return func(t *testing.T, s *placement.Snapshot) {
		t.Helper()
		c, ok := s.Consumer(modeltest.ConsumerID(name))
		if !ok {
			if want != nil {
				t.Errorf("%s is not there", name)
			}
			return
		}
		got := &consumer{Generation: c.Generation(), Type: c.Type(), Project: c.Project(), User: c.User(), Holds: map[string]int64{}}
		for a := range s.Allocations(c) {
			got.Holds[fmt.Sprint(a.Provider.Name(), " ", s.ClassName(a.Class))] = a.Used
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// claim is a claim of a consumer of the given name at any generation.
func claim(name string, on map[string]modeltest.Resources, edit ...func(*placement.Claim)) placement.Claim {
	c := modeltest.Claim(name, on)
	c.Generation = placement.AnyGeneration()
	for _, f := range edit {
		f(&c)
	}
	return c
}

// write returns the operation that writes one claim.
func write(name string, on map[string]modeltest.Resources, edit ...func(*placement.Claim)) []placement.Op {
	return ops(modeltest.Allocate(claim(name, on, edit...)))
}

// expecting sets the generation of a claim.
func expecting(x placement.Expect) func(*placement.Claim) {
	return func(c *placement.Claim) { c.Generation = x }
}

func cpus(n int64) map[string]modeltest.Resources {
	return map[string]modeltest.Resources{"compute1": {placement.VCPU: n}}
}

// What a claim may say, and what it then writes.
func TestClaims(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 255)
	holdsNow := func(gen int64, edit ...func(*consumer)) *consumer {
		c := &consumer{
			Generation: gen, Type: placement.InstanceConsumer, Project: "project", User: "user",
			Holds: map[string]int64{"compute1 VCPU": 2},
		}
		for _, f := range edit {
			f(c)
		}
		return c
	}
	check(t, host(t), []rule{
		{name: "a new consumer is at generation 1", ops: write("vm2", cpus(2), expecting(placement.NewConsumer())), then: all(consumes("vm2", holdsNow(1)), used("compute1", placement.VCPU, 8))},
		{
			name: "a write replaces all that a consumer holds, on every provider",
			ops:  write("vm1", cpus(2), expecting(placement.Generation(1))),
			then: all(consumes("vm1", holdsNow(2)), used("compute1", placement.VCPU, 2), used("compute1", placement.VGPU, 0)),
		},
		{
			name: "project, user and type are those of the last write",
			ops: write("vm1", cpus(2), func(c *placement.Claim) {
				c.Project, c.User, c.Type = "other", "another", placement.MigrationConsumer
			}),
			then: consumes("vm1", holdsNow(2, func(c *consumer) {
				c.Project, c.User, c.Type = "other", "another", placement.MigrationConsumer
			})),
		},
		{name: "a write without type keeps the type", ops: write("vm1", cpus(2), func(c *placement.Claim) { c.Type = "" }), then: consumes("vm1", holdsNow(2))},
		{name: "a new consumer may have no type", ops: write("vm2", cpus(2), func(c *placement.Claim) { c.Type = "" }), then: func(t *testing.T, s *placement.Snapshot) {
			t.Helper()
			consumes("vm2", holdsNow(1, func(c *consumer) { c.Type = "" }))(t, s)
			if c, _ := s.Consumer(modeltest.ConsumerID("vm2")); c.Type().String() != "unknown" {
				t.Errorf("shown as %q", c.Type())
			}
		}},
		{name: "created stays, updated follows", ops: write("vm1", cpus(2)), then: func(t *testing.T, s *placement.Snapshot) {
			t.Helper()
			if c, _ := s.Consumer(modeltest.ConsumerID("vm1")); !c.Created().Equal(modeltest.At(0)) || !c.Updated().Equal(modeltest.At(1)) {
				t.Errorf("created %s, updated %s", c.Created(), c.Updated())
			}
		}},
		{name: "null for a consumer that is there", ops: write("vm1", cpus(2), expecting(placement.NewConsumer())), want: placement.ErrConflict, fact: &placement.ConflictError{
			What: "consumer", ID: modeltest.ConsumerID("vm1").String(), Expect: placement.NewConsumer(), Has: 1,
		}},
		{name: "a number for one that is not", ops: write("vm2", cpus(2), expecting(placement.Generation(0))), want: placement.ErrConflict, fact: &placement.ConflictError{
			What: "consumer", ID: modeltest.ConsumerID("vm2").String(), Expect: placement.Generation(0), Has: -1,
		}},
		{name: "another number", ops: write("vm1", cpus(2), expecting(placement.Generation(2))), want: placement.ErrConflict},
		{name: "no generation", ops: write("vm1", cpus(2), expecting(placement.Expect{})), want: placement.ErrInvalid},
		{name: "no consumer", ops: write("vm1", cpus(2), func(c *placement.Claim) { c.Consumer = placement.ConsumerID{} }), want: placement.ErrInvalid},
		{name: "a project of 255 characters", ops: write("vm2", cpus(2), func(c *placement.Claim) { c.Project, c.User = long, long })},
		{name: "a project of 256", ops: write("vm2", cpus(2), func(c *placement.Claim) { c.Project = long + "é" }), want: placement.ErrInvalid},
		{name: "no project", ops: write("vm2", cpus(2), func(c *placement.Claim) { c.Project = "" }), want: placement.ErrInvalid},
		{name: "no user", ops: write("vm2", cpus(2), func(c *placement.Claim) { c.User = "" }), want: placement.ErrInvalid},
		{name: "a user that is not valid UTF-8", ops: write("vm2", cpus(2), func(c *placement.Claim) { c.User = "\xff" }), want: placement.ErrInvalid},
		{name: "a type in lower case", ops: write("vm2", cpus(2), func(c *placement.Claim) { c.Type = "instance" }), want: placement.ErrInvalid},
		{name: "a type of one's own", ops: write("vm2", cpus(2), func(c *placement.Claim) { c.Type = "VOLUME_2" })},
		{name: "an unknown provider", ops: write("vm2", map[string]modeltest.Resources{"x": {placement.VCPU: 1}}), want: placement.ErrInvalid},
		{name: "an unknown class", ops: write("vm2", map[string]modeltest.Resources{"compute1": {"X": 1}}), want: placement.ErrInvalid},
		{name: "no class", ops: write("vm2", map[string]modeltest.Resources{"compute1": {}}), want: placement.ErrInvalid},
		{name: "an amount of 0", ops: write("vm2", cpus(0)), want: placement.ErrInvalid, fact: &placement.InvalidError{
			Field: "VCPU on compute1", Value: "0", Why: "must be from 1 to 2147483647",
		}},
		{name: "an amount below 0", ops: write("vm2", cpus(math.MinInt64)), want: placement.ErrInvalid},
		{name: "an amount beyond", ops: write("vm2", cpus(math.MaxInt64)), want: placement.ErrInvalid},
		{name: "no consumer at all", ops: ops(placement.ReplaceAllocations{}), want: placement.ErrInvalid},
		{name: "a consumer twice", ops: ops(modeltest.Allocate(claim("vm1", cpus(1)), claim("vm1", cpus(1)))), want: placement.ErrInvalid},
	})
}

// A consumer that holds nothing is gone.
func TestRelease(t *testing.T) {
	t.Parallel()
	s := modeltest.Apply(t, host(t), write("vm1", cpus(2))...) // vm1 is at generation 2 now, compute1 at 3
	check(t, s, []rule{
		{
			name: "a claim without allocations removes the consumer and bumps the provider",
			ops:  write("vm1", nil, expecting(placement.Generation(2))),
			then: all(consumes("vm1", nil), used("compute1", placement.VCPU, 0), generation("compute1", 4)),
		},
		{name: "it needs neither project nor user", ops: write("vm1", nil, func(c *placement.Claim) { c.Project, c.User = "", "" }), then: consumes("vm1", nil)},
		{name: "at the right generation", ops: write("vm1", nil, expecting(placement.Generation(1))), want: placement.ErrConflict},
		{name: "a consumer that is not there may be released", ops: write("vm2", nil, expecting(placement.NewConsumer())), then: generation("compute1", 3)},
		{name: "but not at a generation", ops: write("vm2", nil, expecting(placement.Generation(1))), want: placement.ErrConflict},
		{
			name: "the next write is that of a new consumer",
			ops:  append(write("vm1", nil), write("vm1", cpus(1), expecting(placement.NewConsumer()))...),
			then: consumes("vm1", &consumer{
				Generation: 1, Type: placement.InstanceConsumer, Project: "project", User: "user", Holds: map[string]int64{"compute1 VCPU": 1},
			}),
		},
		{name: "DeleteAllocations does not bump the provider", ops: ops(placement.DeleteAllocations{Consumer: modeltest.ConsumerID("vm1")}), then: all(
			consumes("vm1", nil), used("compute1", placement.VCPU, 0), generation("compute1", 3),
		)},
		{name: "DeleteAllocations of one that is not there", ops: ops(placement.DeleteAllocations{Consumer: modeltest.ConsumerID("vm2")}), want: placement.ErrNotFound, fact: &placement.NotFoundError{
			What: "consumer", Name: modeltest.ConsumerID("vm2").String(),
		}},
	})
}

// What fits and what does not.
func TestCapacityOfClaims(t *testing.T) {
	t.Parallel()
	unit := func(i *placement.Inventory) { i.MinUnit, i.MaxUnit, i.StepSize = 2, 6, 2 }
	s := modeltest.Ledger(t, []modeltest.Provider{{
		Name: "compute1", Inventories: modeltest.Inventories{
			placement.VCPU: inventory(8), placement.MemoryMB: inventory(100, unit),
			placement.DiskGB: inventory(5, func(i *placement.Inventory) { i.AllocationRatio = 1.5 }),
		},
		Children: []modeltest.Provider{{Name: "card1"}},
	}}, modeltest.Allocate(
		modeltest.Claim("vm1", map[string]modeltest.Resources{"compute1": {placement.VCPU: 5}}),
		modeltest.Claim("vm2", map[string]modeltest.Resources{"compute1": {placement.VCPU: 2}}),
	))
	p := provider(t, s, "compute1")
	vcpu, _ := s.ClassID(placement.VCPU)
	has, _ := p.Inventory(vcpu)
	refused := func(name string, rule placement.Refusal, asked, free int64) *placement.CapacityError {
		return &placement.CapacityError{
			Consumer: modeltest.ConsumerID(name), Provider: p.ID(), Name: "compute1", Class: placement.VCPU,
			Asked: asked, Free: free, Rule: rule, Has: has.Inventory,
		}
	}
	memory := func(n int64) map[string]modeltest.Resources {
		return map[string]modeltest.Resources{"compute1": {placement.MemoryMB: n}}
	}
	disk := func(n int64) map[string]modeltest.Resources {
		return map[string]modeltest.Resources{"compute1": {placement.DiskGB: n}}
	}
	check(t, s, []rule{
		{name: "the last unit", ops: write("vm3", cpus(1)), then: used("compute1", placement.VCPU, 8)},
		{name: "one more than the last unit", ops: write("vm3", cpus(2)), want: placement.ErrCapacity, fact: refused("vm3", placement.NoRoom, 2, 1)},
		{name: "a consumer's own old claim is free for its new one", ops: write("vm1", cpus(6)), then: used("compute1", placement.VCPU, 8)},
		{name: "but not more", ops: write("vm1", cpus(7)), want: placement.ErrCapacity, fact: refused("vm1", placement.NoRoom, 7, 6)},
		{name: "two at once are added up", ops: ops(modeltest.Allocate(claim("vm3", cpus(1)), claim("vm4", cpus(1)))), want: placement.ErrCapacity, fact: refused("vm3", placement.NoRoom, 2, 1)},
		{name: "two changes of one Change see each other", ops: append(write("vm3", cpus(1)), write("vm4", cpus(1))...), want: placement.ErrCapacity},
		{
			name: "a claim moves from one consumer to another at full capacity",
			ops: append(write("vm3", cpus(1)), modeltest.Allocate(
				claim("vm1", nil), claim("vm4", cpus(5)),
			)),
			then: all(consumes("vm1", nil), used("compute1", placement.VCPU, 8)),
		},
		{name: "two consumers swap", ops: ops(modeltest.Allocate(claim("vm1", cpus(2)), claim("vm2", cpus(5)))), then: used("compute1", placement.VCPU, 7)},
		{name: "no inventory of the class", ops: write("vm3", map[string]modeltest.Resources{"compute1": {placement.VGPU: 1}}), want: placement.ErrCapacity, fact: &placement.CapacityError{
			Consumer: modeltest.ConsumerID("vm3"), Provider: p.ID(), Name: "compute1", Class: placement.VGPU, Asked: 1, Rule: placement.NoInventory,
		}},
		{name: "no inventory at all", ops: write("vm3", map[string]modeltest.Resources{"card1": {placement.VCPU: 1}}), want: placement.ErrCapacity},
		{name: "min_unit", ops: write("vm3", memory(2))},
		{name: "below min_unit", ops: write("vm3", memory(1)), want: placement.ErrCapacity},
		{name: "max_unit", ops: write("vm3", memory(6))},
		{name: "above max_unit", ops: write("vm3", memory(8)), want: placement.ErrCapacity},
		{name: "off the step", ops: write("vm3", memory(5)), want: placement.ErrCapacity},
		{name: "max_unit is of each consumer, not of the sum", ops: ops(modeltest.Allocate(claim("vm3", memory(6)), claim("vm4", memory(6)))), then: used("compute1", placement.MemoryMB, 12)},
		{name: "the fraction of a capacity cannot be allocated", ops: write("vm3", disk(7)), then: used("compute1", placement.DiskGB, 7)},
		{name: "nor rounded up", ops: write("vm3", disk(8)), want: placement.ErrCapacity},
		{
			name: "all or nothing: one that does not fit keeps the others out",
			ops:  ops(modeltest.Allocate(claim("vm3", memory(2)), claim("vm4", cpus(9)))), want: placement.ErrCapacity,
		},
	})
}

// A provider with more used than its capacity may only shrink, or stay.
func TestOverFullProvider(t *testing.T) {
	t.Parallel()
	s := modeltest.Ledger(t, []modeltest.Provider{{Name: "compute1", Inventories: modeltest.Inventories{placement.VCPU: inventory(20)}}},
		modeltest.Allocate(modeltest.Claim("vm1", cpus(10)), modeltest.Claim("vm2", cpus(6))),
		placement.SetInventories{Provider: modeltest.ProviderID("compute1"), Generation: placement.AnyGeneration(), Inventories: modeltest.Inventories{
			placement.VCPU: inventory(8, func(i *placement.Inventory) { i.MaxUnit = 10 }),
		}})
	check(t, s, []rule{
		{name: "a new claim", ops: write("vm3", cpus(1)), want: placement.ErrCapacity},
		{name: "a consumer shrinks, still over", ops: write("vm1", cpus(9)), then: used("compute1", placement.VCPU, 15)},
		{name: "a consumer stays", ops: write("vm1", cpus(10)), then: used("compute1", placement.VCPU, 16)},
		{name: "a consumer grows", ops: write("vm2", cpus(7)), want: placement.ErrCapacity},
		{name: "a claim moves to another consumer", ops: ops(modeltest.Allocate(claim("vm1", nil), claim("vm3", cpus(10)))), then: used("compute1", placement.VCPU, 16)},
		{name: "one shrinks by what another grows", ops: ops(modeltest.Allocate(claim("vm1", cpus(8)), claim("vm2", cpus(8)))), then: used("compute1", placement.VCPU, 16)},
		{name: "one shrinks by less", ops: ops(modeltest.Allocate(claim("vm1", cpus(8)), claim("vm2", cpus(9)))), want: placement.ErrCapacity},
		{name: "what shrank before is not counted again", ops: append(write("vm1", cpus(9)), write("vm1", cpus(10))...), want: placement.ErrCapacity},
		{name: "the units are not exempt", ops: write("vm1", cpus(11)), want: placement.ErrCapacity},
		{
			name: "the units are not exempt even of what a consumer holds",
			ops: append(ops(placement.SetInventory{
				Provider: modeltest.ProviderID("compute1"), Generation: placement.AnyGeneration(), Class: placement.VCPU,
				Inventory: inventory(8, func(i *placement.Inventory) { i.StepSize = 4 }),
			}), write("vm1", cpus(10))...),
			want: placement.ErrCapacity,
		},
		{name: "into the capacity again", ops: append(write("vm1", nil), write("vm3", cpus(2))...), then: used("compute1", placement.VCPU, 8)},
	})
}

// Sums of the highest amounts stay right.
func TestManyHighestAmounts(t *testing.T) {
	t.Parallel()
	s := modeltest.Ledger(t, []modeltest.Provider{{Name: "compute1", Inventories: modeltest.Inventories{
		placement.VCPU: inventory(placement.MaxInt, func(i *placement.Inventory) { i.AllocationRatio = placement.MaxRatio }),
	}}})
	var claims []placement.Claim
	for i := range 50 {
		claims = append(claims, claim(fmt.Sprint("vm", i), cpus(placement.MaxInt)))
	}
	s = modeltest.Apply(t, s, modeltest.Allocate(claims...))
	used("compute1", placement.VCPU, 50*placement.MaxInt)(t, s)
	id, _ := s.ClassID(placement.VCPU)
	if iu, _ := provider(t, s, "compute1").Inventory(id); iu.Free() != math.MaxInt64 || iu.OverCapacity() {
		t.Errorf("free %d, over %t", iu.Free(), iu.OverCapacity())
	}
}

// Allocations are read by provider, by consumer and by both.
func TestReadingAllocations(t *testing.T) {
	t.Parallel()
	s := modeltest.Apply(t, host(t), write("vm2", map[string]modeltest.Resources{"compute1": {placement.VCPU: 1, placement.DiskGB: 7}})...)
	p := provider(t, s, "compute1")
	got := map[string]int64{}
	for c := range s.ConsumersOf(p) {
		for class, used := range s.UsedBy(c, p) {
			got[fmt.Sprint(c.ID() == modeltest.ConsumerID("vm1"), " ", s.ClassName(class))] = used
		}
	}
	want := map[string]int64{"true VCPU": 6, "true VGPU": 1, "false VCPU": 1, "false DISK_GB": 7}
	must.Match(t, want, got)
	if !s.HasConsumers(p) || s.ConsumerCount() != 2 {
		t.Error("the consumers are not counted")
	}
	for range s.Consumers() {
		break // stopping early is fine, here and below
	}
	for c := range s.ConsumersOf(p) {
		for range s.Allocations(c) {
			break
		}
		for range s.UsedBy(c, p) {
			break
		}
		break
	}
	empty := modeltest.Ledger(t, []modeltest.Provider{{Name: "a"}, {Name: "b"}})
	if empty.HasConsumers(provider(t, empty, "a")) {
		t.Error("a has consumers")
	}
}
