package demo_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// TestEveryInstanceMoves rehearses the migration of every instance: it succeeds, or gives
// a true reason: no other host has room, the instance is in another move, or the audit
// finds its claim wrong too. The bandwidth of ports moves along.
func TestEveryInstanceMoves(t *testing.T) {
	t.Parallel()
	s := made(t, demo.Options{Seed: 1})
	drifted := map[placement.ConsumerID]bool{}
	for _, f := range audit.Find(s) {
		drifted[f.Consumer] = true
	}
	indexer, moved, ports := &candidates.Indexer{}, 0, 0
	for i := range s.Nova().Instances() {
		if !i.Live() {
			continue
		}
		id := modeltest.ConsumerID("move of " + i.Name)
		r, err := ops.Rehearse(s, ops.Move{Migration: id, Instance: i.UUID, Indexer: indexer}, modeltest.At(0))
		var nowhere *ops.NoValidHostError
		var wrongCard *ops.UnavailableError // the gate is closed
		switch {
		case err == nil:
			moved++
		case errors.As(err, &nowhere), errors.As(err, &wrongCard):
			continue
		case errors.Is(err, placement.ErrState) && (i.VMState == nova.Resized || drifted[i.UUID]):
			continue
		default:
			t.Errorf("%s (%s): %v", i.Name, i.VMState, err)
			continue
		}
		p := s.Placement()
		c, _ := p.Consumer(i.UUID)
		was := netHeld(p, c)
		after, _ := r.Final.Placement().Consumer(i.UUID)
		if is := netHeld(r.Final.Placement(), after); !maps.Equal(was, is) {
			t.Errorf("%s is promised %v, and %v after the move", i.Name, was, is)
		}
		if len(was) > 0 {
			ports++
		}
	}
	if moved < s.Nova().InstanceCount()/2 || ports == 0 {
		t.Errorf("%d of %d instances can move, %d of them with ports", moved, s.Nova().InstanceCount(), ports)
	}
}

// netHeld returns what a consumer holds for its ports, by class.
func netHeld(s *placement.Snapshot, c *placement.Consumer) map[placement.ResourceClass]int64 {
	out := map[placement.ResourceClass]int64{}
	for a := range s.Allocations(c) {
		if class := s.ClassName(a.Class); len(class) > 4 && class[:4] == "NET_" {
			out[class] += a.Used
		}
	}
	return out
}

// TestUnspawnable compares what Places.Unspawnable says of each place for a flavor with
// virtual GPUs with the rehearsal of a resize to it.
func TestUnspawnable(t *testing.T) {
	t.Parallel()
	s := made(t, demo.Options{Seed: 1})
	i := modeltest.InstanceNamed(t, s, "infer-5")
	indexer, told := &candidates.Indexer{}, map[bool]int{}
	for _, flavor := range []string{"gpu.a100.1", "gpu.both", "gpu.t4.1c", "gpu.t4.2c"} {
		m := ops.Move{Migration: modeltest.ConsumerID("move of " + flavor), Instance: i.UUID, Flavor: flavor, Indexer: indexer}
		found, err := m.Places(s, modeltest.At(0))
		if err != nil || len(found.Places) == 0 {
			t.Fatalf("%s: %d places, %v", flavor, len(found.Places), err)
		}
		for _, p := range found.Places {
			m.Pick = &p
			_, err := ops.Rehearse(s, m, modeltest.At(0))
			var none *ops.UnavailableError
			said := found.Unspawnable(s, p)
			if errors.As(err, &none) != (said != nil) {
				t.Errorf("%s on %s by %v: said to be %v, and is %v", flavor, p.Host, p.Mappings, said, err)
			}
			told[said != nil]++
		}
	}
	if told[true] == 0 || told[false] == 0 {
		t.Errorf("places that can and cannot start it: %v", told)
	}
}
