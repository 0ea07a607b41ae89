package modeltest

import (
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// ProviderID returns the uuid that the provider of the given name has in tests.
func ProviderID(name string) placement.ProviderID { return placement.ProviderID(id("provider", name)) }

// ConsumerID returns the uuid that the consumer of the given name has in tests.
func ConsumerID(name string) placement.ConsumerID { return placement.ConsumerID(id("consumer", name)) }

// AggregateID returns the uuid that the aggregate of the given name has in
// tests.
func AggregateID(name string) placement.AggregateID {
	return placement.AggregateID(id("aggregate", name))
}

func id(what, name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(what+" "+name)) }

// At returns the time n seconds after the start of all tests.
func At(n int) time.Time {
	return time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(n) * time.Second)
}

// Inventories is short for the set of inventories of a provider.
type Inventories = map[placement.ResourceClass]placement.Inventory

// Resources is short for units of each class.
type Resources = map[placement.ResourceClass]int64

// Provider describes a resource provider with all below it. Its uuid is
// ProviderID(Name).
type Provider struct {
	Name        string
	Inventories Inventories
	Traits      []placement.Trait // custom ones are created
	Aggregates  []placement.AggregateID
	Children    []Provider
}

// Ops returns the operations that make p below parent, the zero id for none.
func (p Provider) Ops(parent placement.ProviderID) []placement.Op {
	self := ProviderID(p.Name)
	ops := []placement.Op{placement.CreateProvider{ID: self, Name: p.Name, Parent: parent}}
	for class := range p.Inventories {
		if class.IsCustom() {
			ops = append(ops, placement.CreateClass{Name: class, IfAbsent: true})
		}
	}
	for _, trait := range p.Traits {
		if trait.IsCustom() {
			ops = append(ops, placement.CreateTrait{Name: trait})
		}
	}
	slices.SortFunc(ops[1:], func(a, b placement.Op) int { return strings.Compare(a.String(), b.String()) })
	if len(p.Inventories) > 0 {
		ops = append(ops, placement.SetInventories{Provider: self, Generation: placement.AnyGeneration(), Inventories: p.Inventories})
	}
	if len(p.Traits) > 0 {
		ops = append(ops, placement.SetTraits{Provider: self, Generation: placement.AnyGeneration(), Traits: p.Traits})
	}
	if len(p.Aggregates) > 0 {
		ops = append(ops, placement.SetAggregates{Provider: self, Generation: placement.AnyGeneration(), Aggregates: p.Aggregates, KeepGeneration: true})
	}
	for _, child := range p.Children {
		ops = append(ops, child.Ops(self)...)
	}
	return ops
}

// Ledger returns the ledger of the given trees. Ops that follow are applied too.
func Ledger(tb testing.TB, trees []Provider, ops ...placement.Op) *placement.Snapshot {
	tb.Helper()
	var all []placement.Op
	for _, p := range trees {
		all = append(all, p.Ops(placement.ProviderID{})...)
	}
	return Apply(tb, placement.Empty(), append(all, ops...)...)
}

// Apply returns s after ops, which must be accepted, at time At(0). The test fails unless
// the result passes its own Check.
func Apply(tb testing.TB, s *placement.Snapshot, ops ...placement.Op) *placement.Snapshot {
	tb.Helper()
	next, _, err := s.Apply(placement.Change{At: At(0), Ops: ops})
	if err != nil {
		tb.Fatalf("apply: %v", err)
	}
	for _, err := range next.Check() {
		tb.Errorf("check: %v", err)
	}
	return next
}

// Claim returns the claim of a new consumer, ConsumerID(name), on the providers
// of the given names.
func Claim(name string, on map[string]Resources) placement.Claim {
	c := placement.Claim{
		Consumer: ConsumerID(name), Generation: placement.NewConsumer(), Type: placement.InstanceConsumer,
		Project: "project", User: "user", Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{},
	}
	for provider, amounts := range on {
		c.Allocations[ProviderID(provider)] = amounts
	}
	return c
}

// Allocate returns the operation that writes claims.
func Allocate(claims ...placement.Claim) placement.Op {
	return placement.ReplaceAllocations{Consumers: claims}
}

// Recorder is what has records: the Snapshots of placement, nova and cloud.
type Recorder interface {
	Records() iter.Seq[versioned.Record]
}

// Records returns the records of s.
func Records(s Recorder) []versioned.Record { return slices.Collect(s.Records()) }

// Diff returns what differs between two lists of records, "" if nothing does. It is
// cmp.Diff, but quick if nothing does.
func Diff(want, got []versioned.Record) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// Put adds to op that r replaces what s, or op so far, holds under its key.
func Put(op *placement.PutRecords, s intent.Holder, r versioned.Record) {
	op.Records = append(op.Records, versioned.Change{Before: over(s, r, *op), After: r})
}

// Delete adds to op that the record which s, or op so far, holds under the key of r shall
// go. It does nothing if there is none.
func Delete(op *placement.PutRecords, s intent.Holder, r versioned.Record) {
	if now := over(s, r, *op); now != nil {
		op.Records = append(op.Records, versioned.Change{Before: now})
	}
}

// PutIn is Put for a Change.
func PutIn(c *cloud.Change, s intent.Holder, r versioned.Record) {
	c.PutRecords(versioned.Change{Before: over(s, r, c.Ops...), After: r})
}

// DeleteIn is Delete for a Change.
func DeleteIn(c *cloud.Change, s intent.Holder, r versioned.Record) {
	if now := over(s, r, c.Ops...); now != nil {
		c.PutRecords(versioned.Change{Before: now})
	}
}

// over returns the record under the key of r after ops.
func over(s intent.Holder, r versioned.Record, ops ...intent.Op) versioned.Record {
	for _, op := range slices.Backward(ops) {
		if put, ok := op.(intent.PutRecords); ok {
			if c, ok := put.Of(r); ok {
				return c.After
			}
		}
	}
	return s.Held(r)
}
