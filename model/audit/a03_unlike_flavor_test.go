package audit_test

import (
	"maps"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

func TestA03(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"a03 too much", func(w *world) {
				w.Node("h").Computes().Flavors().Running("small").Claim("i", instance, map[string]resources{"h": {placement.VCPU: 3, placement.MemoryMB: 1}})
			},
			[]string{"a03 i"},
			nil,
		},
		{
			"a03 not VCPU for pinned CPUs on a host without PCPU", func(w *world) { pinned(w, placement.VCPU) },
			nil, nil,
		},
		{
			"a03 PCPU wanted where nova.conf forbids VCPU", func(w *world) {
				pinned(w, placement.VCPU).Record(&nova.Config{NoVCPUFallback: true})
			},
			[]string{"a03 i"},
			nil,
		},
		{
			"a03 VCPU for pinned CPUs on a host with PCPU", func(w *world) {
				pinned(w, placement.VCPU).Provider("numa", "h", resources{placement.PCPU: 4})
			},
			[]string{"a03 i"},
			nil,
		},
		{
			"a03 a class too few, and one too many", func(w *world) {
				w.Node("h").Computes().Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova).Flavors().Running("small").
					Claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "c": {placement.VGPU: 1}})
			},
			[]string{"a03 i"},
			nil,
		},
		{
			"a03 a migration that holds less than the old flavor", func(w *world) {
				w.Node("h").Flavors().Running("small").Claim("i", instance, modeltest.Holding()).
					Record(&nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.Resize, Status: nova.Migrating, OldFlavor: "gpu"}).
					Claim("m", migration, modeltest.Holding())
			},
			[]string{"a03 " + vm("m").String()},
			nil,
		},
		{
			"a03 not where the new flavor of a resize is held", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova).Flavors().
					Record(&nova.Instance{UUID: vm("i"), Name: "i", Host: "h", Flavor: "small", NewFlavor: "gpu", VMState: nova.Active}).
					Claim("i", instance, modeltest.Holding("c"))
			},
			nil, nil,
		},
		{
			"a03 not what ports and aliases give, nor an unknown flavor", func(w *world) {
				w.Node("h").Provider("net", "h", resources{"NET_BW_EGR_KILOBIT_PER_SEC": 9}).
					Provider("dev", "h", resources{"CUSTOM_PCI_10DE_1EB8": 1}, placement.OwnerNova).
					Record(&nova.Flavor{Name: "pci", FlavorID: "9", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"pci_passthrough:alias": "t4:1"}}).
					Running("pci").Claim("i", instance, map[string]resources{
					"h": {placement.VCPU: 1, placement.MemoryMB: 1}, "net": {"NET_BW_EGR_KILOBIT_PER_SEC": 3}, "dev": {"CUSTOM_PCI_10DE_1EB8": 1},
				}).Record(&nova.Instance{UUID: vm("j"), Name: "j", Host: "h", Flavor: "gone", VMState: nova.Active}).Claim("j", instance, on("h"))
			},
			nil, nil,
		},
	})
}

// TestPinnedOnALiveCloud compares pinned CPUs with VCPU where the images are not known: an image
// pins them only if the flavor leaves that open.
func TestPinnedOnALiveCloud(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"dedicated", ""} {
		f := &nova.Flavor{Name: "pinned", FlavorID: "9", VCPUs: 2, MemoryMB: 1}
		if policy != "" {
			f.ExtraSpecs = map[string]string{"hw:cpu_policy": policy}
		}
		for _, held := range []map[string]resources{
			{"h": {placement.MemoryMB: 1, placement.VCPU: 2}}, {"h": {placement.MemoryMB: 1}, "numa": {placement.PCPU: 2}},
		} {
			w := newWorld(t)
			w.Node("h").Computes().Provider("numa", "h", resources{placement.PCPU: 4}).Record(f).Running("pinned").Claim("i", instance, held)
			found := len(audit.FindBy(w.ReadAs(cloud.NewReadings(nil, nil)), audit.RuleUnlikeFlavor))
			if rightly := policy == "" || held["numa"] != nil; (found == 0) != rightly {
				t.Errorf("%q, %v: %d findings", policy, held, found)
			}
		}
	}
}

// TestIsolatedEmulatorOnALiveCloud takes one more pinned CPU for what a flavor asks for whose image
// pins them. Healed by force, a server keeps pinned CPUs, as many as it is to have.
func TestIsolatedEmulatorOnALiveCloud(t *testing.T) {
	t.Parallel()
	isolate := map[string]string{"hw:emulator_threads_policy": "isolate"}
	for _, test := range []struct {
		specs       map[string]string
		held, heals resources // heals is nil where nothing is found
	}{
		{isolate, resources{placement.PCPU: 3}, nil},
		{isolate, resources{placement.PCPU: 2}, nil},
		{isolate, resources{placement.VCPU: 2}, nil},
		{isolate, resources{placement.PCPU: 4}, resources{placement.PCPU: 3}},
		{isolate, resources{placement.VCPU: 3}, resources{placement.VCPU: 2}},
		{nil, resources{placement.PCPU: 3}, resources{placement.PCPU: 2}},
		{map[string]string{"hw:cpu_policy": "shared"}, resources{placement.PCPU: 3}, resources{placement.VCPU: 2}},
	} {
		test.held[placement.MemoryMB] = 1
		w := newWorld(t).Node("h").Computes().Do(placement.AddInventory{Provider: rp("h"), Generation: placement.AnyGeneration(), Class: placement.PCPU, Inventory: placement.NewInventory(8)}).
			Record(&nova.Flavor{Name: "f", FlavorID: "9", VCPUs: 2, MemoryMB: 1, ExtraSpecs: test.specs}).Running("f").Claim("i", instance, map[string]resources{"h": test.held})
		s := w.ReadAs(cloud.NewReadings(nil, nil))
		c, err := ops.HealChange(s, vm("i"), true)
		must.Succeed(t, err)
		var heals resources
		for _, op := range c.Ops {
			heals = op.(placement.ReplaceAllocations).Consumers[0].Allocations[rp("h")]
			delete(heals, placement.MemoryMB)
		}
		if found := len(audit.FindBy(s, audit.RuleUnlikeFlavor)) > 0; found != (test.heals != nil) || !maps.Equal(heals, test.heals) {
			t.Errorf("%v, %v: found: %t, healed to %v", test.specs, test.held, found, heals)
		}
	}
}

// pinned makes an instance of a flavor with pinned CPUs, which holds a class for them.
//
// Source: nova/scheduler/manager.py, select_destinations, which asks for VCPU too unless
// disable_fallback_pcpu_query is set.
func pinned(w *world, class placement.ResourceClass) *modeltest.World {
	return w.Node("h").Computes().
		Record(&nova.Flavor{Name: "pinned", FlavorID: "9", VCPUs: 2, MemoryMB: 1, ExtraSpecs: map[string]string{"hw:cpu_policy": "dedicated"}}).
		Running("pinned").Claim("i", instance, map[string]resources{"h": {class: 2, placement.MemoryMB: 1}})
}
