package consumers

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/panel"
)

func testCloud(tb testing.TB, hosts int) *cloud.Snapshot {
	tb.Helper()
	return demotest.Snapshot(tb, demo.Options{Hosts: hosts, Now: time.Date(2026, 3, 4, 14, 2, 7, 0, time.UTC)})
}

func testWish() ops.Wish {
	return ops.Wish{
		Consumer: placement.ConsumerID{1}, Type: placement.InstanceConsumer, Project: "p", User: "u",
		Resources: map[placement.ResourceClass]int64{placement.VCPU: 2, placement.MemoryMB: 4096, placement.VGPU: 1},
	}
}

func TestScarcest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want placement.ResourceClass
	}{
		{"VCPU=1 MEMORY_MB=1 DISK_GB=1", placement.VCPU},
		{"DISK_GB=1 MEMORY_MB=1", placement.MemoryMB},
		{"VCPU=1 CUSTOM_LICENSE=1", "CUSTOM_LICENSE"},
		{"VCPU=1 CUSTOM_LICENSE=1 VGPU=1", placement.VGPU},
		{"PGPU=1 VGPU=1", placement.PGPU},
	} {
		r := must.Get(ops.ParseResources(c.text))(t)
		if got := scarcest(ops.Wish{Resources: r}); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// BenchmarkConsequences is the pair of audits behind a preview, also off the event loop.
func BenchmarkConsequences(b *testing.B) {
	snap := testCloud(b, 10_000)
	w := testWish()
	options := must.Get(ops.Fits(snap, candidates.NewIndex(snap.Placement()), w))(b)
	plan := must.Get(ops.PlanClaim(snap, w, options[0]))(b)
	for b.Loop() {
		panel.Consequences(snap, plan.After)
	}
}
