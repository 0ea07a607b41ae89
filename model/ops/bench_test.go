package ops_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/versioned"
)

// bigCloud returns a cloud of 10,000 hosts with a card of each service, 130,000 instances
// with 400,000 allocations, their flavors, and a few more.
func bigCloud(b *testing.B) *cloud.Snapshot {
	b.Helper()
	ofPlacement, ofNova := modeltest.Big().Records()
	for _, r := range ofNova {
		if i := r.(*nova.Instance); strings.HasSuffix(i.Name, "-0") {
			i.Flavor = "gpu"
		}
	}
	for n := range 4 {
		ofNova = append(ofNova, &nova.Flavor{Name: fmt.Sprint("m1.", 1<<n), VCPUs: 1 << n, MemoryMB: 2048 << n, RootGB: 20})
	}
	for n := range 10 {
		ofNova = append(ofNova, &nova.Flavor{Name: fmt.Sprint("c1.", n), VCPUs: int64(3 + n), MemoryMB: 4096, RootGB: 10})
	}
	ofNova = append(ofNova,
		&nova.Flavor{Name: "gpu", VCPUs: 1, MemoryMB: 2048, RootGB: 20, ExtraSpecs: map[string]string{"resources:VGPU": "1"}},
		&nova.Flavor{Name: "dev", VCPUs: 1, MemoryMB: 2048, RootGB: 20, ExtraSpecs: map[string]string{"accel:device_profile": "dp"}},
	)
	profile := &cyborg.DeviceProfile{UUID: modeltest.WorldUUID("dp"), Name: "dp", Groups: []map[string]string{{"resources:VGPU": "1"}}}
	s, err := cloud.Load(1, modeltest.At(0), func(yield func(versioned.Record, error) bool) {
		for _, r := range append(slices.Concat(ofPlacement, ofNova), profile) {
			if !yield(r, nil) {
				return
			}
		}
	})
	must.Succeed(b, err)
	return s
}

func BenchmarkAudit(b *testing.B) {
	s := bigCloud(b)
	found := audit.Find(s)
	for b.Loop() {
		audit.Find(s)
	}
	b.ReportMetric(float64(len(found)), "findings")
}

func BenchmarkOwners(b *testing.B) {
	s := bigCloud(b)
	for b.Loop() {
		insight.Owners(s)
	}
}

func BenchmarkReadiness(b *testing.B) {
	s := bigCloud(b)
	owners := insight.Owners(s)
	for b.Loop() {
		insight.ReadinessOf(s, owners, modeltest.At(0))
	}
}

func BenchmarkSimulateGate(b *testing.B) {
	s := bigCloud(b)
	for b.Loop() {
		run := must.Get(insight.BeginGate(s, insight.GateOptions{}))(b)
		for run.Step() {
		}
	}
}
