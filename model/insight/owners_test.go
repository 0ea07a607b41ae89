package insight_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestOwners(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").Node("k").Node("plain").
		Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 4}, placement.OwnerNova).
		Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 4}, placement.OwnerCyborg).
		Provider("k_x", "k", resources{placement.VGPU: 2}).
		Provider("k_y", "k", resources{placement.PGPU: 1}, placement.OwnerNova, placement.OwnerCyborg).
		Record(&nova.Service{Host: "h", Binary: nova.Compute, Version: 73}).
		Instance("i", nova.Active).Instance("j", nova.Resized).Migration(nova.Finished).
		Claim("i", instance, modeltest.Holding("h_pci_0000_84_00_0", "h_0000:84:00.0")).
		Claim("j", instance, modeltest.Holding("h_0000:84:00.0")).
		Claim("m", "", modeltest.Holding("h_pci_0000_84_00_0")).
		Claim("x", instance, map[string]resources{"k": {placement.VCPU: 1}, "k_x": {placement.VGPU: 2}})
	got := insight.Owners(w.Snapshot)

	sum := insight.Totals(w.Snapshot)
	if d := gocmp.Diff(sum.Owners, got.Owners); d != "" {
		t.Errorf("by owner (-totals +owners):\n%s", d)
	}
	wantUsers := map[placement.Owner]int{placement.OwnedByNova: 2, placement.OwnedByCyborg: 2, placement.OwnedByNone: 1}
	must.Match(t, wantUsers, got.Consumers)
	wantUses := map[insight.OwnerClass]int{
		{Owner: placement.OwnedByNova, Class: placement.VGPU}: 2, {Owner: placement.OwnedByCyborg, Class: placement.VGPU}: 2,
		{Owner: placement.OwnedByNone, Class: placement.VGPU}: 1,
	}
	must.Match(t, wantUses, got.Users)
	vgpu := func(capacity, used, held int64) []insight.CardUse {
		return []insight.CardUse{{Class: placement.VGPU, Capacity: capacity, Used: used, Held: held}}
	}
	want := []insight.HostOwners{
		{
			Root: rp("h"), Name: "h", Owner: placement.OwnedByNova, Version: 73, Nova: 1, Cyborg: 2, Moves: 1, Mixed: true,
			Cards: []insight.CardOwner{
				{Provider: rp("h_0000:84:00.0"), Name: "h_0000:84:00.0", Address: "0000:84:00.0", Owner: placement.OwnedByCyborg, Classes: vgpu(4, 2, 0)},
				{Provider: rp("h_pci_0000_84_00_0"), Name: "h_pci_0000_84_00_0", Address: "0000:84:00.0", Owner: placement.OwnedByNova, Classes: vgpu(4, 2, 1)},
			},
		},
		{
			Root: rp("k"), Name: "k", Owner: placement.OwnedByNova, Nova: 1,
			Cards: []insight.CardOwner{
				{Provider: rp("k_x"), Name: "k_x", Owner: placement.OwnedByNone, Classes: vgpu(2, 2, 0)},
				{Provider: rp("k_y"), Name: "k_y", Owner: placement.OwnedByBoth, Classes: []insight.CardUse{{Class: placement.PGPU, Capacity: 1}}},
			},
		},
	}
	must.Match(t, want, got.Hosts)
	must.Match(t, []placement.ProviderID{rp("k_y")}, got.Both)
	must.Match(t, []placement.ProviderID{rp("k_x")}, got.None)
	must.Match(t, []placement.ConsumerID{vm("i")}, got.Instances)
	if len(got.Twice) != 1 || got.Twice[0].Provider != rp("h_0000:84:00.0") || got.Twice[0].Rule != audit.RuleCardTwice {
		t.Errorf("cards reported twice: %+v, want 0000:84:00.0", got.Twice)
	}
}

// On a card of both services, or of none, the ARQ decides which service a consumer
// belongs to. A migration is not counted in addition to its instance.
func TestOwnersCountWhoRunsWhere(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		traits               []placement.Trait // of the card that Cyborg has bound an ARQ on for i
		nova, cyborg, moving int
	}{
		"Cyborg's": {[]placement.Trait{placement.OwnerCyborg}, 0, 2, 1},
		"Nova's":   {[]placement.Trait{placement.OwnerNova}, 2, 0, 1},
		"both":     {[]placement.Trait{placement.OwnerNova, placement.OwnerCyborg}, 1, 1, 1},
		"none":     {nil, 1, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).Node("h").Card(1, 1).Instance("i", nova.Active).Instance("j", nova.Active).Migration(nova.Finished).
				Do(placement.SetTraits{Provider: rp("c"), Generation: placement.AnyGeneration(), Traits: tc.traits}).
				Claim("i", instance, modeltest.Holding("c")).Claim("j", instance, modeltest.Holding("c")).Claim("m", placement.MigrationConsumer, modeltest.Holding("c"))
			h := insight.Owners(w.Snapshot).Hosts[0]
			if h.Nova != tc.nova || h.Cyborg != tc.cyborg || h.Moves != tc.moving {
				t.Errorf("%d / %d and %d moves, want %d / %d and %d", h.Nova, h.Cyborg, h.Moves, tc.nova, tc.cyborg, tc.moving)
			}
		})
	}
}
