package remote

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/storagetest"
)

// world is a Placement, and the store behind it.
type world struct {
	*httptest.Server
	kept *memory.Store

	mu   sync.Mutex
	seen []string                                          // requests
	odd  func(w http.ResponseWriter, r *http.Request) bool // answers instead of the service
	now  atomic.Int32                                      // in flight
	most atomic.Int32
}

// newWorld serves a made-up cloud of hosts; 0 for an empty one.
func newWorld(t *testing.T, hosts int) *world {
	t.Helper()
	o := memory.Options{Clock: storagetest.Clock()}
	if hosts > 0 {
		o.Start = demotest.Snapshot(t, demo.Options{Hosts: hosts, Seed: 1, Now: storagetest.Start})
	}
	w := &world{kept: memory.New(o)}
	h := rest.New(w.kept, rest.Options{Clock: storagetest.Clock()})
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.most.Store(max(w.most.Load(), w.now.Add(1)))
		defer w.now.Add(-1)
		w.mu.Lock()
		w.seen = append(w.seen, r.Method+" "+r.URL.Path)
		odd := w.odd
		w.mu.Unlock()
		if odd != nil && odd(out, r) {
			return
		}
		if r.URL.Path != "/" && r.Header.Get("X-Auth-Token") != "secret" {
			out.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(out, r.WithContext(rest.WithCaller(r.Context(), rest.Caller{User: "a", Roles: []string{rest.RoleAdmin, rest.RoleService}})))
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *world) do(t *testing.T, c cloud.Change) {
	t.Helper()
	must.Succeed(t, w.kept.Apply(t.Context(), c).Err())
}

// requests returns the requests since the last time.
func (w *world) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	return seen
}

func (w *world) answer(odd func(w http.ResponseWriter, r *http.Request) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.odd = odd
}

// token returns a file with a token.
func token(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// open opens the Placement of a world.
func (w *world) open(t *testing.T) (*Store, error) {
	t.Helper()
	call, err := dialEndpoint(t.Context(), w.URL, token(t, "secret\n"), DefaultInFlight, nil)
	if err != nil {
		return nil, err
	}
	call.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	s, err := newStore(t.Context(), call, options{scheme: "http", clock: storagetest.Clock(), can: cloud.Capabilities{ReadOnly: "a test"}})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, nil
}

func (w *world) mustOpen(t *testing.T) *Store {
	t.Helper()
	s := must.Get(w.open(t))(t)
	return s
}

// same checks that what is shown of Placement is what there is. The API reports neither
// times nor the numbers of custom names.
func (w *world) same(t *testing.T, s *Store) {
	t.Helper()
	said := func(p *placement.Snapshot) (out []versioned.Record) {
		for r := range p.Records() {
			switch r := r.(type) {
			case *placement.ProviderRecord:
				r.Created, r.Updated = 0, 0
			case *placement.ConsumerRecord:
				r.Created, r.Updated = 0, 0
			case *placement.ClassRecord:
				r.ID = 0
			case *placement.TraitRecord:
				r.ID = 0
			}
			out = append(out, r)
		}
		key := func(r versioned.Record) string {
			switch r := r.(type) {
			case *placement.ClassRecord:
				return "class " + string(r.Name)
			case *placement.TraitRecord:
				return "trait " + string(r.Name)
			}
			return string(r.RecordKind()) + string(r.RecordKey())
		}
		slices.SortFunc(out, func(a, b versioned.Record) int {
			return strings.Compare(key(a), key(b))
		})
		return out
	}
	must.Match(t, said(w.kept.Snapshot().Placement()), said(s.Snapshot().Placement()))
	if errs := s.Snapshot().Placement().Check(); len(errs) > 0 {
		t.Error(errs)
	}
}

// TestReadsAWholeCloud reads all of a Placement, with as many requests as the package
// says.
func TestReadsAWholeCloud(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 12)
	s := w.mustOpen(t)
	w.same(t, s)
	p := w.kept.Snapshot().Placement()
	want := map[string]int{"lists": 4, "aggregates": p.ProviderCount()}
	for rp := range p.Providers() {
		if len(rp.Inventories()) > 0 {
			want["inventories"]++
		}
	}
	told := map[placement.ConsumerID]bool{} // these report all that they hold, which covers the rest
	for rp := range p.Roots() {
		for c := range p.ConsumersOf(rp) {
			told[c.ID()] = true
		}
	}
	for rp := range p.Providers() {
		ask := rp.IsRoot() && p.HasConsumers(rp)
		for c := range p.ConsumersOf(rp) {
			ask = ask || !told[c.ID()]
		}
		if ask {
			want["allocations"]++
		}
	}
	for range p.Consumers() {
		want["consumers"]++
	}
	seen := w.requests()
	got := map[string]int{}
	for _, r := range seen {
		switch part := strings.Split(strings.TrimPrefix(r, "GET /"), "/"); {
		case len(part) == 3:
			got[part[2]]++
		case part[0] == "allocations":
			got["consumers"]++
		case part[0] == "allocation_candidates":
			if got[part[0]]++; got[part[0]] > 8 {
				t.Error("it asks again and again for candidates")
			}
		default:
			got["lists"]++
		}
	}
	delete(got, "allocation_candidates")
	if diff := cmp.Diff(want, got); diff != "" || int(s.Link().Requests)+1 != len(seen) {
		t.Errorf("it tells of %d of %d requests\n%s", s.Link().Requests, len(seen), diff)
	}
	if most := w.most.Load(); most > DefaultInFlight {
		t.Errorf("%d requests at a time", most)
	}
	for _, r := range seen {
		if !strings.HasPrefix(r, "GET ") {
			t.Error(r)
		}
	}
	if l := s.Link(); l.At.IsZero() || l.Lost != "" || l.Doing != "" {
		t.Errorf("%+v", l)
	}
}

// TestRefreshReadsWhatChanged has another client write, and reads no more than that.
func TestRefreshReadsWhatChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	for n := range uint64(20) {
		w.do(t, cloud.Change{Ops: storagetest.Host(1+2*n, 8, 4)})
		w.do(t, storagetest.Claim(100+n, storagetest.Provider(1+2*n), storagetest.Resources{placement.VCPU: 2}))
	}
	s := w.mustOpen(t)
	w.same(t, s)
	for _, test := range []struct {
		name string
		ops  []placement.Op
		most int // the most requests beyond those of a reading without changes
	}{
		{"nothing", nil, 0},
		{"a claim", storagetest.Claim(500, storagetest.Provider(3), storagetest.Resources{placement.VCPU: 1}).Ops, 5},
		{"a release that moves no generation", []placement.Op{placement.DeleteAllocations{Consumer: storagetest.Consumer(105)}}, 20},
		{"a trait", []placement.Op{
			placement.CreateTrait{Name: "CUSTOM_FAST"},
			placement.SetTraits{Provider: storagetest.Provider(5), Generation: placement.AnyGeneration(), Traits: []placement.Trait{"CUSTOM_FAST"}},
		}, 4},
		{"a class", []placement.Op{
			placement.CreateClass{Name: "CUSTOM_GPU"},
			placement.AddInventory{Provider: storagetest.Provider(5), Generation: placement.AnyGeneration(), Class: "CUSTOM_GPU", Inventory: placement.NewInventory(4)},
		}, 4},
		{"an aggregate", []placement.Op{placement.SetAggregates{
			Provider: storagetest.Provider(5), Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{placement.AggregateID(storagetest.Number(9))},
		}}, 4},
		{"a provider more", []placement.Op{placement.CreateProvider{ID: storagetest.Provider(900), Name: "new", Parent: storagetest.Provider(5)}}, 3},
		{"a provider less", []placement.Op{placement.DeleteProvider{ID: storagetest.Provider(900)}}, 0},
		{"names that change places", []placement.Op{
			placement.UpdateProvider{ID: storagetest.Provider(1), Name: "x"},
			placement.UpdateProvider{ID: storagetest.Provider(3), Name: "cmp-00001"},
			placement.UpdateProvider{ID: storagetest.Provider(1), Name: "cmp-00003"},
		}, 8},
	} {
		before := s.Snapshot().Revision()
		if len(test.ops) > 0 {
			w.do(t, cloud.Change{Ops: test.ops})
		}
		w.requests()
		must.Succeed(t, s.Refresh(t.Context()))
		const always = 4 // providers, classes, traits, and usages of the one project
		if seen := w.requests(); len(seen) > always+test.most {
			t.Errorf("%s: %d requests, want at most %d: %q", test.name, len(seen), always+test.most, seen)
		}
		w.same(t, s)
		if moved := s.Snapshot().Revision() != before; moved != (len(test.ops) > 0) {
			t.Errorf("%s: revision %d after %d", test.name, s.Snapshot().Revision(), before)
		}
	}
	if found, err := s.Verify(t.Context()); err != nil || len(found) > 0 {
		t.Error(found, err)
	}
}

// TestFaults has a service fail in all the ways that have been seen in practice.
func TestFaults(t *testing.T) {
	t.Parallel()
	body := func(status int, kind, text string) func(w http.ResponseWriter, r *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/" {
				return false
			}
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text))
			return true
		}
	}
	for _, test := range []struct {
		name string
		odd  func(w http.ResponseWriter, r *http.Request) bool
		want string
	}{
		{"401", body(401, "application/json", `{}`), "placement GET /resource_providers: 401 Unauthorized: the token was refused"},
		{"403", body(403, "application/json", `{"errors": [{"status": 403, "detail": "Policy does not allow it.\n\n "}]}`), "403 Forbidden: Policy does not allow it; reading Placement requires admin"},
		{"500", body(500, "application/json", `{"errors": [{"status": 500, "detail": "bad luck \u001b[31m"}]}`), "bad luck"},
		{"500 of a proxy", body(500, "text/html", "<html>"), "the answer is not from the service, but from a proxy or the like"},
		{"HTML", body(200, "text/html", "<html>log in</html>"), "the answer is not JSON"},
		{"truncated", body(200, "application/json", `{"resource_providers": [{"uuid": "`), "the answer is incomplete"},
		{"another shape", body(200, "application/json", `{"resource_providers": 7}`), "the answer cannot be read"},
		{"elsewhere", func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "http://203.0.113.1/steal", http.StatusFound)
			return true
		}, "302 Found: it redirects elsewhere"},
		{"no address of Placement", body(404, "text/html", ""), "wrong address"},
		{"too old", func(w http.ResponseWriter, r *http.Request) bool {
			_, _ = w.Write([]byte(`{"versions": [{"max_version": "1.17"}]}`))
			return true
		}, "its newest microversion is 1.17, and 1.28 is needed"},
		{"no version", func(w http.ResponseWriter, r *http.Request) bool {
			_, _ = w.Write([]byte(`{}`))
			return true
		}, "no microversion in the answer: it may be another service"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 0)
			w.answer(test.odd)
			_, err := w.open(t)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v, want %q", err, test.want)
			}
			if !errors.Is(err, placement.ErrUnavailable) {
				t.Errorf("%v is not of its kind", err)
			}
		})
	}
}

// TestEndpointOfAnUnknownCA says what to set if there is no clouds.yaml.
func TestEndpointOfAnUnknownCA(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, err := dialEndpoint(t.Context(), s.URL, "", 1, nil)
	if err == nil || !strings.Contains(err.Error(), "SSL_CERT_FILE") || strings.Contains(err.Error(), "cacert") {
		t.Error(err)
	}
}

// TestTriesAgain has a service that is down for a moment.
func TestTriesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	var n atomic.Int32
	w.answer(func(out http.ResponseWriter, r *http.Request) bool {
		switch n.Add(1) % 7 {
		case 2:
			out.WriteHeader(http.StatusServiceUnavailable)
		case 5: // the connection ends in the middle of an answer
			out.Header().Set("Content-Length", "1000")
			_, _ = out.Write([]byte(`{"resource`))
		default:
			return false
		}
		return true
	})
	call := must.Get(dialEndpoint(t.Context(), w.URL, token(t, "secret"), 2, nil))(t)
	waits := 0
	var mu sync.Mutex
	call.pause = func(ctx context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		waits++
		return ctx.Err()
	}
	s := must.Get(newStore(t.Context(), call, options{clock: storagetest.Clock()}))(t)
	defer s.Close()
	w.answer(nil)
	w.same(t, s)
	if waits == 0 {
		t.Error("it came back at once")
	}
}

// TestLosesTheLink keeps the last good data while a cloud is down, and says so.
func TestLosesTheLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	s := w.mustOpen(t)
	linked := s.Linked(t.Context())
	w.answer(func(out http.ResponseWriter, _ *http.Request) bool {
		out.WriteHeader(http.StatusForbidden)
		return true
	})
	before := s.Link()
	if err := s.Refresh(t.Context()); err == nil {
		t.Fatal("it read from a cloud that refuses")
	}
	<-linked
	if l := s.Link(); l.Lost == "" || !l.At.Equal(before.At) {
		t.Errorf("%+v", l)
	}
	w.answer(nil)
	w.same(t, s)
	must.Succeed(t, s.Refresh(t.Context()))
	if l := s.Link(); l.Lost != "" {
		t.Errorf("%+v", l)
	}
	must.Succeed(t, s.Close())
	if err := s.Refresh(t.Context()); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	for range linked {
	}
}

// TestTokenIsReadAgain has a token expire while its file has a new one.
func TestTokenIsReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	path := token(t, "old")
	call := must.Get(dialEndpoint(t.Context(), w.URL, path, 1, nil))(t)
	if _, err := newStore(t.Context(), call, options{clock: storagetest.Clock()}); err == nil || !strings.Contains(err.Error(), "it still holds the token that was refused; write a new token to it") {
		t.Errorf("with a token that is not taken: %v", err)
	}
	must.Succeed(t, os.WriteFile(path, []byte("secret"), 0o600))
	call = must.Get(dialEndpoint(t.Context(), w.URL, path, 1, nil))(t)
	call.client.SetToken("old")
	s := must.Get(newStore(t.Context(), call, options{clock: storagetest.Clock()}))(t)
	defer s.Close()
	w.same(t, s)
}

// TestShowsSoon returns while the rest is still being read, and closes in the middle.
// What looks empty so far cannot be overwritten.
func TestShowsSoon(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	hold := make(chan struct{})
	w.answer(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/inventories") {
			select {
			case <-hold:
			case <-r.Context().Done():
			}
		}
		return false
	})
	e := Endpoint{Settings: Settings{TokenFile: token(t, "secret"), Write: true}}
	open := func() storage.Store {
		s := must.Get(e.Open(t.Context(), strings.TrimPrefix(w.URL, "http:"), engine.Options{Clock: storagetest.Clock(), Soon: true}))(t)
		return s
	}
	s := open()
	if n := s.Snapshot().Placement().ProviderCount(); n != w.kept.Snapshot().Placement().ProviderCount() {
		t.Errorf("%d providers are shown at first", n)
	}
	can := func() error {
		err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.CreateTrait{Name: "CUSTOM_T"}}}).Err()
		return err
	}
	if err := can(); !errors.Is(err, placement.ErrUnsupported) || !strings.Contains(err.Error(), "the cloud is still being read") {
		t.Errorf("half of it is read, and it is written: %v", err)
	}
	must.Succeed(t, s.Close())
	s = open()
	close(hold)
	if err := s.(*Store).Refresh(t.Context()); err != nil { // after the reading under way
		t.Fatal(err)
	}
	w.same(t, s.(*Store))
	if err := can(); err != nil {
		t.Error(err)
	}
	must.Succeed(t, s.Close())
}

// TestNova reads the answers of a Nova of the Zed release, beside what that wrote into
// Placement.
func TestNova(t *testing.T) {
	t.Parallel()
	r := newReader(nil, time.Now)
	list := func(file, key string, into any) {
		t.Helper()
		text := must.Get(os.ReadFile(filepath.Join("testdata", "nova", file+".json")))(t)
		var all map[string]json.RawMessage
		must.Succeed(t, json.Unmarshal(text, &all))
		if err := json.Unmarshal(all[key], into); err != nil {
			t.Fatal(file, err)
		}
	}
	n := &r.m.nova
	list("os-services", "services", &n.services)
	list("flavors", "flavors", &n.flavors)
	list("os-hypervisors", "hypervisors", &n.hypervisors)
	list("os-aggregates", "aggregates", &n.aggregates)
	list("servers", "servers", &n.servers)
	list("os-migrations", "migrations", &n.migrations)
	for i, h := range n.hypervisors {
		p := &provider{listed: listed{UUID: h.ID, Name: h.Name}, have: [parts]bool{true, true, true, true}}
		if i == 0 {
			p.traits = []placement.Trait{placement.OwnerNova}
		}
		r.m.providers[h.ID] = p
	}
	n.servers[0].Flavor.RAM++ // its flavor was edited after it was booted
	s, err := cloud.Load(1, storagetest.Start, func(yield func(versioned.Record, error) bool) {
		for _, r := range r.m.records() {
			if !yield(r, nil) {
				return
			}
		}
	})
	must.Succeed(t, err)
	g := s.Nova().Gate()
	if g.Open || !g.Judged || len(g.Holds) != 1 || !strings.Contains(g.Words(), "1 service lacks OWNER_NOVA on its providers") {
		t.Errorf("gate %+v: %s", g, g.Words())
	}
	must.Be(t, g.Holds[0].Why(storagetest.Start), "old: before 73, as OWNER_NOVA is not on its providers")
	count := 0
	for i := range s.Nova().Instances() {
		count++
		if _, ok := s.Nova().Flavor(i.Flavor); !ok {
			t.Errorf("%s has flavor %s, which is not there", i.Name, i.Flavor)
		}
	}
	must.Be(t, count, len(n.servers))
	for m := range s.Nova().Migrations() {
		if m.Status != nova.Finished || m.Type != nova.Resize || m.Created == 0 {
			t.Errorf("%+v", m)
		}
	}
	// Hosts in no aggregate are in the default zone of nova.conf, which only the API tells.
	for host, want := range map[string]string{"cmp-01": "zone-a", "cmp-02": "nova", "ctl-01": ""} {
		must.Be(t, s.Nova().ZoneOf(host), want)
	}
	for svc := range s.Nova().Services() {
		if svc.Updated == 0 || svc.Binary != nova.Compute && s.Nova().ServiceZone(svc) != "internal" {
			t.Errorf("%+v", svc)
		}
	}
	for i := range s.Nova().Instances() {
		must.Be(t, s.Nova().InstanceZone(i), "nova")
		must.Be(t, i.Zone, "") // it is not known which was requested
	}
	for _, of := range insight.Zones(s) {
		if of.Zone == "" {
			t.Errorf("some provider is in no zone: %+v", of)
		}
	}
}

// TestHeartbeats takes in that services have reported again without a new revision, and
// without a word in the journal.
func TestHeartbeats(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 1), newStandIn(t)
	id := uuid.New()
	report := func(at, state string) {
		in.says("/os-services", object{"services": []any{object{"id": id, "binary": "nova-compute", "host": "h1", "status": "enabled", "state": state, "updated_at": at}}})
	}
	report("2026-11-28T10:00:00", "up")
	s := w.openWith(t, api.Compute, in, computeNewest)
	for _, test := range []struct {
		at, state string
		events    int // how many more
	}{{"2026-11-28T10:00:10", "up", 0}, {"2026-11-28T10:00:20", "up", 0}, {"2026-11-28T10:00:20", "down", 1}} {
		before := s.Snapshot()
		report(test.at, test.state)
		must.Succeed(t, s.Refresh(t.Context()))
		now := s.Snapshot()
		svc, _ := now.Nova().Service("h1", nova.Compute)
		must.Be(t, versioned.Time(svc.Updated).Format("2006-01-02T15:04:05"), test.at)
		must.Be(t, int(now.Revision()-before.Revision()), test.events)
		events, err := s.Events(t.Context(), cloud.EventQuery{After: before.Revision()})
		must.Succeed(t, err)
		must.Be(t, len(events), test.events)
	}
	if found, err := s.Verify(t.Context()); err != nil || len(found) > 0 {
		t.Error(found, err)
	}
}

// TestClouds checks that the error for each wrong description names the file and the key.
func TestClouds(t *testing.T) {
	const right = "clouds:\n  a:\n    auth: {auth_url: http://127.0.0.1:1/v3, username: u, password: p, user_domain_id: d, project_id: x}\n"
	for _, test := range []struct{ name, main, secure, want string }{
		{"no such cloud", "clouds:\n  b: {}\n  c: {}\n", "", "no cloud a in it; it has b, c"},
		{"no clouds", "cloud: {}\n", "", "no clouds in it"},
		{"no YAML", "clouds: [\n", "", "it cannot be read"},
		{"tabs", "clouds:\n\ta: {}\n", "", "clouds.yaml: it cannot be read: line 2: found character that cannot start any token; indent with spaces only, and quote values that contain : or #"},
		{"a password in the address", strings.Replace(right, "http://", "http://u:p4ssw0rd@", 1), "", "clouds.yaml: auth.auth_url of cloud a has a user or password in it; put the user in auth.username"},
		{"a token in the address", strings.Replace(right, "http://", "https://p4ssw0rd@", 1), "", "auth.auth_url of cloud a has a user or password in it"},
		{"a password in an address that is none", strings.Replace(right, "http://", "http://u:p4ssw0rd/%@", 1), "", "auth.auth_url of cloud a has a user or password in it"},
		{"a password in the address, apart", "clouds:\n  a: {auth: {username: u, password: p, user_domain_id: d}}\n", "clouds: {a: {auth: {auth_url: 'http://u:p4ssw0rd@h'}}}\n", "auth.auth_url of cloud a has a user or password in it"},
		{"no address but words", strings.Replace(right, "http://127", "h//127", 1), "", "clouds.yaml: auth.auth_url of cloud a is not a URL; write one such as https://HOST:5000/v3"},
		{"no clouds by name", "clouds: [p4ssw0rd]\n", "", "it cannot be read: line 1: wrong type of value"},
		{"secure that is no YAML", right, "clouds: [p4ssw0rd\n", "secure.yaml: it cannot be read"},
		{"no auth", "clouds:\n  a: {}\n", "", "cloud a has no auth;"},
		{"no address", "clouds:\n  a: {auth: {username: u}}\n", "", "cloud a has no auth.auth_url"},
		{"no user", "clouds:\n  a: {auth: {auth_url: 'http://h'}}\n", "", "cloud a has no auth.username"},
		{"no password", "clouds:\n  a: {auth: {auth_url: 'http://h', username: u}}\n", "", "cloud a has no auth.password"},
		{"no domain of the user", "clouds:\n  a: {auth: {auth_url: 'http://h', username: u, password: p}}\n", "", "no auth.user_domain_name"},
		{"no domain of the project", "clouds:\n  a: {auth: {auth_url: 'http://h', user_id: u, password: p, project_name: x}}\n", "", "no auth.project_domain_name"},
		{"no secret", "clouds:\n  a: {auth: {auth_url: 'http://h', application_credential_id: u}}\n", "", "no auth.application_credential_secret"},
		{"another way in", right + "    auth_type: v9thing\n", "", `clouds.yaml: cloud a has auth_type v9thing, which is not supported; write one of admin_token, http_basic, none, password, token, v3applicationcredential, v3password, v3token, or leave it out`},
		{"another way in, apart", right, "clouds: {a: {auth_type: v3totp}}\n", "cloud a has auth_type v3totp"},
		{"a way in that is known", right + "    auth_type: v3password\n", "", "127.0.0.1:1 cannot be reached"},
		{"the password apart", "clouds:\n  a: {auth: {auth_url: 'http://127.0.0.1:1/v3', username: u, user_domain_id: d, project_id: x}}\n", "clouds: {a: {auth: {password: p4ssw0rd}}}\n", "identity POST /auth/tokens: 127.0.0.1:1 cannot be reached"},
		{"a CA that is not there", right + "    cacert: /nonexistent/ca.pem\n", "", "clouds.yaml: cacert of cloud a: /nonexistent/ca.pem cannot be read: no such file or directory; write the path of a PEM file"},
		{"a CA that is a folder, apart", right, "clouds: {a: {cacert: /}}\n", "cacert of cloud a: / cannot be read: is a directory"},
		{"a CA that is none", right + "    cacert: /dev/null\n", "", "cacert of cloud a: /dev/null has no certificate in it; write the path of the CA's certificate, in PEM"},
		{"a certificate without a key", right + "    cert: /dev/null\n", "", "cert is set without key of cloud a"},
		{"a key without a certificate", right + "    key: /dev/null\n", "", "key is set without cert of cloud a"},
		{"a certificate that is none", right + "    cert: /dev/null\n    key: /dev/null\n", "", "cert of cloud a and key of cloud a: failed to find any PEM data"},
		{"no such interface", right + "    interface: sideways\n", "", "clouds.yaml: interface of cloud a is sideways; write public, internal or admin"},
		{"no such interface, by its former key", right + "    endpoint_type: privateURL\n", "", "endpoint_type of cloud a is privateURL"},
		{"an interface by its former name", right + "    interface: internalURL\n", "", "127.0.0.1:1 cannot be reached"},
		{"another thing than a boolean", right + "    verify: p4ssw0rd\n", "", "clouds.yaml: verify of cloud a is neither true nor false; write true or false"},
		{"another scope", "clouds:\n  a: {auth: {auth_url: 'http://h', user_id: u, password: p, system_scope: some}}\n", "", "auth.system_scope of cloud a must be all; write all, or leave it out"},
		{"a credential's name without a user", "clouds:\n  a: {auth: {auth_url: 'http://h', application_credential_name: c, application_credential_secret: p4ssw0rd}}\n", "", "cloud a has no auth.username, which an application_credential_name needs; add it there"},
		{"a profile that is nowhere", "clouds:\n  a: {profile: vendor, auth: {username: u, password: p}}\n", "", "clouds.yaml: the profile of cloud a is vendor, but no clouds-public.yaml was found: looked for clouds-public.yaml"},
		{"away", right, "", "127.0.0.1:1 cannot be reached: connection refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv("OS_CLIENT_CONFIG_FILE", filepath.Join(folder, "clouds.yaml"))
			t.Setenv("XDG_CONFIG_HOME", folder)
			for name, text := range map[string]string{"clouds.yaml": test.main, "secure.yaml": test.secure} {
				must.Succeed(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
			}
			_, err := Cloud{}.Open(t.Context(), "a", engine.Options{Clock: storagetest.Clock()})
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "p4ssw0rd") {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// TestEnvironmentThatIsWrong names the variables if they describe a cloud, also where
// they override clouds.yaml.
func TestEnvironmentThatIsWrong(t *testing.T) {
	for _, test := range []struct {
		name, set, want string
	}{
		{EnvVars, "", "OS_AUTH_URL is not set"},
		{EnvVars, "OS_AUTH_URL=http://h", "the environment: OS_USERNAME is not set; set it, or source the openrc file again"},
		{EnvVars, "OS_AUTH_URL=http://h OS_USERNAME=u", "OS_PASSWORD is not set; set it"},
		{EnvVars, "OS_AUTH_URL=http://h OS_USERNAME=u OS_PASSWORD=p4ssw0rd", "OS_USER_DOMAIN_NAME is not set"},
		{EnvVars, "OS_AUTH_URL=http://h OS_TOKEN=t OS_AUTH_TYPE=v3totp", "OS_AUTH_TYPE is v3totp, which is not supported"},
		{EnvVars, "OS_AUTH_URL=http://h OS_TOKEN=t OS_INTERFACE=sideways", "the environment: OS_INTERFACE is sideways; write public, internal or admin"},
		{EnvVars, "OS_AUTH_URL=http://h OS_TOKEN=t OS_CACERT=/nonexistent/ca.pem", "OS_CACERT: /nonexistent/ca.pem cannot be read"},
		{EnvVars, "OS_AUTH_URL=h OS_TOKEN=t", "the environment: OS_AUTH_URL is not a URL"},
		{"a", "OS_INTERFACE=sideways", "clouds.yaml: OS_INTERFACE is sideways"},
		{"a", "OS_CACERT=/nonexistent/ca.pem", "clouds.yaml: OS_CACERT: /nonexistent/ca.pem cannot be read"},
	} {
		t.Run(test.name+" "+test.set, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "clouds.yaml")
			must.Succeed(t, os.WriteFile(path, []byte("clouds: {a: {auth: {auth_url: 'http://h', token: t}}}\n"), 0o600))
			t.Setenv("OS_CLIENT_CONFIG_FILE", path)
			for _, set := range strings.Fields(test.set) {
				name, value, _ := strings.Cut(set, "=")
				t.Setenv(name, value)
			}
			_, err := Cloud{}.Open(t.Context(), test.name, engine.Options{Clock: storagetest.Clock()})
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "p4ssw0rd") {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// FuzzClouds reads any clouds.yaml without panicking.
func FuzzClouds(f *testing.F) {
	f.Add([]byte("clouds:\n  a: {auth: {auth_url: 'http://h', username: u, password: p}}\n"), []byte(""))
	f.Add([]byte("clouds: {a: {auth: }}"), []byte("clouds: {a: }"))
	f.Fuzz(func(t *testing.T, main, secure []byte) {
		for _, text := range [][]byte{main, secure} {
			clouds, faults, err := parseClouds(text, cloudsKey)
			for name := range clouds {
				of, bad := cloudsFile{clouds: clouds, faults: faults}.cloud(name)
				if err = bad; err == nil {
					_, _, err = description{name, "clouds.yaml", moveAuth(of)}.login()
				}
			}
			if err != nil && err.Error() == "" {
				t.Error("an error without words")
			}
		}
	})
}

// FuzzFault reads any refusal without panicking, and reports it in one line.
func FuzzFault(f *testing.F) {
	f.Add("application/json", []byte(`{"errors": [{"detail": "x", "code": "placement.concurrent_update"}]}`))
	f.Add("application/json", []byte(`{"forbidden": {"message": "x", "code": 403}}`))
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		if text, _ := faultIn(kind, body); strings.ContainsAny(text, "\r\n") {
			t.Errorf("%q", text)
		}
	})
}

// TestTakesNovasWord does not ask about a consumer that Nova knows if the sums of
// Placement agree, and asks about all those of a user if they do not.
func TestTakesNovasWord(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		lies  bool // the consumers belong to another user than Nova says
		asked int
	}{{"it is so", false, 0}, {"it is not so", true, 20}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 0)
			var servers []novaServer
			for n := range uint64(20) {
				w.do(t, cloud.Change{Ops: storagetest.Host(1+2*n, 8, 4)})
				c := storagetest.Claim(100+n, storagetest.Provider(1+2*n), storagetest.Resources{placement.VCPU: 2})
				if test.lies && n == 7 {
					r := c.Ops[0].(placement.ReplaceAllocations)
					r.Consumers[0].Project = "another"
				}
				w.do(t, c)
				servers = append(servers, novaServer{ID: storagetest.Consumer(100 + n), Project: "project", User: "user"})
			}
			call := must.Get(dialEndpoint(t.Context(), w.URL, token(t, "secret"), 2, nil))(t)
			r := newReader(call, time.Now)
			r.m.nova.servers = servers
			must.Succeed(t, r.readAll(t.Context()))
			asked := 0
			for _, seen := range w.requests() {
				if strings.HasPrefix(seen, "GET /allocations/") {
					asked++
				}
			}
			if asked != test.asked {
				t.Errorf("%d consumers are asked, want %d", asked, test.asked)
			}
			for c := range w.kept.Snapshot().Placement().Consumers() {
				is := r.m.consumers[c.ID()]
				if is == nil || is.project != c.Project() || is.user != c.User() || is.typ != c.Type() || is.generation != c.Generation() {
					t.Errorf("%+v is not %v", is, c)
				}
			}
		})
	}
}

// TestGoesOn loses the link in the middle of the first reading, and then reads only the
// rest.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 12)
	call := must.Get(dialEndpoint(t.Context(), w.URL, token(t, "secret"), 2, nil))(t)
	call.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	r := newReader(call, time.Now)
	var n atomic.Int32
	w.answer(func(out http.ResponseWriter, r *http.Request) bool {
		away := strings.HasSuffix(r.URL.Path, "/aggregates") && n.Add(1) > 10
		if away {
			out.WriteHeader(http.StatusInternalServerError)
		}
		return away
	})
	if err := r.readAll(t.Context()); err == nil {
		t.Fatal("it read aggregates that nobody told")
	}
	w.answer(nil)
	w.requests()
	must.Succeed(t, r.readAll(t.Context()))
	for _, seen := range w.requests() {
		if strings.HasSuffix(seen, "/inventories") {
			t.Fatal("inventories are read again")
		}
	}
	if fresh, changed := r.m.stale(); len(fresh)+len(changed) > 0 {
		t.Errorf("not read: %v %v", fresh, changed)
	}
}

// TestNoPasswordInAddresses refuses addresses with a password in them, wherever they are,
// and shows none of it: neither in the error nor while it waits.
func TestNoPasswordInAddresses(t *testing.T) {
	var asked []string
	o := engine.Options{Clock: storagetest.Clock(), Asking: func(whom string) { asked = append(asked, whom) }}
	t.Setenv("OS_AUTH_URL", "http://u:p4ssw0rd@127.0.0.1:1/v3")
	t.Setenv("OS_TOKEN", "t")
	_, err := Cloud{}.Open(t.Context(), EnvVars, o)
	const want = "the environment: OS_AUTH_URL has a user or password in it; put the user in OS_USERNAME and the password in OS_PASSWORD"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for _, place := range []string{"//u:p4ssw0rd@h", "//u:p4ssw0rd@h?x=1", "//u:p4ssw0rd/%@h", "//p4ssw0rd@h:x"} {
		_, err := Endpoint{}.Open(t.Context(), place, o)
		if err == nil || !strings.Contains(err.Error(), "has a user or password in it") || strings.Contains(err.Error(), "p4ssw0rd") {
			t.Errorf("%s: %v", place, err)
		}
	}
	if len(asked) > 0 {
		t.Errorf("%q were asked", asked)
	}
}
