package ops_test

import (
	"fmt"
	"testing"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// fitting returns how many more instances of a flavor fit.
func fitting(t *testing.T, s *cloud.Snapshot, f *nova.Flavor) *candidates.Fit {
	t.Helper()
	return candidates.FitOf(must.Get(ops.NewAsker(s, candidates.NewIndex(s.Placement())).Flavor(f, nova.AskOptions{}))(t)...)
}

// TestAskerFitsWhatBoots boots instances until none fits, with devices that hosts pick
// and with such that are requested: as many as were said to fit.
func TestAskerFitsWhatBoots(t *testing.T) {
	t.Parallel()
	for flavor, cards := range map[string]int{"qat.1": 4, "qat.2": 2, "more.qat": 4} {
		for _, inPlacement := range []bool{false, true} {
			want := cards
			if inPlacement {
				want /= 2 // Placement knows those of one host
			}
			t.Run(fmt.Sprint(flavor, inPlacement), func(t *testing.T) {
				t.Parallel()
				tr := newDevices(t, inPlacement)
				f, _ := tr.Snapshot().Nova().FlavorNamed(flavor)
				if got := fitting(t, tr.Snapshot(), f); got.Copies != want {
					t.Errorf("%d copies fit, want %d", got.Copies, want)
				}
				booted := 0
				for ; booted <= want; booted++ {
					if tr.advance(t.Context(), bootOn(fmt.Sprint("i", booted), flavor, "")) != nil {
						break
					}
				}
				if booted != want {
					t.Errorf("%d instances could be booted, want %d", booted, want)
				}
			})
		}
	}
}

// TestAskerPicksAsBootsDo asks for one device of either kind and one of a kind, which the
// first might take: each copy takes both before the next one does.
func TestAskerPicksAsBootsDo(t *testing.T) {
	t.Parallel()
	tr := newDevices(t, false)
	w := tr.world
	w.Record(&nova.Config{PCIAliases: []string{
		`{"name": "qat", "vendor_id": "8086", "product_id": "37c8"}`,
		`{"name": "any", "device_type": "type-PCI", "vendor_id": "8086", "product_id": "37c8"}`, `{"name": "any", "device_type": "type-PCI", "vendor_id": "144d", "product_id": "a80a"}`,
	}})
	for _, address := range []string{"0000:3c:01.0", "0000:3d:01.5"} { // before each of the other kind
		w.Record(&nova.PciDevice{ComputeNode: rp("compute2"), Address: address, VendorID: "144d", ProductID: "a80a", DevType: "type-PCI", Status: "available"})
	}
	w.Record(&nova.Flavor{Name: "two", FlavorID: "two", VCPUs: 1, MemoryMB: 1024, RootGB: 1, ExtraSpecs: map[string]string{"pci_passthrough:alias": "any:1,qat:1"}})
	const want = 3 // two on compute2, and one on compute3, which has two of the one kind
	f, _ := tr.Snapshot().Nova().FlavorNamed("two")
	if got := fitting(t, tr.Snapshot(), f); got.Copies != want {
		t.Errorf("%d copies fit, want %d", got.Copies, want)
	}
	booted := 0
	for booted <= want && tr.advance(t.Context(), bootOn(fmt.Sprint("i", booted), "two", "")) == nil {
		booted++
	}
	if booted != want {
		t.Errorf("%d instances could be booted, want %d", booted, want)
	}
}

// TestAskerHeedsTheForcedOne asks for a host by name: it is the only one, and none is
// left if it has no device.
func TestAskerHeedsTheForcedOne(t *testing.T) {
	t.Parallel()
	tr := newDevices(t, false)
	s := tr.Snapshot()
	f, _ := s.Nova().FlavorNamed("qat.1")
	for host, want := range map[string]int{"compute1": 0, "compute2": 2} {
		spec := must.Get(ops.RequestSpecOf(s, new(nova.Instance), f))(t)
		spec.Host = host
		asker := ops.NewAsker(s, candidates.NewIndex(s.Placement()))
		if got := candidates.FitOf(must.Get(asker.Questions(spec, nova.AskOptions{}))(t)...).Copies; got != want {
			t.Errorf("%d copies fit on %s, want %d", got, host, want)
		}
	}
}

// TestAskerAgreesWithPlaces compares where each flavor of the demo is said to fit with
// where an instance would find a place.
func TestAskerAgreesWithPlaces(t *testing.T) {
	t.Parallel()
	changes := must.Get(demo.Build(demo.Options{Hosts: 24, Seed: 1, Now: modeltest.Noon()}))(t)
	s := cloud.Empty()
	for c := range changes {
		var err error
		s, _, err = s.Apply(c)
		must.Succeed(t, err)
	}
	forbid := true // PlacesFor answers for VCPU only where there is no place with PCPU
	s, _, err := s.Apply(cloud.Change{Ops: []cloud.Op{nova.Configure{NoVCPUFallback: &forbid}}})
	must.Succeed(t, err)
	index := candidates.NewIndex(s.Placement())
	picked := 0
	for f := range s.Nova().CurrentFlavors() {
		spec := must.Get(ops.RequestSpecOf(s, new(nova.Instance), f))(t)
		places, err := ops.PlacesFor(s, index, spec, nova.AskOptions{})
		if err != nil {
			continue // it cannot be asked for
		}
		want, got := map[placement.ProviderID]bool{}, map[placement.ProviderID]bool{}
		for _, p := range places.Places {
			want[p.Root] = true
		}
		for _, tree := range fitting(t, s, f).Trees {
			got[tree.Anchor.ID()] = true
		}
		must.Match(t, want, got)
		if len(places.Request.PCI) > 0 {
			picked++
		}
	}
	if picked == 0 {
		t.Error("no flavor asks for PCI devices by alias")
	}
}
