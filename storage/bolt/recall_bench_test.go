package bolt_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/engine"
)

// BenchmarkRecall looks back through a journal of 50,000 claims, each by another
// consumer, on 10,000 hosts: far is the first look at its oldest revision, jump a later
// look at any, step a look at the one before.
func BenchmarkRecall(b *testing.B) {
	const hosts, revisions = 10_000, 50_000
	s := open(b, filled(b, hosts, 10*hosts), engine.Options{})
	limit(b, s, 2*revisions, 0)
	first := s.Snapshot().Revision()
	base := (2 + uint64(first)) << 32
	for n := range uint64(revisions) {
		claim := claims(base+n*0x9E3779B1%(1<<31), hosts)
		must.Succeed(b, s.Apply(b.Context(), cloud.Change{Actor: "bench", Note: fmt.Sprint("claim ", n), Ops: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{claim}}}}).Err())
	}
	now := s.Snapshot()
	at := func(r *cloud.Recall, rev cloud.Revision) time.Duration {
		began := time.Now()
		must.Get(r.At(b.Context(), now, rev))(b)
		return time.Since(began)
	}
	b.Run("far", func(b *testing.B) {
		for b.Loop() {
			at(cloud.NewRecall(s), first)
		}
	})
	before := heap()
	r := cloud.NewRecall(s)
	at(r, first)
	b.Run("jump", func(b *testing.B) {
		random, worst := rand.New(rand.NewPCG(1, 2)), time.Duration(0)
		for b.Loop() {
			worst = max(worst, at(r, first+cloud.Revision(random.IntN(revisions))))
		}
		b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
		b.ReportMetric(float64(heap()-before)/1e6, "kept-MB")
	})
	b.Run("step", func(b *testing.B) {
		rev := first + revisions/2
		for b.Loop() {
			rev--
			at(r, rev)
		}
	})
	runtime.KeepAlive(r)
}

// heap returns how many bytes of the heap are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
