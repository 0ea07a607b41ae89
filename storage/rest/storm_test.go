package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/storagetest"
)

// claimOf is the body of a new consumer's claim of a VGPU at 1.39.
func claimOf(p placement.ProviderID) string {
	return `{"allocations": {"` + p.String() + `": {"resources": {"VGPU": 1}}}, "project_id": "p", "user_id": "u", "consumer_generation": null, "consumer_type": "INSTANCE"}`
}

// TestClaimStorm has 64 clients claim the last 16 units at once, retrying on conflicts:
// exactly the capacity is given out, and everyone else gets the answer that it does not
// fit. PLACETOP_STORM_ROUNDS sets the number of rounds.
func TestClaimStorm(t *testing.T) {
	t.Parallel()
	rounds, err := strconv.Atoi(os.Getenv("PLACETOP_STORM_ROUNDS"))
	if err != nil {
		rounds = 8
	}
	for range rounds {
		store := memory.New(memory.Options{Clock: storagetest.Clock()})
		storm(t, store, store)
	}
}

// TestClaimStormWithConflicts is TestClaimStorm on a store that answers every other write
// with a conflict, like one that others write to.
func TestClaimStormWithConflicts(t *testing.T) {
	t.Parallel()
	store := memory.New(memory.Options{Clock: storagetest.Clock()})
	storm(t, &contended{Store: store}, store)
}

func storm(t *testing.T, store storage.Store, under storage.Store) {
	t.Helper()
	const clients, capacity = 64, 16
	must.Get(under.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 64, capacity)}).Result())(t)
	card := storagetest.Provider(2)
	h := admin(rest.New(store, rest.Options{Clock: storagetest.Clock()}))
	var won, refused atomic.Int64
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for try := 0; ; try++ {
				w := ask(h, "PUT", "/allocations/"+storagetest.Consumer(uint64(100+i)).String(), "1.39", claimOf(card))
				switch {
				case w.Code == http.StatusNoContent:
					won.Add(1)
				case w.Code == http.StatusConflict && strings.Contains(w.Body.String(), "placement.concurrent_update") && try < 100:
					continue
				case w.Code == http.StatusConflict && strings.Contains(w.Body.String(), "The requested amount would exceed the capacity."):
					refused.Add(1)
				default:
					t.Errorf("%d %s", w.Code, w.Body)
				}
				return
			}
		})
	}
	all.Wait()
	s := under.Snapshot().Placement()
	p, _ := s.Provider(card)
	if iu := p.Inventories()[0]; won.Load() != capacity || refused.Load() != clients-capacity || iu.Used != capacity {
		t.Errorf("%d won and %d were refused, %d units are in use, want %d", won.Load(), refused.Load(), iu.Used, capacity)
	}
	if found := s.Check(); len(found) > 0 {
		t.Error(found)
	}
}

// contended refuses every other write as if another client had written just before.
type contended struct {
	storage.Store
	writes atomic.Int64
}

func (s *contended) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	if n := s.writes.Add(1); n%2 == 0 {
		name := placement.Trait(fmt.Sprintf("CUSTOM_%d", n))
		if err := s.Store.Apply(ctx, cloud.Change{Ops: []cloud.Op{placement.CreateTrait{Name: name}}}).Err(); err != nil {
			return cloud.Refused(err)
		}
		return cloud.Refused(&placement.ConflictError{What: "resource provider", ID: "x", Expect: placement.Generation(1), Has: 2})
	}
	return s.Store.Apply(ctx, c)
}

// rival takes what a write needs just before the write is decided, once.
type rival struct {
	storage.Store
	takes cloud.Change
	done  bool
}

func (s *rival) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	if !s.done {
		s.done = true
		if err := s.Store.Apply(ctx, s.takes).Err(); err != nil {
			return cloud.Refused(err)
		}
		return cloud.Refused(&placement.ConflictError{What: "resource provider", ID: "x", Expect: placement.Generation(1), Has: 2})
	}
	return s.Store.Apply(ctx, c)
}

// TestConflictRedoesTheCheck has another client write in between: the request is decided
// again as a whole, so that what is gone is not given out, and a generation that the
// client has seen is not mistaken for the new one.
func TestConflictRedoesTheCheck(t *testing.T) {
	t.Parallel()
	card := storagetest.Provider(2)
	path := "/resource_providers/" + card.String()
	for name, tt := range map[string]struct {
		takes              cloud.Change
		method, path, body string
		status             int
		says               string
	}{
		"the last unit": {
			storagetest.Claim(7, card, storagetest.Resources{placement.VGPU: 4}),
			"PUT", "/allocations/" + storagetest.Consumer(8).String(), claimOf(card), 409, "The requested amount would exceed the capacity.",
		},
		"another unit": {
			storagetest.Claim(7, card, storagetest.Resources{placement.VGPU: 3}),
			"PUT", "/allocations/" + storagetest.Consumer(8).String(), claimOf(card), 204, "",
		},
		"the consumer itself": {
			storagetest.Claim(8, card, storagetest.Resources{placement.VGPU: 1}),
			"PUT", "/allocations/" + storagetest.Consumer(8).String(), claimOf(card), 409, "consumer generation conflict - expected 1 but got null",
		},
		"the provider": {
			cloud.Change{Ops: []cloud.Op{placement.DeleteProvider{ID: card}}},
			"PUT", "/allocations/" + storagetest.Consumer(8).String(), claimOf(card), 400, "that does not exist",
		},
		"the generation": {
			storagetest.Claim(7, card, storagetest.Resources{placement.VGPU: 1}),
			"PUT", path + "/traits", `{"traits": ["OWNER_CYBORG"], "resource_provider_generation": 2}`, 409, "generation already changed",
		},
		"nothing that matters": {
			storagetest.Claim(7, card, storagetest.Resources{placement.VGPU: 1}),
			"DELETE", path + "/traits", "", 204, "",
		},
		"the inventory": {
			cloud.Change{Ops: []cloud.Op{placement.DeleteInventory{Provider: card, Class: placement.VGPU}}},
			"DELETE", path + "/inventories/VGPU", "", 404, "No inventory of class VGPU found for delete",
		},
	} {
		store := memory.New(memory.Options{Clock: storagetest.Clock()})
		must.Get(store.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 64, 4)}).Result())(t)
		var seen rest.Observation
		h := admin(rest.New(&rival{Store: store, takes: tt.takes}, rest.Options{
			Clock: storagetest.Clock(), Observe: func(o rest.Observation) { seen = o },
		}))
		w := ask(h, tt.method, tt.path, "1.39", tt.body)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.says) {
			t.Errorf("%s: %d %s, want %d, %s", name, w.Code, w.Body, tt.status, tt.says)
		}
		if seen.Tries != 2 || seen.Conflict != (tt.status == 409 && !strings.Contains(tt.says, "capacity")) {
			t.Errorf("%s: observed %+v", name, seen)
		}
	}
}
