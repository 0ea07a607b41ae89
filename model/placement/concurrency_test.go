package placement_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// Many goroutines may read one Snapshot and apply changes to it at once: each gets its
// own result, and the Snapshot stays as it is. Most useful under the race detector.
func TestConcurrentApply(t *testing.T) {
	t.Parallel()
	records, _ := modeltest.Size{Hosts: 30, Traits: 5, Cards: 2, Servers: 3}.Records()
	base := must.Get(placement.Load(records))(t)
	var targets []placement.ProviderID
	for p := range base.Roots() {
		targets = append(targets, p.ID())
	}
	apply := func(s *placement.Snapshot, ops ...placement.Op) *placement.Snapshot {
		next, _, err := s.Apply(placement.Change{At: modeltest.At(1), Ops: ops})
		if err != nil {
			t.Error(err)
			return s
		}
		return next
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			s := base
			for i := range 25 {
				root := targets[(g*7+i)%len(targets)]
				c := modeltest.Claim(fmt.Sprint(g, " ", i), nil)
				c.Allocations[root] = modeltest.Resources{placement.VCPU: 1}
				x := modeltest.ProviderID(fmt.Sprint(g, " ", i))
				changes := []placement.Op{
					modeltest.Allocate(c),
					placement.CreateTrait{Name: placement.Trait(fmt.Sprintf("CUSTOM_%d_%d", g, i))},
					placement.CreateProvider{ID: x, Name: x.String(), Parent: root},
					placement.SetTraits{Provider: x, Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg}},
					placement.SetAggregates{Provider: x, Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{modeltest.AggregateID("a")}},
				}
				apply(base, changes...) // on the Snapshot that all share
				s = apply(s, changes...)
			}
			if s.ProviderCount() != base.ProviderCount()+25 || s.ConsumerCount() != base.ConsumerCount()+25 {
				t.Errorf("%d providers, %d consumers", s.ProviderCount(), s.ConsumerCount())
			}
			for _, err := range s.Check() {
				t.Errorf("check: %v", err)
			}
		})
		wg.Go(func() {
			for range 10 {
				for range base.Records() {
				}
				for _, err := range base.Check() {
					t.Errorf("check: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if d := modeltest.Diff(records, modeltest.Records(base)); d != "" {
		t.Errorf("the Snapshot is another (-want +got):\n%s", d)
	}
}
