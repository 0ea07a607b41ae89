package whatif_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen/whatif"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// asNova opens the screen over a fleet with cards of both owners.
func asNova(t *testing.T, c *tuitest.Cloud, st *style.Styles, at place.WhatIf) *tuitest.Host {
	t.Helper()
	return tuitest.Open(t, c, whatif.New(tuitest.Env(c, st), c.Snapshot(), at))
}

// count returns how many candidates the screen shows.
func count(h *tuitest.Host) string { return strings.Fields(h.Status())[0] }

// row returns the row of something that can be switched.
func row(t *testing.T, h *tuitest.Host, name string) string {
	t.Helper()
	for l := range strings.Lines(h.At(200, 44).Text()) {
		if strings.Contains(l, " "+name+" ") && (strings.Contains(l, "the same") || strings.Contains(l, "+") || strings.Contains(l, "-")) {
			return strings.Join(strings.Fields(l), " ")
		}
	}
	return ""
}

// TestSwitches switches everything that Nova adds to a request: the promised count of a
// row is right, and a second switch takes it back.
func TestSwitches(t *testing.T) {
	t.Parallel()
	h := asNova(t, tuitest.Fleet(t), tuitest.Plain(), place.WhatIf{Flavor: "gpu.both"})
	h.Press("shift+tab", "u", "g")
	first := count(h)
	for _, name := range append(nova.PrefilterNames(), "gate of the owner filter", "form of the owner filter") {
		said := row(t, h, name)
		if said == "" { // it depends on the image
			continue
		}
		h.Press("enter")
		switch got := count(h); {
		case strings.Contains(said, "the same"):
			if got != first {
				t.Errorf("%s: %s, and there are %s candidates instead of %s", name, said, got, first)
			}
		case !strings.Contains(said, " "+got+" "):
			t.Errorf("%s: %s, and there are %s candidates", name, said, got)
		}
		if h.Press("enter"); count(h) != first {
			t.Errorf("switching %s back leads to %s candidates, want %s", name, count(h), first)
		}
		h.Press("j")
	}
}

// TestForms checks that the form merged upstream lets a VGPU of Nova's go to Cyborg's
// cards, and that the gate decides whether either form applies.
func TestForms(t *testing.T) {
	t.Parallel()
	h := asNova(t, tuitest.Fleet(t), tuitest.Plain(), place.WhatIf{Flavor: "gpu.both"})
	h.At(160, 44).Lacks("OWNER_NOVA")
	h.Press("shift+tab")
	shows(t, h, "OWNER_NOVA trait not added to scheduling request", "gate of the owner filter", "closed")
	h.Press("u")
	shows(t, h, "1  VGPU=1 | OWNER_NOVA", "!OWNER_CYBORG")
	h.Press("t")
	text := text(t, h)
	if !strings.Contains(text, "root_required OWNER_NOVA") || strings.Contains(text, "VGPU=1 | OWNER_NOVA") || strings.Contains(text, "!OWNER_CYBORG") {
		t.Errorf("the form merged upstream asks of more than the root:\n%s", text)
	}
	h.Press("t", "u")
	if strings.Contains(h.At(80, 20).Text(), "VGPU=1 | OWNER_NOVA") {
		t.Error("the gate is still held open")
	}
}

// TestEditedByHand edits the query: what Nova added stays, and switching makes a new
// request.
func TestEditedByHand(t *testing.T) {
	t.Parallel()
	h := asNova(t, tuitest.Fleet(t), tuitest.Plain(), place.WhatIf{Flavor: "gpu.both"})
	h.Press("l", "shift+tab")
	shows(t, h, "[VCPU=5]", "the query was edited")
	h.Press("u")
	shows(t, h, "[VCPU=4]", "OWNER_NOVA")
}

// TestGateOpensMeanwhile upgrades the last services while the screen is open: the query
// becomes Nova's new request.
func TestGateOpensMeanwhile(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	h := asNova(t, c, tuitest.Plain(), place.WhatIf{Flavor: "gpu.both"})
	h.Press("shift+tab")
	for _, hold := range c.Snapshot().Nova().Gate().Holds {
		upgrade := nova.UpgradeService{Host: hold.Service.Host, Binary: nova.Compute, Version: nova.VersionOwnerNova}
		must.Succeed(t, c.Change(cloud.Change{At: tuitest.Now(), Ops: []cloud.Op{upgrade}}))
	}
	h.Feed()
	shows(t, h, "VGPU=1 | OWNER_NOVA", "open: all nova-compute")
}

// TestGoneMeanwhile deletes the origin of the query: the query stays as it was.
func TestGoneMeanwhile(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	h := asNova(t, c, tuitest.Plain(), place.WhatIf{Flavor: "gpu.t4.1"})
	var none cyborg.PutRecords
	p, _ := c.Snapshot().Cyborg().DeviceProfile("t4-1")
	for a := range c.Snapshot().Cyborg().ARQs() {
		modeltest.Delete(&none, c.Snapshot().Cyborg(), a)
	}
	modeltest.Delete(&none, c.Snapshot().Cyborg(), p)
	must.Succeed(t, c.Change(cloud.Change{Ops: []cloud.Op{none}}))
	h.Feed()
	h.Press("shift+tab", "u")
	shows(t, h, "device_profile_0", "Nova can no longer ask for it", "t4-1")
}

// TestFitsOfPinnedCPUs counts the copies of all that Nova asks for, and of an edited query
// only its own.
func TestFitsOfPinnedCPUs(t *testing.T) {
	t.Parallel()
	h := asNova(t, tuitest.NewCloud(modeltest.NewWorld(t).Pinned().Snapshot), tuitest.Plain(), place.WhatIf{Flavor: "pin"})
	h.Press("f")
	shows(t, h, "4 copies fit")
	h.Press("h") // PCPU 3
	shows(t, h, "2 copies fit")
}

// TestPinnedCPUsWhereSomeHostsReportPCPU asks as "placetop candidates --flavor" does: with
// candidates of PCPU those of VCPU are a warning, and without any they are the answer.
func TestPinnedCPUsWhereSomeHostsReportPCPU(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pcpu      int64
		want, not string
	}{
		"room for PCPU": {8, "[PCPU=4] MEMORY_MB=1024", "[VCPU"},
		"none":          {2, "[VCPU=4] MEMORY_MB=1024", "[PCPU"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := modeltest.NewWorld(t).
				Provider("p", "", modeltest.Resources{placement.PCPU: test.pcpu, placement.MemoryMB: 8192}, placement.ComputeNode, placement.OwnerNova).
				Provider("v", "", modeltest.Resources{placement.VCPU: 8, placement.MemoryMB: 8192}, placement.ComputeNode, placement.OwnerNova).
				Record(&nova.Flavor{Name: "pin", VCPUs: 4, MemoryMB: 1024, ExtraSpecs: map[string]string{"hw:cpu_policy": "dedicated"}})
			h := asNova(t, tuitest.NewCloud(w.Snapshot), tuitest.Plain(), place.WhatIf{Flavor: "pin"})
			if got := count(h); got != "1" {
				t.Errorf("%s candidates", got)
			}
			h.Press("shift+tab")
			text := strings.Join(strings.Fields(h.At(200, 44).Text()), " ")
			if !strings.Contains(text, test.want) || strings.Contains(text, test.not) || !strings.Contains(text, "1 candidate with VCPU for pinned CPUs, on hosts that report no PCPU") {
				t.Error(text)
			}
		})
	}
}

// TestConclusion says that Placement is not the cause where there are candidates for what Nova
// asks for, and which extra specs the scheduler's filters judge; not once the query was edited.
func TestConclusion(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	must.Succeed(t, c.Change(cloud.Change{Ops: []cloud.Op{nova.CreateFlavor{Flavor: &nova.Flavor{
		Name: "ssd", FlavorID: "ssd", VCPUs: 1, MemoryMB: 512, ExtraSpecs: map[string]string{"aggregate_instance_extra_specs:ssd": "true"},
	}}}}))
	h := asNova(t, c, tuitest.Plain(), place.WhatIf{Flavor: "ssd"})
	h.At(120, 40).Wants("Placement is not the cause: look at the scheduler's filters, which judge aggregate_instance_extra_specs:ssd")
	h.Press("l")
	h.Lacks("Placement is not the cause")
}
