package audit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// naive applies the rules about consumers without shortcuts: one consumer after the
// other, each looked up by its uuid.
func naive(s *cloud.Snapshot) []string {
	var out []string
	p := s.Placement()
	for c := range p.Consumers() {
		i, isInstance := s.Nova().Instance(c.ID())
		m, isMigration := s.Nova().Migration(c.ID())
		isMigration = isMigration && !isInstance
		name := c.ID().String()
		if isInstance {
			name = i.Name
		}
		live := isInstance && i.VMState != nova.Deleted
		if !live && !isMigration && (c.Type() == "" || c.Type() == placement.InstanceConsumer) {
			out = append(out, "a01 "+name)
		}
		if !isInstance && (c.Type() == placement.MigrationConsumer && !isMigration || isMigration && !m.Status.UnderWay()) {
			out = append(out, "a06 "+name)
		}
		roots := map[string]bool{}
		trees := map[string]bool{}
		for a := range p.Allocations(c) {
			roots[a.Provider.Name()] = true
			trees[p.Root(a.Provider).Name()] = true
		}
		if len(trees) > 1 && (isInstance || isMigration || c.Type() != "VOLUME") {
			out = append(out, "a07 "+name)
		}
		if c.Type() == placement.MigrationConsumer || isMigration {
			continue
		}
		for a := range p.Allocations(c) {
			if root := p.Root(a.Provider); !roots[root.Name()] && len(root.Inventories()) > 0 {
				out = append(out, "a05 "+name)
				break
			}
		}
	}
	slices.Sort(out)
	return out
}

// The audit looks at consumers and instances in blocks; more of both than fit into
// one, with gaps on either side, must give what the plain way gives.
func TestAuditAgreesWithThePlainWay(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t).Node("h").Node("k").Provider("c", "h", resources{placement.VGPU: 1_000_000}, placement.OwnerNova)
		for _, n := range []string{"h", "k"} {
			w.Inventory(n, placement.VCPU, placement.NewInventory(1_000_000))
		}
		var change cloud.Change
		var replace placement.ReplaceAllocations
		instances := []float64{0.02, 0.5, 0.97}[r.IntN(3)]
		for i := range 200 + r.IntN(900) {
			id := vm(fmt.Sprint(seed, i))
			if r.Float64() < instances {
				state := nova.Active
				if r.IntN(20) == 0 {
					state = nova.Deleted
				}
				modeltest.PutIn(&change, w, &nova.Instance{UUID: id, Name: fmt.Sprint("vm-", i), VMState: state})
			} else if r.IntN(3) == 0 {
				status := []nova.MigrationStatus{nova.Finished, nova.Confirmed, nova.Error}[r.IntN(3)]
				modeltest.PutIn(&change, w, &nova.Migration{UUID: id, Instance: vm("other"), Status: status})
			}
			if r.IntN(10) == 0 {
				continue // known to Nova only
			}
			holds := allocations{}
			for _, n := range []string{"h", "k", "c"} {
				if r.IntN(2) == 0 {
					holds[rp(n)] = resources{placement.VCPU: 1}
				}
			}
			if len(holds) == 0 || holds[rp("c")] != nil {
				holds[rp("c")] = resources{placement.VGPU: 1}
			}
			replace.Consumers = append(replace.Consumers, placement.Claim{
				Consumer: id, Generation: placement.NewConsumer(), Project: "p", User: "u", Allocations: holds,
				Type: []placement.ConsumerType{"", placement.InstanceConsumer, placement.MigrationConsumer, "VOLUME"}[r.IntN(4)],
			})
		}
		change.Ops = append(change.Ops, replace)
		modeltest.PutIn(&change, w, &nova.Instance{UUID: vm("other"), Name: "other", VMState: nova.Active})
		w.Change(change)
		var got []string
		for _, f := range audit.Find(w.Snapshot) {
			if f.Rule != audit.RuleBrokenMove { // applied to migrations
				got = append(got, string(f.Rule)+" "+f.Subject)
			}
		}
		slices.Sort(got)
		if d := gocmp.Diff(naive(w.Snapshot), got); d != "" {
			t.Fatalf("seed %d: findings (-plain +audit):\n%s", seed, d)
		}
	}
}
