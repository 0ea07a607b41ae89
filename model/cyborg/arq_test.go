package cyborg_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

const (
	oneVGPU = `[{"name": "dp-vgpu", "groups": [{"resources:VGPU": "1"}]}]`
	twoVGPU = `[{"name": "dp-two", "groups": [{"resources:VGPU": "2"}, {"resources:FPGA": "1"}]}]`
)

// bench returns a ledger with a card of four units on each of two hosts, and the profiles
// above.
func bench(t rapid.TB) *cyborg.Snapshot {
	t.Helper()
	s := cyborg.Empty()
	for _, host := range []string{"compute1", "compute2"} {
		s = withCard(t, s, host, "0000:af:00.0", 4)
	}
	return withProfile(t, withProfile(t, s, oneVGPU), twoVGPU)
}

func create(t rapid.TB, s *cyborg.Snapshot, owner string) (*cyborg.Snapshot, []uuid.UUID) {
	t.Helper()
	p, _ := s.DeviceProfile("dp-vgpu")
	ids := must.Get(cyborg.ARQIDs(p, consumer(owner)))(t)
	return apply(t, s, cyborg.CreateARQs{Profile: "dp-vgpu", Owner: consumer(owner), Project: "p"}), ids
}

// binding returns the operation that binds the request for group 0 to the card of a host.
func binding(ids []uuid.UUID, instance, host string) cyborg.StartBind {
	return cyborg.StartBind{
		ARQs: ids, Instance: consumer(instance), Host: host,
		Mappings: map[string][]placement.ProviderID{"device_profile_0": {provider(host + "_0000:af:00.0")}},
	}
}

// bound returns a bench on which an instance has its request bound on compute1.
func bound(t rapid.TB, s *cyborg.Snapshot, instance string) (*cyborg.Snapshot, []uuid.UUID) {
	t.Helper()
	s, ids := create(t, s, instance)
	return apply(t, s, binding(ids, instance, "compute1"), cyborg.FinishBind{Instance: consumer(instance)}), ids
}

func arq(t rapid.TB, s *cyborg.Snapshot, id uuid.UUID) *cyborg.ARQ {
	t.Helper()
	a, ok := s.ARQ(id)
	if !ok {
		t.Fatalf("there is no accelerator request %s", id)
	}
	return a
}

// in returns a bench with one request in the given state.
func in(t rapid.TB, state cyborg.ARQState) (*cyborg.Snapshot, uuid.UUID) {
	t.Helper()
	s, ids := create(t, bench(t), "i")
	one, finish := ids[0], cyborg.FinishBind{Instance: consumer("i")}
	steps := map[cyborg.ARQState][]cyborg.Op{
		cyborg.ARQBindStarted:  {start(one)},
		cyborg.ARQBound:        {start(one), finish},
		cyborg.ARQBindFailed:   {start(one), fail(one)},
		cyborg.ARQUnbound:      {start(one), finish, unbind(one)},
		cyborg.ARQUnbindFailed: {start(one), finish, failUnbind(one)},
	}
	s = apply(t, s, steps[state]...)
	if got := arq(t, s, one).State; got != state {
		t.Fatalf("the request is %s, want %s", got, state)
	}
	return s, one
}

func start(id uuid.UUID) cyborg.Op { return binding([]uuid.UUID{id}, "i", "compute1") }

func fail(id uuid.UUID) cyborg.Op {
	return cyborg.FailBind{ARQs: []uuid.UUID{id}, Why: "no answer"}
}

func unbind(id uuid.UUID) cyborg.Op { return cyborg.Unbind{ARQs: []uuid.UUID{id}} }

func failUnbind(id uuid.UUID) cyborg.Op {
	return cyborg.FailUnbind{ARQs: []uuid.UUID{id}, Why: "stuck"}
}

func remove(id uuid.UUID) cyborg.Op { return cyborg.DeleteARQs{ARQs: []uuid.UUID{id}} }

func force(id uuid.UUID) cyborg.Op { return cyborg.ForceUnbind{ARQs: []uuid.UUID{id}} }

// Each step is possible from the states that lead to its target, and refused from all
// others, with the names of both states.
func TestARQStates(t *testing.T) {
	t.Parallel()
	matrix := map[cyborg.ARQState][]cyborg.ARQState{
		cyborg.ARQBindStarted:  {cyborg.ARQInitial, cyborg.ARQUnbound},
		cyborg.ARQBound:        {cyborg.ARQBindStarted},
		cyborg.ARQBindFailed:   {cyborg.ARQBindStarted, cyborg.ARQBound},
		cyborg.ARQUnbound:      {cyborg.ARQInitial, cyborg.ARQBindStarted, cyborg.ARQBound, cyborg.ARQBindFailed},
		cyborg.ARQUnbindFailed: {cyborg.ARQBindStarted, cyborg.ARQBound},
		cyborg.ARQDeleting:     {cyborg.ARQInitial, cyborg.ARQBindStarted, cyborg.ARQBound, cyborg.ARQUnbound, cyborg.ARQBindFailed},
	}
	states := []cyborg.ARQState{
		cyborg.ARQInitial, cyborg.ARQBindStarted, cyborg.ARQBound, cyborg.ARQBindFailed, cyborg.ARQUnbound, cyborg.ARQUnbindFailed, cyborg.ARQDeleting,
	}
	for _, from := range states {
		for _, to := range states {
			if got, want := from.MayBecome(to), slices.Contains(matrix[to], from); got != want {
				t.Errorf("%s to %s is %t, want %t", from, to, got, want)
			}
		}
	}
	// FinishBind ignores requests that are not BindStarted, and Unbind those that are
	// Unbound.
	steps := map[cyborg.ARQState]func(uuid.UUID) cyborg.Op{
		cyborg.ARQBindStarted: start, cyborg.ARQBindFailed: fail, cyborg.ARQUnbound: unbind,
		cyborg.ARQUnbindFailed: failUnbind, cyborg.ARQDeleting: remove,
	}
	for _, from := range states[:6] {
		for to, step := range steps {
			if from == to && to == cyborg.ARQUnbound {
				continue
			}
			s, one := in(t, from)
			clean(t, s)
			if from.MayBecome(to) {
				clean(t, apply(t, s, step(one)))
				continue
			}
			err := s.Allows(step(one))
			var bad *cyborg.TransitionError
			if !errors.As(err, &bad) || bad.From != from || bad.To != to || bad.ARQ != one || !errors.Is(err, placement.ErrState) {
				t.Errorf("%s to %s is refused with %v", from, to, err)
			}
		}
	}
}

func TestCreateARQs(t *testing.T) {
	t.Parallel()
	s := bench(t)
	p, _ := s.DeviceProfile("dp-two")
	ids := must.Get(cyborg.ARQIDs(p, consumer("i")))(t)
	create := cyborg.CreateARQs{Profile: "dp-two", Owner: consumer("i"), Project: "p"}
	s = apply(t, s, create)
	if len(ids) != 3 {
		t.Fatalf("%d requests, want 2 for group 0 and 1 for group 1", len(ids))
	}
	for n, group := range []int64{0, 0, 1} {
		want := &cyborg.ARQ{UUID: cyborg.ARQID(consumer("i"), group, int64(n%2)), State: cyborg.ARQInitial, Profile: "dp-two", Group: group, Project: "p", Created: at.UnixMilli()}
		must.Match(t, want, arq(t, s, ids[n]))
	}
	if again := apply(t, s, create); again != s {
		t.Error("they are made again")
	}
	refused(t, s.Allows(cyborg.CreateARQs{Profile: "dp-vgpu", Owner: consumer("i")}), placement.ErrExists, ids[0].String())
	refused(t, s.Allows(cyborg.CreateARQs{Profile: "dp-none", Owner: consumer("i")}), placement.ErrNotFound, "dp-none")
	refused(t, s.Allows(cyborg.CreateARQs{Profile: "dp-vgpu"}), placement.ErrInvalid, "owner")
}

func TestBind(t *testing.T) {
	t.Parallel()
	card := provider("compute1_0000:af:00.0")
	t.Run("takes a handle, then is bound", func(t *testing.T) {
		t.Parallel()
		s, one := in(t, cyborg.ARQBindStarted)
		a := arq(t, s, one)
		if h, ok := s.AttachHandle(a.AttachHandle); !ok || !h.InUse || a.Hostname != "compute1" || a.Provider != card || a.Instance != consumer("i") {
			t.Errorf("the request is %+v", a)
		}
		if arqs, over := s.Resolved(consumer("i")); over || len(arqs) != 1 {
			t.Errorf("resolved before it is bound: %v", arqs)
		}
		finish := cyborg.FinishBind{Instance: consumer("i")}
		s = apply(t, s, finish)
		if arqs, over := s.Resolved(consumer("i")); !over || len(arqs) != 1 || arqs[0].State != cyborg.ARQBound {
			t.Errorf("not resolved: %v, %t", arqs, over)
		}
		if again := apply(t, s, finish); again != s {
			t.Error("it is done again")
		}
	})
	t.Run("fails where no handle is free", func(t *testing.T) {
		t.Parallel()
		s := bench(t)
		for _, instance := range []string{"a", "b", "c", "d"} {
			s, _ = bound(t, s, instance)
		}
		s, ids := create(t, s, "i")
		s = apply(t, s, start(ids[0]))
		clean(t, s)
		arqs, over := s.Resolved(consumer("i"))
		if !over || arqs[0].State != cyborg.ARQBindFailed || arqs[0].Fault != "none of the 4 attach handles of compute1_0000:af:00.0 are free" {
			t.Errorf("%t, %+v", over, arqs[0])
		}
	})
	for name, tc := range map[string]struct {
		provider placement.ProviderID
		fault    string
	}{
		"fails on a provider that is no device": {provider("x"), "resource provider " + provider("x").String() + " is not a device of Cyborg"},
		"fails on the device of another host":   {provider("compute2_0000:af:00.0"), "compute2_0000:af:00.0 is a device of host compute2, not of compute1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, ids := create(t, bench(t), "i")
			b := binding(ids, "i", "compute1")
			b.Mappings["device_profile_0"][0] = tc.provider
			s = apply(t, s, b)
			if a := arq(t, s, ids[0]); a.State != cyborg.ARQBindFailed || a.Fault != tc.fault {
				t.Errorf("%+v", a)
			}
		})
	}
	t.Run("refuses an instance that has requests", func(t *testing.T) {
		t.Parallel()
		s, _ := bound(t, bench(t), "i")
		s, ids := create(t, s, "other")
		refused(t, s.Allows(binding(ids, "i", "compute1")), placement.ErrExists, "dp-vgpu")
	})
	t.Run("refuses what is missing", func(t *testing.T) {
		t.Parallel()
		s, ids := create(t, bench(t), "i")
		whole := binding(ids, "i", "compute1")
		for word, spoil := range map[string]func(*cyborg.StartBind){
			"instance_uuid":    func(b *cyborg.StartBind) { b.Instance = placement.ConsumerID{} },
			"hostname":         func(b *cyborg.StartBind) { b.Host = "" },
			"device_profile_0": func(b *cyborg.StartBind) { b.Mappings = nil },
		} {
			b := whole
			spoil(&b)
			refused(t, s.Allows(b), placement.ErrInvalid, word)
		}
		refused(t, s.Allows(binding([]uuid.UUID{ids[0], id("none")}, "i", "compute1")), placement.ErrNotFound, id("none").String())
	})
}

func TestUnbind(t *testing.T) {
	t.Parallel()
	s, one := in(t, cyborg.ARQBound)
	handle := arq(t, s, one).AttachHandle
	inUse := func(s *cyborg.Snapshot) bool {
		h, _ := s.AttachHandle(handle)
		return h.InUse
	}
	free := apply(t, s, unbind(one))
	want := &cyborg.ARQ{UUID: one, State: cyborg.ARQUnbound, Profile: "dp-vgpu", Project: "p", Created: at.UnixMilli()}
	if diff := cmp.Diff(want, arq(t, free, one)); diff != "" || inUse(free) {
		t.Errorf("handle in use: %t; %s", inUse(free), diff)
	}
	if again := apply(t, free, unbind(one)); again != free {
		t.Error("it is done again")
	}

	stuck := apply(t, s, failUnbind(one))
	if a := arq(t, stuck, one); !inUse(stuck) || a.State != cyborg.ARQUnbindFailed || a.Fault != "stuck" {
		t.Errorf("the device lets nobody in: %t, %+v", inUse(stuck), a)
	}
	refused(t, stuck.Allows(cyborg.DeleteARQs{ARQs: []uuid.UUID{one}}), placement.ErrState, "by force")
	if free := apply(t, stuck, force(one)); inUse(free) || arq(t, free, one).State != cyborg.ARQUnbound {
		t.Error("an operator cannot free the device")
	}
	refused(t, s.Allows(force(one)), placement.ErrState, "Bound")
}

func TestDeleteARQs(t *testing.T) {
	t.Parallel()
	s, ids := bound(t, bench(t), "i")
	s, others := bound(t, s, "j")
	gone := apply(t, s, cyborg.DeleteARQs{ARQs: ids})
	clean(t, gone)
	if _, ok := gone.ARQ(ids[0]); ok {
		t.Error("the request is still there")
	}
	if arq(t, gone, others[0]).State != cyborg.ARQBound {
		t.Error("the request of another instance was touched")
	}
	refused(t, gone.Allows(cyborg.DeleteARQs{ARQs: []uuid.UUID{others[0], ids[0]}}), placement.ErrNotFound, ids[0].String())
}

// A move from Cyborg to Cyborg keeps the new requests under the migration until it
// is confirmed.
func TestRekey(t *testing.T) {
	t.Parallel()
	s, old := bound(t, bench(t), "i")
	s, ids := create(t, s, "m")
	s = apply(t, s, binding(ids, "m", "compute2"))
	s = apply(t, s, cyborg.DeleteARQs{ARQs: old}, cyborg.Rekey{ARQs: ids, To: consumer("i")})
	if a := arq(t, s, ids[0]); a.Instance != consumer("i") || a.Hostname != "compute2" {
		t.Errorf("%+v", a)
	}
	clean(t, s)
	if again := apply(t, s, cyborg.Rekey{ARQs: ids, To: consumer("i")}); again != s {
		t.Error("it is done again")
	}
	refused(t, s.Allows(cyborg.Rekey{ARQs: ids}), placement.ErrInvalid, "instance_uuid")
	refused(t, s.Allows(cyborg.Rekey{ARQs: old, To: consumer("i")}), placement.ErrNotFound, old[0].String())
}
