package remote

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestChangesByNovasClock reads a server from a Nova whose clock is hours off ours: that it changed
// just now, and that it did not, is judged by that clock, as are ages.
func TestChangesByNovasClock(t *testing.T) {
	t.Parallel()
	id := storagetest.Consumer(1)
	for _, off := range []time.Duration{-5 * time.Hour, 0, 5 * time.Hour} {
		for ago, moving := range map[time.Duration]bool{time.Second: true, time.Hour: false} {
			w, in := newWorld(t, 1), newStandIn(t)
			in.clock = storagetest.Start.Add(off).UTC()
			in.says("/servers/detail", map[string]any{"servers": []any{map[string]any{
				"id": id, "name": "web", "OS-EXT-SRV-ATTR:host": "h", "OS-EXT-STS:vm_state": "active", "updated": in.clock.Add(-ago).Format(time.RFC3339),
			}}})
			s := w.openWith(t, api.Compute, in, computeNewest).Snapshot()
			if s.Moving(id) != moving {
				t.Errorf("our clock is %s behind, and it changed %s ago: %t", off, ago, s.Moving(id))
			}
			i, _ := s.Nova().Instance(id)
			if age := s.NovasTime(storagetest.Start).Sub(versioned.Time(i.Updated)); age.Round(time.Hour) != ago.Round(time.Hour) {
				t.Errorf("our clock is %s behind, and it changed %s ago: not %s ago", off, ago, age)
			}
		}
	}
}

// TestWhatWasReadApart reads Placement and Nova one after the other, in both orders, while
// a server is built, moved or deleted in between: what one knows and the other does not yet,
// or no more, is not settled until both were read again.
func TestWhatWasReadApart(t *testing.T) {
	t.Parallel()
	const n = 7
	id, other := storagetest.Consumer(n), storagetest.Consumer(n+1)
	at := time.Unix(1_000_000, 0)
	long := when(versioned.Millis(at.Add(-time.Hour)))
	server := func(updated when) novaMirror { return novaMirror{servers: []novaServer{{ID: id, Updated: updated}}} }
	type world struct{ *mirror }
	alone := []listed{{UUID: storagetest.Provider(1)}}
	held := func(w world, ids ...placement.ConsumerID) { // Placement is read
		p := &provider{held: map[placement.ConsumerID]holding{}}
		for _, id := range ids {
			p.held[id] = holding{}
			w.consumers[id] = &consumer{known: true}
		}
		w.providers = map[placement.ProviderID]*provider{storagetest.Provider(1): p}
		w.mu.Lock()
		began := w.order.tick()
		w.mu.Unlock()
		w.holds(began, at)
	}
	listed := func(w world, is novaMirror) { // Nova is read
		w.mu.Lock()
		defer w.mu.Unlock()
		w.lists(w.order.tick(), is)
	}
	for name, test := range map[string]struct {
		do   func(w world)
		want []placement.ConsumerID
	}{
		"both know it":                              {func(w world) { held(w, id); listed(w, server(long)) }, nil},
		"built after Nova was read":                 {func(w world) { listed(w, novaMirror{}); held(w, id) }, []placement.ConsumerID{id}},
		"built, and Nova was read again":            {func(w world) { listed(w, novaMirror{}); held(w, id); listed(w, server(long)) }, nil},
		"an orphan, once Nova was read again":       {func(w world) { listed(w, novaMirror{}); held(w, id); listed(w, novaMirror{}) }, nil},
		"deleted after Placement was read":          {func(w world) { listed(w, server(long)); held(w, id); listed(w, novaMirror{}) }, []placement.ConsumerID{id}},
		"deleted, and Placement was read again":     {func(w world) { listed(w, server(long)); held(w, id); listed(w, novaMirror{}); held(w) }, nil},
		"left behind, and Placement was read again": {func(w world) { listed(w, server(long)); held(w, id); listed(w, novaMirror{}); held(w, id) }, nil},
		"it changed just before":                    {func(w world) { held(w, id); listed(w, server(when(versioned.Millis(at.Add(-time.Second))))) }, []placement.ConsumerID{id}},
		"it changes while Nova is read":             {func(w world) { held(w, id); listed(w, server(when(versioned.Millis(at.Add(time.Second))))) }, []placement.ConsumerID{id}},
		"written while Placement was read": {func(w world) {
			listed(w, novaMirror{})
			held(w, id, other)
			w.consumers[other].known = false
			w.holds(w.order.tick(), at)
			listed(w, server(long))
		}, []placement.ConsumerID{other}},
		"of a provider that is not in the list, too": {func(w world) {
			held(w, id, other)
			w.consumers[other].partly = true
			w.holds(w.order.tick(), at)
			listed(w, server(long))
		}, []placement.ConsumerID{other}},
		"of a provider that is no longer in the list, too": {func(w world) {
			held(w, id)
			w.providers[storagetest.Provider(2)] = w.providers[storagetest.Provider(1)]
			w.list(alone)
			w.holds(w.order.tick(), at)
			listed(w, server(long))
		}, []placement.ConsumerID{id}},
		"of an inventory that is not shown": {func(w world) {
			held(w, id)
			w.providers[storagetest.Provider(1)].held[id] = holding{Resources: storagetest.Resources{placement.VGPU: 1}}
			w.holds(w.order.tick(), at)
			listed(w, server(long))
		}, []placement.ConsumerID{id}},
		"a list that was begun before Placement was read, and ended after": {func(w world) {
			w.mu.Lock()
			began := w.order.tick()
			w.mu.Unlock()
			held(w, id)
			w.mu.Lock()
			w.lists(began, novaMirror{})
			w.mu.Unlock()
		}, []placement.ConsumerID{id}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world{newMirror()}
			test.do(w)
			want := map[placement.ConsumerID]bool{}
			for _, id := range test.want {
				want[id] = true
			}
			must.Match(t, want, w.moving(0))
		})
	}
}
