package remote

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestAsksAgain gives a service up soon where it answers nothing, and later where it
// answered others.
func TestAsksAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	s := w.mustOpen(t)
	asked := func(path string) int {
		return len(slices.DeleteFunc(w.requests(), func(r string) bool { return r != "GET "+path }))
	}
	busy := func(path string, times int) {
		w.requests()
		w.answer(func(out http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.URL.Path, path) || times == 0 {
				return false
			}
			times--
			out.WriteHeader(http.StatusServiceUnavailable)
			return true
		})
	}
	for _, c := range []struct {
		name, path   string
		times, tries int
		lost         bool
	}{
		{"amid others", "/resource_classes", 7, 8, false},
		{"amid others, and for good", "/resource_classes", 100, 8, true},
		{"from the beginning", "/resource_providers", 100, 4, true},
	} {
		busy(c.path, c.times)
		if err := s.Refresh(t.Context()); (err != nil) != c.lost {
			t.Errorf("%s: %v", c.name, err)
		}
		if n := asked(c.path); n != c.tries {
			t.Errorf("%s: asked %d times, not %d", c.name, n, c.tries)
		}
	}
}
