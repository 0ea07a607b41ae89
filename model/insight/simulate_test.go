package insight_test

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// gateCloud returns a cloud of a host with a card of each service, an upgraded one with
// only a card of Cyborg's, and one with an old compute, whose root and card have no owner
// yet.
func gateCloud(t *testing.T) *world {
	t.Helper()
	all := resources{placement.VCPU: 8, placement.MemoryMB: 8192}
	return newWorld(t).Flavors().
		Provider("h", "", all, placement.ComputeNode, placement.OwnerNova, placement.ComputeAccelerators).
		Provider("n", "h", resources{placement.VGPU: 2}, placement.OwnerNova).
		Provider("c", "h", resources{placement.VGPU: 2}, placement.OwnerCyborg).
		Provider("k", "", all, placement.ComputeNode, placement.OwnerNova, placement.ComputeAccelerators).
		Provider("kc", "k", resources{placement.VGPU: 2}, placement.OwnerCyborg).
		Provider("old", "", all, placement.ComputeNode).
		Provider("old_pci_0000_84_00_0", "old", resources{placement.VGPU: 2}).
		Record(&nova.Service{Host: "old", Binary: nova.Compute, Version: 70}).
		Record(&nova.Service{Host: "h", Binary: nova.Compute, Version: 73}).
		Record(&nova.Service{Host: "k", Binary: nova.Compute, Version: 73})
}

// trees are how many hosts a flavor has now and with the gate open, and which ones it
// loses.
type trees struct {
	Now, Then int
	Lost      string
}

func outcomes(t *testing.T, sim insight.GateSimulation) map[nova.OwnerFilter]map[string]trees {
	t.Helper()
	out := map[nova.OwnerFilter]map[string]trees{}
	for _, f := range sim.Forms {
		out[f.Form] = map[string]trees{}
		for _, o := range f.Flavors {
			if o.Error != "" {
				t.Errorf("%s: %s", o.Flavor, o.Error)
			}
			var lost []string
			for _, h := range o.Hosts {
				lost = append(lost, h.Name)
				if h.Why == "" {
					t.Errorf("%s loses %s, and nobody says why", o.Flavor, h.Name)
				}
			}
			if len(lost) != o.Lost {
				t.Errorf("%s: %d lost, %d of them named", o.Flavor, o.Lost, len(lost))
			}
			out[f.Form][o.Flavor] = trees{o.Now, o.Then, strings.Join(lost, " ")}
		}
	}
	return out
}

// simulateGate asks all questions of a simulation.
func simulateGate(s *cloud.Snapshot, o insight.GateOptions) (insight.GateSimulation, error) {
	run, err := insight.BeginGate(s, o)
	if err != nil {
		return insight.GateSimulation{}, err
	}
	for run.Step() {
	}
	return run.Result(), nil
}

func TestSimulateGate(t *testing.T) {
	t.Parallel()
	w := gateCloud(t)
	sim := must.Get(simulateGate(w.Snapshot, insight.GateOptions{}))(t)
	want := map[nova.OwnerFilter]map[string]trees{
		// A card of Cyborg's is no candidate for Nova's flavor, and the one without an
		// owner for no flavor.
		nova.OwnerOnGroups: {"small": {3, 2, "old"}, "gpu": {3, 1, "k old"}, "dev": {2, 2, ""}},
		// Only the root is checked: the card of Cyborg's below it is still a candidate.
		nova.OwnerOnRoot: {"small": {3, 2, "old"}, "gpu": {3, 2, "old"}, "dev": {2, 2, ""}},
	}
	must.Match(t, want, outcomes(t, sim))
	if sim.Gate.Open || len(sim.Gate.Holds) != 1 {
		t.Errorf("gate: %s, want that one service holds it", sim.Gate.Words())
	}
	must.Match(t, []placement.ProviderID{rp("h"), rp("k")}, sim.Mixed)
}

func TestSimulateGateAfterTheUpgrade(t *testing.T) {
	t.Parallel()
	w := gateCloud(t)
	before := w.Revision()
	sim := must.Get(simulateGate(w.Snapshot, insight.GateOptions{Upgrade: true, Forms: []nova.OwnerFilter{nova.OwnerOnGroups}}))(t)
	want := map[nova.OwnerFilter]map[string]trees{
		nova.OwnerOnGroups: {"small": {3, 3, ""}, "gpu": {3, 2, "k"}, "dev": {2, 2, ""}},
	}
	must.Match(t, want, outcomes(t, sim))
	if w.Revision() != before || w.Nova().Gate().Open {
		t.Error("the cloud itself was upgraded")
	}
}

// Candidates are counted as well as hosts, and a lost card is named if its host stays.
func TestSimulateGateCountsCandidates(t *testing.T) {
	t.Parallel()
	sim := must.Get(simulateGate(gateCloud(t).Snapshot, insight.GateOptions{}))(t)
	type counts struct {
		Candidates insight.CandidateCount
		Cards      []insight.CardLoss
	}
	got := map[nova.OwnerFilter]map[string]counts{}
	for _, f := range sim.Forms {
		got[f.Form] = map[string]counts{}
		for _, o := range f.Flavors {
			got[f.Form][o.Flavor] = counts{o.CandidateCount, o.Cards}
		}
	}
	want := map[nova.OwnerFilter]map[string]counts{
		nova.OwnerOnGroups: {
			"small": {Candidates: insight.CandidateCount{Before: 3, After: 2}, Cards: []insight.CardLoss{}},
			"gpu": {
				Candidates: insight.CandidateCount{Before: 4, After: 1},
				Cards:      []insight.CardLoss{{Provider: rp("c"), Name: "c", Host: "h", Why: "c has OWNER_CYBORG"}},
			},
			"dev": {
				Candidates: insight.CandidateCount{Before: 3, After: 2},
				Cards:      []insight.CardLoss{{Provider: rp("n"), Name: "n", Host: "h", Why: "n lacks OWNER_CYBORG"}},
			},
		},
		nova.OwnerOnRoot: {
			"small": {Candidates: insight.CandidateCount{Before: 3, After: 2}, Cards: []insight.CardLoss{}},
			"gpu":   {Candidates: insight.CandidateCount{Before: 4, After: 3}, Cards: []insight.CardLoss{}},
			"dev":   {Candidates: insight.CandidateCount{Before: 3, After: 3}, Cards: []insight.CardLoss{}},
		},
	}
	must.Match(t, want, got)
}

// The reason given is that of the filter: that the free card has the wrong owner, and not
// that the other one is full.
func TestSimulateGateSaysWhy(t *testing.T) {
	t.Parallel()
	w := gateCloud(t).Claim("full", instance, map[string]resources{"n": {placement.VGPU: 2}})
	sim := must.Get(simulateGate(w.Snapshot, insight.GateOptions{}))(t)
	got := map[nova.OwnerFilter][]string{}
	for _, f := range sim.Forms {
		for _, o := range f.Flavors {
			for _, h := range o.Hosts {
				got[f.Form] = append(got[f.Form], o.Flavor+": "+h.Why)
			}
		}
	}
	want := map[nova.OwnerFilter][]string{
		nova.OwnerOnGroups: {
			"gpu: c has OWNER_CYBORG", "gpu: kc has OWNER_CYBORG", "gpu: old lacks OWNER_NOVA", "small: old lacks OWNER_NOVA",
		},
		nova.OwnerOnRoot: {"gpu: old lacks OWNER_NOVA", "small: old lacks OWNER_NOVA"},
	}
	must.Match(t, want, got)
}

// The filter is assumed to be on, whatever is switched off.
func TestSimulateGateOfAFilterThatIsOff(t *testing.T) {
	t.Parallel()
	for _, off := range []nova.Config{{Off: []string{nova.FilterOwner}}, {OwnerFilter: nova.OwnerOff}} {
		w := gateCloud(t).Record(&off)
		sim := must.Get(simulateGate(w.Snapshot, insight.GateOptions{Forms: []nova.OwnerFilter{nova.OwnerOnGroups}}))(t)
		must.Match(t, trees{3, 1, "k old"}, outcomes(t, sim)[nova.OwnerOnGroups]["gpu"])
	}
}

// The words state the assumptions, and which of them do not hold today.
func TestSimulateGateWords(t *testing.T) {
	t.Parallel()
	off := &nova.Config{OwnerFilter: nova.OwnerOff}
	for name, tc := range map[string]struct {
		version int // of the only compute
		upgrade bool
		config  *nova.Config
		want    string
	}{
		"closed":                 {66, false, &nova.Config{}, "asked as if the gate were open"},
		"closed, upgraded":       {66, true, &nova.Config{}, "asked as if every old nova-compute were upgraded"},
		"closed and off":         {66, false, off, "asked as if the owner filter were switched on and the gate were open; it is off: owner_filter is off"},
		"closed, upgraded, off":  {66, true, off, "asked as if every old nova-compute were upgraded and the owner filter were switched on; it is off: owner_filter is off"},
		"open and off":           {73, true, off, "asked as if the owner filter were switched on; it is off: owner_filter is off"},
		"open, and nothing else": {73, false, &nova.Config{}, "the gate is open and the owner filter is on: one of the forms is in force now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).Node("h").Compute("h", tc.version).Record(tc.config)
			sim := must.Get(simulateGate(w.Snapshot, insight.GateOptions{Upgrade: tc.upgrade}))(t)
			must.Be(t, sim.Words(), tc.want)
		})
	}
}

// A caller can see the progress of a simulation, and need not finish it.
func TestGateRun(t *testing.T) {
	t.Parallel()
	w := gateCloud(t)
	run := must.Get(insight.BeginGate(w.Snapshot, insight.GateOptions{}))(t)
	for n := range 7 { // the instances, and three flavors with two forms
		if asked, all := run.Progress(); asked != n || all != 7 {
			t.Errorf("%d of %d asked, want %d of 7", asked, all, n)
		}
		if !run.Step() {
			t.Fatalf("no question after %d", n)
		}
	}
	if run.Step() {
		t.Error("an eighth question")
	}
	whole := must.Get(simulateGate(w.Snapshot, insight.GateOptions{}))(t)
	if d := gocmp.Diff(outcomes(t, whole), outcomes(t, run.Result())); d != "" {
		t.Errorf("step by step (-at once +by steps):\n%s", d)
	}
}

// Instances that could no longer be placed where they run are listed, with the reason.
func TestSimulateGateInstances(t *testing.T) {
	t.Parallel()
	w := gateCloud(t)
	run := func(name, flavor, host, card string) {
		holds := map[string]resources{host: {placement.VCPU: 1, placement.MemoryMB: 1}}
		if card != "" {
			holds[card] = resources{placement.VGPU: 1}
		}
		w.Record(&nova.Instance{UUID: vm(name), Name: name, Project: "p", User: "u", Host: host, Flavor: flavor, VMState: nova.Active}).Claim(name, instance, holds)
	}
	run("good", "gpu", "h", "n")
	run("good-dev", "dev", "h", "c")
	run("stray", "gpu", "h", "c")
	run("unowned", "small", "old", "")
	w.Record(&nova.Instance{UUID: vm("gone"), Name: "gone", VMState: nova.Deleted})
	sim := must.Get(simulateGate(w.Snapshot, insight.GateOptions{}))(t)
	if sim.Instances != 4 {
		t.Errorf("%d instances looked at, want the 4 that hold anything", sim.Instances)
	}
	want := map[nova.OwnerFilter][]string{
		nova.OwnerOnGroups: {"stray: VGPU of c is not Nova's", "unowned: old has no OWNER_NOVA"},
		nova.OwnerOnRoot:   {"unowned: old has no OWNER_NOVA"},
	}
	got := map[nova.OwnerFilter][]string{}
	for _, f := range sim.Forms {
		for _, i := range f.Instances {
			got[f.Form] = append(got[f.Form], i.Name+": "+i.Why)
		}
	}
	must.Match(t, want, got)
}

// A flavor that cannot be asked for says so, and the others are asked.
func TestSimulateGateOfABadFlavor(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").
		Record(&nova.Flavor{Name: "bad", FlavorID: "1", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"accel:device_profile": "none"}}).
		Record(&nova.Flavor{Name: "good", FlavorID: "2", VCPUs: 1, MemoryMB: 1})
	sim := must.Get(simulateGate(w.Snapshot, insight.GateOptions{}))(t)
	bad, good := sim.Forms[0].Flavors[0], sim.Forms[0].Flavors[1]
	if bad.Error == "" || good.Error != "" || good.Now != 1 || good.Then != 1 {
		t.Errorf("bad: %+v\ngood: %+v", bad, good)
	}
}

// TestSimulateGateHeedsPCIDevices asks for a flavor whose device is picked on the host:
// hosts without one are none of its hosts, whatever Placement has there.
func TestSimulateGateHeedsPCIDevices(t *testing.T) {
	t.Parallel()
	w := gateCloud(t)
	w.Record(&nova.Config{PCIAliases: []string{`{"name": "qat", "vendor_id": "8086", "product_id": "37c8"}`}})
	w.Record(&nova.Flavor{Name: "qat.1", FlavorID: "qat.1", VCPUs: 1, MemoryMB: 1024, ExtraSpecs: map[string]string{"pci_passthrough:alias": "qat:1"}})
	for _, host := range []string{"h", "old"} {
		w.Record(&nova.ComputeNode{UUID: modeltest.ProviderID(host), Host: host, Hostname: host})
		w.Record(&nova.PciDevice{ComputeNode: modeltest.ProviderID(host), Address: "0000:3d:01.0", VendorID: "8086", ProductID: "37c8", DevType: "type-PCI", Status: "available"})
	}
	sim, err := simulateGate(w.Snapshot, insight.GateOptions{})
	must.Succeed(t, err)
	for form, flavors := range outcomes(t, sim) {
		if got, want := flavors["qat.1"], (trees{2, 1, "old"}); got != want {
			t.Errorf("%s: qat.1 has %v, want %v", form, got, want)
		}
	}
}

// TestSimulateGateOfPinnedCPUs has some hosts that report PCPU, and others that do not:
// Nova asks those for VCPU, so that each of both kinds counts, and is lost, for its own
// reason.
func TestSimulateGateOfPinnedCPUs(t *testing.T) {
	t.Parallel()
	mem := int64(8192)
	w := newWorld(t).
		Provider("p", "", resources{placement.PCPU: 8, placement.VCPU: 8, placement.MemoryMB: mem}, placement.ComputeNode, placement.OwnerNova).
		Provider("p-old", "", resources{placement.PCPU: 8, placement.MemoryMB: mem}, placement.ComputeNode).
		Provider("v", "", resources{placement.VCPU: 8, placement.MemoryMB: mem}, placement.ComputeNode, placement.OwnerNova).
		Provider("v-old", "", resources{placement.VCPU: 8, placement.MemoryMB: mem}, placement.ComputeNode).
		Record(&nova.Flavor{Name: "pin", VCPUs: 4, MemoryMB: 1024, ExtraSpecs: map[string]string{"hw:cpu_policy": "dedicated"}})
	sim := must.Get(simulateGate(w.Snapshot, insight.GateOptions{Forms: []nova.OwnerFilter{nova.OwnerOnRoot}}))(t)
	must.Match(t, map[nova.OwnerFilter]map[string]trees{nova.OwnerOnRoot: {"pin": {4, 2, "p-old v-old"}}}, outcomes(t, sim))
	for _, h := range sim.Forms[0].Flavors[0].Hosts {
		if h.Why != h.Name+" lacks OWNER_NOVA" {
			t.Errorf("%s is lost as %s", h.Name, h.Why)
		}
	}
	forbid := true
	w.Change(cloud.Change{Ops: []cloud.Op{nova.Configure{NoVCPUFallback: &forbid}}})
	sim = must.Get(simulateGate(w.Snapshot, insight.GateOptions{Forms: []nova.OwnerFilter{nova.OwnerOnRoot}}))(t)
	must.Match(t, map[nova.OwnerFilter]map[string]trees{nova.OwnerOnRoot: {"pin": {2, 1, "p-old"}}}, outcomes(t, sim))
}
