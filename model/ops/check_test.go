package ops_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
)

// Each use-case that places an instance checks the owner gate if, and only if,
// accelerators are asked for.
func TestGateIsAsked(t *testing.T) {
	t.Parallel()
	const (
		open   = "all computes have version 73 or later: owners are kept apart"
		closed = "owner filter inactive (oldest compute 72, needs 73): Nova may land on a Cyborg card"
		judged = "owner filter inactive (the gate is closed, inferred from traits: 1 service lacks OWNER_NOVA on its providers, so older than 73): Nova may land on a Cyborg card"
		off    = "the owner filter is off: Nova may land on a Cyborg card"
	)
	old := func(w *world) { // from the start, as an old compute may not join an upgraded fleet
		var c cloud.Change
		for svc := range w.Nova().Services() {
			modeltest.DeleteIn(&c, w, svc)
		}
		w.Change(c).Compute("compute1", 72)
	}
	for _, tt := range []struct {
		name, flavor string
		given        func(*world)
		want         []ops.Check
	}{
		{"Nova's, open", "nova", func(*world) {}, []ops.Check{{Name: "gate", Text: open}}},
		{"Nova's, closed", "nova", old, []ops.Check{{Name: "gate", Text: closed, Warning: true}}},
		{"Nova's, closed, of a real Nova", "nova", func(w *world) {
			old(w)
			w.Record(&nova.Service{Host: "compute1", Binary: nova.Compute, Version: 72, Judged: true})
		}, []ops.Check{{Name: "gate", Text: judged, Warning: true}}},
		{"Cyborg's, closed", "cyborg", old, []ops.Check{{Name: "gate", Text: closed, Warning: true}}},
		{"a profile that is gone, closed", "lost", func(w *world) {
			old(w)
			w.Record(&nova.Flavor{Name: "lost", FlavorID: "lost", VCPUs: 1, MemoryMB: 1, RootGB: 1, ExtraSpecs: map[string]string{"accel:device_profile": "gone"}})
		}, []ops.Check{{Name: "gate", Text: closed, Warning: true}}},
		{"Nova's, no filter", "nova", func(w *world) { w.Record(&nova.Config{OwnerFilter: nova.OwnerOff}) }, []ops.Check{{Name: "gate", Text: off, Warning: true}}},
		{"Nova's, the pre-filter off", "nova", func(w *world) { w.Record(&nova.Config{Off: []string{nova.FilterOwner}}) }, []ops.Check{{Name: "gate", Text: off, Warning: true}}},
		{"no accelerators, closed", "plain", old, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newMove(t, "both").world
			tt.given(w)
			boot := newBoot(tt.flavor)
			boot.Instance = vm("new")
			w.Record(&nova.Instance{UUID: vm("j"), Name: "j", Project: "p", User: "u", Flavor: tt.flavor, Host: "compute1", VMState: nova.Active})
			for _, c := range []ops.Checker{
				boot, ops.Boot{Instance: vm("j")}, ops.Evacuate{Instance: vm("j")}, ops.Move{Instance: vm("i"), Flavor: tt.flavor},
			} {
				var got []ops.Check
				for _, check := range c.Checks(w.Snapshot, late) {
					if check.Name == "gate" {
						got = append(got, check)
					}
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("%T (-want +got):\n%s", c, d)
				}
			}
		})
	}
}

// A use-case about something missing has no checks: its first step refuses.
func TestChecksOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Record(&nova.Instance{UUID: vm("on no host"), Name: "i", Project: "p", User: "u", Flavor: "f", VMState: nova.Broken})
	for _, c := range []ops.Checker{newBoot("none"), ops.Evacuate{Instance: vm("none")}, ops.Evacuate{Instance: vm("on no host")}} {
		if got := c.Checks(w.Snapshot, late); len(got) > 0 {
			t.Errorf("%T: %v", c, got)
		}
	}
}
