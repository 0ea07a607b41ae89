package ops_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// TestNoPlanOverwritesUnseen has another writer change what a plan is about, after it was
// shown and just before it is written: the plan is not carried out, and says what is
// different, whether or not its operations carry a generation.
func TestNoPlanOverwritesUnseen(t *testing.T) {
	t.Parallel()
	acknowledge := func(rule audit.RuleID, note string) cloud.Op {
		return operator.Acknowledge{Acknowledgement: operator.Acknowledgement{Rule: string(rule), Subject: "s", Note: note, By: "ann", Name: "subject", Severity: "warn", Text: "text"}}
	}
	mute := func(rule audit.RuleID, note string) cloud.Op {
		return operator.MuteRule{Mute: operator.Mute{Rule: string(rule), Note: note, By: "ann"}}
	}
	mine := audit.Remark{Note: "mine", By: "ann", At: modeltest.Noon()}
	start := func() *world {
		w := newWorld(t).Provider("h", "", resources{placement.VCPU: 16}).Provider("k", "", nil).Provider("l", "", nil).Provider("card", "h", resources{placement.VGPU: 4})
		w.Claim("i", "", map[string]resources{"h": {placement.VCPU: 2}})
		w.Do(
			nova.StartService{Host: "h", Binary: nova.Compute, Version: 73},
			nova.StartService{Host: "k", Binary: nova.Compute, Version: 73},
			nova.DisableService{Host: "k", Binary: nova.Compute, Reason: "mine"},
			nova.CreateFlavor{Flavor: &nova.Flavor{Name: "f", FlavorID: "f", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"hw:mem_page_size": "large"}}},
			nova.CreateAggregate{UUID: agg("a"), Name: "a"},
			placement.CreateTrait{Name: "CUSTOM_A"},
			acknowledge("a02", "mine"), mute("a03", "mine"),
		)
		return w
	}
	do := func(of ...cloud.Op) func(*world) { return func(w *world) { w.Do(of...) } }
	op := func(of ...cloud.Op) func(*cloud.Snapshot) (ops.Plan, error) {
		return func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanNova(s, "set", time.Time{}, of...)
		}
	}
	project := func(to string) func(*cloud.Snapshot) (ops.Plan, error) {
		return func(s *cloud.Snapshot) (ops.Plan, error) {
			of := ops.EditableConsumer{ID: vm("i")}
			state, err := of.State(s)
			must.Succeed(t, err)
			want := state.(ops.ConsumerState)
			want.Project = to
			return ops.PlanEdit(s, ops.Edit{Of: of, Base: state, Want: want})
		}
	}
	rename := func(to string) cloud.Op { return placement.UpdateProvider{ID: rp("card"), Name: to} }
	move := func(to string) cloud.Op {
		return placement.UpdateProvider{ID: rp("card"), Name: "card", Reparent: true, Parent: rp(to)}
	}
	any := placement.AnyGeneration()
	page := func(size string) cloud.Op {
		return nova.SetExtraSpecs{Flavor: "f", ExtraSpecs: nova.KeyEdits{Set: map[string]string{"hw:mem_page_size": size}}}
	}
	key := func(key, value string) cloud.Op {
		return nova.SetAggregateMetadata{Aggregate: agg("a"), Metadata: nova.KeyEdits{Set: map[string]string{key: value}}}
	}
	zone := func(name string) cloud.Op { return key("rack", name) }
	for name, tt := range map[string]struct {
		plan  func(*cloud.Snapshot) (ops.Plan, error)
		other func(*world)
		says  string
	}{
		"a rename": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanUpdateProvider(s, rp("card"), "mine", false, placement.ProviderID{})
		}, do(rename("theirs")), "mine: name is now theirs"},
		"a move": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanUpdateProvider(s, rp("card"), "", true, rp("k"))
		}, do(move("l")), "card: parent is now l"},
		"a move to the root": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanUpdateProvider(s, rp("card"), "", true, placement.ProviderID{})
		}, do(move("l")), "card: parent is now l"},
		"an edited move": {func(s *cloud.Snapshot) (ops.Plan, error) {
			of := ops.EditableProvider{ID: rp("card")}
			base := must.Get(ops.StateOf(s, rp("card")))(t)
			want := base.Clone()
			want.Parent = rp("k")
			return ops.PlanEdit(s, ops.Edit{Of: of, Base: base, Want: want})
		}, do(move("l")), "card: parent is now l"},
		"a deleted provider": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanDeleteProvider(s, rp("card"), false)
		}, do(placement.SetTraits{Provider: rp("card"), Generation: any, Traits: []placement.Trait{"CUSTOM_A"}}), "now change card: traits -CUSTOM_A"},
		"a released claim": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanRelease(s, vm("i"), placement.ProviderID{})
		}, func(w *world) { w.Claim("i", "", map[string]resources{"h": {placement.VCPU: 7}}) }, vm("i").String() + ": h VCPU is now 7"},
		"a released claim that is another's by now": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanRelease(s, vm("i"), placement.ProviderID{})
		}, do(placement.ReplaceAllocations{Consumers: []placement.Claim{{
			Consumer: vm("i"), Generation: any, Project: "theirs", User: "u", Allocations: allocations{rp("h"): {placement.VCPU: 2}},
		}}}), vm("i").String() + " is now a consumer of project theirs and user u"},
		"traits that are replaced": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.Planner(func(s *cloud.Snapshot) (ops.Plan, error) {
				card, _ := s.Placement().Provider(rp("card"))
				return ops.PlanTraits(s, rp("card"), []placement.Trait{placement.OwnerNova}, s.Placement().TraitsOf(card))
			}).Plan(s)
		}, do(placement.SetTraits{Provider: rp("card"), Generation: any, Traits: []placement.Trait{"CUSTOM_A"}}), "change card: traits -CUSTOM_A"},
		"a deleted inventory": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanDropInventory(s, rp("card"), placement.VGPU)
		}, do(placement.SetInventory{Provider: rp("card"), Generation: any, Class: placement.VGPU, Inventory: placement.NewInventory(9)}), "card: VGPU total is now 9"},
		"the project of a consumer": {project("mine"), func(w *world) {
			p, err := project("theirs")(w.Snapshot)
			must.Succeed(t, err)
			w.Do(p.Change.Ops...)
		}, "project is now theirs"},
		"an extra spec":       {op(page("small")), do(page("any")), "it would now create flavor f#3"},
		"a key of metadata":   {op(zone("mine")), do(zone("theirs")), "rack is now theirs"},
		"a key like a time":   {op(key("timeout_ms", "5")), do(key("timeout_ms", "6")), "timeout_ms is now 6"},
		"a deleted aggregate": {op(nova.DeleteAggregate{Aggregate: agg("a")}), do(zone("theirs")), "delete aggregate a: rack theirs > none"},
		"a disabled service":  {op(nova.DisableService{Host: "h", Binary: nova.Compute, Reason: "mine"}), do(nova.DisableService{Host: "h", Binary: nova.Compute, Reason: "theirs"}), "now theirs"},
		"what was as wished": {op(
			nova.DisableService{Host: "h", Binary: nova.Compute, Reason: "mine"}, nova.DisableService{Host: "k", Binary: nova.Compute, Reason: "mine"},
		), do(nova.EnableService{Host: "k", Binary: nova.Compute}), "change service nova-compute on k: disabled none > true"},
		"the version it is at": {op(nova.UpgradeService{Host: "h", Binary: nova.Compute, Version: 80}), do(nova.UpgradeService{Host: "h", Binary: nova.Compute, Version: 75}), "version is now 75"},
		"another field of an inventory, which is shown whole": {func(s *cloud.Snapshot) (ops.Plan, error) {
			base := must.Get(ops.StateOf(s, rp("card")))(t)
			want := base.Clone()
			inv := want.Inventories[placement.VGPU]
			inv.Reserved = 4
			want.Inventories[placement.VGPU] = inv
			return ops.PlanEdit(s, ops.Edit{Of: ops.EditableProvider{ID: rp("card")}, Base: base, Want: want})
		}, do(placement.SetInventory{Provider: rp("card"), Generation: any, Class: placement.VGPU, Inventory: placement.NewInventory(9)}), "card: VGPU total is now 9"},
		"another host of an aggregate, whose hosts are shown": {
			op(nova.AddAggregateHost{Aggregate: agg("a"), Host: "h"}),
			do(nova.AddAggregateHost{Aggregate: agg("a"), Host: "k"}), `aggregate a: hosts is now ["k"]`,
		},
		"an acknowledged finding": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return audit.PlanAcknowledge(s, audit.Find(s)[:1], mine)
		}, func(w *world) {
			theirs := planned(t)(audit.PlanAcknowledge(w.Snapshot, audit.Find(w.Snapshot)[:1], audit.Remark{Note: "theirs", By: "bob", At: modeltest.Noon()}))
			w.Do(theirs.Change.Ops...)
		}, "theirs"},
		"a withdrawn acknowledgement": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return audit.PlanUnacknowledge(s, slices.Collect(s.Operator().Acknowledgements()))
		}, do(acknowledge("a02", "theirs")), "note is now theirs"},
		"a muted rule": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return audit.PlanMute(s, audit.Rule{ID: "a04"}, mine)
		}, do(mute("a04", "theirs")), "theirs"},
		"a rule that is no longer muted": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return audit.PlanUnmute(s, "a03")
		}, do(mute("a03", "theirs")), "mute a03: note is now theirs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &store{world: start(), before: []func(*world){tt.other}}
			p := planned(t)(tt.plan(s.Snapshot()))
			if name != "what was as wished" && name != "an extra spec" && !strings.HasPrefix(name, "another ") { // it is as asked for; a flavor keeps its older revisions
				_, err := ops.Runner{Shown: p.Decided()}.Write(t.Context(), s, p)
				if _, ok := errors.AsType[*ops.ChangedError](err); !ok || !errors.Is(err, placement.ErrConflict) || s.writes != 0 {
					t.Fatalf("unseen: %v after %d writes, want none", err, s.writes)
				}
				s = &store{world: start(), before: []func(*world){tt.other}}
			}
			_, err := ops.Runner{Shown: p.Shown()}.Write(t.Context(), s, p)
			changed, ok := errors.AsType[*ops.ChangedError](err)
			if !ok || !errors.Is(err, placement.ErrConflict) || s.writes != 0 {
				t.Fatalf("%v after %d writes, want none", err, s.writes)
			}
			must.Say(t, strings.Join(changed.Differences, "\n"), tt.says)
			if _, err := (ops.Runner{Shown: changed.Plan.Shown()}).Write(t.Context(), s, changed.Plan); err != nil || s.writes != 1 {
				t.Errorf("the plan as it would be now, once accepted: %v after %d writes", err, s.writes)
			}
		})
	}
}

// TestDecidedOverOthers has another writer change something beside what a plan changes,
// just before it is written: nobody has seen the plan, and made again it gives up nothing
// of the other's, so it is written over it.
func TestDecidedOverOthers(t *testing.T) {
	t.Parallel()
	any := placement.AnyGeneration()
	reserved := func(s *cloud.Snapshot) (ops.Plan, error) {
		p, _ := s.Placement().Provider(rp("h"))
		inv := s.Placement().ProviderRecord(p).Inventories[placement.VCPU]
		inv.Reserved = 4
		return ops.PlanInventory(s, rp("h"), placement.VCPU, inv)
	}
	host := func(name string) cloud.Op { return nova.AddAggregateHost{Aggregate: agg("a"), Host: name} }
	trait := func(s *cloud.Snapshot) (ops.Plan, error) {
		return ops.PlanTraits(s, rp("h"), []placement.Trait{"CUSTOM_B"}, []placement.Trait{"CUSTOM_A"})
	}
	for name, tt := range map[string]struct {
		plan  ops.Planner
		other cloud.Op
	}{
		"another field of an inventory": {reserved, placement.SetInventory{Provider: rp("h"), Generation: any, Class: placement.VCPU, Inventory: placement.NewInventory(32)}},
		"another trait":                 {trait, placement.SetTraits{Provider: rp("h"), Generation: any, Traits: []placement.Trait{"CUSTOM_A", "CUSTOM_C"}}},
		"a trait that is to go":         {trait, placement.SetTraits{Provider: rp("h"), Generation: any}},
		"another host of an aggregate": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanNova(s, "set", time.Time{}, host("k"))
		}, host("l")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).Provider("h", "", resources{placement.VCPU: 16}, "CUSTOM_A").Provider("k", "", nil).Provider("l", "", nil)
			for _, h := range []string{"h", "k", "l"} {
				w.Do(nova.StartService{Host: h, Binary: nova.Compute, Version: 73})
			}
			w.Do(placement.CreateTrait{Name: "CUSTOM_B"}, placement.CreateTrait{Name: "CUSTOM_C"}, nova.CreateAggregate{UUID: agg("a"), Name: "a"}, host("h"))
			s := &store{world: w, before: []func(*world){func(w *world) { w.Do(tt.other) }}}
			p := planned(t)(tt.plan.Plan(s.Snapshot()))
			tries := 0
			_, err := ops.Runner{Shown: p.Decided(), Report: func(d ops.StepDone) { tries = d.Tries }}.Write(t.Context(), s, p)
			must.Succeed(t, err)
			must.Be(t, tries, 2)
		})
	}
}

// TestNoDeviceIsSwitchedUnseen has another writer change what a device has, or switch it
// as well, after it was shown what disabling or enabling it does.
func TestNoDeviceIsSwitchedUnseen(t *testing.T) {
	t.Parallel()
	device := modeltest.WorldUUID("dev c")
	plan := func(s *cloud.Snapshot, disable bool) ops.Plan {
		return planned(t)(ops.PlanDeviceStatus(s, device, disable))
	}
	for _, disable := range []bool{true, false} {
		start := func() *world {
			w := newWorld(t).Provider("h", "", nil).Card(0, 0).Record(&cyborg.Attribute{UUID: modeltest.WorldUUID("a"), Deployable: modeltest.WorldUUID("dep c"), Key: "rc", Value: "VGPU"})
			if !disable {
				w.Do(plan(w.Snapshot, true).Change.Ops...)
			}
			return w
		}
		s := &store{world: start(), before: []func(*world){func(w *world) {
			w.Do(placement.SetInventory{Provider: rp("c"), Generation: placement.AnyGeneration(), Class: placement.VGPU, Inventory: placement.NewInventory(9)})
		}}}
		p := plan(s.Snapshot(), disable)
		_, err := ops.Runner{Shown: p.Shown()}.Write(t.Context(), s, p)
		changed, ok := errors.AsType[*ops.ChangedError](err)
		if !ok || s.writes != 0 {
			t.Fatalf("disable %t: %v after %d writes, want none", disable, err, s.writes)
		}
		must.Say(t, strings.Join(changed.Differences, "\n"), "change c: VGPU reserved")

		s = &store{world: start(), before: []func(*world){func(w *world) { w.Do(plan(w.Snapshot, disable).Change.Ops...) }}}
		p = plan(s.Snapshot(), disable)
		did, err := ops.Runner{Shown: p.Shown()}.Write(t.Context(), s, p)
		if err != nil || len(did.Event.Changes) > 0 || s.writes != 0 {
			t.Errorf("disable %t, as another did: %v, %d records in %d writes", disable, err, len(did.Event.Changes), s.writes)
		}
	}
}

// TestOthersDoNotHinder has another writer change something else of what a plan is about:
// the plan still does what was shown, without being decided again.
func TestOthersDoNotHinder(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		plan  func(*cloud.Snapshot) (ops.Plan, error)
		other func(*world)
	}{
		"a claim": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanUpdateProvider(s, rp("h"), "host", false, placement.ProviderID{})
		}, func(w *world) { w.Claim("i", "", map[string]resources{"h": {placement.VCPU: 2}}) }},
		"a heartbeat": {func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanNova(s, "set", time.Time{}, nova.DisableService{Host: "h", Binary: nova.Compute})
		}, func(w *world) { w.Do(nova.ReportState{Host: "h", Binary: nova.Compute}) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).Provider("h", "", resources{placement.VCPU: 4})
			w.Do(nova.StartService{Host: "h", Binary: nova.Compute, Version: 73})
			s := &store{world: w, before: []func(*world){tt.other}}
			p := planned(t)(tt.plan(s.Snapshot()))
			var tries int
			_, err := ops.Runner{Shown: p.Shown(), Report: func(d ops.StepDone) { tries = d.Tries }}.Write(t.Context(), s, p)
			must.Succeed(t, err)
			must.Be(t, s.writes, 1)
			must.Be(t, tries, 1)
		})
	}
}

// TestDifferencesInWords says what comes and goes, and how fields differ, with names.
func TestDifferencesInWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Provider("h", "", nil).Provider("k", "", nil).Provider("card", "h", nil)
	w.Do(placement.CreateTrait{Name: "CUSTOM_B"})
	for want, op := range map[string]cloud.Op{
		"it would now create n":                            placement.CreateProvider{ID: rp("n"), Name: "n"},
		"it would now change card: parent h > none":        placement.UpdateProvider{ID: rp("card"), Name: "card", Reparent: true},
		"it would now change card: parent h > k":           placement.UpdateProvider{ID: rp("card"), Name: "card", Reparent: true, Parent: rp("k")},
		"it would now change another: name card > another": placement.UpdateProvider{ID: rp("card"), Name: "another"},
		"it would now create trait CUSTOM_A":               placement.CreateTrait{Name: "CUSTOM_A"},
		"it would now delete trait CUSTOM_B":               placement.DeleteTrait{Name: "CUSTOM_B"},
	} {
		p := planned(t)(ops.PlanChange(w.Snapshot, cloud.Change{Ops: []cloud.Op{op}}))
		must.Be(t, strings.Join(ops.Differences(ops.Preview{}, p.Preview), "\n"), want)
	}
}
