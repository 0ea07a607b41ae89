package ops_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// content is Placement's ledger without generations, times and numbers.
type content struct {
	Providers map[placement.ProviderID]ops.ProviderState
	Holders   map[placement.ConsumerID]ops.Amounts
	Words     map[string]bool
}

// noneLater is the end of a journal that ends with the event.
func noneLater() []cloud.Event { return nil }

func contentOf(tb rapid.TB, s *cloud.Snapshot) content {
	tb.Helper()
	c := content{map[placement.ProviderID]ops.ProviderState{}, map[placement.ConsumerID]ops.Amounts{}, map[string]bool{}}
	for p := range s.Placement().Providers() {
		st, err := ops.StateOf(s, p.ID())
		must.Succeed(tb, err)
		c.Providers[p.ID()] = st
	}
	for u := range s.Placement().Consumers() {
		c.Holders[u.ID()] = s.Placement().ConsumerRecord(u).Allocations
	}
	for _, t := range s.Placement().Traits() {
		c.Words[string(t)] = true
	}
	for _, class := range s.Placement().Classes() {
		c.Words[string(class)] = true
	}
	return c
}

// TestUndoTakesBack undoes random changes: everything except generations is as it was, or
// the undo is refused for lack of room.
func TestUndoTakesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, _, err := cloud.Empty().Apply(cloud.Change{Ops: modeltest.Start()})
		must.Succeed(t, err)
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			next, ev, err := s.Apply(cloud.Change{Ops: []cloud.Op{modeltest.Op(s.Placement()).Draw(t, "op")}})
			if err != nil {
				continue
			}
			plan, err := ops.PlanUndo(next, ev, noneLater)
			switch {
			case errors.Is(err, placement.ErrCapacity):
			case err != nil:
				t.Fatal(err)
			default:
				if d := cmp.Diff(contentOf(t, s), contentOf(t, plan.After)); d != "" {
					t.Fatalf("before (-) and after the undo (+):\n%s", d)
				}
				for p := range plan.After.Placement().Providers() {
					if was, ok := next.Placement().Provider(p.ID()); ok && p.Generation() <= was.Generation() && !versioned.Alike(next.Held(next.Placement().ProviderRecord(was)), plan.After.Placement().ProviderRecord(p)) {
						t.Fatalf("the generation of %s was %d, and is %d", p.Name(), was.Generation(), p.Generation())
					}
				}
			}
			s = next
		}
	})
}

// TestUndoTouchesNothingElse undoes a random change after another: what only the other one
// changed stays, and what both changed to different ends is not undone.
func TestUndoTouchesNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, _, err := cloud.Empty().Apply(cloud.Change{Ops: modeltest.Start()})
		must.Succeed(t, err)
		steps := []*cloud.Snapshot{s}
		var events []cloud.Event
		for n := 0; n < 20 && len(events) < 3; n++ {
			op := modeltest.Op(s.Placement()).Draw(t, "op")
			next, ev, err := s.Apply(cloud.Change{Ops: []cloud.Op{op}})
			if _, rename := op.(placement.RenameClass); !rename && err == nil && len(ev.Changes) > 0 { // else all that refers to the class has other words
				s, steps, events = next, append(steps, next), append(events, ev)
			}
		}
		if len(events) < 2 {
			return
		}
		last := len(events) - 1
		plan, err := ops.PlanUndo(s, events[last-1], noneLater)
		if err != nil {
			return
		}
		before, after, now, undone := texts(t, steps[last-1]), texts(t, steps[last]), texts(t, s), texts(t, plan.After)
		for field := range union(before, after, now, undone) {
			want := now[field]
			if before[field] != after[field] && now[field] == after[field] {
				want = before[field]
			}
			if undone[field] != want {
				t.Errorf("%s was %q, then %q, then %q, and after the undo %q", field, before[field], after[field], now[field], undone[field])
			}
		}
	})
}

// texts returns each value in Placement's records, but generations and times, by its path.
func texts(tb rapid.TB, s *cloud.Snapshot) map[string]string {
	tb.Helper()
	out := map[string]string{}
	var add func(path string, v any)
	add = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k := range v {
				add(path+"."+k, v[k])
			}
		case []any: // a set
			for _, x := range v {
				out[path+"."+fmt.Sprint(x)] = "has it"
			}
		default:
			out[path] = fmt.Sprint(v)
		}
	}
	for r := range s.Placement().Records() {
		var fields map[string]any
		must.Succeed(tb, json.Unmarshal(must.Get(json.Marshal(r))(tb), &fields))
		for _, counted := range []string{"generation", "created_at_ms", "updated_at_ms", "resource_provider_uuid"} {
			delete(fields, counted)
		}
		add(string(r.RecordKind())+" "+hex.EncodeToString(r.RecordKey()), fields)
	}
	return out
}

// union returns the keys of maps.
func union(all ...map[string]string) map[string]bool {
	out := map[string]bool{}
	for _, m := range all {
		for k := range m {
			out[k] = true
		}
	}
	return out
}

// TestUndoKeepsWhatCameAfter undoes a revision after which others have written.
func TestUndoKeepsWhatCameAfter(t *testing.T) {
	t.Parallel()
	h1 := modeltest.ProviderID("h1")
	set := func(total, reserved int64) placement.Op {
		inv := placement.NewInventory(total)
		inv.Reserved = reserved
		return placement.SetInventory{Provider: h1, Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: inv}
	}
	disk := placement.NewInventory(100)
	disk.Reserved = 4
	reserved := placement.SetInventory{Provider: h1, Generation: placement.AnyGeneration(), Class: placement.DiskGB, Inventory: disk}
	claim := placement.ReplaceAllocations{Consumers: []placement.Claim{modeltest.Claim("vm", map[string]modeltest.Resources{"new": {placement.VGPU: 1}})}}
	make1 := placement.CreateProvider{ID: modeltest.ProviderID("new"), Name: "new", Parent: h1}
	vgpu := placement.AddInventory{Provider: modeltest.ProviderID("new"), Generation: placement.AnyGeneration(), Class: placement.VGPU, Inventory: placement.NewInventory(4)}
	more := placement.ReplaceAllocations{Consumers: []placement.Claim{modeltest.Claim("vm", map[string]modeltest.Resources{"new": {placement.VGPU: 2}})}}
	more.Consumers[0].Generation = placement.AnyGeneration()
	held := placement.ReplaceAllocations{Consumers: []placement.Claim{modeltest.Claim("held", map[string]modeltest.Resources{"h1": {placement.VCPU: 4}})}}
	traits := func(host string, names ...placement.Trait) []placement.Op {
		var out []placement.Op
		for _, t := range names {
			if t.IsCustom() {
				out = append(out, placement.CreateTrait{Name: t})
			}
		}
		return append(out, placement.SetTraits{Provider: modeltest.ProviderID(host), Generation: placement.AnyGeneration(), Traits: names})
	}
	add := func(class placement.ResourceClass) placement.Op {
		return placement.AddInventory{Provider: modeltest.ProviderID("h2"), Generation: placement.AnyGeneration(), Class: class, Inventory: placement.NewInventory(4)}
	}
	for _, c := range []struct {
		name        string
		first, then []placement.Op
		want        string // why not; "" if it can be undone
		check       func(*cloud.Snapshot) bool
	}{
		{"another field", []placement.Op{set(32, 0)}, []placement.Op{set(32, 4)}, "", func(s *cloud.Snapshot) bool {
			st, _ := ops.StateOf(s, h1)
			inv := st.Inventories[placement.VCPU]
			return inv.Total == 16 && inv.Reserved == 4
		}},
		{"the same field", []placement.Op{set(32, 0)}, []placement.Op{set(64, 0)}, "h1 was changed again since: VCPU total 32 > 64 (revision 4 by ben)", nil},
		{"somebody holds of it", []placement.Op{make1, vgpu}, []placement.Op{claim}, "in use", nil},
		{"it is gone", []placement.Op{make1}, []placement.Op{placement.DeleteProvider{ID: modeltest.ProviderID("new")}}, "new was changed again since: it is gone (revision 4 by ben)", nil},
		{"what it took is held no more", []placement.Op{make1, vgpu, claim}, []placement.Op{placement.DeleteAllocations{Consumer: modeltest.ConsumerID("vm")}}, "was changed again since: it is gone (revision 4 by ben)", nil},
		{"what it took is held otherwise", []placement.Op{make1, vgpu, claim}, []placement.Op{more}, "was changed again since: new VGPU 1 > 2 (revision 4 by ben)", nil},
		{"it has an inventory more", []placement.Op{make1}, []placement.Op{vgpu}, "new was changed again since: VGPU total none > 4 (revision 4 by ben)", nil},
		{"it has traits", []placement.Op{make1}, traits("new", "HW_CPU_X86_AVX"), "new was changed again since: traits", nil},
		{"another trait", traits("h1", placement.OwnerNova, "HW_CPU_X86_AVX"), traits("h1", placement.OwnerNova, "HW_CPU_X86_AVX", "CUSTOM_B"), "", func(s *cloud.Snapshot) bool {
			st, _ := ops.StateOf(s, h1)
			return slices.Equal(st.Traits, []placement.Trait{"CUSTOM_B", placement.OwnerNova})
		}},
		{"another trait where none was", traits("h2", "HW_CPU_X86_AVX"), traits("h2", "CUSTOM_B", "HW_CPU_X86_AVX"), "", func(s *cloud.Snapshot) bool {
			st, _ := ops.StateOf(s, modeltest.ProviderID("h2"))
			return slices.Equal(st.Traits, []placement.Trait{"CUSTOM_B"})
		}},
		{"another class", []placement.Op{add(placement.MemoryMB)}, []placement.Op{add(placement.PCPU)}, "", func(s *cloud.Snapshot) bool {
			st, _ := ops.StateOf(s, modeltest.ProviderID("h2"))
			return st.Inventories[placement.MemoryMB].Total == 0 && st.Inventories[placement.PCPU].Total == 4
		}},
		{"a field of an inventory that is gone", []placement.Op{reserved}, []placement.Op{placement.DeleteInventory{Provider: h1, Class: placement.DiskGB}}, "h1 was changed again since: DISK_GB reserved 4 > none (revision 4 by ben)", nil},
		{"no room any more", []placement.Op{placement.DeleteAllocations{Consumer: modeltest.ConsumerID("held")}}, []placement.Op{set(1, 0)}, "VCPU on h1: needs 4, has 1 free of 1", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, _, err := edited(t).Apply(cloud.Change{Ops: []cloud.Op{held}})
			must.Succeed(t, err)
			s, ev, err := s.Apply(cloud.Change{Ops: c.first})
			must.Succeed(t, err)
			s, then, err := s.Apply(cloud.Change{Actor: "ben", Ops: c.then})
			must.Succeed(t, err)
			plan, err := ops.PlanUndo(s, ev, func() []cloud.Event { return []cloud.Event{then} })
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want == "":
				if !c.check(plan.After) {
					t.Errorf("it is %+v", contentOf(t, plan.After).Providers[h1])
				}
			case err == nil || !strings.Contains(err.Error(), c.want):
				t.Errorf("it is refused with %v, want %q", err, c.want)
			}
		})
	}
	if _, err := ops.PlanUndo(edited(t), cloud.Event{Revision: 3, Omitted: 7}, noneLater); !errors.Is(err, placement.ErrState) {
		t.Errorf("an event without its changes is refused with %v", err)
	}
}

// TestUndoOfAService undoes the disabling of a service that has reported since, and
// refuses if the field was written again.
func TestUndoOfAService(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "plain")
	at := tr.Snapshot().At()
	disable := func(s *cloud.Snapshot, reason string) (*cloud.Snapshot, cloud.Event) {
		t.Helper()
		next, ev, err := s.Apply(cloud.Change{At: at, Ops: []cloud.Op{nova.DisableService{Host: "compute1", Binary: nova.Compute, Reason: reason}}})
		must.Succeed(t, err)
		return next, ev
	}
	s, ev := disable(tr.Snapshot(), "fans")
	beaten, _, err := s.Apply(cloud.Change{At: at.Add(time.Minute), Ops: []cloud.Op{nova.ReportState{Host: "compute1", Binary: nova.Compute, Every: time.Minute}}})
	must.Succeed(t, err)
	before, _ := beaten.Nova().Service("compute1", nova.Compute)
	plan, err := ops.PlanUndo(beaten, ev, noneLater)
	must.Succeed(t, err)
	if v, _ := plan.After.Nova().Service("compute1", nova.Compute); v.Disabled || v.LastSeenUp != before.LastSeenUp || before.LastSeenUp == 0 {
		t.Errorf("it is %+v", v)
	}
	again, _ := disable(beaten, "power")
	if _, err := ops.PlanUndo(again, ev, noneLater); !errors.Is(err, placement.ErrState) || !strings.Contains(err.Error(), "was changed again since: disabled_reason fans > power") {
		t.Errorf("it is refused with %v", err)
	}
}

// TestLeavesWhatIsAttached checks that neither an undo nor an edit takes units of a card
// from a consumer for which Cyborg has attached a device.
func TestLeavesWhatIsAttached(t *testing.T) {
	t.Parallel()
	s := newMove(t, "cyborg").Snapshot()
	has, _ := s.Placement().Consumer(vm("i"))
	claim := s.Placement().AsHeld(has)
	ev := cloud.Event{Revision: 1, Changes: []versioned.Change{{After: s.Placement().ConsumerRecord(has)}}}
	must.Fail(t, must.Err(ops.PlanUndo(s, ev, noneLater)), placement.ErrState)
	of := ops.EditableConsumer{ID: vm("i")}
	base, err := of.State(s)
	must.Succeed(t, err)
	want := base.(ops.ConsumerState)
	want.Allocations = maps.Clone(want.Allocations)
	maps.DeleteFunc(want.Allocations, func(_ string, units map[string]int64) bool { return units[string(placement.VGPU)] > 0 })
	if len(want.Allocations) != len(claim.Allocations)-1 {
		t.Fatalf("it holds %v", claim.Allocations)
	}
	if _, err := ops.PlanEdit(s, ops.Edit{Of: of, Base: base, Want: want}); !errors.Is(err, placement.ErrState) || !strings.Contains(err.Error(), "has an accelerator request for") {
		t.Errorf("its VGPU is taken away: %v", err)
	}
}

// TestUndoOfWhatIsWrittenOtherwise undoes a record with an empty list, which the journal
// reads as none: that does not count as a later change.
func TestUndoOfWhatIsWrittenOtherwise(t *testing.T) {
	t.Parallel()
	a := nova.HostAggregate{UUID: placement.AggregateID{1}, Name: "racks"}
	made := a
	made.Hosts = []string{}
	s, ev, err := cloud.Empty().Apply(cloud.PutRecords("", "", []versioned.Change{{After: &made}}))
	must.Succeed(t, err)
	ev.Changes = []versioned.Change{{After: &a}}
	if plan, err := ops.PlanUndo(s, ev, noneLater); err != nil {
		t.Error(err)
	} else if _, ok := plan.After.Nova().Aggregate(a.UUID); ok {
		t.Error("the aggregate is still there")
	}
}

// TestUndoLeavesCounters undoes a write to a compute node on which more was booted since:
// what the resource tracker counts is left to it.
func TestUndoLeavesCounters(t *testing.T) {
	t.Parallel()
	node := nova.ComputeNode{UUID: rp("compute1"), Host: "compute1", Hostname: "compute1", VCPUs: 8}
	write := func(s *cloud.Snapshot, edit func(*nova.ComputeNode)) (*cloud.Snapshot, cloud.Event) {
		t.Helper()
		edit(&node)
		is := node
		var c cloud.Change
		modeltest.PutIn(&c, s, &is)
		next, ev, err := s.Apply(c)
		must.Succeed(t, err)
		return next, ev
	}
	s, made := write(cloud.Empty(), func(*nova.ComputeNode) {})
	s, first := write(s, func(n *nova.ComputeNode) { n.RunningVMs, n.VCPUsUsed, n.CPURatio = 1, 2, 4 })
	s, _ = write(s, func(n *nova.ComputeNode) { n.RunningVMs, n.VCPUsUsed, n.Updated = 2, 4, 7 })
	plan, err := ops.PlanUndo(s, first, noneLater)
	must.Succeed(t, err)
	if n, _ := plan.After.Nova().ComputeNode(node.UUID); n.RunningVMs != 2 || n.VCPUsUsed != 4 || n.Updated != 7 || n.CPURatio != 0 {
		t.Errorf("it is %+v", n)
	}
	if _, err := ops.PlanUndo(s, made, noneLater); !errors.Is(err, placement.ErrState) || !strings.Contains(err.Error(), "cpu_allocation_ratio none > 4") {
		t.Errorf("a node that was set up since goes: %v", err)
	}
	counted, _ := write(plan.After, func(n *nova.ComputeNode) { n.RunningVMs, n.CPURatio = 3, 0 })
	plan = must.Get(ops.PlanUndo(counted, made, noneLater))(t)
	if _, ok := plan.After.Nova().ComputeNode(node.UUID); ok {
		t.Error("the node is still there")
	}
}

// TestRedo undoes an undo, any number of times.
func TestRedo(t *testing.T) {
	t.Parallel()
	s, ev, err := cloud.Empty().Apply(cloud.Change{Note: "create trait", Ops: []cloud.Op{placement.CreateTrait{Name: "CUSTOM_A"}}})
	must.Succeed(t, err)
	events := []cloud.Event{ev}
	for n, note := range []string{
		"undo revision 1: create trait", "redo revision 1: create trait", "undo revision 3: redo revision 1: create trait", "redo revision 3: redo revision 1: create trait",
	} {
		plan, err := ops.PlanUndo(s, ev, noneLater)
		must.Succeed(t, err)
		plan.Change.Task = plan.About().Name // as the Runner writes it
		next, did, err := s.Apply(plan.Change)
		must.Succeed(t, err)
		s, events = next, append([]cloud.Event{did}, events...)
		of, is := ops.UndoneRevision(events[0])
		if events[0].Note != note || !is || of != ev.Revision {
			t.Errorf("%q takes back revision %d, want %q and %d", events[0].Note, of, note, ev.Revision)
		}
		ev = events[0]
		if undo, is := ops.UndoOf(1, events); is != (n%2 == 0) || is && undo.Revision != 2 {
			t.Errorf("after %q the first is undone by %d, %v", note, undo.Revision, is)
		}
	}
}

// TestUndoOfOneStep warns that the other steps of the task stay.
func TestUndoOfOneStep(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ task, step, want string }{
		{"resize", "claim", "resize has more steps than this one: they stay as they are"},
		{"delete", "delete", "delete has more steps than this one: they stay as they are"},
		{"confirm", "confirm", "confirm has more steps than this one: they stay as they are"},
		{"revert", "revert", "revert has more steps than this one: they stay as they are"},
		{"write", "write", ""},
		{"copy", "", ""},
		{"", "", ""},
	} {
		s, ev, err := cloud.Empty().Apply(cloud.Change{Task: tt.task, Step: tt.step, Ops: []cloud.Op{placement.CreateTrait{Name: "CUSTOM_A"}}})
		must.Succeed(t, err)
		plan, err := ops.PlanUndo(s, ev, noneLater)
		must.Succeed(t, err)
		if got := strings.Join(plan.Preview.Warnings, "\n"); got != tt.want {
			t.Errorf("step %q of %q is undone with %q, want %q", tt.step, tt.task, got, tt.want)
		}
	}
}
