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
		modeltest.PutIn(&c, w, &nova.Cell{Name: tc.after.String()})
		w.Change(c)
		found := audit.Find(w.Snapshot)
		if len(found) != tc.want {
			t.Errorf("after %s: %+v, want %d findings", tc.after, found, tc.want)
		}
	}
}
