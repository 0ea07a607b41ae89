package remote

import (
	"net/http"
	"testing"
	"time"

	"github.com/placetop/placetop/model/wire"
)

// TestCapacityDoesNotWaitForNova has a Nova that answers nothing until the inventories of
// all providers were asked for.
func TestCapacityDoesNotWaitForNova(t *testing.T) {
	t.Parallel()
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
	in.odd = func(http.ResponseWriter, *http.Request) bool {
		select {
		case <-told:
		case <-time.After(10 * time.Second):
			t.Error("nobody asks for the inventories meanwhile")
		}
		return false
	}
	s := w.openWith(t, wire.Compute, in, 87)
	w.same(t, s)
	if unread := s.Capabilities().Unread; len(unread) > 0 {
		t.Errorf("not read: %v", unread)
	}
}
