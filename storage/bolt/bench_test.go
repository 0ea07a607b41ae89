package bolt_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// claims returns the claim of consumer n on host n%hosts: three classes, on the host and
// its card.
func claims(n, hosts uint64) placement.Claim {
	root := 1 + 2*(n%hosts)
	return placement.Claim{
		Consumer: storagetest.Consumer(n), Generation: placement.NewConsumer(), Type: placement.InstanceConsumer,
		Project: "8f6b3c0e5d7a4c1b9e2f", User: "c4a1d2e3f4b5a697",
		Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{
			storagetest.Provider(root):     {placement.VCPU: 1, placement.MemoryMB: 1024},
			storagetest.Provider(root + 1): {placement.VGPU: 1},
		},
	}
}

const firstConsumer = 1 << 32

// fill makes a cloud of hosts, with instances of three allocations each.
func fill(tb testing.TB, s cloud.Writer, hosts, instances uint64) {
	tb.Helper()
	apply := func(c cloud.Change) {
		must.Get(s.Apply(tb.Context(), c).Result())(tb)
	}
	const step = 5000
	for n := uint64(0); n < hosts; n += step {
		var c cloud.Change
		for h := n; h < min(n+step, hosts); h++ {
			c.Ops = append(c.Ops, storagetest.Host(1+2*h, 1<<18, 1<<18)...)
		}
		apply(c)
	}
	for n := uint64(0); n < instances; n += step {
		var c cloud.Change
		var op placement.ReplaceAllocations
		for i := n; i < min(n+step, instances); i++ {
			op.Consumers = append(op.Consumers, claims(firstConsumer+i, hosts))
			vm := storagetest.Instance(firstConsumer + i)
			c.PutRecords(versioned.Change{After: vm})
		}
		c.Ops = append(c.Ops, op)
		apply(c)
	}
}

// filled returns a file with the cloud that fill makes.
func filled(tb testing.TB, hosts, instances uint64) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "placetop.db")
	s := must.Get(bolt.Open(tb.Context(), path, engine.Options{Clock: storagetest.Clock()}))(tb)
	fill(tb, s, hosts, instances)
	must.Succeed(tb, s.Close())
	return path
}

// BenchmarkImport writes a whole cloud into a new file with one change.
func BenchmarkImport(b *testing.B) {
	const hosts, instances = 10_000, 133_334
	from := must.Get(bolt.Engine{}.Peek(b.Context(), filled(b, hosts, instances)))(b)
	var all []versioned.Change
	for r := range from.Records() {
		all = append(all, versioned.Change{After: r})
	}
	b.ResetTimer()
	for b.Loop() {
		s := open(b, filepath.Join(b.TempDir(), "placetop.db"), engine.Options{})
		must.Get(s.Apply(b.Context(), cloud.PutRecords("bench", "import", all)).Result())(b)
		must.Succeed(b, s.Close())
	}
	b.ReportMetric(float64(len(all)), "records")
}

// BenchmarkCommit is the least that a commit costs: bbolt writes 400 bytes and syncs.
// Compare BenchmarkClaim with it.
func BenchmarkCommit(b *testing.B) {
	db := must.Get(bbolt.Open(filepath.Join(b.TempDir(), "raw.db"), 0o600, &bbolt.Options{InitialMmapSize: 1 << 30, NoStatistics: true}))(b)
	value := make([]byte, 400)
	n := uint64(0)
	for b.Loop() {
		err := db.Update(func(tx *bbolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte("records"))
			if err != nil {
				return err
			}
			n++
			return bucket.Put(binary.BigEndian.AppendUint64(nil, n*0x9E3779B97F4A7C15), value)
		})
		must.Succeed(b, err)
	}
	must.Succeed(b, db.Close())
}

// BenchmarkClaim is a claim of three classes on disk, each by another client that waits
// for the answer.
func BenchmarkClaim(b *testing.B) {
	for _, hosts := range []uint64{12, 10_000} {
		path := filled(b, hosts, hosts*13)
		for _, clients := range []int{1, 16, 64} {
			b.Run(fmt.Sprintf("%d hosts, %d clients", hosts, clients), func(b *testing.B) {
				s := open(b, path, engine.Options{})
				var next atomic.Uint64
				base := (2 + uint64(s.Snapshot().Revision())) << 32
				b.ResetTimer()
				before := processTime()
				var all sync.WaitGroup
				for range clients {
					all.Go(func() {
						for {
							n := next.Add(1)
							if n > uint64(b.N) {
								return
							}
							c := cloud.Change{Actor: "bench", Note: "claim", Ops: []placement.Op{
								placement.ReplaceAllocations{Consumers: []placement.Claim{claims(base+n, hosts)}},
							}}
							if err := s.Apply(b.Context(), c).Err(); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "claims/s")
				b.ReportMetric(float64((processTime()-before).Microseconds())/float64(b.N), "cpu-us/claim")
				b.StopTimer()
				if err := s.Close(); err != nil && !errors.Is(err, storage.ErrClosed) {
					b.Fatal(err)
				}
			})
		}
	}
}

func processTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
