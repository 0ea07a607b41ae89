package ops_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// store keeps a cloud, and lets another writer write just before it does.
type store struct {
	*world
	before []func(*world) // one for each Apply, in turn
	writes int
}

func (s *store) Snapshot() *cloud.Snapshot { return s.world.Snapshot }

func (s *store) Apply(_ context.Context, c cloud.Change) cloud.Outcome {
	if len(s.before) > 0 {
		s.before[0](s.world)
		s.before = s.before[1:]
	}
	next, ev, err := s.world.Snapshot.Apply(c)
	if err != nil {
		return cloud.Refused(err)
	}
	s.writes++
	s.world.Snapshot = next
	return cloud.Kept(next, ev)
}

// planned returns a plan, or fails the test.
func planned(t *testing.T) func(ops.Plan, error) ops.Plan {
	t.Helper()
	return func(p ops.Plan, err error) ops.Plan {
		t.Helper()
		must.Succeed(t, err)
		return p
	}
}

// firstFit plans a wish on the first tree in which it fits.
func firstFit(t *testing.T, s *cloud.Snapshot, w ops.Wish) ops.Plan {
	t.Helper()
	options := must.Get(ops.Fits(s, candidates.NewIndex(s.Placement()), w))(t)
	return planned(t)(ops.PlanClaim(s, w, options[0]))
}

var wish = ops.Wish{
	Consumer: vm("new"), Type: placement.InstanceConsumer, Project: "ml train", User: "u",
	Resources: resources{placement.VCPU: 2, placement.VGPU: 1},
}

func TestPlanClaim(t *testing.T) {
	t.Parallel()
	s := gpuCloud(t).Snapshot
	p := firstFit(t, s, wish)
	id := strings.NewReplacer("{new}", vm("new").String(), "{a}", rp("a").String(), "{a_2}", rp("a_2").String())
	want := []string{
		"a  generation 1 > 2", "  VCPU  0/8 > 2/8",
		"a_2  generation 1 > 2", "  VGPU  0/4 > 1/4",
		"consumer {new}  generation none > 1", "  + VCPU 2 on a", "  + VGPU 1 on a_2",
		"PUT /allocations/{new}  (placement 1.38)",
		`  {"allocations":{"{a_2}":{"resources":{"VGPU":1}},"{a}":{"resources":{"VCPU":2}}},"project_id":"ml train","user_id":"u","consumer_generation":null,"consumer_type":"INSTANCE"}`,
	}
	if rp("a").Compare(rp("a_2")) < 0 {
		want[8] = `  {"allocations":{"{a}":{"resources":{"VCPU":2}},"{a_2}":{"resources":{"VGPU":1}}},"project_id":"ml train","user_id":"u","consumer_generation":null,"consumer_type":"INSTANCE"}`
	}
	for i := range want {
		want[i] = id.Replace(want[i])
	}
	must.Match(t, want, p.Preview.Lines())
	if len(p.Preview.Commands()) != 1 || !strings.Contains(p.Preview.Commands()[0], "--allocation rp="+rp("a").String()+",VCPU=2") ||
		!strings.Contains(p.Preview.Commands()[0], "--project-id 'ml train'") {
		t.Errorf("commands: %q", p.Preview.Commands())
	}
	if _, ok := s.Placement().Consumer(vm("new")); ok {
		t.Error("planning has written")
	}
}

func TestPlanClaimRefuses(t *testing.T) {
	t.Parallel()
	s := gpuCloud(t).Snapshot
	options := must.Get(ops.Fits(s, candidates.NewIndex(s.Placement()), wish))(t)
	change := func(edit func(*ops.Wish)) ops.Wish {
		w := wish
		edit(&w)
		return w
	}
	for _, tc := range []struct {
		name   string
		wish   ops.Wish
		option ops.Option
		kind   error
	}{
		{"no consumer", change(func(w *ops.Wish) { w.Consumer = placement.ConsumerID{} }), options[0], placement.ErrInvalid},
		{"no project", change(func(w *ops.Wish) { w.Project = "" }), options[0], placement.ErrInvalid},
		{"a bad type", change(func(w *ops.Wish) { w.Type = "instance" }), options[0], placement.ErrInvalid},
		{"a consumer that holds something", change(func(w *ops.Wish) { w.Consumer = vm("i") }), options[0], placement.ErrExists},
		{"an option that does not fit", wish, options[2], placement.ErrInvalid},
		{"an option for another wish", change(func(w *ops.Wish) { w.Resources = resources{placement.VCPU: 3, placement.VGPU: 1} }), options[0], placement.ErrInvalid},
		{"an option for less", change(func(w *ops.Wish) {
			w.Resources = resources{placement.VCPU: 2, placement.VGPU: 1, placement.MemoryMB: 1}
		}), options[0], placement.ErrInvalid},
	} {
		if _, err := ops.PlanClaim(s, tc.wish, tc.option); !errors.Is(err, tc.kind) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.kind)
		}
	}
}

// Confusing names are refused when they are entered; what already has such a name keeps
// it, and can be changed.
func TestNamesThatAreGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Provider("h", "", resources{placement.VCPU: 4})
	w.Do(placement.CreateProvider{ID: rp("odd"), Name: "\x1b[2Jodd "})
	for name, want := range map[string]bool{
		"cmp-1": true, "cmp-1_0000:81:00.0": true, "Rechner 7": true, "计算机": true,
		"": false, " cmp": false, "cmp\t": false, "a\nb": false, "\x1b[31mred": false, "\u202etfel": false, "\xff": false, strings.Repeat("x", 201): false,
	} {
		_, create := ops.PlanCreateProvider(w.Snapshot, rp("new"), name, placement.ProviderID{})
		_, pool := ops.PlanCreatePool(w.Snapshot, tracker.Pool{ID: rp("new"), Name: name, Inventory: placement.NewInventory(9)}, placement.AggregateID{})
		_, update := ops.PlanUpdateProvider(w.Snapshot, rp("odd"), name, false, placement.ProviderID{})
		errs := map[string]error{"create": create, "pool": pool, "update": update}
		if name == "" {
			delete(errs, "update") // keeps the name
		}
		for what, err := range errs {
			if (err == nil) != want || err != nil && !errors.Is(err, placement.ErrInvalid) {
				t.Errorf("%s %q: %v", what, name, err)
			}
		}
	}
	for name, reparent := range map[string]bool{"": true, "\x1b[2Jodd ": true} {
		if _, err := ops.PlanUpdateProvider(w.Snapshot, rp("odd"), name, reparent, rp("h")); err != nil {
			t.Errorf("an odd one is moved, with the name %q: %v", name, err)
		}
	}
}

// TestReleaseWarnings releases what several instances hold, in one plan: what is the same
// for all of them is said once, with the names of the first and the number of the others.
func TestReleaseWarnings(t *testing.T) {
	t.Parallel()
	w := newMove(t, "nova").world
	i, _ := w.Nova().Instance(vm("i"))
	release := func(consumers ...string) []string {
		var all []ops.Planner
		for _, name := range consumers {
			all = append(all, func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanRelease(s, vm(name), placement.ProviderID{}) })
		}
		return planned(t)(ops.PlanAll(w.Snapshot, "release", all...)).Preview.Warnings
	}
	names := []string{"i", "j", "k", "l", "m"}
	for _, name := range names {
		own := *i
		own.UUID, own.Name = vm(name), name
		w.Record(&own)
		w.Claim(name, placement.InstanceConsumer, map[string]resources{"compute1": {placement.VCPU: 1}})
	}
	must.Match(t, []string{"i, j, k and 2 more are active on compute1: they keep running, and what they use may be given to others"}, release(names...))
	must.Match(t, []string{"j, k are active on compute1: they keep running, and what they use may be given to others"}, release("k", "j"))
	must.Match(t, []string{"j is active on compute1: it keeps running, and what it uses may be given to others"}, release("j"))
}

// Releasing what an instance holds gives a warning on the host where it runs, and only
// there.
func TestReleaseWarning(t *testing.T) {
	t.Parallel()
	deleted := func(w *world) {
		w.EditInstance(func(i *nova.Instance) { i.VMState = nova.Deleted })
	}
	waits := func(w *world) {
		w.Record(&nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.Resize, Status: nova.Finished, Source: "compute2", Dest: "compute1"})
		w.Claim("m", placement.MigrationConsumer, map[string]resources{"compute2": {placement.VCPU: 1}})
	}
	const runs = "i is active on compute1: it keeps running, and what it uses may be given to others"
	for _, tt := range []struct {
		name, consumer, from string
		given                func(*world)
		want                 []string
	}{
		{name: "all", consumer: "i", want: []string{runs}},
		{name: "of its host", consumer: "i", from: "compute1", want: []string{runs}},
		{name: "of a card of its host", consumer: "i", from: "n1", want: []string{runs}},
		{name: "of another host", consumer: "i", from: "compute2"},
		{name: "of a card of another host", consumer: "i", from: "n2"},
		{name: "all of one that is deleted", consumer: "i", given: deleted},
		{name: "of whom Nova knows nothing", consumer: "stranger"},
		{
			name: "of a move that waits", consumer: "m", given: waits,
			want: []string{"resize of i has status finished: without its allocations on compute2 it cannot be reverted"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newMove(t, "nova").world
			w.Claim("i", placement.InstanceConsumer, map[string]resources{
				"compute1": {placement.VCPU: 2}, "n1": {placement.VGPU: 1}, "compute2": {placement.VCPU: 2}, "n2": {placement.VGPU: 1},
			})
			w.Claim("stranger", "", map[string]resources{"compute1": {placement.VCPU: 1}})
			if tt.given != nil {
				tt.given(w)
			}
			from := placement.ProviderID{}
			if tt.from != "" {
				from = rp(tt.from)
			}
			plan := planned(t)(ops.PlanRelease(w.Snapshot, vm(tt.consumer), from))
			must.Match(t, tt.want, plan.Preview.Warnings)
		})
	}
}

func TestPlanRelease(t *testing.T) {
	t.Parallel()
	w := gpuCloud(t).Instance("j", nova.Active).
		Claim("j", placement.InstanceConsumer, map[string]resources{"a": {placement.VCPU: 1}, "a_2": {placement.VGPU: 2}})
	part := planned(t)(ops.PlanRelease(w.Snapshot, vm("j"), rp("a_2")))
	next, _, err := w.Snapshot.Apply(part.Change)
	must.Succeed(t, err)
	c, _ := next.Placement().Consumer(vm("j"))
	if d := cmp.Diff(allocations{rp("a"): {placement.VCPU: 1}}, next.Placement().ConsumerRecord(c).Allocations); d != "" || c.Type() != placement.InstanceConsumer || c.Generation() != 2 {
		t.Errorf("after releasing a part: %v, type %s, generation %d", d, c.Type(), c.Generation())
	}
	if n := len(part.Preview.Warnings); n != 1 {
		t.Errorf("releasing of a live instance: %d warnings, want one", n)
	}
	all := planned(t)(ops.PlanRelease(w.Snapshot, vm("j"), placement.ProviderID{}))
	if next, _, err = w.Snapshot.Apply(all.Change); err != nil {
		t.Fatal(err)
	}
	if _, ok := next.Placement().Consumer(vm("j")); ok {
		t.Error("the consumer is still there after all was released")
	}
	if body := all.Preview.Requests()[0].Body; !strings.Contains(body, `"allocations":{},"project_id":"p"`) || !strings.Contains(body, `"consumer_generation":1`) {
		t.Errorf("request: %s", body)
	}
	if w := planned(t)(ops.PlanRelease(w.Snapshot, vm("i"), placement.ProviderID{})).Preview.Warnings; len(w) > 0 {
		t.Errorf("releasing what Nova does not know: %q", w)
	}
	for name, at := range map[string]struct {
		consumer placement.ConsumerID
		from     placement.ProviderID
	}{
		"unknown consumer": {vm("nobody"), placement.ProviderID{}},
		"holds nothing":    {vm("j"), rp("b")},
		"no such provider": {vm("j"), rp("nobody")},
	} {
		if _, err := ops.PlanRelease(w.Snapshot, at.consumer, at.from); !errors.Is(err, placement.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEditsKeepTheRest(t *testing.T) {
	t.Parallel()
	none := placement.ProviderID{}
	eight := placement.NewInventory(8)
	for _, tc := range []struct {
		name string
		plan func(*cloud.Snapshot) (ops.Plan, error)
		want []string
	}{
		{"add a trait", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanTraits(s, rp("h"), []placement.Trait{"CUSTOM_B"}, nil)
		}, []string{"+ trait CUSTOM_B", "h  generation 4 > 5", "  + CUSTOM_B"}},
		{"remove a trait", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanTraits(s, rp("h"), nil, []placement.Trait{placement.OwnerNova})
		}, []string{"h  generation 4 > 5", "  - OWNER_NOVA", "! h loses OWNER_NOVA: requests for this owner no longer find it"}},
		{"a trait that is there", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanTraits(s, rp("h"), []placement.Trait{placement.OwnerNova}, []placement.Trait{"CUSTOM_A"})
		}, []string{"h  generation 4 > 5", "  - CUSTOM_A"}},
		{"nothing new", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanTraits(s, rp("h"), []placement.Trait{placement.OwnerNova}, []placement.Trait{"HW_NUMA_ROOT"})
		}, []string{"nothing to change"}},
		{"add an aggregate", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanAggregates(s, rp("h"), []placement.AggregateID{agg("y"), agg("x")}, nil)
		}, []string{"h  generation 4 > 5", "  + aggregate " + agg("y").String()}},
		{"leave an aggregate", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanAggregates(s, rp("h"), nil, []placement.AggregateID{agg("x")})
		}, []string{"h  generation 4 > 5", "  - aggregate " + agg("x").String()}},
		{"the aggregates that there are", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanAggregates(s, rp("h"), []placement.AggregateID{agg("x")}, []placement.AggregateID{agg("z")})
		}, []string{"nothing to change"}},
		{"shrink an inventory below its use", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanInventory(s, rp("h"), placement.VCPU, placement.NewInventory(1))
		}, []string{"h  generation 4 > 5", "  VCPU  2/4 > 2/1  total 4 > 1", "! VCPU of h will be over capacity: 2 used of 1"}},
		{"add an inventory of a new class", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanInventory(s, rp("h"), "CUSTOM_FPGA", eight)
		}, []string{"+ resource class CUSTOM_FPGA", "h  generation 4 > 5", "  CUSTOM_FPGA  none > 0/8"}},
		{"the inventory that there is", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanInventory(s, rp("h"), placement.VCPU, placement.NewInventory(4))
		}, []string{"nothing to change"}},
		{"replace all inventories", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanInventories(s, rp("h"), inventories{placement.VCPU: eight})
		}, []string{"h  generation 4 > 5", "  VCPU  2/4 > 2/8  total 4 > 8", "  DISK_GB  0/9 > none"}},
		{"the inventories that there are", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanInventories(s, rp("h"), inventories{placement.VCPU: placement.NewInventory(4), placement.DiskGB: placement.NewInventory(9)})
		}, []string{"nothing to change"}},
		{"drop an inventory", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanDropInventory(s, rp("h"), placement.DiskGB)
		}, []string{"h  generation 4 > 5", "  DISK_GB  0/9 > none"}},
		{"create a root", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanCreateProvider(s, rp("n"), "n", none)
		}, []string{"n  generation none > 0  new"}},
		{"create a child", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanCreateProvider(s, rp("n"), "n", rp("h"))
		}, []string{"n  generation none > 0  new, below h"}},
		{"rename", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanUpdateProvider(s, rp("c1"), "d1", false, none)
		}, []string{"d1  generation 0 > 0  was c1"}},
		{"move", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanUpdateProvider(s, rp("c2"), "", true, rp("h"))
		}, []string{"c2  generation 0 > 0  moved below h"}},
		{"delete a leaf", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanDeleteProvider(s, rp("c2"), false)
		}, []string{"c2  generation 0 > none  deleted"}},
		{"delete a subtree", func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanDeleteProvider(s, rp("c1"), true)
		}, []string{"c1  generation 0 > none  deleted", "c2  generation 0 > none  deleted"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).Provider("h", "", resources{placement.VCPU: 4, placement.DiskGB: 9}, placement.OwnerNova, "CUSTOM_A").
				Aggregates("h", "x").Provider("c1", "h", nil).Provider("c2", "c1", nil)
			w.Claim("i", "", map[string]resources{"h": {placement.VCPU: 2}})
			plan := must.Get(tc.plan(w.Snapshot))(t)
			var got []string
			for _, l := range plan.Preview.Lines() {
				if strings.HasPrefix(l, "PUT ") || strings.HasPrefix(l, "POST ") || strings.HasPrefix(l, "DELETE ") || strings.HasPrefix(l, "  {") {
					continue
				}
				got = append(got, l)
			}
			must.Match(t, tc.want, got)
			if len(plan.Preview.Requests()) != len(plan.Change.Ops) || len(plan.Preview.Commands()) != len(plan.Change.Ops) {
				t.Errorf("%d operations, %d requests, %d commands", len(plan.Change.Ops), len(plan.Preview.Requests()), len(plan.Preview.Commands()))
			}
			if plan.Change.Note == "" {
				t.Error("no note for the journal")
			}
		})
	}
}

func TestEditsRefuse(t *testing.T) {
	t.Parallel()
	s := newWorld(t).Provider("h", "", resources{placement.VCPU: 4}).Provider("c", "h", nil).
		Claim("i", "", map[string]resources{"h": {placement.VCPU: 2}}).Snapshot
	for name, tc := range map[string]struct {
		plan func() (ops.Plan, error)
		kind error
	}{
		"unknown provider": {func() (ops.Plan, error) { return ops.PlanTraits(s, rp("x"), nil, nil) }, placement.ErrNotFound},
		"unknown trait": {func() (ops.Plan, error) {
			return ops.PlanTraits(s, rp("h"), []placement.Trait{"OWNER_NOBODY"}, nil)
		}, placement.ErrInvalid},
		"unknown custom trait to remove": {func() (ops.Plan, error) {
			return ops.PlanTraits(s, rp("h"), nil, []placement.Trait{"CUSTOM_NO"})
		}, placement.ErrInvalid},
		"bad custom trait": {func() (ops.Plan, error) {
			return ops.PlanTraits(s, rp("h"), []placement.Trait{"CUSTOM_no"}, nil)
		}, placement.ErrInvalid},
		"a trait both ways": {func() (ops.Plan, error) {
			return ops.PlanTraits(s, rp("h"), []placement.Trait{"OWNER_NOVA"}, []placement.Trait{"OWNER_NOVA"})
		}, placement.ErrInvalid},
		"the nil aggregate": {func() (ops.Plan, error) {
			return ops.PlanAggregates(s, rp("h"), []placement.AggregateID{{}}, nil)
		}, placement.ErrInvalid},
		"unknown class": {func() (ops.Plan, error) {
			return ops.PlanInventory(s, rp("h"), "VCPUS", placement.NewInventory(1))
		}, placement.ErrInvalid},
		"a bad field": {func() (ops.Plan, error) {
			return ops.PlanInventory(s, rp("h"), placement.VCPU, placement.NewInventory(0))
		}, placement.ErrInvalid},
		"a class in use": {func() (ops.Plan, error) { return ops.PlanDropInventory(s, rp("h"), placement.VCPU) }, placement.ErrInUse},
		"a class in use, by a set": {func() (ops.Plan, error) {
			return ops.PlanInventories(s, rp("h"), inventories{placement.DiskGB: placement.NewInventory(1)})
		}, placement.ErrInUse},
		"no such inventory": {func() (ops.Plan, error) { return ops.PlanDropInventory(s, rp("h"), placement.DiskGB) }, placement.ErrNotFound},
		"a taken name": {func() (ops.Plan, error) {
			return ops.PlanCreateProvider(s, rp("n"), "h", placement.ProviderID{})
		}, placement.ErrExists},
		"an unknown parent":      {func() (ops.Plan, error) { return ops.PlanCreateProvider(s, rp("n"), "n", rp("x")) }, placement.ErrInvalid},
		"a loop":                 {func() (ops.Plan, error) { return ops.PlanUpdateProvider(s, rp("h"), "", true, rp("c")) }, placement.ErrInvalid},
		"a parent":               {func() (ops.Plan, error) { return ops.PlanDeleteProvider(s, rp("h"), false) }, placement.ErrInUse},
		"a subtree with a claim": {func() (ops.Plan, error) { return ops.PlanDeleteProvider(s, rp("h"), true) }, placement.ErrInUse},
	} {
		if _, err := tc.plan(); !errors.Is(err, tc.kind) {
			t.Errorf("%s: %v, want %v", name, err, tc.kind)
		}
	}
}

func TestRunDecidesAnew(t *testing.T) {
	t.Parallel()
	addTrait := func(s *cloud.Snapshot) (ops.Plan, error) {
		return ops.PlanTraits(s, rp("h"), []placement.Trait{"CUSTOM_B"}, nil)
	}
	setTraits := func(ts ...placement.Trait) func(*world) {
		return func(w *world) {
			for _, t := range ts {
				w.Do(placement.CreateTrait{Name: t})
			}
			w.Do(placement.SetTraits{Provider: rp("h"), Generation: placement.AnyGeneration(), Traits: ts})
		}
	}
	bump := func(w *world) {
		w.Do(placement.SetInventories{Provider: rp("h"), Generation: placement.AnyGeneration(), Inventories: inventories{placement.VCPU: placement.NewInventory(4)}})
	}
	for _, tc := range []struct {
		name   string
		others []func(*world)
		want   []placement.Trait // at the end
		writes int
	}{
		{"undisturbed", nil, []placement.Trait{"CUSTOM_A", "CUSTOM_B"}, 1},
		{"somebody else adds another trait", []func(*world){setTraits("CUSTOM_A", "CUSTOM_C")}, []placement.Trait{"CUSTOM_A", "CUSTOM_B", "CUSTOM_C"}, 1},
		{"two others write", []func(*world){bump, bump}, []placement.Trait{"CUSTOM_A", "CUSTOM_B"}, 1},
		{"somebody else does the same", []func(*world){setTraits("CUSTOM_A", "CUSTOM_B")}, []placement.Trait{"CUSTOM_A", "CUSTOM_B"}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := &store{world: newWorld(t).Provider("h", "", resources{placement.VCPU: 4}, "CUSTOM_A"), before: tc.others}
			s.Do(placement.CreateTrait{Name: "CUSTOM_B"})
			p := planned(t)(addTrait(s.Snapshot()))
			p.Change.Actor = "tester"
			commit := must.Get(ops.Runner{Shown: p.Shown()}.Write(t.Context(), s, p))(t)
			h, _ := commit.Snapshot.Placement().Provider(rp("h"))
			if d := cmp.Diff(tc.want, commit.Snapshot.Placement().TraitsOf(h)); d != "" || s.writes != tc.writes {
				t.Errorf("%d writes, traits (-want +got):\n%s", s.writes, d)
			}
			if tc.writes > 0 && commit.Event.Actor != "tester" {
				t.Errorf("actor %q after deciding anew", commit.Event.Actor)
			}
		})
	}
}

func TestRunStopsWhenTheOutcomeIsAnother(t *testing.T) {
	t.Parallel()
	full := func(w *world) { w.Claim("other", "", map[string]resources{"a_2": {placement.VGPU: 4}}) }
	s := &store{world: gpuCloud(t), before: []func(*world){full}}
	p := firstFit(t, s.Snapshot(), wish)
	_, err := ops.Runner{Shown: p.Shown()}.Write(t.Context(), s, p)
	var changed *ops.ChangedError
	if !errors.As(err, &changed) || !errors.Is(err, placement.ErrCapacity) || changed.Now == nil {
		t.Fatalf("the card was filled by somebody else: %v", err)
	}
	if s.writes != 0 {
		t.Error("something was written")
	}

	s = &store{world: newWorld(t).Provider("h", "", resources{placement.VCPU: 4}), before: []func(*world){
		func(w *world) { w.Claim("j", "", map[string]resources{"h": {placement.VCPU: 1}}) },
	}}
	s.Claim("j", "", map[string]resources{"h": {placement.VCPU: 2}})
	p = planned(t)(ops.PlanRelease(s.Snapshot(), vm("j"), placement.ProviderID{}))
	_, err = ops.Runner{Shown: p.Shown()}.Write(t.Context(), s, p)
	if !errors.As(err, &changed) || !errors.Is(err, placement.ErrConflict) || changed.Now != nil || len(changed.Differences) == 0 {
		t.Fatalf("the consumer holds something else now: %v", err)
	}
	if _, err := (ops.Runner{Shown: changed.Plan.Shown()}).Write(t.Context(), s, changed.Plan); err != nil {
		t.Errorf("the plan as it would be now, once accepted: %v", err)
	}
}

// TestRunOverwritesWhatWasShown has another writer set the same field in between: even if
// the outcome is the one that was shown, that value would be lost unseen.
func TestRunOverwritesWhatWasShown(t *testing.T) {
	t.Parallel()
	reserved := func(n int64) placement.Inventory {
		inv := placement.NewInventory(16)
		inv.Reserved = n
		return inv
	}
	s := &store{world: newWorld(t).Provider("h", "", resources{placement.VCPU: 16}), before: []func(*world){
		func(w *world) { w.Inventory("h", placement.VCPU, reserved(2)) },
	}}
	of := ops.EditableProvider{ID: rp("h")}
	base := must.Get(ops.StateOf(s.Snapshot(), rp("h")))(t)
	want := base
	want.Inventories = map[placement.ResourceClass]placement.Inventory{placement.VCPU: reserved(4)}
	p := planned(t)(ops.PlanEdit(s.Snapshot(), ops.Edit{Of: of, Base: base, Want: want}))
	_, err := ops.Runner{Shown: p.Shown()}.Write(t.Context(), s, p)
	changed, ok := errors.AsType[*ops.ChangedError](err)
	if !ok || s.writes != 0 {
		t.Fatalf("%v after %d writes, want none", err, s.writes)
	}
	must.Match(t, []string{"h: VCPU reserved is now 2"}, changed.Differences)
	if _, err := (ops.Runner{Shown: changed.Plan.Shown()}).Write(t.Context(), s, changed.Plan); err != nil {
		t.Errorf("the plan as it would be now, once accepted: %v", err)
	}
}

func TestRunGivesUp(t *testing.T) {
	t.Parallel()
	bump := func(w *world) {
		w.Do(placement.SetInventories{Provider: rp("h"), Generation: placement.AnyGeneration(), Inventories: inventories{placement.VCPU: placement.NewInventory(4)}})
	}
	s := &store{world: newWorld(t).Provider("h", "", resources{placement.VCPU: 4})}
	for range 100 {
		s.before = append(s.before, bump)
	}
	p := planned(t)(ops.PlanTraits(s.Snapshot(), rp("h"), []placement.Trait{placement.OwnerNova}, nil))
	if _, err := (ops.Runner{Shown: p.Shown()}).Write(t.Context(), s, p); !errors.Is(err, placement.ErrConflict) {
		t.Errorf("a provider that is written all the time: %v", err)
	}
	if tries := 100 - len(s.before); tries > 10 {
		t.Errorf("%d tries", tries)
	}
}

func TestRunOfAGivenChangeTriesOnce(t *testing.T) {
	t.Parallel()
	s := &store{world: newWorld(t).Provider("h", "", resources{placement.VCPU: 4})}
	p, err := ops.PlanChange(s.Snapshot(), cloud.Change{Ops: []placement.Op{
		placement.SetTraits{Provider: rp("h"), Generation: placement.Generation(1), Traits: []placement.Trait{placement.OwnerNova}},
	}})
	must.Succeed(t, err)
	s.before = []func(*world){func(w *world) { w.Inventory("h", placement.VCPU, placement.NewInventory(5)) }}
	if _, err := (ops.Runner{Shown: p.Shown()}).Write(t.Context(), s, p); !errors.Is(err, placement.ErrConflict) || s.writes != 0 {
		t.Errorf("%v after %d writes, want a conflict", err, s.writes)
	}
}

// What was asked for in addition to resources must still be true when the claim is
// written.
func TestPlanClaimAsksForTraitsAgain(t *testing.T) {
	t.Parallel()
	w := gpuCloud(t)
	own := wish
	own.Terms = candidates.Group{Forbidden: []candidates.Trait{{Name: placement.OwnerCyborg}}}
	w.Do(placement.SetTraits{Provider: rp("b"), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg}})
	options := must.Get(ops.Fits(w.Snapshot, candidates.NewIndex(w.Placement()), own))(t)
	if !options[0].Fits() {
		t.Fatalf("nothing fits: %s", options[0].Why())
	}
	for _, p := range options[0].Parts {
		w.Do(placement.SetTraits{Provider: p.Provider.ID(), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg}})
	}
	if _, err := ops.PlanClaim(w.Snapshot, own, options[0]); !errors.Is(err, placement.ErrState) {
		t.Errorf("planned on cards that are Cyborg's now: %v", err)
	}
}
