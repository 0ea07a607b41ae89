package placement_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
)

func TestCountConsumersOf(t *testing.T) {
	t.Parallel()
	count := func(t interface{ Fatalf(string, ...any) }, s *placement.Snapshot) {
		for p := range s.Providers() {
			want := 0
			for range s.ConsumersOf(p) {
				want++
			}
			if got := s.CountConsumersOf(p); got != want {
				t.Fatalf("CountConsumersOf(%s) = %d, want %d", p.Name(), got, want)
			}
		}
	}
	count(t, placement.Empty())
	many := modeltest.Ledger(t, []modeltest.Provider{
		{Name: "a"},
		{Name: "pool", Inventories: modeltest.Inventories{placement.DiskGB: inventory(10_000)}},
		{Name: "z", Inventories: modeltest.Inventories{placement.VCPU: inventory(8)}},
	})
	for i := range 700 {
		many = modeltest.Apply(t, many, modeltest.Allocate(modeltest.Claim(fmt.Sprint("vm", i), map[string]modeltest.Resources{
			"pool": {placement.DiskGB: 1},
		})))
	}
	if pool, _ := many.ProviderByName("pool"); many.CountConsumersOf(pool) != 700 {
		t.Errorf("the pool has %d consumers, want 700", many.CountConsumersOf(pool))
	}
	count(t, many)
	rapid.Check(t, func(t *rapid.T) {
		s := placement.Empty()
		for _, op := range modeltest.Start() {
			s, _, _ = s.Apply(placement.Change{Ops: []placement.Op{op}})
		}
		for range 12 {
			if next, _, err := s.Apply(placement.Change{Ops: []placement.Op{modeltest.Op(s).Draw(t, "op")}}); err == nil {
				s = next
			}
			count(t, s)
		}
	})
}
