package demo_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest/must"
)

// BenchmarkBuild makes the changes of a cloud of 10,000 hosts, and applies none.
func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		changes := must.Get(demo.Build(demo.Options{Hosts: 10_000, Seed: 1, Now: time.Unix(1_700_000_000, 0)}))(b)
		n := 0
		for range changes {
			n++
		}
		b.ReportMetric(float64(n), "changes")
	}
}

// BenchmarkSnapshot makes the cloud of 10,000 hosts in memory.
func BenchmarkSnapshot(b *testing.B) {
	for b.Loop() {
		must.Get(demotest.Fresh(demo.Options{Hosts: 10_000, Seed: 1, Now: time.Unix(1_700_000_000, 0)}))(b)
	}
}
