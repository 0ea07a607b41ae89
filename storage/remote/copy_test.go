package remote

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestCopyGoesOn interrupts a copy and continues it: what was copied is not read again,
// and in the end everything is there.
func TestCopyGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	for n := range uint64(300) {
		w.do(t, cloud.Change{Ops: storagetest.Host(1+2*n, 8, 4)})
		w.do(t, storagetest.Claim(1000+n, storagetest.Provider(1+2*n), storagetest.Resources{placement.VCPU: 2}))
	}
	into := memory.New(memory.Options{Clock: storagetest.Clock()})
	run := func() (engine.CopyResult, error) {
		t.Helper()
		// One request at a time: one that was given up on may still reach the server
		// later.
		call := must.Get(dialEndpoint(t.Context(), w.URL, token(t, "secret"), 1, nil))(t)
		call.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
		return copyCloud(t.Context(), call, "somewhere", into, engine.Options{Clock: storagetest.Clock()})
	}
	var n atomic.Int32
	w.answer(func(out http.ResponseWriter, r *http.Request) bool {
		away := strings.HasSuffix(r.URL.Path, "/inventories") && n.Add(1) > 400
		if away {
			out.WriteHeader(http.StatusInternalServerError)
		}
		return away
	})
	first, err := run()
	has := into.Snapshot().Placement()
	if err == nil || has.ProviderCount() == 0 || has.ProviderCount() == 600 || first.Changed == 0 {
		t.Fatalf("%v, %d providers, %+v", err, has.ProviderCount(), first)
	}
	if errs := has.Check(); len(errs) > 0 {
		t.Error(errs)
	}
	w.answer(nil)
	w.requests()
	rest := 600 - has.ProviderCount()
	must.Succeed(t, must.Err(run()))
	inventories := 0
	for _, r := range w.requests() {
		if strings.HasSuffix(r, "/inventories") {
			inventories++
		}
	}
	if inventories != rest {
		t.Errorf("%d inventories are read, want those of %d providers", inventories, rest)
	}
	w.same(t, &Store{kept: into})
	w.do(t, cloud.Change{Ops: []cloud.Op{placement.DeleteAllocations{Consumer: storagetest.Consumer(1007)}}})
	w.do(t, cloud.Change{Ops: []cloud.Op{placement.CreateProvider{ID: storagetest.Provider(9000), Name: "new"}}})
	if did, err := run(); err != nil || did.Changed == 0 {
		t.Fatalf("%+v, %v", did, err)
	}
	w.same(t, &Store{kept: into})
	must.Succeed(t, into.Apply(t.Context(), cloud.Change{Note: "mine", Ops: []cloud.Op{placement.CreateTrait{Name: "CUSTOM_MINE"}}}).Err())
	if _, err := run(); !errors.Is(err, placement.ErrExists) {
		t.Errorf("over what somebody has written: %v", err)
	}
}

// TestCopyKeepsWhatIsNotReadAgain copies a cloud again while its Nova is down: what the
// copy has from Nova stays, and what it lacks may exist all the same.
func TestCopyKeepsWhatIsNotReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	in := newStandIn(t)
	in.says("/flavors/detail", map[string]any{"flavors": []any{map[string]any{"id": "1", "name": "small", "ram": 512, "vcpus": 1, "disk": 1, "extra_specs": object{}}}})
	into := memory.New(memory.Options{Clock: storagetest.Clock()})
	run := func() engine.CopyResult {
		t.Helper()
		call := must.Get(dialEndpoint(t.Context(), w.URL, token(t, "secret"), 2, nil))(t)
		call.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
		call.services[api.Compute] = &service{name: api.Compute, address: in.URL, minor: computeNewest}
		call.config = nova.Upstream("somewhere")
		did := must.Get(copyCloud(t.Context(), call, "somewhere", into, engine.Options{Clock: storagetest.Clock()}))(t)
		return did
	}
	has := func() bool {
		_, ok := into.Snapshot().Nova().FlavorNamed("small")
		return ok
	}
	if run(); !has() {
		t.Fatal("no flavor is copied")
	}
	if s := into.Snapshot(); s.Gap(cloud.Flavors) != "" || s.Live() || s.Nova().Config().Read == 0 {
		t.Errorf("all was read: %+v, %+v", s.Reading(cloud.Flavors), s.Nova().Config())
	}
	w.do(t, cloud.Change{Ops: storagetest.Host(3, 8, 4)})
	in.odd = func(out http.ResponseWriter, _ *http.Request) bool {
		out.WriteHeader(http.StatusInternalServerError)
		return true
	}
	if did := run(); len(did.Without) == 0 || !has() || into.Snapshot().Placement().ProviderCount() != 4 {
		t.Errorf("%+v, flavor %v, %d providers", did, has(), into.Snapshot().Placement().ProviderCount())
	} else if did.Revision != into.Snapshot().Revision() || into.Snapshot().Gap(cloud.Instances) == "" {
		t.Errorf("%+v, and the servers count as whole", did)
	}
	in.odd = nil
	in.says("/flavors/detail", map[string]any{"flavors": []any{}})
	if run(); has() {
		t.Error("what is gone is kept")
	}
	if gap := into.Snapshot().Gap(cloud.Instances); gap != "" {
		t.Errorf("all was read again: %s", gap)
	}
}

// TestCopyKeepsNamesAndWhatMoved copies a cloud while a server changes: the copy does not
// judge by it, and has the names that Keystone gave to its owner.
func TestCopyKeepsNamesAndWhatMoved(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
	for _, n := range []uint64{10, 11} {
		w.do(t, storagetest.Claim(n, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1}))
	}
	in.hypervisor()
	in.says("/projects", object{"projects": []any{object{"id": "project", "name": "shop"}, object{"id": "other", "name": "owns nothing"}}})
	in.says("/users", object{"users": []any{object{"id": "user", "name": "ann"}}})
	server := func(updated time.Time) {
		in.says("/servers/detail", object{"servers": []any{object{"id": storagetest.Consumer(10), "name": "web-1", "tenant_id": "project", "user_id": "user", "updated": updated.UTC().Format(time.RFC3339)}}})
	}
	into := memory.New(memory.Options{Clock: storagetest.Clock()})
	run := func() *cloud.Snapshot {
		t.Helper()
		call := must.Get(dialEndpoint(t.Context(), w.URL, token(t, "secret"), 2, nil))(t)
		call.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
		call.services[api.Compute] = &service{name: api.Compute, address: in.URL, minor: computeNewest}
		call.services[keystone] = &service{name: keystone, address: in.URL}
		call.config = nova.Upstream("somewhere")
		must.Get(copyCloud(t.Context(), call, "somewhere", into, engine.Options{Clock: storagetest.Clock()}))(t)
		return into.Snapshot()
	}
	server(storagetest.Start)
	s := run()
	if !s.Moving(storagetest.Consumer(10)) || s.Moving(storagetest.Consumer(11)) {
		t.Errorf("the server that changed is moving: %t, the orphan: %t", s.Moving(storagetest.Consumer(10)), s.Moving(storagetest.Consumer(11)))
	}
	if s.ProjectName("project") != "shop" || s.UserName("user") != "ann" || s.ProjectName("other") != "" {
		t.Errorf("%+v", s.Nova().Config())
	}
	// Keystone answers no more: the names stay.
	delete(in.answers, "/projects")
	delete(in.answers, "/users")
	server(storagetest.Start.Add(-time.Hour))
	if s = run(); s.Moving(storagetest.Consumer(10)) || s.ProjectName("project") != "shop" {
		t.Errorf("moving: %t, %+v", s.Moving(storagetest.Consumer(10)), s.Nova().Config())
	}
}
