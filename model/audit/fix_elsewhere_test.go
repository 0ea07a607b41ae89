package audit_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// If nothing can be done, the finding says why.
func TestNoFix(t *testing.T) {
	t.Parallel()
	wrong := func(w *world) *world {
		return w.Node("h").Computes().Flavors().Provider("h_0000:af:00.0", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).
			Running("gpu").Claim("i", placement.InstanceConsumer, modeltest.Holding("h_0000:af:00.0"))
	}
	for _, tc := range []struct {
		name string
		make func(*world)
		rule audit.RuleID
		want string
	}{
		{"no card of the right owner", func(w *world) { wrong(w) }, audit.RuleWrongOwner, "there is no other card of nova's with VGPU on h"},
		{"the right card is full", func(w *world) {
			wrong(w).Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
				Record(&nova.Instance{UUID: vm("j"), Name: "j", Project: "p", User: "u", Host: "h", Flavor: "gpu", VMState: nova.Active}).
				Claim("j", placement.InstanceConsumer, modeltest.Holding("h_pci_0000_84_00_0"))
		}, audit.RuleWrongOwner, "no other card of nova's on h can take it: h_pci_0000_84_00_0 1/1 used"},
		{"the host of an instance is none", func(w *world) {
			w.Node("h").Computes().Flavors().Running("small").Claim("i", placement.InstanceConsumer, modeltest.Holding()).
				EditInstance(func(i *nova.Instance) { i.Host = "elsewhere" })
		}, audit.RuleOffHost, "If Placement has no compute node for that host, import its object first"},
		{"a live cloud whose old host is up again", func(w *world) { w.Evacuated(false) }, audit.RuleSplitClaim, "releases what it holds there once it starts again"},
		{"a live cloud whose old host is down", func(w *world) { w.Evacuated(true) }, audit.RuleSplitClaim, "delete its service"},
		{"a service that is only old", func(w *world) { w.Node("h").Compute("h", 66).Compute("g", 73) }, audit.RuleOldService, "Upgrade nova-compute on this host."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tc.make(w)
			if tc.rule == audit.RuleSplitClaim { // on any other cloud there is one
				w.Snapshot = w.ReadAs(cloud.NewReadings(nil, nil))
			}
			f := only(w, tc.rule)
			if fixes := audit.Fixes(w.Snapshot, f); len(fixes) > 0 {
				t.Fatalf("there is a fix: %s", fixes[0].Title)
			}
			if got := audit.NoFix(w.Snapshot, f); !strings.Contains(got, tc.want) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
