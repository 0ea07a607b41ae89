package placement_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// big returns the ledger of 10,000 hosts with 400,000 allocations.
func big(b *testing.B) *placement.Snapshot {
	b.Helper()
	records, _ := modeltest.Big().Records()
	s := must.Get(placement.Load(records))(b)
	return s
}

// BenchmarkApplyClaim writes a claim of three classes on two providers, and on three, of
// a ledger with 400,000 allocations.
func BenchmarkApplyClaim(b *testing.B) {
	s := big(b)
	var hosts, cards [][]placement.ProviderID
	for p := range s.Roots() {
		children := s.Children(p)
		hosts = append(hosts, []placement.ProviderID{p.ID(), p.ID(), children[0].ID()})
		cards = append(cards, []placement.ProviderID{p.ID(), children[0].ID(), children[1].ID()})
	}
	for _, tt := range []struct {
		name    string
		on      [][]placement.ProviderID
		classes [3]placement.ResourceClass
	}{
		{"2 providers", hosts, [3]placement.ResourceClass{placement.VCPU, placement.MemoryMB, placement.VGPU}},
		{"3 providers", cards, [3]placement.ResourceClass{placement.VCPU, placement.VGPU, placement.VGPU}},
	} {
		var claims []placement.Change
		for i := range 1000 {
			c := modeltest.Claim(fmt.Sprint("new", i), nil)
			for n, id := range tt.on[(i*7919)%len(tt.on)] {
				if c.Allocations[id] == nil {
					c.Allocations[id] = modeltest.Resources{}
				}
				c.Allocations[id][tt.classes[n]] = 1
			}
			claims = append(claims, placement.Change{At: modeltest.At(1), Ops: []placement.Op{modeltest.Allocate(c)}})
		}
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			i, now := 0, s
			for b.Loop() {
				if i == len(claims) {
					i, now = 0, s
				}
				next, _, err := now.Apply(claims[i])
				must.Succeed(b, err)
				now = next
				i++
			}
		})
	}
}

// BenchmarkLoad builds the ledger of 10,000 hosts with 400,000 allocations from
// its records.
func BenchmarkLoad(b *testing.B) {
	records, _ := modeltest.Big().Records()
	var s *placement.Snapshot
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if s, err = placement.Load(records); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(heap()), "B-with") // less B-without: what the Snapshot takes
	runtime.KeepAlive(s)
	s = nil //nolint:ineffassign,wastedassign // releases the Snapshot, so that it is not counted
	b.ReportMetric(float64(heap()), "B-without")
	runtime.KeepAlive(records)
}

// heap returns the size of the heap, in bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
