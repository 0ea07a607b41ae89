package remote

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestReadsFirstWhatIsLookedAt has a user look at the last tree while a large cloud is
// read: all of it is read before the rest, and nothing is requested twice.
func TestReadsFirstWhatIsLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 12)
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
	e := Endpoint{Settings: Settings{TokenFile: token(t, "secret")}}
	opened := must.Get(e.Open(t.Context(), strings.TrimPrefix(w.URL, "http:"), engine.Options{Clock: storagetest.Clock(), Soon: true}))(t)
	s := opened.(*Store)
	defer s.Close()
	pl := w.kept.Snapshot().Placement()
	var last *placement.ResourceProvider
	for p := range pl.Providers() {
		if p.IsRoot() && len(pl.Children(p)) > 0 && pl.CountConsumersOf(p) > 0 && (last == nil || p.Name() > last.Name()) {
			last = p
		}
	}
	tree := map[string]bool{last.ID().String(): true}
	for _, p := range pl.Children(last) {
		tree[p.ID().String()] = true
	}
	w.requests()
	s.Look(last.ID())
	close(hold)
	if err := s.Refresh(t.Context()); err != nil { // after the reading under way
		t.Fatal(err)
	}
	w.same(t, s)
	seen := w.requests()
	others, whole := 0, 0
	for i, r := range seen {
		if slices.Index(seen, r) != i && !strings.Contains(r, "usages") && strings.Count(r, "/") > 1 {
			t.Errorf("%s was asked for twice", r)
		}
		path := strings.Split(r, "/")
		if len(path) < 4 || path[1] != "resource_providers" {
			continue
		}
		switch {
		case !tree[path[2]] && whole < len(tree):
			others++
		case tree[path[2]] && path[3] == "aggregates":
			whole++
		}
	}
	if whole != len(tree) || others > 2*DefaultInFlight {
		t.Errorf("%d of the %d that are looked at were read, and %d requests for others came first", whole, len(tree), others)
	}
}

// TestReadsAgainFirstWhatIsLookedAt checks that of what has changed, the providers that a
// user looks at are read first.
func TestReadsAgainFirstWhatIsLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 6)
	e := Endpoint{Settings: Settings{TokenFile: token(t, "secret"), InFlight: 1}}
	opened := must.Get(e.Open(t.Context(), strings.TrimPrefix(w.URL, "http:"), engine.Options{Clock: storagetest.Clock()}))(t)
	s := opened.(*Store)
	defer s.Close()
	var last *placement.ResourceProvider
	for p := range w.kept.Snapshot().Placement().Roots() {
		w.do(t, cloud.Change{Ops: []cloud.Op{placement.SetTraits{Provider: p.ID(), Generation: placement.AnyGeneration()}}})
		if last == nil || p.Name() > last.Name() {
			last = p
		}
	}
	w.requests()
	s.Look(last.ID())
	must.Succeed(t, s.Refresh(t.Context()))
	w.same(t, s)
	seen := w.requests()
	i := slices.IndexFunc(seen, func(r string) bool { return strings.HasPrefix(r, "GET /resource_providers/") })
	if i < 0 || !strings.Contains(seen[i], last.ID().String()) {
		t.Errorf("%s was asked for, and %s comes first", seen, last.ID())
	}
}
