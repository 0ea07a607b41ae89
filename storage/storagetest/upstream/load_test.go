//go:build placement

package upstream_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// Wipe empties the service.
func (s *Server) Wipe(ctx context.Context) error {
	status, out, err := s.Do(ctx, "POST", "/__wipe__", "1.39", nil)
	if err == nil && status >= 300 {
		err = fmt.Errorf("wipe: %d %s", status, out)
	}
	return err
}

// Load empties the service and makes it hold what s holds, written through its
// own API. Over-full providers are written as they came about: with more
// inventory first, less afterwards.
func (s *Server) Load(t *testing.T, snap *placement.Snapshot) {
	t.Helper()
	must.Succeed(t, s.Wipe(t.Context()))
	for _, c := range snap.Classes() {
		if c.IsCustom() {
			s.must(t, "PUT", "/resource_classes/"+string(c), nil)
		}
	}
	for _, tr := range snap.Traits() {
		if tr.IsCustom() {
			s.must(t, "PUT", "/traits/"+string(tr), nil)
		}
	}
	generation := map[placement.ProviderID]int{}
	for root := range snap.Roots() {
		for _, p := range snap.Tree(root) {
			body := map[string]any{"name": p.Name(), "uuid": p.ID()}
			if up, ok := snap.Parent(p); ok {
				body["parent_provider_uuid"] = up.ID()
			}
			s.must(t, "POST", "/resource_providers", body)
			s.putInventories(t, snap, p, generation, true)
			if traits := snap.TraitsOf(p); len(traits) > 0 {
				s.must(t, "PUT", "/resource_providers/"+p.ID().String()+"/traits", map[string]any{
					"resource_provider_generation": generation[p.ID()], "traits": traits,
				})
				generation[p.ID()]++
			}
			if aggs := p.Aggregates(); len(aggs) > 0 {
				s.must(t, "PUT", "/resource_providers/"+p.ID().String()+"/aggregates", map[string]any{
					"resource_provider_generation": generation[p.ID()], "aggregates": aggs,
				})
				generation[p.ID()]++
			}
		}
	}
	for c := range snap.Consumers() {
		held := map[placement.ProviderID]map[string]map[placement.ResourceClass]int64{}
		for a := range snap.Allocations(c) {
			id := a.Provider.ID()
			if held[id] == nil {
				held[id] = map[string]map[placement.ResourceClass]int64{"resources": {}}
				generation[id]++
			}
			held[id]["resources"][snap.ClassName(a.Class)] = a.Used
		}
		s.must(t, "PUT", "/allocations/"+c.ID().String(), map[string]any{
			"allocations": held, "project_id": c.Project(), "user_id": c.User(),
			"consumer_generation": nil, "consumer_type": "INSTANCE",
		})
	}
	for p := range snap.Providers() {
		s.putInventories(t, snap, p, generation, false)
	}
}

// putInventories writes the inventories of p; roomy makes them large enough for whatever
// is allocated from them.
func (s *Server) putInventories(t *testing.T, snap *placement.Snapshot, p *placement.ResourceProvider, generation map[placement.ProviderID]int, roomy bool) {
	t.Helper()
	if len(p.Inventories()) == 0 {
		return
	}
	set := map[placement.ResourceClass]placement.Inventory{}
	for _, iu := range p.Inventories() {
		inv := iu.Inventory
		if roomy {
			inv = placement.NewInventory(placement.MaxInt)
		}
		set[snap.ClassName(iu.Class)] = inv
	}
	s.must(t, "PUT", "/resource_providers/"+p.ID().String()+"/inventories", map[string]any{
		"resource_provider_generation": generation[p.ID()], "inventories": set,
	})
	generation[p.ID()]++
}
