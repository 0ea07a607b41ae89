package cloud_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// instance returns an instance with the given name on a host.
func instance(name, host string) *nova.Instance {
	return &nova.Instance{
		UUID: modeltest.ConsumerID(name), Name: name, Project: "project", User: "user", Host: host, Flavor: "m1", VMState: nova.Active,
	}
}

// boot returns the Change that starts a server on compute1.
func boot(s *cloud.Snapshot, name string, cpus int64) cloud.Change {
	c := cloud.Change{
		Actor: "nova-compute", Note: "start " + name, At: modeltest.At(1),
		Ops: []placement.Op{modeltest.Allocate(modeltest.Claim(name, map[string]modeltest.Resources{"compute1": {placement.VCPU: cpus}}))},
	}
	modeltest.PutIn(&c, s, instance(name, "compute1"))
	return c
}

// start returns a cloud at revision 1 with one compute node of 8 CPUs.
func start(t *testing.T) *cloud.Snapshot {
	t.Helper()
	s, _, err := cloud.Empty().Apply(cloud.Change{At: modeltest.At(0), Ops: modeltest.Provider{
		Name: "compute1", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8)},
	}.Ops(placement.ProviderID{})})
	must.Succeed(t, err)
	return s
}

// One Change writes to all ledgers, and is one Event.
func TestApply(t *testing.T) {
	t.Parallel()
	base := start(t)
	change := boot(base, "vm1", 2)
	s, ev, err := base.Apply(change)
	must.Succeed(t, err)
	if s.Revision() != 2 || !s.At().Equal(modeltest.At(1)) || base.Revision() != 1 || !base.At().Equal(modeltest.At(0)) {
		t.Errorf("revision %d at %s after %d at %s", s.Revision(), s.At(), base.Revision(), base.At())
	}
	var kinds []versioned.Kind
	for _, c := range ev.Changes {
		kinds = append(kinds, c.Kind())
	}
	must.Match(t, []versioned.Kind{placement.KindProvider, placement.KindConsumer, nova.KindInstance}, kinds)
	ev.Changes = nil
	must.Match(t, cloud.Event{Revision: 2, At: modeltest.At(1), Actor: "nova-compute", Note: "start vm1"}, ev)
}

// A Change is applied to all ledgers or none.
func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	base := start(t)
	twice := boot(base, "vm1", 2)
	twice.Ops = append(slices.Clone(twice.Ops), twice.Ops[len(twice.Ops)-1])
	for name, tt := range map[string]struct {
		change cloud.Change
		want   error
	}{
		"Placement's part": {boot(base, "vm1", 9), placement.ErrCapacity},
		"Nova's part":      {twice, placement.ErrConflict},
		"a record of no ledger": {
			cloud.PutRecords("", "", []versioned.Change{{After: alien{}}}), placement.ErrInvalid,
		},
		"a change without record": {cloud.PutRecords("", "", make([]versioned.Change, 1)), placement.ErrInvalid},
	} {
		s, ev, err := base.Apply(tt.change)
		if !errors.Is(err, tt.want) || s != nil || len(ev.Changes) != 0 {
			t.Errorf("%s: %v, %d changes, want %v", name, err, len(ev.Changes), tt.want)
		}
	}
	if base.Placement().ConsumerCount()+base.Nova().InstanceCount() != 0 {
		t.Error("a refused change left something")
	}
}

// alien is a record of an unknown kind.
type alien struct{}

func (alien) RecordKind() versioned.Kind { return "alien" }
func (alien) RecordKey() []byte          { return []byte("key") }

// TestApplyOn shows that a change based on one revision is refused on any other.
func TestApplyOn(t *testing.T) {
	t.Parallel()
	base := start(t)
	for _, on := range []cloud.Revision{0, 1, 2} {
		c := boot(base, "vm1", 2)
		c.On = &on
		_, _, err := base.Apply(c)
		var moved *cloud.MovedError
		switch {
		case on == base.Revision() && err != nil:
			t.Errorf("refused on its own revision: %v", err)
		case on != base.Revision() && (!errors.As(err, &moved) || moved.On != on || moved.Has != base.Revision() || errors.Is(err, placement.ErrConflict)):
			t.Errorf("on revision %d: %v", on, err)
		}
	}
}

// A Change that alters nothing makes no revision.
func TestApplyNothing(t *testing.T) {
	t.Parallel()
	base := start(t)
	for name, c := range map[string]cloud.Change{
		"no operation":   {},
		"nothing to do":  {At: modeltest.At(5), Ops: []placement.Op{placement.CreateTrait{Name: placement.OwnerNova}}},
		"nothing to put": cloud.PutRecords("", "", nil),
	} {
		s, ev, err := base.Apply(c)
		if s != base || err != nil || len(ev.Changes) != 0 || ev.Revision != 1 || !ev.At.Equal(modeltest.At(0)) {
			t.Errorf("%s: revision %d, %v, %+v", name, s.Revision(), err, ev)
		}
	}
	var c cloud.Change
	if !c.Empty() || boot(base, "vm1", 1).Empty() {
		t.Error("Empty is wrong")
	}
}

func TestReverseAndReplay(t *testing.T) {
	t.Parallel()
	base := start(t)
	s, ev, err := base.Apply(boot(base, "vm1", 2))
	must.Succeed(t, err)
	again, twin, err := base.Apply(ev.Replay())
	must.Succeed(t, err)
	if d := cmp.Diff(ev, twin); d != "" {
		t.Errorf("replayed event (-first +second):\n%s", d)
	}
	if d := modeltest.Diff(modeltest.Records(s), modeltest.Records(again)); d != "" {
		t.Errorf("replayed cloud (-first +second):\n%s", d)
	}
	undo := ev.Reverse("ana")
	if undo.Actor != "ana" || undo.Note != "undo revision 2: start vm1" {
		t.Errorf("%q by %q", undo.Note, undo.Actor)
	}
	back, _, err := s.Apply(undo)
	must.Succeed(t, err)
	must.Be(t, back.Revision(), 3)
	if d := modeltest.Diff(modeltest.Records(base), modeltest.Records(back)); d != "" {
		t.Errorf("undone (-before +after):\n%s", d)
	}
	// A write in between is not overwritten.
	later, _, err := s.Apply(boot(s, "vm2", 1))
	must.Succeed(t, err)
	if _, _, err := later.Apply(undo); !errors.Is(err, placement.ErrConflict) {
		t.Errorf("undo over a later write: %v", err)
	}
}

// sequence yields records as a store does, followed by err if there is one.
func sequence(records []versioned.Record, err error) iter.Seq2[versioned.Record, error] {
	return func(yield func(versioned.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	p, n := modeltest.Size{Hosts: 3, Traits: 5, Cards: 1, Servers: 2}.Records()
	records := slices.Concat(p, n)
	s := must.Get(cloud.Load(77, modeltest.At(9), sequence(records, nil)))(t)
	if s.Revision() != 77 || !s.At().Equal(modeltest.At(9)) {
		t.Errorf("revision %d at %s", s.Revision(), s.At())
	}
	if d := modeltest.Diff(records, modeltest.Records(s)); d != "" {
		t.Errorf("records (-in +out):\n%s", d)
	}
	for range s.Records() {
		break // stopping early is fine
	}
	for _, err := range s.Check() {
		t.Errorf("check: %v", err)
	}
	broken := errors.New("disk gone")
	must.Fail(t, must.Err(cloud.Load(1, time.Time{}, sequence(records, broken))), broken)
	for name, bad := range map[string]versioned.Record{"no kind": alien{}, "no record": nil, "taken": p[len(p)-1], "nova's": n[0]} {
		if _, err := cloud.Load(1, time.Time{}, sequence(append(slices.Clone(records), bad), nil)); err == nil {
			t.Errorf("%s: loaded", name)
		}
	}
	if s, err := cloud.Load(0, time.Time{}, sequence(nil, nil)); err != nil || len(modeltest.Records(s)) != 0 {
		t.Errorf("nothing becomes %d records, %v", len(modeltest.Records(s)), err)
	}
}

// TestAnyChanges makes random changes to both ledgers at once. Each is one Event that
// leads forward and back; the journal can be replayed, and undone until nothing is left.
func TestAnyChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := cloud.Empty()
		var journal []cloud.Event
		var past []*cloud.Snapshot
		var were [][]versioned.Record
		for step := range rapid.IntRange(1, 25).Draw(t, "steps") {
			c := cloud.Change{At: modeltest.At(step), Actor: "rapid", Note: fmt.Sprint("step ", step)}
			if step == 0 {
				c.Ops = modeltest.Start()
			}
			for range modeltest.Roll(t, 3) {
				c.Ops = append(c.Ops, modeltest.Op(s.Placement()).Draw(t, "op"))
			}
			for range modeltest.Roll(t, 3) {
				r := novaRecord(t)
				if modeltest.Roll(t, 3) == 0 {
					modeltest.DeleteIn(&c, s, r)
				} else {
					modeltest.PutIn(&c, s, r)
				}
			}
			before := modeltest.Records(s)
			next, ev, err := s.Apply(c)
			if d := modeltest.Diff(before, modeltest.Records(s)); d != "" {
				t.Fatalf("the Snapshot before is another:\n%s", d)
			}
			if err != nil {
				if next != nil || len(ev.Changes) > 0 {
					t.Fatal("a refused change has an outcome")
				}
				continue
			}
			if next == s {
				if len(ev.Changes) > 0 {
					t.Fatal("changes without a new Snapshot")
				}
				continue
			}
			if next.Revision() != s.Revision()+1 || ev.Revision != next.Revision() || !ev.At.Equal(c.At) {
				t.Fatalf("revision %d, event of %d, after %d", next.Revision(), ev.Revision, s.Revision())
			}
			for _, err := range next.Check() {
				t.Errorf("check: %v", err)
			}
			journal, past, were = append(journal, ev), append(past, s), append(were, before)
			s = next
		}
		now := modeltest.Records(s)
		for i := range past {
			if d := modeltest.Diff(were[i], modeltest.Records(past[i])); d != "" {
				t.Fatalf("revision %d is another:\n%s", past[i].Revision(), d)
			}
		}
		replayed := cloud.Empty()
		for _, ev := range journal {
			next, again, err := replayed.Apply(ev.Replay())
			if err != nil {
				t.Fatalf("replay of revision %d: %v", ev.Revision, err)
			}
			if again.Revision != ev.Revision || !again.At.Equal(ev.At) || again.Actor != ev.Actor || again.Note != ev.Note {
				t.Fatalf("replay of %+v is %+v", ev, again)
			}
			replayed = next
		}
		if d := modeltest.Diff(now, modeltest.Records(replayed)); d != "" {
			t.Errorf("replayed (-want +got):\n%s", d)
		}
		loaded, err := cloud.Load(s.Revision(), s.At(), sequence(now, nil))
		must.Succeed(t, err)
		if d := modeltest.Diff(now, modeltest.Records(loaded)); d != "" {
			t.Errorf("loaded (-want +got):\n%s", d)
		}
		for _, ev := range slices.Backward(journal) {
			if s, _, err = s.Apply(ev.Reverse("rapid")); err != nil {
				t.Fatalf("revision %d taken back: %v", ev.Revision, err)
			}
		}
		if left := modeltest.Records(s); len(left) != 0 {
			t.Errorf("%d records are left", len(left))
		}
	})
}

// novaRecord draws a record of Nova, occasionally an invalid one.
func novaRecord(t *rapid.T) versioned.Record {
	name := fmt.Sprint("vm", modeltest.Roll(t, 4))
	if modeltest.Roll(t, 16) == 0 {
		return &nova.Instance{UUID: modeltest.ConsumerID(name)}
	}
	if modeltest.Roll(t, 2) == 0 {
		return instance(name, fmt.Sprint("compute", modeltest.Roll(t, 3)))
	}
	return &nova.Migration{
		UUID: modeltest.ConsumerID("migration of " + name), Instance: modeltest.ConsumerID(name), Type: nova.Resize,
		Status: []nova.MigrationStatus{nova.Migrating, nova.Finished, nova.Confirmed}[modeltest.Roll(t, 3)], Source: "compute1",
	}
}
