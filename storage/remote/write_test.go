package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/storagetest"
)

// mayWrite opens the Placement of a world for writing.
func (w *world) mayWrite(t *testing.T) *Store {
	t.Helper()
	s := w.mustOpen(t)
	s.can.Store(&cloud.Capabilities{Cannot: s.reader.call.cannot})
	return s
}

// TestWrites carries out every operation of Placement over its API.
func TestWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	s := w.mayWrite(t)
	root, card, whatever := storagetest.Provider(1), storagetest.Provider(2), placement.AnyGeneration()
	claim := storagetest.Claim(10, root, storagetest.Resources{placement.VCPU: 2}).Ops
	for _, ops := range [][]cloud.Op{
		{placement.CreateProvider{ID: storagetest.Provider(5), Name: "pool"}, placement.CreateClass{Name: "CUSTOM_X"}, placement.CreateTrait{Name: "CUSTOM_T"}},
		{placement.UpdateProvider{ID: storagetest.Provider(5), Name: "other"}},
		{placement.AddInventory{Provider: root, Generation: whatever, Class: "CUSTOM_X", Inventory: placement.NewInventory(5)}},
		{placement.SetInventory{Provider: root, Generation: whatever, Class: "CUSTOM_X", Inventory: placement.NewInventory(6)}},
		{placement.SetTraits{Provider: card, Generation: whatever, Traits: []placement.Trait{placement.OwnerCyborg, "CUSTOM_T"}}},
		{placement.SetAggregates{Provider: root, Generation: whatever, Aggregates: []placement.AggregateID{placement.AggregateID(storagetest.Number(7))}}},
		claim,
		{placement.DeleteAllocations{Consumer: storagetest.Consumer(10)}},
		claim,
		{placement.DeleteInventory{Provider: root, Class: "CUSTOM_X"}},
		{placement.SetTraits{Provider: card, Generation: whatever}, placement.DeleteTrait{Name: "CUSTOM_T"}, placement.DeleteClass{Name: "CUSTOM_X"}},
		{placement.DeleteProvider{ID: storagetest.Provider(5)}},
	} {
		did, err := s.Apply(t.Context(), cloud.Change{Actor: "me", Note: "a try", Force: cloud.ForceUnchecked, Ops: ops}).Result()
		if err != nil {
			t.Fatalf("%v: %v", ops, err)
		}
		w.same(t, s)
		events, err := s.Events(t.Context(), cloud.EventQuery{Limit: 1})
		if err != nil || did.Snapshot != s.Snapshot() || events[0].Actor != "me" || events[0].Revision != did.Event.Revision {
			t.Errorf("%v: %+v, %v", ops, events, err)
		}
	}
}

// TestLosesARace has another client write first: nothing is overwritten, and the new
// state is shown.
func TestLosesARace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	s := w.mayWrite(t)
	root := storagetest.Provider(1)
	w.do(t, cloud.Change{Ops: []cloud.Op{placement.AddInventory{Provider: root, Generation: placement.AnyGeneration(), Class: placement.DiskGB, Inventory: placement.NewInventory(5)}}})
	change := cloud.Change{Actor: "me", Ops: []cloud.Op{placement.SetInventory{Provider: root, Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: placement.NewInventory(9)}}}
	if err := s.Apply(t.Context(), change).Err(); !errors.Is(err, placement.ErrConflict) {
		t.Fatalf("%v, want a conflict", err)
	}
	w.same(t, s)
	if events, err := s.Events(t.Context(), cloud.EventQuery{Limit: 1}); err != nil || events[0].Actor != "cloud" {
		t.Errorf("who wrote is told as %+v, %v", events, err)
	}
	must.Succeed(t, s.Apply(t.Context(), change).Err())
	w.same(t, s)
}

// TestAnswerIsLost reads back the effect of a write whose answer did not come.
func TestAnswerIsLost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		reach  bool // the write reaches the service
		away   bool // it cannot be read afterwards
		others bool // another client writes the same meanwhile
		status int  // of the answer; 0 for none
		want   string
	}{
		{"done", true, false, false, 0, ""},
		{"not done", false, false, false, 0, "it had not been done when checked, but still may be: check again"},
		{"not done, says what is between", false, false, false, http.StatusGatewayTimeout, "it had not been done when checked, but still may be: check again"},
		{"not done, says the service", false, false, false, http.StatusInternalServerError, "it was not done"},
		{"written by others", false, false, true, 0, "it may or may not have been done: check it"},
		{"nobody knows", true, true, false, 0, "it may or may not have been done, and the cloud cannot be read: check it"},
		{"refused once done", true, false, false, http.StatusUnauthorized, "it may have been done, or others did the same: check it"},
		{"in conflict once done", true, false, false, http.StatusConflict, "it may have been done, or others did the same: check it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 0)
			w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
			s := w.mayWrite(t)
			h := rest.New(w.kept, rest.Options{Clock: storagetest.Clock()})
			lost := false
			w.answer(func(out http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodGet {
					if lost && test.away {
						out.WriteHeader(http.StatusForbidden)
						return true
					}
					return false
				}
				lost = true
				if test.reach {
					h.ServeHTTP(httptest.NewRecorder(), r.WithContext(rest.WithCaller(r.Context(), rest.Caller{User: "a", Roles: []string{rest.RoleAdmin, rest.RoleService}})))
				}
				if test.others {
					//nolint:contextcheck // they do it whatever becomes of the request
					w.do(t, cloud.Change{Ops: []cloud.Op{placement.SetInventory{
						Provider: storagetest.Provider(1), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: placement.NewInventory(77),
					}}})
				}
				if test.status == 0 {
					panic(http.ErrAbortHandler)
				}
				out.WriteHeader(test.status)
				return true
			})
			_, err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.SetInventory{
				Provider: storagetest.Provider(1), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: placement.NewInventory(9),
			}}}).Result()

			if doubt := strings.Contains(test.want, "check"); errors.Is(err, cloud.ErrInDoubt) != doubt {
				t.Errorf("%v leaves it in doubt: %t, want %t", err, !doubt, doubt)
			}
			if (err == nil) != (test.want == "") || err != nil && !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if can := s.Capabilities().Can(); (can != nil) != test.away {
				t.Errorf("what can be written: %v", can)
			}
			w.answer(nil)
			must.Succeed(t, s.Refresh(t.Context()))
			if err := s.Capabilities().Can(); err != nil {
				t.Errorf("it is back: %v", err)
			}
			w.same(t, s)
		})
	}
}

// TestAnsweredAndNotDone has something in between that answers writes as if they were done,
// or where the answer does not say so: none of them counts as done.
func TestAnsweredAndNotDone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status     int
		kind, body string
		reach      bool // the write reaches the service all the same
	}{
		"a login page":             {200, "text/html", "<html>login</html>", false},
		"a login page, once done":  {200, "text/html", "<html>login</html>", true},
		"an object":                {200, "application/json", "{}", false},
		"nothing":                  {204, "", "", false},
		"elsewhere":                {307, "text/html", "", false},
		"elsewhere, once done":     {307, "text/html", "", true},
		"an unknown page, as done": {404, "text/html", "<html>", true},
	} {
		for what, change := range map[string][]cloud.Op{
			"inventory": {placement.SetInventory{Provider: storagetest.Provider(1), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: placement.NewInventory(9)}},
			"traits":    {placement.SetTraits{Provider: storagetest.Provider(1), Generation: placement.AnyGeneration(), Traits: []placement.Trait{"HW_CPU_X86_AVX2"}}},
			"class":     {placement.CreateClass{Name: "CUSTOM_NEW"}},
			"trait":     {placement.CreateTrait{Name: "CUSTOM_NEW"}},
			"provider":  {placement.CreateProvider{ID: storagetest.Provider(7), Name: "new"}},
			"claim":     storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1}).Ops,
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, 0)
				w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
				s := w.mayWrite(t)
				h := rest.New(w.kept, rest.Options{Clock: storagetest.Clock()})
				w.answer(func(out http.ResponseWriter, r *http.Request) bool {
					if r.Method == http.MethodGet {
						return false
					}
					if test.reach {
						h.ServeHTTP(httptest.NewRecorder(), r.WithContext(rest.WithCaller(r.Context(), rest.Caller{User: "a", Roles: []string{rest.RoleAdmin, rest.RoleService}})))
					}
					out.Header().Set("Content-Type", test.kind)
					out.WriteHeader(test.status)
					_, _ = out.Write([]byte(test.body))
					return true
				})
				err := s.Apply(t.Context(), cloud.Change{Ops: change}).Err()
				switch {
				case test.reach:
					must.Succeed(t, err)
				case !errors.Is(err, cloud.ErrInDoubt) || !strings.Contains(err.Error(), "check"):
					t.Errorf("%v leaves it in doubt: %t", err, errors.Is(err, cloud.ErrInDoubt))
				}
				w.same(t, s)
			})
		}
	}
}

// TestSeenLater has a service that reads from another copy of its database than it writes
// to: what it answered as done is there a moment later.
func TestSeenLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	s := w.mayWrite(t)
	var held atomic.Pointer[http.Request]
	h := rest.New(w.kept, rest.Options{Clock: storagetest.Clock()})
	w.answer(func(out http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet {
			return false
		}
		body := must.Get(io.ReadAll(r.Body))(t)
		again := r.Clone(rest.WithCaller(context.Background(), rest.Caller{User: "a", Roles: []string{rest.RoleAdmin, rest.RoleService}}))
		again.Body = io.NopCloser(bytes.NewReader(body))
		held.Store(again)
		out.WriteHeader(http.StatusNoContent)
		return true
	})
	s.reader.call.pause = func(context.Context, time.Duration) error {
		h.ServeHTTP(httptest.NewRecorder(), held.Load())
		return nil
	}
	must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.CreateTrait{Name: "CUSTOM_NEW"}}}).Err())
	w.same(t, s)
}

// TestNotReached knows that a call for which there was no connection was not done.
func TestNotReached(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	call := must.Get(dialEndpoint(t.Context(), w.URL, token(t, "secret"), DefaultInFlight, nil))(t)
	w.Close()
	var err error
	for range DefaultInFlight + 1 { // each ends one of the connections that were open
		err = call.once(t.Context(), api.Placement, http.MethodPut, "/traits/CUSTOM_A", "", 39, nil)
	}
	if err == nil || unanswered(err) || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("after %v it may have been done: %t", err, unanswered(err))
	}
}

// TestRefused says what cannot be written and why, sends none of it, and stops writing
// once the user lacks permission.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	s := w.mayWrite(t)
	w.requests()
	for _, op := range []cloud.Op{nova.DisableService{Host: "cmp", Binary: nova.Compute}, nova.PlaceInstance{}, cloud.PutRecords("", "", nil).Ops[0]} {
		if err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{op}}).Err(); !errors.Is(err, placement.ErrUnsupported) {
			t.Errorf("%T: %v", op, err)
		}
	}
	if err := s.Apply(t.Context(), storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 900})).Err(); !errors.Is(err, placement.ErrCapacity) {
		t.Errorf("too much: %v", err)
	}
	if seen := w.requests(); len(seen) > 0 {
		t.Errorf("sent %q", seen)
	}
	w.answer(func(out http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet {
			out.WriteHeader(http.StatusForbidden)
		}
		return r.Method != http.MethodGet
	})
	trait := cloud.Change{Ops: []cloud.Op{placement.CreateTrait{Name: "CUSTOM_T"}}}
	if err := s.Apply(t.Context(), trait).Err(); err == nil || s.Capabilities().Can() == nil {
		t.Errorf("%v, and it can still be written", err)
	}
	w.requests()
	if err := s.Apply(t.Context(), trait).Err(); !errors.Is(err, placement.ErrUnsupported) || len(w.requests()) > 0 {
		t.Errorf("it was tried again: %v", err)
	}
}

// TestOverwritesNoProvider has another client change a provider after it was read. The
// calls that rename, move and delete one carry no generation: what was not seen is not
// overwritten, but read.
func TestOverwritesNoProvider(t *testing.T) {
	t.Parallel()
	card := storagetest.Provider(2)
	rename := placement.UpdateProvider{ID: card, Name: "mine"}
	move := placement.UpdateProvider{ID: card, Name: "cmp-00001_pci_0000_41_00_0", Reparent: true, Parent: storagetest.Provider(3)}
	remove := placement.DeleteProvider{ID: card}
	theirs := map[string]cloud.Op{
		"renamed":   placement.UpdateProvider{ID: card, Name: "theirs"},
		"moved":     placement.UpdateProvider{ID: card, Name: "cmp-00001_pci_0000_41_00_0", Reparent: true, Parent: storagetest.Provider(4)},
		"described": placement.SetTraits{Provider: card, Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerNova}},
		"deleted":   placement.DeleteProvider{ID: card},
	}
	for name, test := range map[string]struct {
		op   cloud.Op
		want map[string]error // by what others did; nil if it is done all the same
	}{
		"rename": {rename, map[string]error{"renamed": placement.ErrConflict, "moved": placement.ErrConflict, "described": nil, "deleted": placement.ErrConflict}},
		"move":   {move, map[string]error{"renamed": placement.ErrConflict, "moved": placement.ErrConflict, "described": nil, "deleted": placement.ErrConflict}},
		"delete": {remove, map[string]error{"renamed": placement.ErrConflict, "moved": placement.ErrConflict, "described": placement.ErrConflict, "deleted": placement.ErrConflict}},
	} {
		for what, want := range test.want {
			t.Run(name+" what others have "+what, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, 0)
				w.do(t, cloud.Change{Ops: []cloud.Op{
					placement.CreateProvider{ID: storagetest.Provider(1), Name: "host"},
					placement.CreateProvider{ID: card, Name: "cmp-00001_pci_0000_41_00_0", Parent: storagetest.Provider(1)},
					placement.CreateProvider{ID: storagetest.Provider(3), Name: "there"},
					placement.CreateProvider{ID: storagetest.Provider(4), Name: "elsewhere"},
				}})
				s := w.mayWrite(t)
				w.do(t, cloud.Change{Ops: []cloud.Op{theirs[what]}})
				w.requests()
				err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{test.op}}).Err()
				if !errors.Is(err, want) {
					t.Errorf("%v, want %v", err, want)
				}
				sent := slices.ContainsFunc(w.requests(), func(r string) bool { return !strings.HasPrefix(r, "GET") })
				if sent != (want == nil) {
					t.Errorf("it was sent: %t", sent)
				}
				w.same(t, s)
				if want == nil {
					return
				}
				err = s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{test.op}}).Err()
				if done := what != "deleted"; done != (err == nil) || !done && !errors.Is(err, placement.ErrNotFound) {
					t.Errorf("once it was seen: %v", err)
				}
				w.same(t, s)
			})
		}
	}
}

// TestReleasesNothingUnseen changes a claim of which not all is shown, as a list lacks a
// provider, another client made one meanwhile, or what is held there is not understood: a call
// replaces all that a consumer holds, so that the rest would be released.
func TestReleasesNothingUnseen(t *testing.T) {
	t.Parallel()
	host, card, id := storagetest.Provider(1), storagetest.Provider(2), storagetest.Consumer(10)
	made := storagetest.Host(1, 8, 4)
	made[1], made[2] = made[2], made[1] // the host as a whole comes first
	made = append(made, placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: id, Generation: placement.NewConsumer(), Type: placement.InstanceConsumer, Project: "project", User: "user",
		Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{host: {placement.VCPU: 1}, card: {placement.VGPU: 1}},
	}}})
	for name, test := range map[string]struct {
		path      string // of the answers that are another; "" for none
		from, to  string
		lone      bool // the list has the host alone
		meanwhile bool // the card is made while the host is read
		whole     bool // all is shown
		hidden    bool // some can never be, so that no other try helps
	}{
		"all is shown":                  {whole: true},
		"the list lacks a provider":     {lone: true},
		"made while the cloud was read": {meanwhile: true},
		"an inventory that cannot be":   {path: "/inventories", from: `"total": 4`, to: `"total": 0`, hidden: true},
		"a class that is newer":         {path: "/", from: `"VGPU"`, to: `"VGPU_OF_TOMORROW"`, hidden: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 0)
			last := len(made)
			if test.meanwhile {
				last = 2
			}
			w.do(t, cloud.Change{Ops: made[:last]})
			h := rest.New(w.kept, rest.Options{Clock: storagetest.Clock()})
			w.answer(func(out http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodGet {
					return false
				}
				if last < len(made) && strings.HasSuffix(r.URL.Path, "/traits") {
					//nolint:contextcheck // they do it whatever becomes of the request
					w.do(t, cloud.Change{Ops: made[last:]})
					last = len(made)
				}
				is := httptest.NewRecorder()
				h.ServeHTTP(is, r.WithContext(rest.WithCaller(r.Context(), rest.Caller{User: "a", Roles: []string{rest.RoleAdmin, rest.RoleService}})))
				body := is.Body.String()
				if test.path != "" && strings.Contains(r.URL.Path, test.path) {
					body = strings.ReplaceAll(body, test.from, test.to)
				}
				if test.lone && r.URL.Path == "/resource_providers" {
					var all map[string][]map[string]any
					must.Succeed(t, json.Unmarshal([]byte(body), &all))
					all["resource_providers"] = slices.DeleteFunc(all["resource_providers"], func(p map[string]any) bool { return p["uuid"] == card.String() })
					body = string(must.Get(json.Marshal(all))(t))
				}
				maps.Copy(out.Header(), is.Header())
				out.Header().Del("Content-Length")
				out.WriteHeader(is.Code)
				_, _ = io.WriteString(out, body)
				return true
			})
			s := w.mayWrite(t)
			was := w.kept.Snapshot()
			more := func() error {
				c, ok := s.Snapshot().Placement().Consumer(id)
				if !ok {
					t.Fatal("it is not there")
				}
				claim := s.Snapshot().Placement().AsHeld(c)
				claim.Allocations[host][placement.VCPU] = 2
				return s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{claim}}}}).Err()
			}
			err := more()
			want := placement.ErrConflict
			if test.hidden {
				want = placement.ErrInvalid
			}
			if test.whole {
				must.Succeed(t, err)
			} else if !errors.Is(err, want) || w.kept.Snapshot() != was {
				t.Errorf("%v, want %v, and nothing written", err, want)
			}
			if test.meanwhile {
				must.Succeed(t, more())
			}
			c, _ := w.kept.Snapshot().Placement().Consumer(id)
			if n := w.kept.Snapshot().Placement().AsHeld(c).Allocations[card][placement.VGPU]; n != 1 {
				t.Errorf("it holds %d of the card", n)
			}
		})
	}
}

// TestLooksAtSeveralProviders deletes a tree on a cloud that answers about a provider only
// once it is asked about as many as requests may be in flight.
func TestLooksAtSeveralProviders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	root := storagetest.Provider(1)
	made := []cloud.Op{placement.CreateProvider{ID: root, Name: "host"}}
	var gone []cloud.Op
	for n := range uint64(2*DefaultInFlight - 1) {
		id := storagetest.Provider(2 + n)
		made = append(made, placement.CreateProvider{ID: id, Name: fmt.Sprint("card-", n), Parent: root})
		gone = append(gone, placement.DeleteProvider{ID: id})
	}
	w.do(t, cloud.Change{Ops: made})
	s := w.mayWrite(t)
	several := make(chan struct{})
	var asked atomic.Int32
	w.answer(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || path.Dir(r.URL.Path) != "/resource_providers" {
			return false
		}
		if asked.Add(1) == DefaultInFlight {
			close(several)
		}
		select {
		case <-several:
		case <-time.After(10 * time.Second):
			t.Error("it asks about fewer at a time")
		}
		return false
	})
	must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: append(gone, placement.DeleteProvider{ID: root})}).Err())
	if n := asked.Load(); n != 2*DefaultInFlight {
		t.Errorf("it asked about %d providers", n)
	}
	w.same(t, s)
}

// TestMadeAgain leaves alone a consumer that others have released and made again since it was
// read: its generation is the same one then, and it may be of another project, with the same
// amounts.
func TestMadeAgain(t *testing.T) {
	t.Parallel()
	amounts := storagetest.Resources{placement.VCPU: 2}
	mine := storagetest.Claim(10, storagetest.Provider(1), amounts).Ops[0].(placement.ReplaceAllocations).Consumers[0]
	for name, change := range map[string]func(c *placement.Claim){
		"by another project": func(c *placement.Claim) { c.Project = "other" },
		"by another user":    func(c *placement.Claim) { c.User = "other" },
		"with as much of another class": func(c *placement.Claim) {
			c.Allocations = map[placement.ProviderID]map[placement.ResourceClass]int64{storagetest.Provider(2): {placement.VGPU: 1}}
		},
	} {
		more := mine
		more.Generation = placement.AnyGeneration()
		more.Allocations = map[placement.ProviderID]map[placement.ResourceClass]int64{storagetest.Provider(1): {placement.VCPU: 3}}
		for _, op := range []cloud.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{more}}, placement.DeleteAllocations{Consumer: mine.Consumer}} {
			w := newWorld(t, 0)
			w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
			w.do(t, cloud.Change{Ops: []cloud.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{mine}}}})
			s := w.mayWrite(t)
			again := mine
			change(&again)
			w.do(t, cloud.Change{Ops: []cloud.Op{placement.DeleteAllocations{Consumer: mine.Consumer}}})
			w.do(t, cloud.Change{Ops: []cloud.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{again}}}})
			made := w.kept.Snapshot().Revision()
			err := s.Apply(t.Context(), cloud.Change{Force: cloud.ForceUnchecked, Ops: []cloud.Op{op}}).Err()
			if !errors.Is(err, placement.ErrConflict) || w.kept.Snapshot().Revision() != made {
				t.Errorf("%s: %T is not refused: %v", name, op, err)
			}
			w.same(t, s)
		}
	}
}

// TestAsksBeforeEachCall asks about a server right before what it claims is written: it may be
// deleted while the calls before that are made.
func TestAsksBeforeEachCall(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	in.server("cmp-1", "active", "")
	s := w.openWith(t, api.Compute, in, computeNewest)
	w.answer(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/traits") {
			in.mu.Lock()
			delete(in.answers, "/servers/"+storagetest.Consumer(10).String())
			in.mu.Unlock()
		}
		return false
	})
	err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{
		placement.SetTraits{Provider: storagetest.Provider(1), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerNova}},
		storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1}).Ops[0],
	}}).Err()
	if _, claimed := w.kept.Snapshot().Placement().Consumer(storagetest.Consumer(10)); claimed || !errors.Is(err, cloud.ErrOvertaken) || !strings.Contains(err.Error(), "1 of 2 calls") {
		t.Errorf("claimed for a server that is gone: %t, %v", claimed, err)
	}
}

// TestTellsOwnCallsFromOthers has a Change stop midway, as others write what it rests on: the
// journal has what it did as its own, although that is read together with what others did.
func TestTellsOwnCallsFromOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	w.do(t, storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 2}))
	s := w.mayWrite(t)
	more := storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 3})
	claim := more.Ops[0].(placement.ReplaceAllocations)
	claim.Consumers[0].Generation = placement.AnyGeneration()
	var once sync.Once
	w.answer(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/traits") {
			once.Do(func() { w.do(t, cloud.Change{Ops: []cloud.Op{claim}}) })
		}
		return false
	})
	err := s.Apply(t.Context(), cloud.Change{Note: "mark and release", Force: cloud.ForceUnchecked, Ops: []cloud.Op{
		placement.SetTraits{Provider: storagetest.Provider(2), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg}},
		placement.DeleteAllocations{Consumer: storagetest.Consumer(10)},
	}}).Err()
	if !errors.Is(err, cloud.ErrOvertaken) || !strings.Contains(err.Error(), "1 of 2 calls") {
		t.Fatalf("it does not stop midway: %v", err)
	}
	marked := slices.ContainsFunc(must.Get(s.Events(t.Context(), cloud.EventQuery{}))(t), func(ev cloud.Event) bool {
		return ev.Note == "mark and release" && slices.ContainsFunc(ev.Changes, func(c versioned.Change) bool {
			_, ok := c.After.(*placement.ProviderTraitsRecord)
			return ok
		})
	})
	if !marked {
		t.Error("the journal does not say that the Change set the traits")
	}
	w.same(t, s)
}

// TestOwnersOfEachOther has Nova name the owners of two consumers the wrong way round, which the
// sums of what they hold do not show: who has one is known once it was asked about.
func TestOwnersOfEachOther(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	var servers []any
	var again []cloud.Op
	for n, user := range []string{"ann", "bob"} {
		id := uint64(10 + n)
		claim := storagetest.Claim(id, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 2}).Ops[0].(placement.ReplaceAllocations)
		claim.Consumers[0].User = user
		w.do(t, cloud.Change{Ops: []cloud.Op{claim}})
		more := storagetest.Claim(id, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 3}).Ops[0].(placement.ReplaceAllocations)
		more.Consumers[0].User, more.Consumers[0].Generation = user, placement.AnyGeneration()
		again = append(again, more)
		servers = append(servers, object{"id": storagetest.Consumer(21 - id).String(), "tenant_id": claim.Consumers[0].Project, "user_id": user, "OS-EXT-STS:vm_state": "active"})
	}
	in.says("/servers/detail", object{"servers": servers})
	s := w.openWith(t, api.Compute, in, computeNewest)
	must.Succeed(t, s.refreshAll(t.Context(), asRead())) // from now on Nova's servers are known before the consumers are
	w.do(t, cloud.Change{Ops: again})
	must.Succeed(t, s.refreshAll(t.Context(), asRead()))
	release := cloud.Change{Force: cloud.ForceUnchecked, Ops: []cloud.Op{placement.DeleteAllocations{Consumer: storagetest.Consumer(10)}}}
	if err := s.Apply(t.Context(), release).Err(); !errors.Is(err, placement.ErrConflict) {
		t.Fatalf("the first time: %v", err)
	}
	must.Succeed(t, s.Apply(t.Context(), release).Err())
}
