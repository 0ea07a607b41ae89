//go:build placement

package upstream_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/rest/auth"
)

// TestAPIAgrees sends the same long sequences of requests, over all routes and many
// versions, valid and invalid, to Placement and to our handler: status, code, headers and
// body must be the same. PLACETOP_API_SEED and PLACETOP_API_REQUESTS choose other
// sequences; the seed is also that of the other comparisons of random cases.
func TestAPIAgrees(t *testing.T) {
	t.Parallel()
	seed, requests := setting("PLACETOP_API_SEED", firstSeed), setting("PLACETOP_API_REQUESTS", 6000)
	server := Start(t)
	b := &both{t: t, theirs: server, statuses: map[int]int{}, routes: map[string]int{}, accepted: map[string]int{}}
	const (
		each         = 600 // requests to one cloud
		mostFailures = 6
	)
	for n := 0; b.total < requests && b.failures < mostFailures; n++ {
		b.begin(uint64(seed*1000 + n))
		for b.sent < each && !b.over && b.failures < mostFailures {
			b.step()
		}
		b.total += b.sent
	}
	t.Logf("%d requests; by status %v; by route %v", b.total, b.statuses, b.routes)
	for _, what := range apiTidied() {
		t.Logf("not compared: %s", what)
	}
	for _, d := range apiDepartures() {
		t.Logf("accepted %4d times: %s: %s", b.accepted[d.name], d.name, d.why)
	}
	for _, route := range routesOfAPI {
		if b.routes[route] < requests/600 && !t.Failed() {
			t.Errorf("%s was asked %d times only: the comparison says little about it", route, b.routes[route])
		}
	}
}

// TestOverFullAgrees writes a claim again on a provider that has shrunk below it, and
// then a larger one: the first is answered as that release of Placement answers it; the
// second is refused by all.
func TestOverFullAgrees(t *testing.T) {
	t.Parallel()
	b := &both{t: t, theirs: Start(t), statuses: map[int]int{}, routes: map[string]int{}, accepted: map[string]int{}}
	b.begin(1)
	id, consumer := b.providers[0], b.consumers[0]
	put := func(path, body string) {
		t.Helper()
		b.exchange(asked{method: "PUT", path: path, version: "placement 1.27", body: body})
	}
	claim := func(n int) {
		t.Helper()
		put("/allocations/"+consumer, fmt.Sprintf(`{"allocations": {"%s": {"resources": {"VCPU": %d}}}, "project_id": "p", "user_id": "u"}`, id, n))
	}
	inventory := func(total int) {
		t.Helper()
		put("/resource_providers/"+id+"/inventories", fmt.Sprintf(`{"resource_provider_generation": "{gen:%s+0}", "inventories": {"VCPU": {"total": %d}}}`, id, total))
	}
	inventory(5)
	claim(5)
	inventory(3)
	claim(6)
	claim(5)
	want := 1
	if Newer() {
		want = 0
	}
	if got := b.accepted["not worse"]; got != want {
		t.Errorf("accepted as not worse %d times, want %d", got, want)
	}
}

// TestAggregatesAgree writes aggregates in another order than that of their uuids, and in
// upper case: the answer to that has them as they were sent.
func TestAggregatesAgree(t *testing.T) {
	t.Parallel()
	b := &both{t: t, theirs: Start(t), statuses: map[int]int{}, routes: map[string]int{}, accepted: map[string]int{}}
	b.begin(1)
	path := "/resource_providers/" + b.providers[0] + "/aggregates"
	put := func(list ...string) {
		t.Helper()
		b.exchange(asked{method: "PUT", path: path, version: "placement 1.18", body: text(list)})
	}
	put("bbbbbbbb-0000-4000-8000-00000000000b", "aaaaaaaa-0000-4000-8000-00000000000a")
	put("BBBBBBBB-0000-4000-8000-00000000000B")
	if len(b.accepted) > 0 {
		t.Errorf("accepted %v, want nothing", b.accepted)
	}
	b.exchange(asked{method: "GET", path: path, version: "placement 1.18"})
}

// TestSummariesAgree asks for one of several candidates of a tree before trees were in
// the answer: the summaries have the providers of all candidates of that tree.
func TestSummariesAgree(t *testing.T) {
	t.Parallel()
	b := &both{t: t, theirs: Start(t), statuses: map[int]int{}, routes: map[string]int{}, accepted: map[string]int{}}
	b.begin(1)
	for i, id := range b.providers[:4] {
		made := map[string]any{"name": fmt.Sprint("limited-", i), "uuid": strings.ReplaceAll(id, id[:4], "face")}
		if i > 0 {
			made["parent_provider_uuid"] = strings.ReplaceAll(b.providers[0], b.providers[0][:4], "face")
		}
		b.exchange(asked{method: "POST", path: "/resource_providers", version: "placement 1.39", body: text(made)})
		b.exchange(asked{method: "PUT", path: fmt.Sprintf("/resource_providers/%s/inventories", made["uuid"]), version: "placement 1.39", body: `{"resource_provider_generation": 0, "inventories": {"FPGA": {"total": 2}}}`})
	}
	for v := 10; v < 40; v++ {
		for _, limit := range []string{"", "&limit=1", "&limit=4", "&limit=9"} {
			b.exchange(asked{method: "GET", path: "/allocation_candidates?resources=FPGA:1" + limit, version: fmt.Sprint("placement 1.", v)})
		}
	}
	if len(b.accepted) > 0 {
		t.Errorf("accepted %v, want nothing", b.accepted)
	}
}

// firstSeed is PLACETOP_API_SEED unless it is set.
const firstSeed = 1

// seeds returns n seeds, other ones for each PLACETOP_API_SEED.
func seeds(n int) iter.Seq[uint64] {
	first := uint64(setting("PLACETOP_API_SEED", firstSeed)-firstSeed) * uint64(n)
	return func(yield func(uint64) bool) {
		for i := range uint64(n) {
			if !yield(first + i) {
				return
			}
		}
	}
}

func setting(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}

// asked is one request. "{gen:UUID+N}" in the body stands for the current generation of a
// provider plus N.
type asked struct {
	method, path, version string
	header                map[string]string
	body                  string
}

func (a asked) String() string {
	return fmt.Sprintf("%s %s at %q %v %s", a.method, a.path, a.version, a.header, a.body)
}

// reply is the answer of one side.
type reply struct {
	status int
	header http.Header
	body   string
}

// both is the two sides, and their known differences.
type both struct {
	t      *testing.T
	theirs *Server
	ours   *httptest.Server
	store  *memory.Store // ours
	*generator
	haunted  map[string]bool // consumers that exist for Placement although they hold nothing
	log      []string
	sent     int
	total    int
	over     bool // the two clouds are no longer the same
	failures int
	statuses map[int]int
	routes   map[string]int
	accepted map[string]int
}

// begin starts with empty clouds.
func (b *both) begin(seed uint64) {
	must.Succeed(b.t, b.theirs.Wipe(b.t.Context()))
	if b.ours != nil {
		b.ours.Close()
	}
	b.store = memory.New(memory.Options{Clock: time.Now})
	b.ours = httptest.NewServer(noauth(rest.New(b.store, rest.Options{Clock: time.Now})))
	b.t.Cleanup(b.ours.Close)
	b.sent, b.over = 0, false
	b.haunted, b.log = map[string]bool{}, nil
	b.generator = newGenerator(seed)
	b.furnish()
}

// noauth identifies callers as Placement does with auth_strategy = noauth2.
func noauth(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if who, ok, _ := (auth.None{}).Authenticate(r); ok {
			r = r.WithContext(rest.WithCaller(r.Context(), who))
		}
		h.ServeHTTP(w, r)
	})
}

// exchange sends a to both sides and compares the answers.
func (b *both) exchange(a asked) {
	b.t.Helper()
	a = b.fill(a)
	theirs := b.send(b.theirs.URL, a)
	ours := b.send(b.ours.URL, a)
	b.sent++
	b.statuses[theirs.status]++
	b.routes[routeOf(a)]++
	b.log = append(b.log, fmt.Sprintf("%s -> %d", a, theirs.status))
	b.haunt(a, theirs)
	want, got := b.normal(a, theirs), b.normal(a, ours)
	b.unmake(b.theirs.URL, theirs)
	b.unmake(b.ours.URL, ours)
	d := cmp.Diff(want, got)
	if d == "" {
		return
	}
	for _, dep := range apiDepartures() {
		if dep.is(b, a, theirs, ours, want, got) {
			b.accepted[dep.name]++
			b.apart(a, theirs, ours)
			return
		}
	}
	b.apart(a, theirs, ours)
	if b.failures++; b.failures == 1 {
		for _, line := range b.log[max(0, len(b.log)-30):] {
			b.t.Log(line)
		}
	}
	b.t.Errorf("%s\nPlacement (-), we (+):\n%s\ntheirs: %d %s\nours: %d %s", a, d, theirs.status, theirs.body, ours.status, ours.body)
}

// apart starts a new cloud if only one side carried out a.
func (b *both) apart(a asked, theirs, ours reply) {
	if (theirs.status < 300) != (ours.status < 300) && a.method != "GET" {
		b.over = true
	}
}

// made returns the uuid that a side generated for the provider at a path.
func (b *both) made(path string) (string, bool) {
	id, ok := strings.CutPrefix(path, "/resource_providers/")
	return id, ok && len(id) == 36 && !slices.Contains(b.providers, id)
}

// unmake removes the provider for which a side has generated a uuid.
func (b *both) unmake(url string, r reply) {
	path := strings.TrimPrefix(r.header.Get("Location"), url)
	if _, ok := b.made(path); ok {
		b.send(url, asked{method: "DELETE", path: path})
	}
}

// send sends a to one side.
func (b *both) send(url string, a asked) reply {
	b.t.Helper()
	var in io.Reader
	if a.body != "" {
		in = strings.NewReader(a.body)
	}
	r, err := http.NewRequestWithContext(b.t.Context(), a.method, url+a.path, in)
	if err != nil {
		b.t.Fatalf("%s: %v", a, err)
	}
	r.Header.Set("X-Auth-Token", "admin")
	if a.version != "" {
		r.Header.Set("OpenStack-API-Version", a.version)
	}
	if a.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if a.path == "/reshaper" { // newer releases let only services reshape
		r.Header.Set("X-Roles", "admin,service")
	}
	for name, value := range a.header {
		if value == "" {
			r.Header.Del(name)
		} else {
			r.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		b.t.Fatalf("%s: %v", a, err)
	}
	defer resp.Body.Close()
	out := must.Get(io.ReadAll(resp.Body))(b.t)
	return reply{resp.StatusCode, resp.Header, string(out)}
}

// ask reads what a step needs to know from Placement.
func (b *both) ask(path string, into any) {
	b.t.Helper()
	status, out, err := b.theirs.Do(b.t.Context(), "GET", path, "1.39", nil)
	must.Succeed(b.t, err)
	if status == 200 {
		must.Succeed(b.t, json.Unmarshal(out, into))
	}
}

var generationMark = regexp.MustCompile(`"\{gen:([^+}]*)\+(-?\d+)\}"`)

// fill puts generations into a body.
func (b *both) fill(a asked) asked {
	known := map[string]int64{}
	a.body = generationMark.ReplaceAllStringFunc(a.body, func(mark string) string {
		m := generationMark.FindStringSubmatch(mark)
		g, ok := known[m[1]]
		if !ok {
			var p struct{ Generation int64 }
			b.ask("/resource_providers/"+m[1], &p)
			g = p.Generation
			known[m[1]] = g
		}
		off, _ := strconv.ParseInt(m[2], 10, 64)
		return strconv.FormatInt(g+off, 10)
	})
	return a
}

// claimed is a body of claims by consumer, as far as it is well-formed.
type claimed map[string]struct {
	Allocations map[string]any `json:"allocations"`
}

func (b *both) claims(a asked) claimed {
	var all struct {
		Allocations claimed `json:"allocations"`
	}
	body := []byte(generationMark.ReplaceAllString(a.body, "0"))
	c := claimed{}
	switch {
	case a.method == "POST" && a.path == "/allocations":
		_ = json.Unmarshal(body, &c)
	case a.method == "POST" && a.path == "/reshaper":
		_ = json.Unmarshal(body, &all)
		c = all.Allocations
	case a.method == "PUT" && strings.HasPrefix(a.path, "/allocations/"):
		one := c[""]
		if json.Unmarshal(body, &one) != nil { // the older form
			var list struct {
				Allocations []struct {
					Provider struct{ UUID string } `json:"resource_provider"`
				} `json:"allocations"`
			}
			one.Allocations = map[string]any{}
			_ = json.Unmarshal(body, &list)
			for _, p := range list.Allocations {
				one.Allocations[p.Provider.UUID] = nil
			}
		}
		c = claimed{strings.TrimPrefix(a.path, "/allocations/"): one}
	}
	return c
}

// haunt remembers the consumers that Placement has created for a write that it refused,
// or of an empty claim.
func (b *both) haunt(a asked, theirs reply) {
	for consumer := range b.claims(a) {
		var has struct {
			Allocations map[string]any `json:"allocations"`
		}
		b.ask("/allocations/"+strings.ToLower(consumer), &has)
		if len(has.Allocations) == 0 && theirs.status != 409 {
			b.haunted[consumer] = true
		}
	}
}

// answered is a reply in a form that both sides share.
type answered struct {
	Status int
	Header map[string]string
	Body   any
}

func (b *both) normal(a asked, r reply) answered {
	n := answered{Status: r.status, Header: map[string]string{}}
	for _, name := range []string{"Content-Type", "Openstack-Api-Version", "Cache-Control", "Allow", "Location"} {
		if v := r.header.Get(name); v != "" {
			n.Header[name] = v
		}
	}
	if at := n.Header["Location"]; at != "" {
		at = strings.TrimPrefix(strings.TrimPrefix(at, b.theirs.URL), b.ours.URL)
		if id, ok := b.made(at); ok {
			at = "/resource_providers/MADE"
			r.body = strings.ReplaceAll(r.body, id, "MADE")
		}
		n.Header["Location"] = at
	}
	if at := r.header.Get("Last-Modified"); at != "" {
		_, err := time.Parse(http.TimeFormat, at)
		n.Header["Last-Modified"] = fmt.Sprint("a time: ", err == nil)
	}
	if v := r.header.Get("Vary"); v != "" || r.status == 403 || r.status == 404 || r.status == 400 {
		n.Header["Vary"] = "or not, of some refusals" // see apiDepartures
	}
	n.Header["X-Openstack-Request-Id"] = fmt.Sprint(strings.HasPrefix(r.header.Get("X-Openstack-Request-Id"), "req-"))
	if r.body == "" {
		return n
	}
	d := json.NewDecoder(strings.NewReader(r.body))
	d.UseNumber()
	if err := d.Decode(&n.Body); err != nil { // a refusal as HTML or text
		return n
	}
	n.Body = tidy(n.Body, "", ordered(a))
	return n
}

// ordered returns the keys of lists in an answer whose order follows from what was
// written: aggregates as they were sent, and traits by name where they are looked up by
// name. Any other order is that of a table of the database.
func ordered(a asked) []string {
	switch {
	case a.method == "PUT" && strings.HasSuffix(a.path, "/aggregates"):
		return []string{"aggregates"}
	case a.method == "PUT" && strings.HasSuffix(a.path, "/traits"), strings.HasPrefix(a.path, "/traits?name=in:"):
		return []string{"traits"}
	}
	return nil
}

// tidy sorts the lists but those under the keys in ordered, and takes out what must
// differ.
func tidy(v any, key string, ordered []string) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "request_id")
		delete(v, "detail")  // of a refusal
		delete(v, "message") // of a 401
		for k, x := range v {
			v[k] = tidy(x, k, ordered)
		}
		return v
	case []any:
		for i := range v {
			v[i] = tidy(v[i], "", ordered)
		}
		if key != "links" && !slices.Contains(ordered, key) {
			slices.SortFunc(v, func(x, y any) int { return strings.Compare(text(x), text(y)) })
		}
		return v
	case string:
		if key == "traits" { // of the client: names with commas
			names := strings.Split(v, ",")
			slices.Sort(names)
			return strings.Join(names, ",")
		}
	}
	return v
}

// text returns a value as JSON with sorted keys.
func text(v any) string {
	var b bytes.Buffer
	_ = json.NewEncoder(&b).Encode(v)
	return b.String()
}

// routesOfAPI are all methods of all routes.
var routesOfAPI = []string{
	"GET /", "GET /resource_classes", "POST /resource_classes", "GET /resource_classes/*", "PUT /resource_classes/*", "DELETE /resource_classes/*",
	"GET /resource_providers", "POST /resource_providers", "GET /resource_providers/*", "PUT /resource_providers/*", "DELETE /resource_providers/*",
	"GET /resource_providers/*/inventories", "POST /resource_providers/*/inventories", "PUT /resource_providers/*/inventories", "DELETE /resource_providers/*/inventories",
	"GET /resource_providers/*/inventories/*", "PUT /resource_providers/*/inventories/*", "DELETE /resource_providers/*/inventories/*",
	"GET /resource_providers/*/usages", "GET /resource_providers/*/aggregates", "PUT /resource_providers/*/aggregates", "GET /resource_providers/*/allocations",
	"POST /allocations", "GET /allocations/*", "PUT /allocations/*", "DELETE /allocations/*", "GET /allocation_candidates",
	"GET /traits", "GET /traits/*", "PUT /traits/*", "DELETE /traits/*",
	"GET /resource_providers/*/traits", "PUT /resource_providers/*/traits", "DELETE /resource_providers/*/traits", "GET /usages", "POST /reshaper",
}

// routeOf returns the route of a request.
func routeOf(a asked) string {
	path, _, _ := strings.Cut(a.path, "?")
	parts := strings.Split(path, "/")
	for i := 2; i < len(parts); i += 2 {
		parts[i] = "*"
	}
	return a.method + " " + strings.Join(parts, "/")
}
