package edit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/edit"
	"github.com/placetop/placetop/tui/tuitest"
)

// store is a cloud with a host, a card on it that is partly in use, and another host.
func store(t *testing.T) *tuitest.Cloud {
	t.Helper()
	var all []placement.Op
	for _, p := range []modeltest.Provider{
		{
			Name: "h1", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(16)}, Traits: []placement.Trait{placement.OwnerNova, "HW_CPU_X86_AVX"},
			Children: []modeltest.Provider{{Name: "h1_card", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(8)}}},
		},
		{Name: "h2", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8)}},
	} {
		all = append(all, p.Ops(placement.ProviderID{})...)
	}
	claim := modeltest.Claim("vm", map[string]modeltest.Resources{"h1_card": {placement.VGPU: 3}})
	s, _, err := cloud.Empty().Apply(cloud.Change{Ops: append(all, modeltest.Allocate(claim))})
	must.Succeed(t, err)
	return tuitest.NewCloud(s)
}

// open shows the screen of a place, in a synctest bubble.
func open[P place.Place](t *testing.T, s *tuitest.Cloud, build func(screen.Env, P) (screen.Screen, error), at P) *tuitest.Host {
	t.Helper()
	return tuitest.Live(t, s, 100, 30, func(env screen.Env) screen.Screen {
		page := must.Get(build(env, at))(t)
		return page
	})
}

func state(t *testing.T, s *tuitest.Cloud, name string) ops.ProviderState {
	t.Helper()
	st := must.Get(ops.StateOf(s.Snapshot(), modeltest.ProviderID(name)))(t)
	return st
}

func TestEditsAllOfAProvider(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := store(t)
		r := open(t, s, edit.Open, place.SetProvider{ID: modeltest.ProviderID("h1")})
		r.Wants("EDIT h1", "VCPU       total=16 reserved=0 ratio=1 min=1 max=2147483647 step=1", "TRAITS 2", "capacity 16, 0 used")
		r.Replace("16 reserved=20")
		r.Press("enter")
		r.Wants("is below zero")
		r.Replace("32 reserved=2 rat")
		r.Press("tab")
		r.Type("4")
		r.Wants("capacity 120, 0 used")
		r.Advance(time.Second)
		r.Wants("tab complete", "PROVIDERS TOUCHED", "total 16 > 32") // beside the fields already
		r.Press("enter")
		r.Type("CUSTOM_GOLD=3")
		r.Press("enter")
		r.Type("OWNER_NOVA") // a name alone removes nothing
		r.Press("enter")
		r.Wants("+OWNER_NOVA adds it, -OWNER_NOVA removes it")
		r.Replace("+OWNER_NOVA")
		r.Press("enter")
		r.Wants("it has OWNER_NOVA already: -OWNER_NOVA removes it")
		r.Replace("-OWNER_NO")
		r.Press("tab")
		r.Wants("-OWNER_NOVA")
		r.Type(" +CUSTOM_NEW +x86_avx5")
		r.Wants("tab", "HW_CPU_X86_AVX512")
		for range len(" +x86_avx5") {
			r.Press("backspace")
		}
		r.Press("enter")
		r.Type("nowhere")
		r.Press("enter")
		r.Wants(`aggregate "nowhere": no such name or uuid`)
		r.Replace("")
		r.Press("enter")
		r.Wants("VCPU", "total 16 > 32", "CUSTOM_GOLD")
		r.Wrote(0)
		r.Press("enter")
		r.Wrote(1)
		got := state(t, s, "h1")
		if inv := got.Inventories[placement.VCPU]; inv.Total != 32 || inv.Reserved != 2 || inv.AllocationRatio != 4 || got.Inventories["CUSTOM_GOLD"].Total != 3 {
			t.Errorf("inventories are %+v", got.Inventories)
		}
		if len(got.Traits) != 2 || got.Traits[0] != "CUSTOM_NEW" || got.Traits[1] != "HW_CPU_X86_AVX" {
			t.Errorf("traits are %v", got.Traits)
		}
	})
}

func TestEditsNameAndParent(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := store(t)
		r := open(t, s, edit.Open, place.SetProvider{ID: modeltest.ProviderID("h1_card"), Part: place.PartName})
		r.Replace("h2")
		r.Press("enter")
		r.Wants("is taken")
		r.Replace("card")
		r.Press("enter")
		r.Replace("h2")
		r.Press("enter")
		r.Replace("")
		r.Press("enter")
		r.Wants("3 of it are used")
		r.Replace("reserved=1")
		r.Press("enter", "enter", "enter", "enter", "enter")
		r.Wrote(1)
		if got := state(t, s, "h1_card"); got.Name != "card" || got.Parent != modeltest.ProviderID("h2") || got.Inventories[placement.VGPU].Reserved != 1 {
			t.Errorf("it is %+v", got)
		}
	})
}

// TestBothWroteAtOnce has another session write between form and preview: each of the
// answers does what it says.
func TestBothWroteAtOnce(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]struct{ total, reserved int64 }{"t": {16, 5}, "u": {32, 0}, "b": {32, 5}} {
		tuitest.Run(t, func(t *testing.T) {
			s := store(t)
			r := open(t, s, edit.Open, place.SetProvider{ID: modeltest.ProviderID("h1")})
			r.Replace("total=32")
			r.Press("enter", "enter", "enter", "enter")
			r.Wants("PROVIDERS TOUCHED")
			theirs := placement.NewInventory(16)
			theirs.Reserved = 5
			must.Succeed(t, r.Cloud.Do(placement.SetInventory{Provider: modeltest.ProviderID("h1"), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: theirs}))
			r.Follow()
			r.Wants("someone else has changed it since you started: VCPU reserved 0 > 5")
			r.Press(key)
			r.Follow()
			if acts := r.Screen.Actions(); key == "t" { // there is nothing of theirs to write
				enter, _ := action.Find("enter", acts)
				must.Be(t, enter.Title, "close")
			}
			r.Press("enter")
			if key == "t" && r.Last() == nil {
				t.Error("enter does not close the page")
			}
			if inv := state(t, s, "h1").Inventories[placement.VCPU]; inv.Total != want.total || inv.Reserved != want.reserved {
				t.Errorf("%s: total %d reserved %d, want %+v\n%s", key, inv.Total, inv.Reserved, want, r.Text())
			}
		})
	}
}

func TestEditsSeveralAlike(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := store(t)
		r := open(t, s, edit.Open, place.SetProvider{ID: modeltest.ProviderID("h1"), Others: place.JoinIDs(modeltest.ProviderID("h2"), modeltest.ProviderID("h1_card")), Class: placement.VCPU})
		r.Wants("EDIT 3 PROVIDERS")
		r.Press("enter", "enter", "enter")
		r.Wants("nothing would change")
		r.Press("up", "up")
		r.Type("reserved=99")
		r.Press("enter")
		r.Wants("is below zero") // at once, not at the last field
		r.Replace("reserved=1 ratio=2")
		r.Advance(time.Second)
		r.Wants("tab complete", "0/16", "0/30")
		r.Press("enter")
		r.Type("+CUSTOM_A")
		r.Press("enter", "enter")
		r.Wants("h1_card has no VCPU")
		r.Press("enter")
		r.Type("edit")
		r.Press("enter")
		r.Wrote(1)
		for _, name := range []string{"h1", "h2"} {
			if inv := state(t, s, name).Inventories[placement.VCPU]; inv.Reserved != 1 || inv.AllocationRatio != 2 {
				t.Errorf("%s has %+v", name, inv)
			}
		}
	})
}

// TestBothWroteSeveral has another session write to one of several providers that are
// changed alike.
func TestBothWroteSeveral(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]struct{ reserved, step int64 }{"t": {0, 2}, "u": {1, 1}, "b": {1, 2}} {
		tuitest.Run(t, func(t *testing.T) {
			s := store(t)
			r := open(t, s, edit.Open, place.SetProvider{ID: modeltest.ProviderID("h1"), Others: place.JoinIDs(modeltest.ProviderID("h2")), Class: placement.VCPU})
			r.Type("reserved=1")
			r.Press("enter", "enter", "enter")
			r.Wants("PROVIDERS TOUCHED")
			theirs := placement.NewInventory(8)
			theirs.StepSize = 2
			must.Succeed(t, r.Cloud.Do(placement.SetInventory{Provider: modeltest.ProviderID("h2"), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: theirs}))
			r.Follow()
			r.Wants("someone else has changed it since you started: h2 VCPU step_size 1 > 2")
			r.Press(key)
			r.Follow()
			r.Press("enter")
			r.Type("edit")
			r.Press("enter")
			if inv := state(t, s, "h2").Inventories[placement.VCPU]; inv.Reserved != want.reserved || inv.StepSize != want.step {
				t.Errorf("%s: reserved %d step %d, want %+v\n%s", key, inv.Reserved, inv.StepSize, want, r.Text())
			}
		})
	}
}

func TestMakesAProviderWithWhatItHas(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := store(t)
		r := open(t, s, edit.OpenNew, place.NewProvider{Parent: modeltest.ProviderID("h2")})
		r.Wants("NEW PROVIDER", "h2_")
		r.Type("fpga")
		r.Press("enter", "enter")
		r.Type("CUSTOM_FPGA=2")
		r.Press("enter")
		r.Type("+CUSTOM_FAST")
		r.Press("enter", "enter")
		r.Wants("h2_fpga  new, below h2")
		r.Press("enter")
		r.Wrote(1)
		pl := s.Snapshot().Placement()
		p, ok := pl.ProviderByName("h2_fpga")
		if !ok || len(p.Inventories()) != 1 || len(p.TraitIDs()) != 1 {
			t.Errorf("made %v", p)
		}
		if up, ok := pl.Parent(p); !ok || up.Name() != "h2" {
			t.Error("it does not stand below h2")
		}
	})
}

func TestDeletesWithWhatHangsOnIt(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := store(t)
		r := open(t, s, edit.OpenDelete, place.DelProvider{ID: modeltest.ProviderID("h1"), Others: modeltest.ProviderID("h1_card").String()})
		r.Wants("REFUSED", "in use")
		r.Press("x")
		r.Lacks("REFUSED")
		r.Press("enter")
		r.Wants("type delete to go ahead")
		r.Type("delete")
		r.Press("enter")
		r.Wrote(1)
		pl := s.Snapshot().Placement()
		if pl.ProviderCount() != 1 || pl.ConsumerCount() != 0 {
			t.Errorf("%d providers and %d consumers are left", pl.ProviderCount(), pl.ConsumerCount())
		}
	})
}

// TestMovesInventory moves an inventory, with its allocations, to a child.
func TestMovesInventory(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := store(t)
		r := tuitest.Live(t, s, 100, 30, func(env screen.Env) screen.Screen {
			page := must.Get(edit.OpenReshape(env, place.Reshape{From: modeltest.ProviderID("h1_card")}))(t)
			return page
		})
		r.Wants("MOVE INVENTORIES OF h1_card")
		r.Type("vgpux")
		r.Press("enter")
		r.Wants("h1_card has no inventory of VGPUX")
		r.Replace("vg")
		r.Press("tab", "enter")
		r.Type("h2")
		r.Press("enter")
		r.Wants("is not another provider in the tree of h1_card")
		r.Replace("h1")
		r.Press("enter")
		r.Wants("POST /reshaper")
		if text := r.Text(); strings.Index(text, "PROVIDERS TOUCHED") > strings.Index(text, "BEFORE") {
			t.Errorf("who goes along stands before what is moved:\n%s", text)
		}
		r.Press("enter")
		r.Type("move")
		r.Press("enter")
		r.Wrote(1)
		if got := state(t, s, "h1"); got.Inventories[placement.VGPU].Total != 8 {
			t.Errorf("h1 has %+v", got.Inventories)
		}
		c, _ := s.Snapshot().Placement().Consumer(modeltest.ConsumerID("vm"))
		if held := s.Snapshot().Placement().ConsumerRecord(c).Allocations; held[modeltest.ProviderID("h1")][placement.VGPU] != 3 {
			t.Errorf("vm holds %v", held)
		}
	})
}
