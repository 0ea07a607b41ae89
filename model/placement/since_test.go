package placement_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
)

func TestChangedSince(t *testing.T) {
	t.Parallel()
	var trees []modeltest.Provider
	for i := range 300 { // more than two leaves
		trees = append(trees, modeltest.Provider{
			Name: "compute" + strconv.Itoa(i), Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8)},
		})
	}
	base := modeltest.Ledger(t, trees)
	claimed := modeltest.Apply(t, base, modeltest.Allocate(modeltest.Claim("vm", map[string]modeltest.Resources{"compute7": {placement.VCPU: 1}})))
	gone := modeltest.Apply(t, base, placement.DeleteProvider{ID: modeltest.ProviderID("compute299")})
	again := modeltest.Apply(t, gone, placement.CreateProvider{ID: modeltest.ProviderID("fresh"), Name: "fresh"})
	moved := modeltest.Apply(t, base, placement.UpdateProvider{
		ID: modeltest.ProviderID("compute5"), Name: "compute5", Reparent: true, Parent: modeltest.ProviderID("compute250"),
	})
	name := func(p *placement.ResourceProvider) string {
		if p == nil {
			return "-"
		}
		return p.Name()
	}
	for _, c := range []struct {
		name     string
		old, now *placement.Snapshot
		want     []string
	}{
		{"nothing", base, base, nil},
		{"a claim", base, claimed, []string{"compute7 compute7"}},
		{"backwards", claimed, base, []string{"compute7 compute7"}},
		{"a provider removed", base, gone, []string{"compute299 -"}},
		{"a number given out again", base, again, []string{"compute299 fresh"}},
		{"a tree moved", base, moved, []string{"compute250 compute250", "compute5 compute5"}},
		{"all", placement.Empty(), modeltest.Ledger(t, trees[:1]), []string{"- compute0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for was, is := range c.now.ChangedSince(c.old) {
				got = append(got, name(was)+" "+name(is))
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, not %v", got, c.want)
			}
			for range c.now.ChangedSince(c.old) {
				break
			}
		})
	}
}
