package remote

import (
	"net/http"
	"path"
	"testing"
	"time"

	"github.com/placetop/placetop/model/api"
)

// TestCapacityDoesNotWait has a Nova and a Cyborg that answer nothing until the
// inventories of all providers were requested.
func TestCapacityDoesNotWait(t *testing.T) {
	t.Parallel()
	for _, name := range []api.Service{api.Compute, api.Accelerator} {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			capacityDoesNotWait(t, name)
		})
	}
}

func capacityDoesNotWait(t *testing.T, name api.Service) {
	t.Helper()
	w, in := newWorld(t, 40), newStandIn(t)
	left := map[string]bool{}
	for p := range w.kept.Snapshot().Placement().Providers() {
		if len(p.Inventories()) > 0 {
			left["/resource_providers/"+p.ID().String()+"/inventories"] = true
		}
	}
	if len(left) <= few {
		t.Fatalf("%d providers are too few", len(left))
	}
	told := make(chan struct{})
	w.odd = func(_ http.ResponseWriter, r *http.Request) bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		if n := len(left); n > 0 {
			if delete(left, r.URL.Path); len(left) == 0 {
				close(told)
			}
		}
		return false
	}
	in.odd = func(_ http.ResponseWriter, r *http.Request) bool {
		if path.Base(r.URL.Path) == "v2" { // only the versions that it speaks
			return false
		}
		select {
		case <-told:
		case <-time.After(time.Minute):
			t.Error("nobody asks for the inventories meanwhile")
		}
		return false
	}
	s := w.openWith(t, name, in, 87)
	w.same(t, s)
	if unread := gaps(s); name == api.Compute && len(unread) > 0 {
		t.Errorf("not read: %v", unread)
	}
}
