package cloud_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
)

// upgrade is the change with which a nova-compute reports its version.
func upgrade(host string, version int) cloud.Change {
	return cloud.Change{Ops: []cloud.Op{nova.StartService{Host: host, Binary: nova.Compute, Version: version}}}
}

// After the last compute is upgraded, the past can still be read, although no writer may
// undo the upgrade.
func TestBeforeAnUpgrade(t *testing.T) {
	t.Parallel()
	s := cloud.Empty()
	for _, host := range []string{"c1", "c2"} {
		s, _, _ = s.Apply(upgrade(host, 66))
	}
	s, _, err := s.Apply(upgrade("c1", 73))
	must.Succeed(t, err)
	next, ev, err := s.Apply(upgrade("c2", 73))
	must.Succeed(t, err)
	var tooOld *nova.ServiceTooOldError
	if _, _, err := next.Apply(ev.Reverse("ana")); !errors.As(err, &tooOld) {
		t.Errorf("written: %v, want that a fleet does not go back", err)
	}
	before := must.Get(next.Before(ev))(t)
	if before.Revision() != s.Revision() || !before.At().IsZero() {
		t.Errorf("revision %d at %s", before.Revision(), before.At())
	}
	if d := modeltest.Diff(modeltest.Records(s), modeltest.Records(before)); d != "" {
		t.Errorf("before the upgrade (-want +got):\n%s", d)
	}
}

func TestBeforeRefuses(t *testing.T) {
	t.Parallel()
	base := start(t)
	s, first, err := base.Apply(boot(base, "vm1", 1))
	must.Succeed(t, err)
	s, last, err := s.Apply(boot(s, "vm2", 1))
	must.Succeed(t, err)
	if _, err := s.Before(first); !errors.Is(err, placement.ErrConflict) {
		t.Errorf("an event of another revision: %v", err)
	}
	forgotten := last
	forgotten.Omitted, forgotten.Changes = len(last.Changes), nil
	if _, err := s.Before(forgotten); !errors.Is(err, placement.ErrUnsupported) {
		t.Errorf("an event without its changes: %v", err)
	}
	other := last
	other.Changes = first.Changes
	if _, err := s.Before(other); !errors.Is(err, placement.ErrConflict) {
		t.Errorf("an event of another cloud: %v", err)
	}
}

// TestAnyPast makes a journal of random writes to all ledgers, including some that cannot
// be undone, and walks it back and forth.
func TestAnyPast(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, _, err := cloud.Empty().Apply(cloud.Change{Ops: modeltest.Start()})
		must.Succeed(t, err)
		var journal []cloud.Event
		past := []*cloud.Snapshot{s}
		for step := range rapid.IntRange(1, 40).Draw(t, "steps") {
			next, ev, err := s.Apply(anyChange(t, s, step))
			if err != nil || next == s {
				continue
			}
			journal, past, s = append(journal, ev), append(past, next), next
		}
		for i, ev := range slices.Backward(journal) {
			before, err := s.Before(ev)
			if err != nil {
				t.Fatalf("before revision %d, %s: %v", ev.Revision, ev.Note, err)
			}
			if d := modeltest.Diff(modeltest.Records(past[i]), modeltest.Records(before)); d != "" || before.Revision() != past[i].Revision() {
				t.Fatalf("revision %d, before %s (-was +read):\n%s", before.Revision(), ev.Note, d)
			}
			again, _, err := before.Apply(ev.Replay())
			if err != nil {
				t.Fatalf("revision %d again, %s: %v", ev.Revision, ev.Note, err)
			}
			if d := modeltest.Diff(modeltest.Records(s), modeltest.Records(again)); d != "" {
				t.Fatalf("revision %d again (-was +is):\n%s", ev.Revision, d)
			}
			s = before
		}
	})
}

// anyChange draws a write to one of the ledgers.
func anyChange(t *rapid.T, s *cloud.Snapshot, step int) cloud.Change {
	c := cloud.Change{At: modeltest.At(step), Note: fmt.Sprint("step ", step)}
	pick := func(names ...string) string { return rapid.SampledFrom(names).Draw(t, "name") }
	switch rapid.SampledFrom([]string{"placement", "service", "flavor", "instance", "aggregate", "profile", "mute"}).Draw(t, "what") {
	case "placement":
		c.Ops = append(c.Ops, modeltest.Op(s.Placement()).Draw(t, "op"))
	case "service":
		svc := &nova.Service{Host: pick("c1", "c2", "c3"), Binary: nova.Compute, Version: rapid.SampledFrom([]int{0, 57, 66, 70, 73}).Draw(t, "version"), ForcedDown: rapid.Bool().Draw(t, "down")}
		if modeltest.Roll(t, 4) == 0 {
			modeltest.DeleteIn(&c, s, svc)
			return c
		}
		modeltest.PutIn(&c, s, svc)
	case "flavor":
		f := &nova.Flavor{Name: pick("small", "large"), Revision: 1, VCPUs: 1, MemoryMB: 64, Disabled: rapid.Bool().Draw(t, "disabled")}
		if modeltest.Roll(t, 3) == 0 {
			modeltest.DeleteIn(&c, s, f)
			return c
		}
		modeltest.PutIn(&c, s, f)
	case "instance":
		i := instance(pick("vm1", "vm2"), "c1")
		i.Flavor = pick("small", "large") + ":1"
		i.VMState = rapid.SampledFrom([]nova.VMState{nova.Active, nova.Deleted}).Draw(t, "state")
		modeltest.PutIn(&c, s, i)
	case "aggregate":
		a := &nova.HostAggregate{UUID: modeltest.AggregateID(pick("a", "b")), Name: pick("a", "b"), Hosts: []string{pick("c1", "c2")}, Metadata: map[string]string{"availability_zone": pick("z1", "z2")}}
		modeltest.PutIn(&c, s, a)
	case "profile":
		name := pick("p", "q")
		p := &cyborg.DeviceProfile{UUID: uuid.NewSHA1(uuid.Nil, []byte(pick("1", "2"))), Name: name, Groups: []map[string]string{{"resources:VGPU": "1"}}}
		if modeltest.Roll(t, 3) == 0 {
			modeltest.DeleteIn(&c, s, p)
			return c
		}
		modeltest.PutIn(&c, s, p)
	case "mute":
		modeltest.PutIn(&c, s, &operator.Mute{Rule: pick("a01", "a02"), By: "ana", At: int64(step + 1)})
	}
	return c
}
