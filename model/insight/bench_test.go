package insight_test

import (
	"testing"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest"
)

// BenchmarkOf computes all figures of 10,000 hosts except those of flavors.
func BenchmarkOf(b *testing.B) {
	s := demotest.Snapshot(b, demo.Options{Hosts: 10_000, Now: modeltest.At(0)})
	for name, each := range map[string]bool{"cloud": false, "providers": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				insight.Metrics(insight.Input{Snapshot: s, Now: modeltest.At(0), Each: each})
			}
		})
	}
}

// BenchmarkRoomOf computes how many more of each flavor fit on 10,000 hosts.
func BenchmarkRoomOf(b *testing.B) {
	s := demotest.Snapshot(b, demo.Options{Hosts: 10_000, Now: modeltest.At(0)})
	x := candidates.NewIndex(s.Placement())
	n := 0
	for b.Loop() {
		n = len(insight.RoomOf(s, insight.RoomOptions{Index: x}).Flavors)
	}
	b.ReportMetric(float64(n), "flavors")
}
