package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/storagetest"
)

// cutter is a service whose connection is cut at one of its messages.
type cutter struct {
	of http.Handler

	mu    sync.Mutex
	armed bool
	n     int    // messages since it was armed
	at    int    // where it is cut
	where string // "before" the service gets the request, "within" its answer, "behind" the request, so that no answer comes
	stays bool   // the service is away from there on
}

// arm has the connection cut at message at from now on.
func (c *cutter) arm(at int, where string, stays bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed, c.n, c.at, c.where, c.stays = true, 0, at, where, stays
}

// disarm mends the connection, and reports whether it was cut.
func (c *cutter) disarm() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = false
	return c.n > c.at
}

// ServeHTTP implements http.Handler.
func (c *cutter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	where := ""
	switch {
	case c.armed && c.n == c.at:
		where = c.where
	case c.armed && c.n > c.at && c.stays:
		where = "before"
	}
	c.n++
	c.mu.Unlock()
	switch where {
	case "":
		c.of.ServeHTTP(w, r)
		return
	case "before":
	default:
		answer := httptest.NewRecorder()
		c.of.ServeHTTP(answer, r)
		if half := answer.Body.Len() / 2; where == "within" && half > 0 {
			w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
			w.Header().Set("Content-Length", fmt.Sprint(answer.Body.Len()))
			w.WriteHeader(answer.Code)
			_, _ = w.Write(answer.Body.Bytes()[:half])
		}
	}
	panic(http.ErrAbortHandler)
}

// keepingNova is a fake Nova that keeps what is written to its services, flavors and host
// aggregates.
type keepingNova struct {
	mu                            sync.Mutex
	services, flavors, aggregates []object
	writes                        int // done so far
}

// ServeHTTP implements http.Handler.
func (k *keepingNova) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	body := map[string]json.RawMessage{}
	text, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(text, &body)
	answer, code := any(object{}), http.StatusOK
	if r.Method != http.MethodGet {
		k.writes++
	}
	add := func(to *[]object, key string, more object) {
		one := object{}
		_ = json.Unmarshal(body[key], &one)
		for k, v := range more {
			one[k] = v
		}
		*to = append(*to, one)
		answer = object{key: one}
	}
	switch path := r.Method + " " + r.URL.Path; {
	case path == "GET /os-services":
		answer = object{"services": k.services}
	case path == "GET /flavors/detail":
		answer = object{"flavors": k.flavors}
	case path == "GET /os-aggregates":
		answer = object{"aggregates": k.aggregates}
	case path == "GET /os-hypervisors/detail":
		answer = object{"hypervisors": []object{{"id": storagetest.Provider(1).String(), "hypervisor_hostname": "cmp-00001", "service": object{"host": "cmp-00001"}}}}
	case path == "GET /servers/detail":
		answer = object{"servers": []object{}}
	case path == "GET /os-migrations":
		answer = object{"migrations": []object{}}
	case path == "PUT /os-services/disable":
		k.services[0]["status"] = "disabled"
	case path == "POST /flavors":
		add(&k.flavors, "flavor", object{"os-flavor-access:is_public": true})
	case strings.HasSuffix(path, "/os-extra_specs"):
		k.flavors[len(k.flavors)-1]["extra_specs"] = body["extra_specs"]
	case path == "POST /os-aggregates":
		add(&k.aggregates, "aggregate", object{"id": 1, "uuid": storagetest.Number(77).String()})
	case path == "POST /os-aggregates/1/action":
		set := struct{ Metadata map[string]string }{}
		_ = json.Unmarshal(body["set_metadata"], &set)
		k.aggregates[0]["metadata"] = set.Metadata
	default:
		answer, code = object{"itemNotFound": object{"message": "it is not there"}}, http.StatusNotFound
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(answer)
}

// TestCutAtEachMessage cuts the connection to Placement, or to Nova, at each message of a
// write, for a moment or for good: what is reported as kept is there, and as a whole; of
// what is refused nothing is there; and only then it may be in doubt when the answer to a
// call was lost.
func TestCutAtEachMessage(t *testing.T) {
	t.Parallel()
	root, whatever := storagetest.Provider(1), placement.AnyGeneration()
	provider := func(s *cloud.Snapshot) *placement.ResourceProvider {
		p, _ := s.Placement().Provider(root)
		return p
	}
	holds := func(n uint64) func(s *cloud.Snapshot) bool {
		return func(s *cloud.Snapshot) bool { _, ok := s.Placement().Consumer(storagetest.Consumer(n)); return ok }
	}
	cases := map[string]cutCase{
		"a claim": {storagetest.Claim(11, root, storagetest.Resources{placement.VCPU: 2}).Ops, 1, false, holds(11)},
		"a release, its owner is asked": {
			[]cloud.Op{placement.DeleteAllocations{Consumer: storagetest.Consumer(10)}},
			1, false,
			func(s *cloud.Snapshot) bool { return !holds(10)(s) },
		},
		"a new trait of a provider": {
			[]cloud.Op{placement.CreateTrait{Name: "CUSTOM_T"}, placement.SetTraits{Provider: root, Generation: whatever, Traits: []placement.Trait{"CUSTOM_T"}}},
			2, false,
			func(s *cloud.Snapshot) bool { return len(s.Placement().TraitsOf(provider(s))) == 1 },
		},
		"another name": {
			[]cloud.Op{placement.UpdateProvider{ID: root, Name: "other"}},
			1, false,
			func(s *cloud.Snapshot) bool { return provider(s).Name() == "other" },
		},
		"a flavor and its specs": {
			[]cloud.Op{nova.CreateFlavor{Flavor: &nova.Flavor{Name: "f", FlavorID: "9", VCPUs: 1, MemoryMB: 64, ExtraSpecs: map[string]string{"hw:cpu_policy": "shared"}}}},
			2, true,
			func(s *cloud.Snapshot) bool { f, ok := s.Nova().FlavorNamed("f"); return ok && len(f.ExtraSpecs) == 1 },
		},
		"an aggregate and its metadata": {
			[]cloud.Op{nova.CreateAggregate{UUID: placement.AggregateID(storagetest.Number(78)), Name: "red", Metadata: map[string]string{"color": "red"}}},
			2, true,
			func(s *cloud.Snapshot) bool {
				for a := range s.Nova().Aggregates() {
					return a.Name == "red" && a.Metadata["color"] == "red"
				}
				return false
			},
		},
		"a service": {
			[]cloud.Op{nova.DisableService{Host: "cmp-00001", Binary: nova.Compute}},
			1, true,
			func(s *cloud.Snapshot) bool {
				svc, _ := s.Nova().Service("cmp-00001", nova.Compute)
				return svc.Disabled
			},
		},
	}
	stride, starts := storagetest.Stride(3), 0
	for name, test := range cases {
		for _, of := range []api.Service{api.Placement, api.Compute} {
			for _, where := range []string{"before", "within", "behind"} {
				for _, stays := range []bool{false, true} {
					if stays && where == "within" {
						continue // as behind
					}
					starts++
					n := starts % stride
					t.Run(fmt.Sprintf("%s: %s is cut %s, for good: %t", name, of, where, stays), func(t *testing.T) {
						t.Parallel()
						for test.cutAt(t, of, n, where, stays) {
							n += stride
						}
						t.Logf("up to %d messages", n)
					})
				}
			}
		}
	}
}

// cutCase is a write of which a connection is cut.
type cutCase struct {
	ops    []cloud.Op
	writes int  // calls that it takes
	nova   bool // they are Nova's
	there  func(s *cloud.Snapshot) bool
}

// cutAt writes once, and has the connection to a service cut at message n. It reports
// whether there were that many messages.
func (c cutCase) cutAt(t *testing.T, of api.Service, n int, where string, stays bool) bool {
	t.Helper()
	w := newWorld(t, 0)
	defer w.Close()
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	w.do(t, storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1}))
	kept := &keepingNova{services: []object{{"id": storagetest.Number(5).String(), "binary": "nova-compute", "host": "cmp-00001", "status": "enabled", "state": "up"}}}
	h := rest.New(w.kept, rest.Options{Clock: storagetest.Clock()})
	at := map[api.Service]*cutter{api.Compute: {of: kept}, api.Placement: {of: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(out, r.WithContext(rest.WithCaller(r.Context(), rest.Caller{User: "a", Roles: []string{rest.RoleAdmin, rest.RoleService}})))
	})}}
	servers := map[api.Service]*httptest.Server{}
	for name, one := range at {
		servers[name] = httptest.NewServer(one)
		defer servers[name].Close()
	}
	call := must.Get(dialEndpoint(t.Context(), servers[api.Placement].URL, token(t, "secret\n"), DefaultInFlight, nil))(t)
	call.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	call.services[api.Compute] = &service{name: api.Compute, address: servers[api.Compute].URL, minor: computeNewest}
	s := must.Get(newStore(t.Context(), call, options{scheme: "http", clock: storagetest.Clock(), can: cloud.Capabilities{Cannot: call.cannot}}))(t)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	revision := w.kept.Snapshot().Revision()
	done := func() int {
		if c.nova {
			kept.mu.Lock()
			defer kept.mu.Unlock()
			return kept.writes
		}
		return int(w.kept.Snapshot().Revision() - revision)
	}
	at[of].arm(n, where, stays)
	commit, err := s.Apply(t.Context(), cloud.Change{Actor: "me", Ops: c.ops}).Result()
	was := at[of].disarm()
	switch {
	case err == nil && done() != c.writes:
		t.Errorf("cut at %d: it is kept, and %d of %d calls were done", n, done(), c.writes)
	case err != nil && !errors.Is(err, cloud.ErrInDoubt) && done() > 0:
		t.Errorf("cut at %d: it is refused (%v), and %d of %d calls were done", n, err, done(), c.writes)
	case err != nil && !was:
		t.Errorf("%v, and nothing was cut", err)
	case errors.Is(err, cloud.ErrInDoubt) && !c.nova && of == api.Compute:
		t.Errorf("cut at %d: what Nova says does not matter for what Placement keeps: %v", n, err)
	}
	must.Succeed(t, s.Refresh(t.Context()))
	w.same(t, s)
	if err == nil && (!c.there(commit.Snapshot) || !c.there(s.Snapshot())) {
		t.Errorf("cut at %d: it is kept, and is shown at once: %t, and later: %t", n, c.there(commit.Snapshot), c.there(s.Snapshot()))
	}
	return was
}
