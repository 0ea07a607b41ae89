package remote

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/storagetest"
)

// endless answers with an endless list.
func endless(status int) func(out http.ResponseWriter, r *http.Request) bool {
	return func(out http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/" {
			return false
		}
		out.Header().Set("Content-Type", "application/json")
		out.WriteHeader(status)
		text := []byte(`{"resource_providers": [` + strings.Repeat(`{"name": "x"}, `, 1<<16))
		for r.Context().Err() == nil {
			if _, err := out.Write(text); err != nil {
				break
			}
		}
		return true
	}
}

// TestTakesNoMoreThanItCan cuts off endless answers, and does not retry them but for the
// status that they came with.
func TestTakesNoMoreThanItCan(t *testing.T) {
	t.Parallel()
	for status, test := range map[int]struct {
		want        string
		least, most int // tries
	}{
		http.StatusOK:                  {"the answer is longer than 64 MiB; it was not read; check what answers at that address", 1, 1},
		http.StatusInternalServerError: {"500 Internal Server Error: it gave no reason", 4, 5},
	} {
		w := newWorld(t, 0)
		w.answer(endless(status))
		_, err := w.open(t)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
		if seen := w.requests(); len(seen)-1 < test.least || len(seen)-1 > test.most {
			t.Errorf("it asked for it %d times: %q", len(seen)-1, seen)
		}
	}
}

// TestShortAnswersAreShort cuts off answers about one provider, which are read several at
// a time, much sooner.
func TestShortAnswersAreShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	never := endless(http.StatusOK)
	w.answer(func(out http.ResponseWriter, r *http.Request) bool {
		return strings.HasSuffix(r.URL.Path, "/inventories") && never(out, r)
	})
	if _, err := w.open(t); err == nil || !strings.Contains(err.Error(), "/inventories: the answer is longer than 1 MiB; it was not read; check what answers at that address") {
		t.Error(err)
	}
	for path, want := range map[string]int64{
		"/": mostSmall, "/resource_providers": mostAnswer, "/traits": mostAnswer, "/resource_providers/1/traits": mostSmall, "/usages": mostSmall,
		"/resource_providers/1/allocations": mostPage, "/allocations/1": mostSmall, "/servers/detail": mostServer, "/flavors/detail": mostPage, "/servers/1": mostSmall,
		"/allocation_candidates": mostAnswer, "/os-services": mostAnswer,
	} {
		if got := mostOf(path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

// TestTokenIsShort does not read endless answers to requests other than our own, such as
// those to Keystone.
func TestTokenIsShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.answer(func(out http.ResponseWriter, r *http.Request) bool { return endless(http.StatusOK)(out, r) })
	client := newHTTP(nil, 1)
	request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+"/v3/auth/tokens", http.NoBody))(t)
	answer, err := client.Do(request)
	must.Succeed(t, err)
	defer answer.Body.Close()
	if n, err := io.Copy(io.Discard, answer.Body); n != mostSmall || err == nil || !strings.Contains(err.Error(), "longer than 1 MiB") {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// script answers requests directly, without a network.
type script func(r *http.Request) io.Reader

func (s script) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(s(r)), Request: r}, nil
}

// readFunc is a function as a reader.
type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// TestLongAnswersTakeTurns has as many long answers at a time as may be in flight: from
// the length at which they are no longer short, they are read one after the other.
func TestLongAnswersTakeTurns(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var order []string // names of the answers read beyond mostSmall
	var ready sync.WaitGroup
	ready.Add(DefaultInFlight)
	from := script(func(r *http.Request) io.Reader {
		body := io.MultiReader(strings.NewReader(`{"allocations": {}`+strings.Repeat(" ", 3*mostSmall)), strings.NewReader("}"))
		read, once := 0, sync.OnceFunc(func() { ready.Done(); ready.Wait() })
		return readFunc(func(p []byte) (int, error) {
			if read > mostSmall/2 {
				once() // all of them are under way
			}
			if read >= mostSmall {
				mu.Lock()
				order = append(order, r.URL.Path)
				mu.Unlock()
				runtime.Gosched()
			}
			n, err := body.Read(p[:min(len(p), 64<<10)])
			read += n
			return n, err
		})
	})
	c := newCaller(&gophercloud.ProviderClient{}, http.Client{Transport: bodyLimit{from}}, DefaultInFlight, nil)
	c.services[api.Placement] = &service{name: api.Placement}
	err := each(t.Context(), DefaultInFlight, []string{"a", "b", "c", "d"}, func(ctx context.Context, id string) error {
		var answer struct{}
		return c.get(ctx, api.Placement, "/resource_providers/"+id+"/allocations", placementNewest, &answer)
	})
	must.Succeed(t, err)
	if turns := slices.Compact(order); len(turns) != DefaultInFlight {
		t.Errorf("they are read in turns: %q", turns)
	}
}

// TestHugeCloudTakesBoundedMemory has all answers of Placement and Nova that can be long
// be endless, several of them at a time.
func TestHugeCloudTakesBoundedMemory(t *testing.T) { // it looks at the memory of the process
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	var before, now runtime.MemStats
	var peak uint64
	var mu sync.Mutex
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		runtime.ReadMemStats(&now)
		peak = max(peak, now.HeapAlloc)
	}
	w, in := newWorld(t, 8), newStandIn(t)
	flood := func(open, row string) func(out http.ResponseWriter, r *http.Request) bool {
		text := []byte(strings.Repeat(row+", ", 1<<12))
		return func(out http.ResponseWriter, r *http.Request) bool {
			out.Header().Set("Content-Type", "application/json")
			_, err := io.WriteString(out, open)
			for err == nil && r.Context().Err() == nil {
				_, err = out.Write(text)
				look()
			}
			return true
		}
	}
	keys := map[string]string{
		"/os-services": "services", "/flavors/detail": "flavors", "/os-hypervisors/detail": "hypervisors", "/os-aggregates": "aggregates",
		"/servers/detail": "servers", "/os-migrations": "migrations",
	}
	held := flood(`{"allocations": {`, `"00000000-0000-4000-8000-000000000001": {"resources": {"VCPU": 1}}`)
	w.answer(func(out http.ResponseWriter, r *http.Request) bool {
		return strings.HasSuffix(r.URL.Path, "/allocations") && held(out, r)
	})
	in.odd = func(out http.ResponseWriter, r *http.Request) bool {
		return flood(`{"`+keys[r.URL.Path]+`": [`, "{}")(out, r)
	}
	runtime.GC()
	runtime.ReadMemStats(&before)
	call := must.Get(dialEndpoint(t.Context(), w.URL, token(t, "secret\n"), DefaultInFlight, nil))(t)
	call.services[api.Compute] = &service{name: api.Compute, address: in.URL, minor: computeNewest}
	_, err := newStore(t.Context(), call, options{scheme: "http", clock: storagetest.Clock()})
	if err == nil || !strings.Contains(err.Error(), "/allocations: the answer is longer than 16 MiB; it was not read") {
		t.Error(err)
	}
	const most = 256 << 20
	mu.Lock() // some are still being answered
	defer mu.Unlock()
	if took := peak - min(before.HeapAlloc, peak); took > most {
		t.Errorf("%d MiB, want no more than %d", took>>20, most>>20)
	} else {
		t.Logf("%d MiB", took>>20)
	}
}

// TestTokenGoesNowhereElse does not follow redirects: no other server gets a token.
func TestTokenGoesNowhereElse(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer thief.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		w := newWorld(t, 0)
		w.answer(func(out http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/" {
				return false
			}
			http.Redirect(out, r, thief.URL+"/steal", status)
			return true
		})
		if _, err := w.open(t); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d ", status)) || !strings.Contains(err.Error(), "redirects elsewhere") {
			t.Errorf("%d: %v", status, err)
		}
	}
	if asked.Load() > 0 {
		t.Error("somebody else was asked")
	}
}

// TestWordsOfOthers has a service answer with control sequences of a terminal: no error
// contains them.
func TestWordsOfOthers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ kind, body string }{
		{"application/json", `{"errors": [{"detail": "ill \u001b]0;mine\u0007\u009b31m\u202e end"}]}`},
		{"application/json", `{"forbidden": {"message": "ill \u001b[2J end"}}`},
		{"text/html\x1b[31m", "\x1b[31m ill end"},
	} {
		w := newWorld(t, 0)
		w.answer(func(out http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/" {
				return false
			}
			out.Header()["Content-Type"] = []string{test.kind}
			out.WriteHeader(http.StatusForbidden)
			_, _ = out.Write([]byte(test.body))
			return true
		})
		_, err := w.open(t)
		if err == nil || strings.ContainsAny(err.Error(), "\x1b\x07\u009b\u202e") {
			t.Errorf("%q", err)
		}
	}
}

// TestNamesOfOthers keeps control sequences in names of providers as they are: they are
// made harmless when drawn.
func TestNamesOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.do(t, cloud.Change{Ops: []cloud.Op{placement.CreateProvider{ID: storagetest.Provider(1), Name: "ill\x1b[2J\u202eend"}}})
	w.same(t, w.mustOpen(t))
}

// TestWrongAnswers has answers that violate the API: whatever they are, reading ends with
// an error or with a consistent cloud.
func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{}`, `null`, `[]`, `{"resource_providers": null, "traits": null}`,
		`{"resource_providers": [{"uuid": "not one"}]}`,
		`{"resource_providers": [{"uuid": "00000000-0000-0000-0000-000000000000", "name": ""}]}`,
		`{"resource_providers": [{"uuid": "00000000-0000-0000-0000-000000000001", "name": "a", "parent_provider_uuid": "00000000-0000-0000-0000-000000000001"}]}`,
		`{"resource_providers": [{"uuid": "00000000-0000-0000-0000-000000000001", "name": "a", "generation": -4}, {"uuid": "00000000-0000-0000-0000-000000000002", "name": "a"}],
		  "inventories": {"VCPU": {"total": -1}, "": {"total": 1}}, "traits": ["", "x", "OWNER_NOVA", "OWNER_NOVA"], "aggregates": ["00000000-0000-0000-0000-000000000000"],
		  "allocations": {"00000000-0000-0000-0000-000000000003": {"resources": {"VCPU": 99999999999}}}, "resource_provider_generation": 9223372036854775807}`,
	} {
		w := newWorld(t, 0)
		w.answer(func(out http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/" {
				return false
			}
			out.Header().Set("Content-Type", "application/json")
			_, _ = out.Write([]byte(body))
			return true
		})
		s, err := w.open(t)
		if err != nil {
			continue
		}
		if errs := s.Snapshot().Check(); len(errs) > 0 {
			t.Errorf("%s: %v", body, errs)
		}
	}
}

// TestNullIsNoAnswer reads a provider of which an answer lacks what it was asked for, from
// something in between: nothing is taken for empty, as the next write would make it so.
func TestNullIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"traits", "inventories", "aggregates", "allocations"} {
		for _, body := range []string{`{"resource_provider_generation": 1}`, `{"resource_provider_generation": 1, "` + what + `": null}`} {
			w := newWorld(t, 0)
			w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
			w.answer(func(out http.ResponseWriter, r *http.Request) bool {
				if !strings.HasPrefix(r.URL.Path, "/resource_providers/") || !strings.HasSuffix(r.URL.Path, "/"+what) {
					return false
				}
				out.Header().Set("Content-Type", "application/json")
				_, _ = out.Write([]byte(body))
				return true
			})
			if _, err := w.open(t); err == nil || !strings.Contains(err.Error(), what+" is missing") {
				t.Errorf("%s: %v", body, err)
			}
		}
	}
}
