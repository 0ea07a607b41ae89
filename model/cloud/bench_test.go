package cloud_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// encoded is a record as a file has it.
type encoded struct {
	kind  versioned.Kind
	bytes []byte
}

// bigFile returns the records of 10,000 hosts with 400,000 allocations and their
// instances, as a file has them.
func bigFile(b *testing.B, codec *versioned.Codec) []encoded {
	b.Helper()
	ofPlacement, ofNova := modeltest.Big().Records()
	var out []encoded
	for _, r := range slices.Concat(ofPlacement, ofNova) {
		data := must.Get(codec.Encode(r))(b)
		out = append(out, encoded{r.RecordKind(), data})
	}
	return out
}

// BenchmarkDecode reads the records of each kind.
func BenchmarkDecode(b *testing.B) {
	codec := cloud.NewCodec()
	file := bigFile(b, codec)
	for _, kind := range codec.Kinds() {
		var of [][]byte
		size := 0
		for _, e := range file {
			if e.kind == kind {
				of = append(of, e.bytes)
				size += len(e.bytes)
			}
		}
		if len(of) == 0 {
			continue
		}
		b.Run(string(kind), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, e := range of {
					must.Get(codec.Decode(kind, e))(b)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(of)), "ns/record")
			b.ReportMetric(float64(size)/float64(len(of)), "B/record")
		})
	}
}

// BenchmarkOpen decodes and loads all records, one after the other on one core:
// what a store does between its file and the first Snapshot.
func BenchmarkOpen(b *testing.B) {
	codec := cloud.NewCodec()
	file := bigFile(b, codec)
	var s *cloud.Snapshot
	b.ReportAllocs()
	for b.Loop() {
		var err error
		s, err = cloud.Load(1, time.Time{}, func(yield func(versioned.Record, error) bool) {
			for _, e := range file {
				if !yield(codec.Decode(e.kind, e.bytes)) {
					return
				}
			}
		})
		must.Succeed(b, err)
	}
	b.ReportMetric(float64(heap()), "B-with") // less B-without: what the Snapshot takes
	runtime.KeepAlive(s)
	s = nil //nolint:ineffassign,wastedassign // releases the Snapshot, so that it is not counted
	b.ReportMetric(float64(heap()), "B-without")
	runtime.KeepAlive(file)
}

// BenchmarkApply writes a claim of three classes to a cloud with 400,000 allocations,
// alone and together with the record of the instance.
func BenchmarkApply(b *testing.B) {
	ofPlacement, ofNova := modeltest.Big().Records()
	s, err := cloud.Load(1, time.Time{}, func(yield func(versioned.Record, error) bool) {
		for _, r := range slices.Concat(ofPlacement, ofNova) {
			if !yield(r, nil) {
				return
			}
		}
	})
	must.Succeed(b, err)
	var alone, beside []cloud.Change
	roots := slices.Collect(s.Placement().Roots())
	for i := range 1000 {
		root := roots[(i*7919)%len(roots)]
		claim := modeltest.Claim(fmt.Sprint("new", i), nil)
		claim.Allocations[root.ID()] = modeltest.Resources{placement.VCPU: 1, placement.MemoryMB: 1}
		claim.Allocations[s.Placement().Children(root)[0].ID()] = modeltest.Resources{placement.VGPU: 1}
		c := cloud.Change{At: modeltest.At(1), Ops: []cloud.Op{modeltest.Allocate(claim)}}
		alone = append(alone, c)
		modeltest.PutIn(&c, s, &nova.Instance{UUID: claim.Consumer, Name: "vm", VMState: nova.Active})
		beside = append(beside, c)
	}
	for name, changes := range map[string][]cloud.Change{"claim": alone, "claim and instance": beside} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i, now := 0, s
			for b.Loop() {
				if i == len(changes) {
					i, now = 0, s
				}
				next, _, err := now.Apply(changes[i])
				must.Succeed(b, err)
				now = next
				i++
			}
		})
	}
}

// heap returns the size of the heap, in bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
