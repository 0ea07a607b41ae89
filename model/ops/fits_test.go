package ops_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

func TestParseResources(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in   string
		want resources
	}{
		{"VCPU=2", resources{placement.VCPU: 2}},
		{"VCPU=2,MEMORY_MB=4096,VGPU=1", resources{placement.VCPU: 2, placement.MemoryMB: 4096, placement.VGPU: 1}},
		{" VCPU:2 , memory_mb=4096\tcustom_fpga_x1=1\n", resources{placement.VCPU: 2, placement.MemoryMB: 4096, "CUSTOM_FPGA_X1": 1}},
		{"VCPU=2147483647", resources{placement.VCPU: placement.MaxInt}},
		{"", nil},
		{" , ", nil},
		{"VCPU", nil},
		{"VCPU=", nil},
		{"=2", nil},
		{"VCPU=0", nil},
		{"VCPU=-1", nil},
		{"VCPU=1.5", nil},
		{"VCPU=2147483648", nil},
		{"VCPU=99999999999999999999", nil},
		{"VCPU=1=2", nil},
		{"VCPU=1,VCPU=2", nil},
		{"V-CPU=1", nil},
		{"VCPÜ=1", nil},
	} {
		got, err := ops.ParseResources(tc.in)
		if tc.want == nil {
			if !errors.Is(err, placement.ErrInvalid) {
				t.Errorf("ParseResources(%q) = %v, %v, want an ErrInvalid", tc.in, got, err)
			}
			continue
		}
		if d := cmp.Diff(tc.want, got); d != "" || err != nil {
			t.Errorf("ParseResources(%q): %v, (-want +got):\n%s", tc.in, err, d)
		}
	}
}

func FuzzParseResources(f *testing.F) {
	for _, s := range []string{"VCPU=2,MEMORY_MB=4096", "vcpu:1 vgpu:1", "VCPU=", ",,=", "VCPU=1,VCPU=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ops.ParseResources(text)
		if err != nil {
			if !errors.Is(err, placement.ErrInvalid) {
				t.Errorf("%q: %v is no ErrInvalid", text, err)
			}
			return
		}
		again, err := ops.ParseResources(api.Resources(r))
		if err != nil || !maps.Equal(r, again) {
			t.Errorf("%q reads as %v, written and read again as %v, %v", text, r, again, err)
		}
	})
}

// gpuCloud returns a cloud of a host with two cards, one with disk from a pool, and the
// pool.
func gpuCloud(t *testing.T) *world {
	t.Helper()
	return newWorld(t).
		Provider("a", "", resources{placement.VCPU: 8, placement.MemoryMB: 4096, placement.DiskGB: 100}).
		Provider("a_1", "a", resources{placement.VGPU: 4}).Provider("a_2", "a", resources{placement.VGPU: 4}).
		Provider("b", "", resources{placement.VCPU: 8, placement.MemoryMB: 4096}).Aggregates("b", "disk").
		Provider("pool", "", resources{placement.DiskGB: 500}, placement.SharesViaAggregate).Aggregates("pool", "disk").
		Claim("i", "", map[string]resources{"a_1": {placement.VGPU: 3}})
}

// show returns options as "name: class on provider, ..." or "name: ! why".
func show(options []ops.Option) []string {
	var out []string
	for _, o := range options {
		s := o.Anchor.Name() + ":"
		if !o.Fits() {
			s += " ! " + o.Why()
		}
		for _, p := range o.Parts {
			if o.Fits() {
				s += " " + string(p.Class) + "@" + p.Provider.Name()
				if p.Provider.RootNumber() != o.Anchor.RootNumber() {
					s += "(shared)"
				}
			}
		}
		out = append(out, s)
	}
	return out
}

func TestFits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		wish ops.Wish
		edit func(*world)
		want []string
	}{
		{
			"own providers, and a pool where there is no own one",
			ops.Wish{Resources: resources{placement.VCPU: 2, placement.DiskGB: 20}},
			nil,
			[]string{"a: VCPU@a DISK_GB@a", "b: VCPU@b DISK_GB@pool(shared)", "pool: ! has no inventory of VCPU"},
		},
		{
			"the card with more room",
			ops.Wish{Resources: resources{placement.VGPU: 1}},
			nil,
			[]string{"a: VGPU@a_2", "b: ! has no inventory of VGPU", "pool: ! has no inventory of VGPU"},
		},
		{
			"the picked card, though another has more room",
			ops.Wish{Resources: resources{placement.VGPU: 1, placement.VCPU: 1}, Provider: rp("a_1")},
			nil,
			[]string{"a: VCPU@a VGPU@a_1"},
		},
		{
			"the picked card and no other, even if it is full",
			ops.Wish{Resources: resources{placement.VGPU: 2}, Provider: rp("a_1")},
			nil,
			[]string{"a: ! a_1 needs 2 VGPU, has 1 free of 4"},
		},
		{
			"a picked pool from the trees that reach it",
			ops.Wish{Resources: resources{placement.VCPU: 1, placement.DiskGB: 1}, Provider: rp("pool")},
			nil,
			[]string{"b: VCPU@b DISK_GB@pool(shared)", "pool: ! has no inventory of VCPU"},
		},
		{
			"own disk is taken before the pool, the pool when the own is full",
			ops.Wish{Resources: resources{placement.DiskGB: 60}},
			func(w *world) {
				w.Aggregates("a", "disk").Claim("j", "", map[string]resources{"a": {placement.DiskGB: 50}})
			},
			[]string{"a: DISK_GB@pool(shared)", "b: DISK_GB@pool(shared)", "pool: DISK_GB@pool"},
		},
		{
			"misses with few and small gaps come first",
			ops.Wish{Resources: resources{placement.VCPU: 9, placement.MemoryMB: 5000}},
			func(w *world) {
				w.Provider("c", "", resources{placement.VCPU: 16, placement.MemoryMB: 4096}).
					Provider("d", "", resources{placement.VCPU: 16, placement.MemoryMB: 1024}).
					Provider("e", "", resources{placement.VCPU: 16})
			},
			[]string{
				"c: ! needs 5000 MEMORY_MB, has 4096 free of 4096", "d: ! needs 5000 MEMORY_MB, has 1024 free of 1024",
				"e: ! has no inventory of MEMORY_MB",
				"a: ! needs 9 VCPU, has 8 free of 8; needs 5000 MEMORY_MB, has 4096 free of 4096",
				"b: ! needs 9 VCPU, has 8 free of 8; needs 5000 MEMORY_MB, has 4096 free of 4096",
				"pool: ! has no inventory of VCPU; has no inventory of MEMORY_MB",
			},
		},
		{
			"units",
			ops.Wish{Resources: resources{placement.VGPU: 3}},
			func(w *world) {
				w.Inventory("a_1", placement.VGPU, placement.Inventory{Total: 8, MinUnit: 1, MaxUnit: 2, StepSize: 1, AllocationRatio: 1}).
					Inventory("a_2", placement.VGPU, placement.Inventory{Total: 2, MinUnit: 1, MaxUnit: 2, StepSize: 1, AllocationRatio: 1}).
					Provider("c", "", resources{placement.VGPU: 8}).
					Inventory("c", placement.VGPU, placement.Inventory{Total: 8, MinUnit: 4, MaxUnit: 8, StepSize: 4, AllocationRatio: 1}).
					Provider("d", "", resources{placement.VGPU: 8}).
					Inventory("d", placement.VGPU, placement.Inventory{Total: 8, MinUnit: 2, MaxUnit: 8, StepSize: 2, AllocationRatio: 1})
			},
			[]string{
				"a: ! a_1 needs 3 VGPU, max_unit is 2", "c: ! needs 3 VGPU, min_unit is 4", "d: ! needs 3 VGPU, step_size is 2",
				"b: ! has no inventory of VGPU", "pool: ! has no inventory of VGPU",
			},
		},
		{
			"traits of who gives something, in the tree that has them",
			ops.Wish{Resources: resources{placement.VCPU: 1, placement.VGPU: 1}, Terms: candidates.Group{Required: []candidates.AnyTrait{{Names: []placement.Trait{placement.OwnerNova}}}}},
			func(w *world) {
				w.Do(placement.SetTraits{Provider: rp("a_1"), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerNova}})
			},
			[]string{
				"a: VCPU@a VGPU@a_1", "b: ! has no inventory of VGPU; no usable provider has OWNER_NOVA",
				"pool: ! has no inventory of VCPU; has no inventory of VGPU; no usable provider has OWNER_NOVA",
			},
		},
		{
			"aggregates",
			ops.Wish{Resources: resources{placement.VCPU: 1}, Terms: candidates.Group{MemberOf: []candidates.AnyAggregate{{IDs: []candidates.AggregateText{candidates.TextOfAggregate(modeltest.AggregateID("disk"))}}}}},
			nil,
			[]string{
				"b: VCPU@b", "a: ! neither it nor its root is in aggregate " + modeltest.AggregateID("disk").String(), "pool: ! has no inventory of VCPU",
			},
		},
		{
			"disabled hosts after the others",
			ops.Wish{Resources: resources{placement.VCPU: 1}},
			func(w *world) {
				w.Do(placement.SetTraits{Provider: rp("a"), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.ComputeStatusDisabled}})
			},
			[]string{"b: VCPU@b", "a: VCPU@a", "pool: ! has no inventory of VCPU"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := gpuCloud(t)
			if tc.edit != nil {
				tc.edit(w)
			}
			got := must.Get(ops.Fits(w.Snapshot, candidates.NewIndex(w.Placement()), tc.wish))(t)
			must.Match(t, tc.want, show(got))
		})
	}
}

func TestFitsRefusesBadWishes(t *testing.T) {
	t.Parallel()
	s := gpuCloud(t).Snapshot
	for name, tc := range map[string]struct {
		wish ops.Wish
		kind error
	}{
		"nothing":          {ops.Wish{}, placement.ErrInvalid},
		"unknown class":    {ops.Wish{Resources: resources{"VCPUS": 1}}, placement.ErrInvalid},
		"zero":             {ops.Wish{Resources: resources{placement.VCPU: 0}}, placement.ErrInvalid},
		"too much":         {ops.Wish{Resources: resources{placement.VCPU: placement.MaxInt + 1}}, placement.ErrInvalid},
		"unknown provider": {ops.Wish{Resources: resources{placement.VCPU: 1}, Provider: rp("nobody")}, placement.ErrNotFound},
	} {
		if _, err := ops.Fits(s, candidates.NewIndex(s.Placement()), tc.wish); !errors.Is(err, tc.kind) {
			t.Errorf("%s: %v, want %v", name, err, tc.kind)
		}
	}
}

// What fits can be claimed, and what does not fit cannot: no provider of the tree, nor a
// pool that it can use, would accept the class.
func TestFitsAgreesWithApply(t *testing.T) {
	t.Parallel()
	base := make([]*world, 4)
	for i := range base {
		s := demotest.Snapshot(t, demo.Options{Hosts: 12, Seed: uint64(i), Now: time.Unix(1_800_000_000, 0)})
		base[i] = &world{TB: t, Snapshot: s}
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.SampledFrom(base).Draw(rt, "cloud").Snapshot
		wish := ops.Wish{Consumer: vm("new"), Project: "p", User: "u", Resources: resources{}}
		for c, most := range map[placement.ResourceClass]int64{
			placement.VCPU: 40, placement.MemoryMB: 200_000, placement.DiskGB: 900, placement.VGPU: 4, placement.FPGA: 2,
		} {
			if rapid.Bool().Draw(rt, string(c)) {
				wish.Resources[c] = rapid.Int64Range(1, most).Draw(rt, "amount")
			}
		}
		if len(wish.Resources) == 0 {
			return
		}
		options := must.Get(ops.Fits(s, candidates.NewIndex(s.Placement()), wish))(rt)
		for _, o := range options {
			if o.Fits() {
				if _, err := ops.PlanClaim(s, wish, o); err != nil {
					rt.Fatalf("%s fits, but: %v", o.Anchor.Name(), err)
				}
				continue
			}
			for _, r := range o.Reasons {
				for _, p := range s.Placement().Tree(o.Anchor) {
					op := placement.ReplaceAllocations{Consumers: []placement.Claim{{
						Consumer: vm("new"), Generation: placement.NewConsumer(), Project: "p", User: "u",
						Allocations: allocations{p.ID(): {r.Condition.Class: r.Condition.Amount}},
					}}}
					if _, _, err := s.Placement().Apply(placement.Change{Ops: []placement.Op{op}}); !errors.Is(err, placement.ErrCapacity) {
						rt.Fatalf("%s: %s, but %s takes it: %v", o.Anchor.Name(), r.Words(), p.Name(), err)
					}
				}
			}
		}
		if !slices.IsSortedFunc(options, func(a, b ops.Option) int { return len(a.Reasons) - len(b.Reasons) }) {
			rt.Fatal("options are not sorted by the number of reasons")
		}
	})
}
