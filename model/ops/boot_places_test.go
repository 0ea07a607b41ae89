package ops_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Boot.Places returns the places from which the boot itself would choose.
func TestBootPlaces(t *testing.T) {
	t.Parallel()
	tr := newTrip(t)
	b := newBoot("nova")
	places, err := b.Places(tr.Snapshot(), modeltest.At(0))
	if err != nil || len(places.Places) == 0 {
		t.Fatalf("%d places: %v", len(places.Places), err)
	}
	first := places.Places[0]
	must.Succeed(t, tr.advance(t.Context(), b))
	if host := tr.instance().Host; host != first.Host {
		t.Errorf("it landed on %s, the first place is on %s", host, first.Host)
	}
	for what, want := range map[string]error{"": placement.ErrInvalid, "no such flavor": placement.ErrNotFound} {
		wrong := newBoot("nova")
		if wrong.Wish.Flavor = what; what == "" {
			wrong.Wish = ops.BootWish{Flavor: "nova"}
		}
		if _, err := wrong.Places(tr.Snapshot(), modeltest.At(0)); !errors.Is(err, want) {
			t.Errorf("%+v: %v, want %v", wrong.Wish, err, want)
		}
	}
}

// If a host is asked for, it has the same places as among all, including those with its
// pools, whether an instance is booted or moved there.
func TestPlacesOnTheHostAskedFor(t *testing.T) {
	t.Parallel()
	w := onePool(t)
	boot := ops.Boot{Instance: vm("i"), Wish: ops.BootWish{Name: "i", Flavor: "f", Project: "p", User: "u"}}
	all := must.Get(boot.Places(w.Snapshot, modeltest.Noon()))(t)
	on := func(host string, among []ops.Place) (out []allocations) {
		for _, p := range among {
			if p.Host == host {
				out = append(out, p.Allocations)
			}
		}
		return out
	}
	for host, other := range map[string]string{"h": "k", "k": "h"} {
		want := on(host, all.Places)
		if len(want) != 1 || want[0][rp("pool")][placement.DiskGB] != 21 {
			t.Fatalf("places on %s: %v", host, want)
		}
		b := boot
		b.Wish.Host = host
		forced, err := b.Places(w.Snapshot, modeltest.Noon())
		if diff := cmp.Diff(want, on(host, forced.Places)); err != nil || diff != "" || len(on(other, forced.Places)) > 0 {
			t.Errorf("boot on %s: %v, %d on %s:\n%s", host, err, len(on(other, forced.Places)), other, diff)
		}
		b.Wish.Host = other
		there := must.Get(ops.Rehearse(w.Snapshot, b, modeltest.Noon()))(t)
		moved := must.Get(ops.Rehearse(there.Final, ops.Move{Migration: vm("m"), Instance: vm("i"), Host: host}, modeltest.Noon()))(t)
		if diff := cmp.Diff(want[0], holds(moved.Final, vm("i"))); diff != "" {
			t.Errorf("migrate to %s:\n%s", host, diff)
		}
	}
}

// A flavor that is not valid is refused before anything is written, with its name and
// what is wrong.
func TestBootOfWhatCannotBeAsked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		specs map[string]string
		want  string
	}{
		"a suffix of Cyborg's": {
			map[string]string{"accel:device_profile": "dp-vgpu", "resourcesdevice_profile_0:VGPU": "1"},
			`flavor odd: resourcesdevice_profile_0:VGPU=1: suffix "device_profile_0" is used by a group of the device profile dp-vgpu: choose another`,
		},
		"no such class":   {map[string]string{"resources:CUSTOM_NONE": "1"}, "flavor odd: resources:CUSTOM_NONE=1: "},
		"no such trait":   {map[string]string{"trait:CUSTOM_NONE": "required"}, "flavor odd: trait:CUSTOM_NONE=required: "},
		"no such profile": {map[string]string{"accel:device_profile": "gone"}, "flavor odd: device profile gone does not exist"},
		"nothing at all": {
			map[string]string{"resources:VCPU": "0", "resources:MEMORY_MB": "0", "resources:DISK_GB": "0"}, "flavor odd: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTrip(t)
			tr.world.Record(&nova.Flavor{Name: "odd", FlavorID: "odd", VCPUs: 1, MemoryMB: 512, RootGB: 1, ExtraSpecs: tt.specs})
			before := tr.Snapshot()
			err := tr.advance(t.Context(), newBoot("odd"))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) || tr.Snapshot() != before {
				t.Errorf("error %v, want %q; written %t", err, tt.want, tr.Snapshot() != before)
			}
		})
	}
}
