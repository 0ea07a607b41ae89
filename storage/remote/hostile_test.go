package remote

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/storagetest"
)

// endless answers with a list that never ends.
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

// TestTakesNoMoreThanItCan cuts off answers that do not end, and asks only once for them.
func TestTakesNoMoreThanItCan(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		http.StatusOK:                  "the answer is longer than 64 MiB; look at what answers there",
		http.StatusInternalServerError: "500 Internal Server Error: it said nothing more",
	} {
		w := newWorld(t, 0)
		w.answer(endless(status))
		_, err := w.open(t)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if seen := w.requests(); len(seen) != 2 {
			t.Errorf("it asked for it %d times: %q", len(seen)-1, seen)
		}
	}
}

// TestShortAnswersAreShort cuts off much sooner what is asked of one provider, of which
// several are asked at a time.
func TestShortAnswersAreShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	never := endless(http.StatusOK)
	w.answer(func(out http.ResponseWriter, r *http.Request) bool {
		return strings.HasSuffix(r.URL.Path, "/inventories") && never(out, r)
	})
	if _, err := w.open(t); err == nil || !strings.Contains(err.Error(), "/inventories: the answer is longer than 4 MiB; look at what answers there") {
		t.Error(err)
	}
	for path, want := range map[string]int64{
		"/": mostSmall, "/resource_providers": mostAnswer, "/traits": mostAnswer, "/resource_providers/1/traits": mostSmall,
		"/resource_providers/1/allocations": mostAnswer, "/allocations/1": mostSmall, "/servers/detail": mostAnswer, "/allocation_candidates": mostAnswer,
	} {
		if got := mostOf(path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

// TestTokenGoesNowhereElse follows no redirect: nobody else gets a token.
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
		if _, err := w.open(t); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d ", status)) || !strings.Contains(err.Error(), "sends us elsewhere") {
			t.Errorf("%d: %v", status, err)
		}
	}
	if asked.Load() > 0 {
		t.Error("somebody else was asked")
	}
}

// TestWordsOfOthers has a service say what a terminal would obey: no error carries it.
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

// TestNamesOfOthers keeps providers whose names a terminal would obey as they are: what
// draws them draws them harmless.
func TestNamesOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.do(t, cloud.Change{Ops: []cloud.Op{placement.CreateProvider{ID: storagetest.Provider(1), Name: "ill\x1b[2J\u202eend"}}})
	w.same(t, w.mustOpen(t))
}

// TestWrongAnswers has answers that are not what the API says: whatever they are, reading
// ends, with an error or with a cloud that fits together.
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
