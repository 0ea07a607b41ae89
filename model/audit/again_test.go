package audit_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// journal is a cloud with the events that made it, the newest first.
type journal struct {
	*world
	events []cloud.Event
}

func (j *journal) do(note string, c cloud.Change) {
	j.TB.Helper()
	c.Note = note
	next, ev, err := j.Snapshot.Apply(c)
	if err != nil {
		j.TB.Fatal(err)
	}
	j.Snapshot, j.events = next, append([]cloud.Event{ev}, j.events...)
}

func (j *journal) ops(note string, all ...placement.Op) {
	j.TB.Helper()
	j.do(note, cloud.Change{Ops: all})
}

func claimOn(name string, on placement.ProviderID, class placement.ResourceClass, n int64) placement.ReplaceAllocations {
	return placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: vm(name), Generation: placement.AnyGeneration(), Project: "p", User: "u",
		Allocations: allocations{on: {class: n}},
	}}}
}

// since returns the event that caused a finding.
func since(s *cloud.Snapshot, f audit.Finding, events []cloud.Event) (cloud.Event, bool) {
	o := audit.NewOrigins(s, []audit.Finding{f}, events)
	for ev, begun, ok := o.Back(); ok; ev, begun, ok = o.Back() {
		if len(begun) > 0 {
			return ev, true
		}
	}
	return cloud.Event{}, false
}

func TestSince(t *testing.T) {
	t.Parallel()
	at := func(j *journal) *journal {
		j.ops("node", placement.CreateProvider{ID: rp("h"), Name: "h"},
			placement.SetInventories{Provider: rp("h"), Generation: placement.AnyGeneration(), Inventories: inventories{placement.VCPU: placement.NewInventory(8)}})
		j.ops("claim", claimOn("i", rp("h"), placement.VCPU, 6))
		return j
	}
	for _, tc := range []struct {
		name string
		make func(*journal)
		rule audit.RuleID
		want string // note of the event, "" if unknown
	}{
		{"a shrunk total, and writes after it", func(j *journal) {
			j.ops("more", claimOn("j", rp("h"), placement.VCPU, 2))
			j.ops("shrink", placement.SetInventory{Provider: rp("h"), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: placement.NewInventory(7)})
			j.ops("trait", placement.SetTraits{Provider: rp("h"), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.ComputeNode}})
			j.ops("other", placement.CreateProvider{ID: rp("k"), Name: "k"})
		}, audit.RuleOverCapacity, "shrink"},
		{"it was fixed and came again", func(j *journal) {
			set := func(note string, total int64) {
				j.ops(note, placement.SetInventory{Provider: rp("h"), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: placement.NewInventory(total)})
			}
			set("shrink", 5)
			set("grow", 8)
			set("shrink again", 4)
			set("and more", 3)
		}, audit.RuleOverCapacity, "shrink again"},
		{"the instance was deleted", func(j *journal) {
			var c, d cloud.Change
			c.Put(j, &nova.Instance{UUID: vm("i"), Name: "i", VMState: nova.Active})
			c.Put(j, &nova.Instance{UUID: vm("j"), Name: "j", VMState: nova.Active})
			j.do("boot", c)
			i, _ := j.Nova().Instance(vm("i"))
			d.Delete(j, i)
			j.do("delete", d)
			j.ops("other", placement.CreateProvider{ID: rp("k"), Name: "k"})
		}, audit.RuleOrphan, "delete"},
		{"a rule about the cloud", func(j *journal) {
			j.ops("pool", placement.CreateProvider{ID: rp("p"), Name: "p"},
				placement.SetTraits{Provider: rp("p"), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.SharesViaAggregate}},
				placement.SetInventories{Provider: rp("p"), Generation: placement.AnyGeneration(), Inventories: inventories{placement.DiskGB: placement.NewInventory(8)}})
			j.ops("join", placement.SetAggregates{Provider: rp("p"), Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{modeltest.AggregateID("a")}},
				placement.SetAggregates{Provider: rp("h"), Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{modeltest.AggregateID("a")}})
			j.ops("leave", placement.SetAggregates{Provider: rp("h"), Generation: placement.AnyGeneration()})
		}, audit.RuleIsolatedPool, "leave"},
		{"a card was moved to another host", func(j *journal) {
			j.ops("node", placement.CreateProvider{ID: rp("k"), Name: "k"}, placement.CreateProvider{ID: rp("card"), Name: "card", Parent: rp("h")},
				placement.SetInventories{Provider: rp("card"), Generation: placement.AnyGeneration(), Inventories: inventories{placement.PGPU: placement.NewInventory(1)}})
			j.ops("claim", placement.ReplaceAllocations{Consumers: []placement.Claim{{
				Consumer: vm("i"), Generation: placement.AnyGeneration(), Type: placement.InstanceConsumer, Project: "p", User: "u",
				Allocations: allocations{rp("h"): {placement.VCPU: 6}, rp("card"): {placement.PGPU: 1}},
			}}})
			j.ops("trait", placement.SetTraits{Provider: rp("h"), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.ComputeNode}})
			j.ops("move", placement.UpdateProvider{ID: rp("card"), Name: "card", Reparent: true, Parent: rp("k")})
		}, audit.RuleSplitClaim, "move"},
		{"the last compute was upgraded since", func(j *journal) {
			start := func(host string, version int) {
				j.do("upgrade", cloud.Change{Ops: []cloud.Op{nova.StartService{Host: host, Binary: nova.Compute, Version: version}}})
			}
			start("h", 66)
			start("k", 73)
			j.ops("shrink", placement.SetInventory{Provider: rp("h"), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: placement.NewInventory(5)})
			start("h", 73)
		}, audit.RuleOverCapacity, "shrink"},
		{"the journal has forgotten", func(j *journal) {
			j.ops("shrink", placement.SetInventory{Provider: rp("h"), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: placement.NewInventory(7)})
			j.ops("more", claimOn("j", rp("h"), placement.VCPU, 1))
			j.ops("less", placement.SetInventory{Provider: rp("h"), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: placement.NewInventory(3)})
			j.events[0].Omitted, j.events[0].Changes = len(j.events[0].Changes), nil
		}, audit.RuleOverCapacity, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			j := at(&journal{world: newWorld(t)})
			tc.make(j)
			for _, f := range audit.Find(j.Snapshot) {
				if f.Rule != tc.rule {
					continue
				}
				ev, ok := since(j.Snapshot, f, j.events)
				if ev.Note != tc.want || ok != (tc.want != "") {
					t.Errorf("%s since %q (%t), want %q", f.Subject, ev.Note, ok, tc.want)
				}
				return
			}
			t.Fatalf("no finding of %s", tc.rule)
		})
	}
}

// troubled draws a cloud with several troubles at once: with hosts, cards, pools, claims
// and services.
func troubled(t *testing.T, rt *rapid.T) *world {
	pick := func(what string) bool { return rapid.Bool().Draw(rt, what) }
	w := newWorld(t).Node("h").Node("k").Inventory("k", placement.VCPU, placement.NewInventory(64)).Flavors().
		Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 8}, placement.OwnerNova).
		Provider("h_pci_0000_85_00_0", "h", resources{placement.VGPU: 8}, placement.OwnerNova).
		Provider("h_0000:af:00.0", "h", resources{placement.VGPU: 8}, placement.OwnerCyborg)
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		flavor := rapid.SampledFrom([]string{"small", "gpu", "dev"}).Draw(rt, "flavor")
		card := rapid.SampledFrom([]string{"h_pci_0000_84_00_0", "h_pci_0000_85_00_0", "h_0000:af:00.0"}).Draw(rt, "card")
		holds := modeltest.Holding()
		if flavor != "small" || pick("a card too many") {
			holds = modeltest.Holding(card)
		}
		if pick("k too") {
			holds["k"] = resources{placement.VCPU: 2}
		}
		if pick("live") {
			w.Record(&nova.Instance{UUID: vm(n), Name: n, Host: "h", Flavor: flavor, VMState: nova.Active})
		}
		w.Claim(n, rapid.SampledFrom([]placement.ConsumerType{instance, "", migration}).Draw(rt, "type"), holds)
	}
	if pick("a shrunk card") {
		w.Inventory("h_pci_0000_84_00_0", placement.VGPU, placement.NewInventory(1))
	}
	if pick("a twin") {
		w.Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg)
	}
	if pick("a stray card") {
		w.Provider("h_0000:11:00.0", "h", resources{placement.VGPU: 1}, rapid.SampledFrom([][]placement.Trait{
			nil, {placement.OwnerNova, placement.OwnerCyborg},
		}).Draw(rt, "owners")...)
	}
	if pick("a pool") {
		w.Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate)
	}
	if pick("tight units") {
		inv := placement.NewInventory(64)
		inv.MaxUnit = 1
		w.Inventory("k", placement.VCPU, inv)
	}
	if pick("an old root") {
		w.Provider("l", "", resources{placement.VCPU: 1}, placement.ComputeNode)
	}
	w.Services(rapid.SampledFrom([]int{70, 73}).Draw(rt, "version"), 73)
	return w
}

// Applying fixes one after the other, always the first that clears a finding, comes to an
// end: the findings left have no such fix, or the fix says why it is impossible.
func TestFixesComeToAnEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := troubled(t, rt)
		for range 50 {
			if !fixOne(rt, w) {
				for _, err := range w.Check() {
					rt.Error(err)
				}
				return
			}
		}
		rt.Fatalf("still not done: %q", findings(w.Snapshot))
	})
}

// fixOne applies the first fix that can be applied, and returns false if there is none.
func fixOne(rt *rapid.T, w *world) bool {
	for _, f := range audit.Find(w.Snapshot) {
		for _, x := range audit.Fixes(w.Snapshot, f) {
			if x.Prepares {
				continue
			}
			plan, err := x.Plan(w.Snapshot)
			if err != nil {
				if err.Error() == "" {
					rt.Fatalf("%s of %s is refused silently", x.Name, f.Subject)
				}
				continue
			}
			next, _, err := w.Snapshot.Apply(plan.Change)
			if err != nil {
				rt.Fatalf("%s of %s was planned, and is refused: %v", x.Name, f.Subject, err)
			}
			w.Snapshot = next
			if g, stands := f.StandsOn(next); stands {
				rt.Fatalf("%s of %s: %q stands after it: %q", x.Name, f.Subject, f.Text, g.Text)
			}
			return true
		}
	}
	return false
}

// Applied to one subject, rules find the same as in the walk over the cloud.
func TestStandsOnAgreesWithAudit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := troubled(t, rt)
		was := audit.Find(w.Snapshot)
		fixOne(rt, w)
		is := audit.Find(w.Snapshot)
		for _, f := range was {
			g, stands := f.StandsOn(w.Snapshot)
			found := false
			for _, h := range is {
				if h.Same(f) {
					found = true
					if stands && h.Text != g.Text {
						rt.Errorf("%s %s: asked again %q, by the walk %q", f.Rule, f.Subject, g.Text, h.Text)
					}
				}
			}
			if found != stands {
				rt.Errorf("%s %s: stands %t when asked again, %t by the walk", f.Rule, f.Subject, stands, found)
			}
		}
	})
}

// TestStandsOnAgreesOnAllOfAHistory goes back through the history of a cloud that has
// cases of many rules, and checks every finding on each of its Snapshots.
func TestStandsOnAgreesOnAllOfAHistory(t *testing.T) {
	t.Parallel()
	s, events := demotest.History(t, demo.Options{Troubles: true, Seed: 1, Now: modeltest.At(0)})
	ever, rules := map[string]audit.Finding{}, map[audit.RuleID]bool{}
	for i, ev := range slices.Backward(events) {
		found := map[string]audit.Finding{}
		for _, f := range audit.Find(s) {
			found[f.ID()], ever[f.ID()], rules[f.Rule] = f, f, true
		}
		for id, f := range ever {
			if f.Seen != nil {
				continue // it is evaluated at the time when it was seen
			}
			is, finds := found[id]
			if again, stands := f.StandsOn(s); stands != finds || again.Text != is.Text {
				t.Errorf("%s at revision %d: %t %q when asked again, %t %q by the walk", id, s.Revision(), stands, again.Text, finds, is.Text)
			}
		}
		if i == 0 {
			break
		}
		before, err := s.Before(ev)
		must.Succeed(t, err)
		s = before
	}
	if len(rules) < 25 {
		t.Errorf("%d rules have found something, want 25", len(rules))
	}
}

// A step of a move is broken once it takes too long.
func TestStuckMove(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	w := newWorld(t).Node("h").Instance("i", nova.Active).Claim("m", migration, on("h")).
		Record(&nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.Resize, Status: nova.PreMigrating, Created: start.UnixMilli()})
	for _, tc := range []struct {
		after time.Duration
		want  int
	}{{time.Minute, 0}, {time.Hour, 1}} {
		var c cloud.Change
		c.At = start.Add(tc.after)
		c.Put(w, &nova.Cell{Name: tc.after.String()})
		w.Change(c)
		found := audit.Find(w.Snapshot)
		if len(found) != tc.want {
			t.Errorf("after %s: %+v, want %d findings", tc.after, found, tc.want)
		}
		for _, f := range found {
			tryFixes(t, w, f, []string{"put-back", "undo?"})
		}
	}
}
