package rest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/storagetest"
)

// made caches the clouds of the benchmarks, which take a while to make.
var made sync.Map // *cloud.Snapshot by hosts

func bigCloud(b *testing.B, hosts int) *cloud.Snapshot {
	b.Helper()
	if s, ok := made.Load(hosts); ok {
		return s.(*cloud.Snapshot)
	}
	size := modeltest.Big()
	size.Hosts = hosts
	records, _ := size.Records()
	loader := cloud.NewLoader()
	for _, r := range records {
		must.Succeed(b, loader.Add(r))
	}
	s := must.Get(loader.Snapshot(1, modeltest.At(0)))(b)
	made.Store(hosts, s)
	return s
}

// discarded is an answer that nobody reads.
type discarded struct {
	header       http.Header
	status, size int
}

func (w *discarded) Header() http.Header    { return w.header }
func (w *discarded) WriteHeader(status int) { w.status = status }

func (w *discarded) Write(b []byte) (int, error) {
	w.size += len(b)
	return len(b), nil
}

// BenchmarkGet sends the requests of schedulers and operators, without a network.
func BenchmarkGet(b *testing.B) {
	for _, hosts := range []int{1_000, 10_000} {
		s := bigCloud(b, hosts)
		h := admin(rest.New(memory.New(memory.Options{Clock: storagetest.Clock(), Start: s}), rest.Options{Clock: storagetest.Clock()}))
		some, _ := s.Placement().ProviderByName("compute-00007.example.org")
		for _, q := range []struct{ name, path string }{
			{"candidates", "/allocation_candidates?resources=VCPU:4,MEMORY_MB:4096,DISK_GB:40&limit=100"},
			{"granular", "/allocation_candidates?resources=VCPU:4,MEMORY_MB:8192&resources_N=VGPU:1&required_N=OWNER_NOVA&resources_C=VGPU:1&required_C=OWNER_CYBORG&group_policy=isolate&limit=100"},
			{"providers", "/resource_providers?resources=VGPU:1&required=OWNER_CYBORG"},
			{"in a tree", "/resource_providers?in_tree=" + some.ID().String()},
			{"provider", "/resource_providers/" + some.ID().String()},
			{"allocations", "/resource_providers/" + some.ID().String() + "/allocations"},
		} {
			b.Run(fmt.Sprintf("%s/hosts=%d", q.name, hosts), func(b *testing.B) {
				b.ReportAllocs()
				size := 0
				for b.Loop() {
					w := &discarded{header: http.Header{}}
					r := httptest.NewRequest("GET", q.path, nil)
					r.Header.Set("OpenStack-API-Version", "placement 1.39")
					h.ServeHTTP(w, r)
					if size = w.size; w.status != 200 || size < 200 {
						b.Fatalf("%d, %d bytes", w.status, w.size)
					}
				}
				b.ReportMetric(float64(size), "B/answer")
			})
		}
	}
}

// BenchmarkClaims puts a claim of three classes and deletes it, over loopback and on
// disk.
func BenchmarkClaims(b *testing.B) {
	for _, clients := range []int{1, 2, 16, 64} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			store := must.Get(bolt.Open(b.Context(), filepath.Join(b.TempDir(), "cloud.db"), engine.Options{Clock: storagetest.Clock()}))(b)
			defer store.Close()
			const hosts = 1000
			for i := range uint64(hosts) {
				must.Get(store.Apply(b.Context(), cloud.Change{Ops: storagetest.Host(1+2*i, 1<<18, 1<<18)}).Result())(b)
			}
			server := httptest.NewServer(admin(rest.New(store, rest.Options{Clock: storagetest.Clock()})))
			defer server.Close()
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
			var next atomic.Uint64
			var all sync.WaitGroup
			b.ResetTimer()
			for range clients {
				all.Go(func() {
					for {
						n := next.Add(1)
						if n > uint64(b.N) {
							return
						}
						claimAndRelease(b, client, server.URL, n, 1+2*(n%hosts))
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
		})
	}
}

func claimAndRelease(b *testing.B, client *http.Client, url string, n, host uint64) {
	at := url + "/allocations/" + storagetest.Consumer(1<<32+n).String()
	body := fmt.Sprintf(`{"allocations": {"%s": {"resources": {"VCPU": 1, "MEMORY_MB": 1024}}, "%s": {"resources": {"VGPU": 1}}},
		"project_id": "8f6b3c0e5d7a4c1b9e2f", "user_id": "c4a1d2e3f4b5a697", "consumer_generation": null, "consumer_type": "INSTANCE"}`,
		storagetest.Provider(host), storagetest.Provider(host+1))
	for _, method := range []string{"PUT", "DELETE"} {
		r, err := http.NewRequestWithContext(b.Context(), method, at, strings.NewReader(body))
		if err != nil {
			b.Error(err)
			return
		}
		r.Header.Set("OpenStack-API-Version", "placement 1.39")
		r.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(r)
		if err != nil {
			b.Error(err)
			return
		}
		said, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusNoContent {
			b.Errorf("%d %s", resp.StatusCode, said)
		}
		body = ""
	}
}
