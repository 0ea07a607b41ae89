package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/storagetest"
)

// as makes requests to a handler come from a caller.
func as(c rest.Caller, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(rest.WithCaller(r.Context(), c)))
	})
}

// admin makes requests to a handler come from an admin.
func admin(h http.Handler) http.Handler {
	return as(rest.Caller{User: "admin", Project: "admin", Roles: []string{rest.RoleAdmin, rest.RoleService}}, h)
}

// ask sends one request, with a body of JSON unless it is "".
func ask(h http.Handler, method, path, version, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if version != "" {
		r.Header.Set("OpenStack-API-Version", "placement "+version)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// handler returns a handler of an empty cloud, and its store.
func handler(tb testing.TB, o rest.Options) (*rest.Handler, storage.Store) {
	tb.Helper()
	store := memory.New(memory.Options{Clock: storagetest.Clock()})
	tb.Cleanup(func() { _ = store.Close() })
	o.Clock = storagetest.Clock()
	return rest.New(store, o), store
}

func TestVersionDocument(t *testing.T) {
	t.Parallel()
	var seen []rest.Observation
	h, _ := handler(t, rest.Options{Observe: func(o rest.Observation) { seen = append(seen, o) }})
	w := ask(h, "GET", "/", "", "")
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	var doc struct {
		Versions []struct {
			ID  string `json:"id"`
			Min string `json:"min_version"`
			Max string `json:"max_version"`
		} `json:"versions"`
	}
	must.Succeed(t, json.Unmarshal(w.Body.Bytes(), &doc))
	if v := doc.Versions[0]; v.ID != "v1.0" || v.Min != "1.0" || v.Max != "1.39" {
		t.Errorf("%+v", v)
	}
	if w := ask(h, "GET", "/resource_providers", "1.39", ""); w.Code != 401 {
		t.Errorf("without a caller: %d %s", w.Code, w.Body)
	}
	if len(seen) != 2 || seen[0].Route != "/" || seen[0].Microversion != "1.0" || seen[1].Status != 401 {
		t.Errorf("observed %+v", seen)
	}
}

// crowded is a body for which there is no memory.
type crowded struct{}

func (crowded) Read([]byte) (int, error) { return 0, rest.ErrCrowded }

// TestNoRoomForABody tells a client to retry if there is no memory for its body at the
// moment: the body is not at fault.
func TestNoRoomForABody(t *testing.T) {
	t.Parallel()
	h, _ := handler(t, rest.Options{})
	r := httptest.NewRequest(http.MethodPost, "/resource_providers", crowded{})
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	admin(h).ServeHTTP(w, r)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestManyOfOneParameter checks that a parameter with a thousand values is not read a
// thousand times a thousand times for the refusal of a query.
func TestManyOfOneParameter(t *testing.T) { // allocations are counted
	h, _ := handler(t, rest.Options{})
	for _, one := range []string{"required=A", "member_of=" + modeltest.AggregateID("a").String()} {
		path := "/allocation_candidates?" + strings.Repeat(one+"&", 1000)
		if n := testing.AllocsPerRun(1, func() { ask(admin(h), "GET", path, "1.39", "") }); n > 100_000 {
			t.Errorf("%s: %.0f allocations", one, n)
		}
	}
}

// TestRatioWithoutAPoint returns a ratio as it was written, however large.
func TestRatioWithoutAPoint(t *testing.T) {
	t.Parallel()
	h, _ := handler(t, rest.Options{})
	id := modeltest.ProviderID("p").String()
	ask(admin(h), "POST", "/resource_providers", "1.39", `{"name": "p", "uuid": "`+id+`"}`)
	const ratio = `"allocation_ratio": 100000000000000000000`
	w := ask(admin(h), "PUT", "/resource_providers/"+id+"/inventories", "1.39", `{"resource_provider_generation": 0, "inventories": {"VCPU": {"total": 4, `+ratio+`}}}`)
	if w.Code != 200 || !strings.Contains(w.Body.String(), ratio) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestPolicies checks what callers of each role may and may not do.
func TestPolicies(t *testing.T) {
	t.Parallel()
	h, store := handler(t, rest.Options{})
	callers := map[string]rest.Caller{
		"admin":          {User: "a", Roles: []string{"admin"}},
		"service":        {User: "s", Roles: []string{"service"}},
		"looker":         {User: "l", Reader: true},
		"system admin":   {User: "r", Roles: []string{"admin", "service", "reader"}, System: true},
		"project reader": {User: "p", Project: "p1", Roles: []string{"member", "reader"}},
		"nobody":         {User: "n", Project: "p1"},
	}
	requests := []struct {
		method, path, body string
		may                []string
	}{
		{"GET", "/resource_providers", "", []string{"admin", "service", "looker"}},
		{"GET", "/allocation_candidates?resources=VCPU:1", "", []string{"admin", "service", "looker"}},
		{"GET", "/usages?project_id=p1", "", []string{"admin", "service", "looker", "project reader"}},
		{"GET", "/usages?project_id=p2", "", []string{"admin", "service", "looker"}},
		{"PUT", "/traits/CUSTOM_A", "", []string{"admin", "service"}},
		{"PUT", "/resource_classes/CUSTOM_A", "", []string{"admin", "service"}},
		{"DELETE", "/allocations/" + modeltest.ConsumerID("x").String(), "", []string{"admin", "service"}},
		{"POST", "/reshaper", `{"inventories": {}, "allocations": {}}`, []string{"service"}},
		{"GET", "/", "", []string{"admin", "service", "looker", "system admin", "project reader", "nobody"}},
	}
	for _, q := range requests {
		may := map[string]bool{}
		for _, name := range q.may {
			may[name] = true
		}
		for name, c := range callers {
			before := store.Snapshot()
			w := ask(as(c, h), q.method, q.path, "1.39", q.body)
			if (w.Code != 403) != may[name] {
				t.Errorf("%s, %s %s: %d %s", name, q.method, q.path, w.Code, w.Body)
			}
			if w.Code == 403 && (store.Snapshot() != before || !strings.Contains(w.Body.String(), "Policy does not allow placement:")) {
				t.Errorf("%s, %s %s: %s", name, q.method, q.path, w.Body)
			}
		}
	}
	events, err := store.Events(t.Context(), cloud.EventQuery{})
	if err != nil || len(events) != 2 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for _, ev := range events {
		if who := ev.Actor; who != "a" && who != "s" {
			t.Errorf("%q is told to have written", who)
		}
	}
}

// TestMounted serves the API below a path.
func TestMounted(t *testing.T) {
	t.Parallel()
	plain, _ := handler(t, rest.Options{Prefix: "/placement/"})
	h := admin(plain)
	for path, want := range map[string]int{"/placement": 200, "/placement/": 200, "/placement/traits": 200, "/traits": 404, "/placementx": 404, "/": 404} {
		if w := ask(h, "GET", path, "1.39", ""); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
	w := ask(h, "POST", "/placement/resource_providers", "1.39", `{"name": "a"}`)
	if at := w.Header().Get("Location"); w.Code != 200 || !strings.HasPrefix(at, "http://example.com/placement/resource_providers/") {
		t.Errorf("%d, at %q", w.Code, at)
	}
	if !strings.Contains(w.Body.String(), `"href": "/placement/resource_providers/`) {
		t.Errorf("%s", w.Body)
	}
}

// TestReadOnly checks that a read-only store says why it refuses writes.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	store := memory.New(memory.Options{Clock: storagetest.Clock(), Can: cloud.Capabilities{ReadOnly: "the file is open for reading"}})
	h := admin(rest.New(store, rest.Options{Clock: storagetest.Clock()}))
	if w := ask(h, "PUT", "/traits/CUSTOM_A", "1.39", ""); w.Code != 403 || !strings.Contains(w.Body.String(), "the file is open for reading") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	must.Succeed(t, store.Close())
}

// silent is a live cloud that has not answered for a while.
type silent struct {
	storage.Store
	engine.Distant
}

func (silent) Link() engine.Link {
	return engine.Link{ServiceLink: cloud.ServiceLink{Name: "Placement", Lost: "503 Service Unavailable"}}
}

// TestSilentCloud checks that a write is to be tried again while the cloud behind it does not
// answer: it is not forbidden.
func TestSilentCloud(t *testing.T) {
	t.Parallel()
	store := memory.New(memory.Options{Clock: storagetest.Clock(), Can: cloud.Capabilities{ReadOnly: "what is shown is out of date"}})
	h := admin(rest.New(silent{Store: store}, rest.Options{Clock: storagetest.Clock()}))
	if w := ask(h, "PUT", "/traits/CUSTOM_A", "1.39", ""); w.Code != 503 || !strings.Contains(w.Body.String(), "out of date") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	must.Succeed(t, store.Close())
}

// late is a store that others write to as well, and that shows it only once it is asked to.
type late struct {
	storage.Store
	engine.Shared
	shown   *cloud.Snapshot
	refresh func() error
}

func (l *late) Snapshot() *cloud.Snapshot { return l.shown }

func (l *late) Refresh(context.Context) error {
	l.shown = l.Store.Snapshot()
	return l.refresh()
}

// TestServersAnswerAsOne checks that what was written through another server before a request
// is there for it, or that the client is told to ask again.
func TestServersAnswerAsOne(t *testing.T) {
	t.Parallel()
	store := memory.New(memory.Options{Clock: storagetest.Clock()})
	one := admin(rest.New(store, rest.Options{Clock: storagetest.Clock()}))
	var fails error
	other := admin(rest.New(&late{Store: store, shown: store.Snapshot(), refresh: func() error { return fails }}, rest.Options{Clock: storagetest.Clock()}))
	must.Be(t, ask(one, "PUT", "/traits/CUSTOM_A", "1.39", "").Code, 201)
	must.Be(t, ask(other, "GET", "/traits/CUSTOM_A", "1.39", "").Code, 204)
	must.Be(t, ask(one, "PUT", "/traits/CUSTOM_B", "1.39", "").Code, 201)
	must.Be(t, ask(other, "PUT", "/traits/CUSTOM_B", "1.39", "").Code, 204)
	fails = fmt.Errorf("https://10.0.0.7:2379: %w", placement.ErrUnavailable)
	w := ask(other, "GET", "/traits/CUSTOM_A", "1.39", "")
	if w.Code != 503 || w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "10.0.0.7") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	must.Be(t, ask(other, "GET", "/", "1.39", "").Code, 200)
	must.Succeed(t, store.Close())
}

// unread is a body that must not be read.
type unread struct{ *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.Error("the body was read")
	return 0, io.EOF
}

// TestTooLarge sends a body above the limit.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	plain, store := handler(t, rest.Options{MostBody: 100})
	h := admin(plain)
	body := `{"name": "` + strings.Repeat("a", 100) + `"}`
	if w := ask(h, "POST", "/resource_providers", "1.39", body); w.Code != 413 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	limited := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 10)
		h.ServeHTTP(w, r)
	})
	if w := ask(limited, "POST", "/resource_providers", "1.39", body[:60]); w.Code != 413 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	r := httptest.NewRequest(http.MethodPost, "/resource_providers", unread{t})
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = 1 << 30
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 413 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if store.Snapshot().Revision() != 0 {
		t.Error("something was written")
	}
}

// taking is a client that takes its answer when told to.
type taking struct {
	*httptest.ResponseRecorder
	begun, goOn chan bool
}

func (w taking) Write(b []byte) (int, error) {
	w.begun <- true
	<-w.goOn
	return w.ResponseRecorder.Write(b)
}

// TestAnswersThatNobodyTakes limits the large answers in memory, and still sends small
// ones.
func TestAnswersThatNobodyTakes(t *testing.T) {
	t.Parallel()
	plain, store := handler(t, rest.Options{MostAnswers: 2 << 20})
	var ops []cloud.Op
	for i := range 2_000 { // a list of them is 1.6 MB
		ops = append(ops, placement.CreateProvider{ID: modeltest.ProviderID(fmt.Sprint(i)), Name: fmt.Sprint(i)})
	}
	must.Get(store.Apply(t.Context(), cloud.Change{Ops: ops}).Result())(t)
	h := admin(plain)
	list := func(w http.ResponseWriter) {
		r := httptest.NewRequest("GET", "/resource_providers", nil)
		r.Header.Set("OpenStack-API-Version", "placement 1.39")
		h.ServeHTTP(w, r)
	}
	slow := taking{httptest.NewRecorder(), make(chan bool), make(chan bool)}
	ends := make(chan bool)
	go func() { list(slow); close(ends) }()
	<-slow.begun
	if w := ask(h, "GET", "/resource_providers", "1.39", ""); w.Code != 503 || w.Header().Get("Retry-After") == "" || w.Body.Len() > 1000 {
		t.Errorf("a second large answer: %d, %d bytes", w.Code, w.Body.Len())
	}
	if w := ask(h, "GET", "/resource_providers?name=7", "1.39", ""); w.Code != 200 {
		t.Errorf("a small answer: %d %s", w.Code, w.Body)
	}
	close(slow.goOn)
	<-ends
	if w := ask(h, "GET", "/resource_providers", "1.39", ""); w.Code != 200 || w.Body.Len() != slow.Body.Len() {
		t.Errorf("once the first was taken: %d, %d bytes", w.Code, w.Body.Len())
	}
}

// TestLargeNonsense checks that large, entirely wrong bodies get short refusals.
func TestLargeNonsense(t *testing.T) {
	t.Parallel()
	plain, _ := handler(t, rest.Options{})
	h := admin(plain)
	for _, body := range []string{
		`{"traits": [` + strings.Repeat(`5,`, 100_000) + `5], "resource_provider_generation": 0}`,
		`{"traits": ["` + strings.Repeat("é", 100_000) + `"], "resource_provider_generation": "x"}`,
		`[` + strings.Repeat(`{"a":[]},`, 50_000) + `1]`,
		strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 500),
		`[` + strings.Repeat("1,", 1<<20) + `1]`,
	} {
		w := ask(h, "PUT", "/resource_providers/"+storagetest.Provider(1).String()+"/traits", "1.39", body)
		if w.Code != 400 || w.Body.Len() > 1<<20 || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%.20s: %d, %d bytes", body, w.Code, w.Body.Len())
		}
	}
}
