package audit_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// A card that both services claim is drained, its consumer leaves, and once its owner is
// decided it takes claims again: no fix on the way creates units that do not exist.
func TestDrainThenDecide(t *testing.T) {
	t.Parallel()
	const card = "h_pci_0000_84_00_0"
	w := newWorld(t).Node("h").Provider(card, "h", resources{placement.VGPU: 4}, placement.OwnerNova, placement.OwnerCyborg).Claim("i", "", modeltest.Holding(card))
	fix := func(rule audit.RuleID, name string) {
		t.Helper()
		for _, f := range audit.Find(w.Snapshot) {
			if f.Rule != rule {
				continue
			}
			x := must.Get(audit.FixNamed(w.Snapshot, f, name))(t)
			write(w)(x.Plan(w.Snapshot))
			return
		}
		t.Fatalf("no finding of %s in %q", rule, findings(w.Snapshot))
	}
	wants := func(when string, want ...string) {
		t.Helper()
		if got := findings(w.Snapshot); !slices.Equal(got, want) {
			t.Errorf("%s: %s", when, cmp.Diff(want, got))
		}
	}
	fix(audit.RuleBothOwners, "drain")
	wants("drained", "o01 "+card, "a11 "+card)
	w.Do(placement.ReplaceAllocations{Consumers: []placement.Claim{{Consumer: vm("i"), Generation: placement.AnyGeneration(), Project: "p", User: "u"}}})
	wants("nobody is left", "o01 "+card, "a11 "+card)
	fix(audit.RuleBothOwners, "nova")
	wants("decided")
	p, _ := w.Placement().ProviderByName(card)
	if iu := p.Inventories()[0]; iu.Reserved != 0 || iu.Capacity() != 4 {
		t.Errorf("reserved %d, capacity %d", iu.Reserved, iu.Capacity())
	}
}
