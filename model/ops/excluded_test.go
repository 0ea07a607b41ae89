package ops_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Each compute host is a place, or says why it is not: left out by a rule, removed
// because it or one of its devices lacks something, or not known to Placement.
func TestExcluded(t *testing.T) {
	t.Parallel()
	w := newMove(t, "nova").world // i is on compute1
	fill(w, "n2")
	w.VGPUHost(3)
	w.Record(&nova.ComputeNode{UUID: rp("unknown"), Host: "compute4", Hostname: "compute4"})
	down(w, "compute3", true)
	for _, tt := range []struct {
		name   string
		places func() (ops.Places, error)
		want   map[string]string
	}{
		{"a migration", func() (ops.Places, error) { return ops.Move{Instance: vm("i")}.Places(w.Snapshot, modeltest.Noon()) }, map[string]string{
			"compute1": "the instance is on it",
			"compute2": "<n2>: needs 1 VGPU, has 0 free of 4",
			"compute3": "its nova-compute is forced down",
			"compute4": "not reported to Placement yet",
		}},
		{"a boot", func() (ops.Places, error) { return newBootOf("new", "nova").Places(w.Snapshot, modeltest.Noon()) }, map[string]string{
			"compute2": "<n2>: needs 1 VGPU, has 0 free of 4",
			"compute3": "its nova-compute is forced down",
			"compute4": "not reported to Placement yet",
		}},
		{"more than any host has", func() (ops.Places, error) {
			w.Record(&nova.Flavor{Name: "huge", FlavorID: "huge", VCPUs: 1000, MemoryMB: 1, RootGB: 1})
			return newBootOf("new", "huge").Places(w.Snapshot, modeltest.Noon())
		}, map[string]string{
			"compute1": "needs 1000 VCPU, has 14 free of 16",
			"compute2": "needs 1000 VCPU, has 16 free of 16",
			"compute3": "needs 1000 VCPU, has 16 free of 16",
			"compute4": "not reported to Placement yet",
		}},
	} {
		places, err := tt.places()
		if none := (*ops.NoValidHostError)(nil); err != nil && !errors.As(err, &none) {
			t.Fatalf("%s: %v", tt.name, err)
		}
		got := map[string]string{}
		for e := range places.Excluded(w.Snapshot) {
			got[e.Host] = e.Why(func(p *placement.ResourceProvider) string { return "<" + p.Name() + ">" })
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

// newBootOf is newBoot for an instance with another name.
func newBootOf(name, flavor string) ops.Boot {
	b := newBoot(flavor)
	b.Instance, b.Wish.Name = vm(name), name
	return b
}
