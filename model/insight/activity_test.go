package insight_test

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestActivity(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").
		Instance("a", nova.Active).Instance("b", nova.Active).Instance("r", nova.Resized).Instance("x", nova.Broken).Instance("gone", nova.Deleted).
		Claim("held", "MIGRATION", map[string]resources{"h": {placement.VCPU: 1}})
	for name, status := range map[string]nova.MigrationStatus{
		"waits": nova.Finished, "moves": nova.Migrating, "over": nova.Confirmed, "held": nova.Error, "let go": nova.Error,
	} {
		w.Record(&nova.Migration{UUID: vm(name), Instance: vm("a"), Type: nova.Resize, Status: status})
	}
	w.Change(cloud.Change{Ops: []cloud.Op{
		cyborg.CreateDeviceProfile{Profile: &cyborg.DeviceProfile{Name: "dp", Groups: []map[string]string{{"resources:VGPU": "3"}}}},
		cyborg.CreateARQs{Profile: "dp", Owner: vm("a")},
	}})
	got := insight.ActivityOf(w.Snapshot)
	want := insight.Activity{
		Instances: map[nova.VMState]int{nova.Active: 2, nova.Resized: 1, nova.Broken: 1},
		Waiting:   1, UnderWay: 1, Broken: 1,
		ARQs: map[cyborg.ARQState]int{cyborg.ARQInitial: 3},
	}
	must.Match(t, want, got)
	if got.AllInstances() != 4 || got.AllARQs() != 3 || got.FailedARQs() != 0 {
		t.Errorf("%d instances, %d requests, %d failed", got.AllInstances(), got.AllARQs(), got.FailedARQs())
	}
	got.ARQs = map[cyborg.ARQState]int{cyborg.ARQBindFailed: 2, cyborg.ARQUnbindFailed: 1, cyborg.ARQBound: 4}
	if got.FailedARQs() != 3 {
		t.Errorf("%d requests failed, want 3", got.FailedARQs())
	}
}
