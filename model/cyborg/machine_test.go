package cyborg_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// machine takes random steps of agents, operators and instances on two cards of a host.
// Claims come and go together with their requests.
type machine struct {
	*site

	done []cyborg.Op
}

// write applies a step to both ledgers, and checks that requests only make transitions of
// the matrix, or that which an operator may make.
func (m *machine) write(verbs []cyborg.Op, ops []placement.Op, byOperator bool) {
	m.Helper()
	_, done, err := m.y.Apply(cyborg.Change{At: at, Ops: verbs})
	must.Succeed(m, err)
	for _, r := range done {
		before, ok := r.Before.(*cyborg.ARQ)
		after, also := r.After.(*cyborg.ARQ)
		if !ok || !also || before.State == after.State || before.State.MayBecome(after.State) {
			continue
		}
		// A bind that fails as soon as it has started is one write.
		if before.State.MayBecome(cyborg.ARQBindStarted) && after.State == cyborg.ARQBindFailed {
			continue
		}
		if !byOperator || before.State != cyborg.ARQUnbindFailed || after.State != cyborg.ARQUnbound {
			m.Errorf("a request goes from %s to %s", before.State, after.State)
		}
	}
	m.change(verbs...)
	m.place(ops...)
	m.done = append(m.done, verbs...)
}

// arqs returns the requests of an instance in one of the states; all of them if no state
// is given.
func (m *machine) arqs(instance placement.ConsumerID, states ...cyborg.ARQState) []uuid.UUID {
	var out []uuid.UUID
	for a := range m.y.ARQsOf(instance) {
		if len(states) == 0 || slices.Contains(states, a.State) {
			out = append(out, a.UUID)
		}
	}
	return out
}

// release returns the operation that releases all that a consumer holds, if anything.
func (m *machine) release(who placement.ConsumerID) []placement.Op {
	if _, ok := m.p.Consumer(who); !ok {
		return nil
	}
	return []placement.Op{claim(who, placement.ProviderID{}, "", 0)}
}

// boot claims units of a card and starts to bind them. If Placement accepts the claim
// there are attach handles for it.
func (m *machine) boot(profile string, instance placement.ConsumerID, on placement.ProviderID) {
	m.Helper()
	units := map[string]int64{"dp-vgpu": 1, "dp-pair": 2}[profile]
	op := claim(instance, on, placement.VGPU, units)
	if _, _, err := m.p.Apply(placement.Change{Ops: []placement.Op{op}}); err != nil {
		return
	}
	p, _ := m.y.DeviceProfile(profile)
	ids, err := cyborg.ARQIDs(p, instance)
	must.Succeed(m, err)
	verbs := []cyborg.Op{cyborg.CreateARQs{Profile: profile, Owner: instance}, cyborg.StartBind{
		ARQs: ids, Instance: instance, Host: "compute1", Mappings: map[string][]placement.ProviderID{cyborg.GroupSuffix(0): {on}},
	}}
	err = m.y.Allows(verbs...)
	if errors.Is(err, placement.ErrState) || errors.Is(err, placement.ErrExists) {
		return // it has requests, of another profile or in a state that cannot be bound
	}
	must.Succeed(m, err)
	m.write(verbs, []placement.Op{op}, false)
	if failed := m.arqs(instance, cyborg.ARQBindFailed); len(failed) > 0 {
		m.Errorf("Placement let a claim through, and there is no attach handle for %d of it", len(failed))
	}
}

// check checks what holds after each step.
func (m *machine) check() {
	m.Helper()
	clean(m, m.y)
	for _, err := range m.p.Check() {
		m.Error(err)
	}
	for d := range m.y.Deployables() {
		rp, ok := m.p.Provider(d.Provider)
		if !ok {
			m.Errorf("%s has no provider", d.Name)
			continue
		}
		id, _ := m.p.ClassID(placement.VGPU)
		iu, _ := rp.Inventory(id)
		handles, _ := m.y.Units(d)
		if iu.Used != handles || iu.Total != d.Accelerators || iu.OverCapacity() && iu.Reserved == 0 {
			m.Errorf("%s has %d attach handles in use of %d, and %+v", d.Name, handles, d.Accelerators, iu)
		}
	}
}

// Whatever agents, operators and instances do, each attach handle belongs to at most one
// request, as many are in use as are allocated, requests make only allowed transitions,
// and the same changes lead to the same ledger.
func TestMachine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := &machine{site: newSite(rt, "compute1")}
		m.y = withProfile(rt, withProfile(rt, m.y, oneVGPU), `[{"name": "dp-pair", "groups": [{"resources:VGPU": "2"}]}]`)
		begin := m.y
		instance := rapid.Custom(func(rt *rapid.T) placement.ConsumerID {
			return consumer(fmt.Sprint("instance", rapid.IntRange(0, 4).Draw(rt, "instance")))
		})
		each := func(name string, states []cyborg.ARQState, frees bool, do func([]uuid.UUID) cyborg.Op) func(*rapid.T) {
			return func(rt *rapid.T) {
				who := instance.Draw(rt, name)
				ids := m.arqs(who)
				if len(ids) == 0 || len(m.arqs(who, states...)) < len(ids) {
					return
				}
				var ops []placement.Op
				if frees {
					ops = m.release(who)
				}
				m.write([]cyborg.Op{do(ids)}, ops, name == "force")
			}
		}
		live := []cyborg.ARQState{cyborg.ARQBindStarted, cyborg.ARQBound}
		rt.Repeat(map[string]func(*rapid.T){
			"report": func(rt *rapid.T) {
				card := t4(rapid.Int64Range(0, 5).Draw(rt, "units"))
				card.Parts = append(card.Parts, cyborg.Part{Function: address("0000:af:00.4"), MdevType: "nvidia-222", MdevName: "GRID T4-2B", Units: rapid.Int64Range(0, 3).Draw(rt, "units of the second")})
				cards := []cyborg.Card{card}[:rapid.IntRange(0, 1).Draw(rt, "cards")]
				d := must.Get(cyborg.Discover(m.y, m.p, "compute1", cards))(rt)
				m.write(d.Cyborg, d.Placement, false)
				if again, err := cyborg.Discover(m.y, m.p, "compute1", cards); err != nil || !again.Empty() {
					rt.Errorf("a second report writes %v %v, %v", again.Cyborg, again.Placement, err)
				}
			},
			"status": func(rt *rapid.T) {
				disable := rapid.Bool().Draw(rt, "disable")
				for d := range m.y.Devices() {
					op := cyborg.Op(cyborg.EnableDevice{Device: d.UUID})
					if disable {
						op = cyborg.DisableDevice{Device: d.UUID}
					}
					m.write([]cyborg.Op{op}, m.y.StatusOps(m.p, d.UUID, disable), false)
				}
			},
			"boot": func(rt *rapid.T) {
				profile := rapid.SampledFrom([]string{"dp-vgpu", "dp-pair"}).Draw(rt, "profile")
				on := rapid.SampledFrom([]string{t4Name, "compute1_0000:af:00.4"}).Draw(rt, "card")
				m.boot(profile, instance.Draw(rt, "instance"), cyborg.ProviderID(on))
			},
			"finish": func(rt *rapid.T) {
				m.write([]cyborg.Op{cyborg.FinishBind{Instance: instance.Draw(rt, "instance")}}, nil, false)
			},
			"fail":        each("fail", live, true, func(ids []uuid.UUID) cyborg.Op { return cyborg.FailBind{ARQs: ids, Why: "no answer"} }),
			"fail unbind": each("fail unbind", live, false, func(ids []uuid.UUID) cyborg.Op { return cyborg.FailUnbind{ARQs: ids, Why: "stuck"} }),
			"force": each("force", []cyborg.ARQState{cyborg.ARQUnbindFailed}, true, func(ids []uuid.UUID) cyborg.Op {
				return cyborg.ForceUnbind{ARQs: ids}
			}),
			"unbind": each("unbind", append(live, cyborg.ARQBindFailed), true, func(ids []uuid.UUID) cyborg.Op { return cyborg.Unbind{ARQs: ids} }),
			"delete": each("delete", append(live, cyborg.ARQBindFailed), true, func(ids []uuid.UUID) cyborg.Op { return cyborg.DeleteARQs{ARQs: ids} }),
			"":       func(*rapid.T) { m.check() },
		})
		again := begin
		for _, op := range m.done {
			again = apply(rt, again, op)
		}
		must.Match(rt, slices.Collect(m.y.Records()), slices.Collect(again.Records()), cmp.Comparer(sameRecord))
	})
}

func sameRecord(a, b versioned.Record) bool { return cmp.Equal(any(a), any(b)) }
