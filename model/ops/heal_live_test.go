package ops_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// TestHealsOnlyWhatTheFlavorDecides heals an instance of a live cloud, whose API does not tell
// what its image, its aliases and its ports ask for: with force, too, it keeps what it may
// hold by those, and a flavor that is not told is not guessed.
func TestHealsOnlyWhatTheFlavorDecides(t *testing.T) {
	t.Parallel()
	const device, context = placement.ResourceClass("CUSTOM_PCI_10DE_1EB8"), placement.ResourceClass("MEM_ENCRYPTION_CONTEXT")
	both := resources{placement.VCPU: 2, placement.MemoryMB: 1}
	for name, test := range map[string]struct {
		alias  bool
		ref    string // of its flavor; "two" unless given
		holds  map[string]resources
		want   map[string]resources // afterwards; nil for what it holds
		why    string               // why it is not healed
		finds  bool                 // a03
		unheld bool                 // it holds nothing
	}{
		"too many CPUs, and a device of an alias": {
			alias: true, finds: true,
			holds: map[string]resources{"h": {placement.VCPU: 3, placement.MemoryMB: 1}, "pci": {device: 1}},
			want:  map[string]resources{"h": {placement.VCPU: 2, placement.MemoryMB: 1}, "pci": {device: 1}},
		},
		"the device alone is left": {
			alias: true, finds: true,
			holds: map[string]resources{"pci": {device: 1}},
			want:  map[string]resources{"h": {placement.VCPU: 2, placement.MemoryMB: 1}, "pci": {device: 1}},
		},
		"a device that no alias asks for": {
			finds: true,
			holds: map[string]resources{"h": {placement.VCPU: 2, placement.MemoryMB: 1}, "pci": {device: 1}},
			want:  map[string]resources{"h": {placement.VCPU: 2, placement.MemoryMB: 1}},
		},
		"pinned by its image":      {holds: map[string]resources{"h": {placement.PCPU: 2, placement.MemoryMB: 1}}},
		"encrypted by its image":   {holds: map[string]resources{"h": {placement.VCPU: 2, placement.MemoryMB: 1, context: 1}}},
		"nothing, and by an alias": {alias: true, unheld: true, why: "needs PCI devices"},
		"of a flavor that is not told": {
			ref:   (&nova.Flavor{Name: "two", Revision: nova.UnknownRevision}).Ref(),
			holds: map[string]resources{"h": {placement.VCPU: 1, placement.MemoryMB: 1}}, why: "what the flavor two asked for",
		},
		"as it is": {holds: map[string]resources{"h": both}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).Node("h").Computes()
			for class, n := range map[placement.ResourceClass]int64{placement.PCPU: 8, context: 8} {
				w.Do(placement.AddInventory{Provider: rp("h"), Generation: placement.AnyGeneration(), Class: class, Inventory: placement.NewInventory(n)})
			}
			w.Do(placement.CreateClass{Name: device})
			w.Provider("pci", "h", resources{device: 1}, placement.OwnerNova, placement.ComputeManagedPCI)
			f := &nova.Flavor{Name: "two", VCPUs: 2, MemoryMB: 1}
			if test.alias {
				f.ExtraSpecs = map[string]string{"pci_passthrough:alias": "gpu:1"}
			}
			ref := test.ref
			if ref == "" {
				ref = "two"
			}
			w.Record(f, &nova.Instance{UUID: vm("i"), Name: "i", Project: "p", User: "u", Host: "h", Flavor: ref, VMState: nova.Active, BootFromVolume: true})
			if !test.unheld {
				w.Claim("i", placement.InstanceConsumer, test.holds)
			}
			w.Snapshot = w.ReadAs(cloud.NewReadings(nil, nil))
			found := false
			for _, f := range audit.Inspect(w.Snapshot, audit.InspectOptions{Now: modeltest.Noon()}).Open {
				found = found || f.Rule == audit.RuleUnlikeFlavor
			}
			must.Be(t, found, test.finds && test.holds["h"] != nil)
			heal := must.Get(ops.PlanHeal(w.Snapshot, ops.HealOptions{Instance: vm("i"), Force: true}))(t)[0]
			if !strings.Contains(heal.Why, test.why) || test.why != "" && !heal.Plan.Empty() {
				t.Fatalf("%s: %s, want %q", heal.Outcome, heal.Why, test.why)
			}
			want := test.want
			if want == nil {
				want = test.holds
			}
			if !heal.Plan.Empty() {
				w.Change(heal.Plan.Change)
			}
			got := holds(w.Snapshot, vm("i"))
			if len(got) != len(want) {
				t.Errorf("it holds %v, want %v", got, want)
			}
			for on, of := range want {
				for class, n := range of {
					if got[rp(on)][class] != n || len(got[rp(on)]) != len(of) {
						t.Errorf("on %s it holds %v, want %v", on, got[rp(on)], of)
					}
				}
			}
		})
	}
}
