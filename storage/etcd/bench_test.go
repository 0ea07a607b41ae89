//go:build etcd

package etcd_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/storagetest"
)

// BenchmarkClaim writes claims with one client and with several, to a file, to an etcd of
// three members on this machine, and bare values to that.
func BenchmarkClaim(b *testing.B) {
	c := begin(b)
	client := c.client()
	var n atomic.Uint64
	for _, clients := range []int{1, 16} {
		each := func(name string, do func(n uint64) error) {
			b.Run(fmt.Sprint(name, "/", clients), func(b *testing.B) {
				var all sync.WaitGroup
				var left atomic.Int64
				left.Store(int64(b.N))
				for range clients {
					all.Go(func() {
						for left.Add(-1) >= 0 {
							if err := do(n.Add(1)); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
			})
		}
		claims := func(name string, s cloud.Writer) {
			must.Succeed(b, s.Apply(b.Context(), cloud.Change{Ops: storagetest.Host(1, 500_000, 4)}).Err())
			each(name, func(n uint64) error {
				return s.Apply(b.Context(), storagetest.Claim(100+n, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})).Err()
			})
		}
		file, err := bolt.Open(b.Context(), filepath.Join(b.TempDir(), "cloud.db"), bolt.Options{Clock: time.Now})
		must.Succeed(b, err)
		claims("bolt", file)
		must.Succeed(b, file.Close())
		claims("etcd", open(b, c.place(fmt.Sprint("bench", clients)), time.Now))
		each("put", func(n uint64) error {
			_, err := client.Put(b.Context(), fmt.Sprint("put/", n%1000), "some value of about the length of an entry")
			return err
		})
	}
}
