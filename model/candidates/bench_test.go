package candidates_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// The queries of the budgets.
const (
	threeClasses = "resources=VCPU:2,MEMORY_MB:4096,DISK_GB:20&required=HW_CPU_X86_AVX2,OWNER_NOVA,!COMPUTE_STATUS_DISABLED"
	twoOwnerVGPU = "resources=VCPU:2,MEMORY_MB:4096&required=OWNER_NOVA" +
		"&resources_NOVA=VGPU:1&required_NOVA=OWNER_NOVA&resources_CYBORG=VGPU:1&required_CYBORG=OWNER_CYBORG&group_policy=none"
)

// tenThousand returns the demo cloud of the budgets, made once: 10,000 hosts with nested
// VGPU of both owners and sharing pools, 60 % full.
var tenThousand = sync.OnceValue(func() *placement.Snapshot {
	s, err := demotest.Fresh(demo.Options{Hosts: 10_000, Now: time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)})
	if err != nil {
		panic(err)
	}
	return s.Placement()
})

// BenchmarkSearch searches and reads every use of every candidate.
func BenchmarkSearch(b *testing.B) {
	for _, c := range []struct{ name, url string }{
		{"three classes, limit 100", threeClasses + "&limit=100"},
		{"three classes, limit 1000", threeClasses + "&limit=1000"},
		{"three classes, all", threeClasses},
		{"two owners' VGPU, limit 100", twoOwnerVGPU + "&limit=100"},
		{"two owners' VGPU, all", twoOwnerVGPU},
		{"disk of any pool or host, all", "resources=DISK_GB:20"},
		{"nothing, for want of room", "resources=VCPU:2,MEMORY_MB:400000000&limit=100"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := tenThousand()
			x := candidates.NewIndex(s)
			q := parse(b, s, c.url)
			var r *candidates.Result
			var uses []candidates.Use
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if r, err = searched(x, q, candidates.Options{}); err != nil {
					b.Fatal(err)
				}
				for i := range r.Len() {
					uses = r.AppendUses(uses[:0], i)
				}
			}
			b.ReportMetric(float64(r.Len()), "candidates")
		})
	}
}

// BenchmarkIndex makes a new Index, with all that the queries of the budgets need, and
// the next one after a claim.
func BenchmarkIndex(b *testing.B) {
	s := tenThousand()
	queries := []candidates.Query{parse(b, s, threeClasses+"&limit=1"), parse(b, s, twoOwnerVGPU+"&limit=1")}
	ask := func(x *candidates.Index) {
		for _, q := range queries {
			must.Get(searched(x, q, candidates.Options{}))(b)
		}
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			candidates.NewIndex(s)
		}
	})
	b.Run("new and asked", func(b *testing.B) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		keep := candidates.NewIndex(s)
		ask(keep)
		runtime.GC()
		runtime.ReadMemStats(&after)
		for b.Loop() {
			ask(candidates.NewIndex(s))
		}
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc), "bytes-kept")
		b.ReportMetric(float64(s.ProviderCount()), "providers")
		runtime.KeepAlive(keep)
	})
	b.Run("next after a claim", func(b *testing.B) {
		x := candidates.NewIndex(s)
		ask(x)
		r, err := searched(x, queries[0], candidates.Options{})
		if err != nil || r.Len() == 0 {
			b.Fatal(err, "nothing to claim")
		}
		next, _, err := s.Apply(placement.Change{Ops: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
			Consumer: modeltest.ConsumerID("vm"), Generation: placement.NewConsumer(), Project: "p", User: "u", Allocations: r.Allocations(0),
		}}}}})
		must.Succeed(b, err)
		b.ReportAllocs()
		for b.Loop() {
			x.Next(next)
		}
	})
}

// BenchmarkExplain makes complete explanations, with misses and ways out.
func BenchmarkExplain(b *testing.B) {
	az1 := demo.AggregateID("az-1").String()
	for _, c := range []struct{ name, url string }{
		{"three classes", threeClasses + "&limit=100"},
		{"two owners' VGPU", twoOwnerVGPU + "&limit=100"},
		{"no room", "resources=VCPU:2,MEMORY_MB:400000000&required=OWNER_NOVA"},
		{"a scarce trait", "resources=VCPU:8,MEMORY_MB:16384,VGPU:2&required=HW_GPU_API_VULKAN,!COMPUTE_STATUS_DISABLED&member_of=" + az1},
		{
			"a scarce trait, in a group", "resources=VCPU:8,MEMORY_MB:16384&required=!COMPUTE_STATUS_DISABLED&member_of=" + az1 +
				"&resources_GPU=VGPU:2&required_GPU=HW_GPU_API_VULKAN,OWNER_NOVA&root_required=OWNER_NOVA",
		},
		{
			"two groups isolated", "resources=VCPU:2,MEMORY_MB:4096&resources1=VGPU:1&required1=OWNER_NOVA" +
				"&resources2=VGPU:8&required2=OWNER_NOVA&resources3=VGPU:8&required3=OWNER_CYBORG&group_policy=isolate",
		},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := tenThousand()
			x := candidates.NewIndex(s)
			q := parse(b, s, c.url)
			var e *candidates.Explanation
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if e, err = explained(x, q, candidates.ExplainOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(e.Candidates), "candidates")
			b.ReportMetric(float64(len(e.Ways)), "ways")
			b.ReportMetric(float64(len(e.Misses)), "misses")
			if testing.Verbose() {
				b.Log(e.Words())
			}
		})
	}
}

// BenchmarkFit packs the whole cloud.
func BenchmarkFit(b *testing.B) {
	for _, c := range []struct{ name, url string }{
		{"three classes", threeClasses},
		{"two owners' VGPU", twoOwnerVGPU},
		{"competing groups", "resources1=VCPU:1&resources2=VCPU:1&group_policy=none"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := tenThousand()
			x := candidates.NewIndex(s)
			q := parse(b, s, c.url)
			var f *candidates.Fit
			for b.Loop() {
				var err error
				if f, err = fitted(x, q); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(f.Copies), "copies")
		})
	}
}
