//go:build etcd

package etcd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/etcd"
	"github.com/placetop/placetop/storage/storagetest"
)

// measureTime is for how long each figure is measured.
const measureTime = 3 * time.Second

// measured is what a process of a benchmark prints.
type measured struct {
	Claims, Commits int64
	Opened          time.Duration
	Heap            uint64 // bytes that are used once the cloud is open
}

// measure opens a place, claims units with so many clients at a time, and prints what that was:
// it is the job of a process.
func measure(job []string) error {
	place := job[0]
	number, err := strconv.ParseUint(job[2], 10, 8)
	if err != nil {
		return err
	}
	clients, err := strconv.Atoi(job[3])
	if err != nil {
		return err
	}
	began := time.Now()
	var is measured
	var claims, commits atomic.Int64
	o := engine.Options{Clock: time.Now, Version: "test", Committed: func(engine.Commit) { commits.Add(1) }}
	var s storage.Store
	if strings.HasPrefix(place, "etcd:") {
		s, err = etcd.Engine{}.Open(context.Background(), place, o)
	} else {
		s, err = bolt.Engine{}.Open(context.Background(), place, o)
	}
	if err != nil {
		return err
	}
	is.Opened = time.Since(began)
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	is.Heap = memory.HeapAlloc
	var next atomic.Uint64
	next.Store((number + 1) * 10_000_000)
	err = together(clients, func() error {
		c := storagetest.Claim(next.Add(1), storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})
		claims.Add(1)
		return s.Apply(context.Background(), c).Err()
	})
	is.Claims, is.Commits = claims.Load(), commits.Load()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(is)
	}
	if err == nil {
		err = s.Close()
	}
	return err
}

// together has so many clients do something again and again for measureTime.
func together(clients int, do func() error) error {
	var all sync.WaitGroup
	var failed atomic.Pointer[error]
	until := time.Now().Add(measureTime)
	for range clients {
		all.Go(func() {
			for time.Now().Before(until) {
				if err := do(); err != nil {
					failed.Store(&err)
					return
				}
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// processesOf runs so many processes that measure the same place, and returns what they print,
// added up.
func processesOf(b *testing.B, place string, processes, clients int) (all measured) {
	b.Helper()
	var cmds []*exec.Cmd
	var outs []*strings.Builder
	for n := range processes {
		cmd, out := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^$"), &strings.Builder{}
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s measure %d %d", childVar, place, n, clients))
		cmd.Stderr, cmd.Stdout = os.Stderr, out
		must.Succeed(b, cmd.Start())
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	for n, cmd := range cmds {
		must.Succeed(b, cmd.Wait())
		var one measured
		must.Succeed(b, json.Unmarshal([]byte(outs[n].String()), &one))
		all.Claims, all.Commits = all.Claims+one.Claims, all.Commits+one.Commits
		all.Opened, all.Heap = max(all.Opened, one.Opened), max(all.Heap, one.Heap)
	}
	return all
}

func perSecond(b *testing.B, n int64, what string) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(n)/measureTime.Seconds(), what)
}

// BenchmarkEtcd measures a cloud in an etcd of three members on this machine beside one in a
// file, and bare values in that etcd. Commits of a cloud come one after the other, however many
// processes write: commits/put is how many there are for each value that a single client puts.
// Each figure takes a fixed time: run it with -benchtime 1x.
func BenchmarkEtcd(b *testing.B) {
	c := begin(b)
	client := c.client()
	begins := func(b *testing.B, place string, s storage.Store, err error) string {
		must.Succeed(b, err)
		must.Succeed(b, s.Apply(b.Context(), cloud.Change{Ops: storagetest.Host(1, 500_000, 4)}).Err())
		must.Succeed(b, s.Close())
		return place
	}
	puts := int64(0) // of a single client
	for _, clients := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("puts/clients=%d", clients), func(b *testing.B) {
			var n atomic.Int64
			must.Succeed(b, together(clients, func() error {
				_, err := client.Put(b.Context(), fmt.Sprint("put/", n.Add(1)%1000), strings.Repeat("x", 300))
				return err
			}))
			perSecond(b, n.Load(), "puts/s")
			if clients == 1 {
				puts = n.Load()
			}
		})
		b.Run(fmt.Sprintf("claims/file/clients=%d", clients), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "cloud.db")
			s, err := bolt.Open(b.Context(), path, engine.Options{Clock: time.Now})
			all := processesOf(b, begins(b, path, s, err), 1, clients)
			perSecond(b, all.Claims, "claims/s")
			perSecond(b, all.Commits, "commits/s")
		})
		for _, processes := range []int{1, 4} {
			b.Run(fmt.Sprintf("claims/etcd/processes=%d/clients=%d", processes, clients), func(b *testing.B) {
				place := c.place(fmt.Sprintf("bench%d-%d", processes, clients))
				s, err := etcd.Engine{}.Open(b.Context(), place, engine.Options{Clock: time.Now, Version: "test"})
				all := processesOf(b, begins(b, place, s, err), processes, clients)
				perSecond(b, all.Claims, "claims/s")
				perSecond(b, all.Commits, "commits/s")
				b.ReportMetric(float64(all.Commits)/float64(max(puts, 1)), "commits/put")
			})
		}
	}
	b.Run("lag", func(b *testing.B) { lag(b, c) })
	b.Run("open", func(b *testing.B) {
		path, place := filepath.Join(b.TempDir(), "cloud.db"), c.place("open")
		file, err := bolt.Open(b.Context(), path, engine.Options{Clock: time.Now})
		must.Succeed(b, err)
		in := must.Get(etcd.Engine{}.Open(b.Context(), place, engine.Options{Clock: time.Now, Version: "test"}))(b)
		for _, s := range []storage.Store{file, in} {
			for change := range must.Get(demo.Build(demo.Options{Hosts: 10_000, Seed: 1, Now: time.Now()}))(b) {
				must.Succeed(b, s.Apply(b.Context(), change).Err())
			}
			must.Succeed(b, s.Close())
		}
		for name, at := range map[string]string{"file": path, "etcd": place} {
			is := processesOf(b, at, 1, 0)
			b.ReportMetric(float64(is.Opened.Milliseconds()), name+"-ms")
			b.ReportMetric(float64(is.Heap>>20), name+"-MiB")
		}
		b.ReportMetric(0, "ns/op")
	})
}

// lag writes 1,000 claims a second, and measures how long each takes until another process
// would have it.
func lag(b *testing.B, c *cluster) {
	b.Helper()
	s, other := open(b, c.place("lag"), time.Now), open(b, c.place("lag"), time.Now)
	must.Succeed(b, s.Apply(b.Context(), cloud.Change{Ops: storagetest.Host(1, 500_000, 4)}).Err())
	var mu sync.Mutex
	written := map[cloud.Revision]time.Time{}
	var took []time.Duration
	ctx, stop := context.WithCancel(b.Context())
	news := other.Watch(ctx)
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		last := cloud.Revision(1)
		for to := range news {
			now := time.Now()
			mu.Lock()
			for ; last < to; last++ {
				if at, known := written[last+1]; known { // else it was here before its writer knew
					took = append(took, now.Sub(at))
				} else {
					took = append(took, 0)
				}
			}
			mu.Unlock()
		}
	}()
	var n atomic.Uint64
	began := time.Now()
	must.Succeed(b, together(64, func() error {
		mine := n.Add(1)
		time.Sleep(time.Until(began.Add(time.Duration(mine) * time.Millisecond)))
		done, err := s.Apply(b.Context(), storagetest.Claim(100+mine, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})).Result()
		mu.Lock()
		written[done.Event.Revision] = time.Now()
		mu.Unlock()
		return err
	}))
	time.Sleep(time.Second)
	stop()
	<-seen
	slices.Sort(took)
	perSecond(b, int64(len(took)), "claims/s")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1e3, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1e3, "p99-ms")
}
