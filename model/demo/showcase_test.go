package demo_test

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// ownersHeld returns the owners of the virtual GPUs that a consumer holds.
func ownersHeld(s *cloud.Snapshot, c *placement.Consumer) map[placement.Owner]bool {
	out := map[placement.Owner]bool{}
	for a := range s.Placement().Allocations(c) {
		if s.Placement().ClassName(a.Class) == placement.VGPU {
			out[s.Placement().Owner(a.Provider)] = true
		}
	}
	return out
}

// What looks like trouble but is none is in the cloud too, at any size.
func TestShowcase(t *testing.T) {
	t.Parallel()
	for _, o := range []demo.Options{{Seed: 1}, {Seed: 2}, large()} {
		s := made(t, o)
		p := s.Placement()

		both, resized := 0, 0
		for c := range p.Consumers() {
			if held := ownersHeld(s, c); held[placement.OwnedByNova] && held[placement.OwnedByCyborg] {
				both++
			}
			i, ok := s.Nova().Instance(c.ID())
			if !ok || i.VMState != nova.Resized {
				continue
			}
			resized++
			if held := ownersHeld(s, c); !held[placement.OwnedByCyborg] {
				t.Errorf("%+v: %s was resized but holds no card of Cyborg", o, i.Name)
			}
		}
		if both != 1 || resized != 1 {
			t.Errorf("%+v: %d instances with cards of both owners, %d resized, want one of each", o, both, resized)
		}
		for m := range s.Nova().Migrations() {
			c, ok := p.Consumer(m.UUID)
			if !ok || c.Type() != placement.MigrationConsumer {
				t.Errorf("%+v: %s migration from %s holds nothing", o, m.Status, m.Source)
			}
		}

		count := func(tr placement.Trait) int {
			id, ok := p.TraitID(tr)
			if !ok {
				t.Errorf("%+v: nobody knows %s", o, tr)
				return 0
			}
			return p.WithTrait(id).Len()
		}
		if n := count(placement.ComputeStatusDisabled); n != 1 {
			t.Errorf("%+v: %d disabled hosts, want one", o, n)
		}
		if n := count(placement.SharesViaAggregate); n != 2 {
			t.Errorf("%+v: %d sharing pools, want two", o, n)
		}
		zones := count("CUSTOM_AZ_1") + count("CUSTOM_AZ_2")
		racks := 0
		for _, tr := range p.Traits() {
			if len(tr) > 12 && tr[:12] == "CUSTOM_RACK_" {
				racks += count(tr)
			}
		}
		if hosts := p.RootSet().Len() - 2; zones != hosts || racks != hosts {
			t.Errorf("%+v: %d of %d hosts have a zone, %d a rack", o, zones, hosts, racks)
		}

		drained := 0
		for rp := range p.Providers() {
			for _, iu := range rp.Inventories() {
				if iu.Reserved == iu.Total {
					drained++
				}
			}
			if rp.IsRoot() && !p.Shares(rp) && len(rp.TraitIDs()) < 35 {
				t.Errorf("%+v: %s has %d traits only", o, rp.Name(), len(rp.TraitIDs()))
			}
		}
		if drained != 2 {
			t.Errorf("%+v: %d drained providers, want the disabled card and the device for one time use", o, drained)
		}
	}
}
