package ops_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// edited returns a cloud with a root, a card below it, and another root.
func edited(t *testing.T) *cloud.Snapshot {
	t.Helper()
	root := modeltest.Provider{
		Name: "h1", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(16), placement.DiskGB: placement.NewInventory(100)},
		Traits:   []placement.Trait{placement.OwnerNova},
		Children: []modeltest.Provider{{Name: "h1_card", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(8)}}},
	}
	other := modeltest.Provider{Name: "h2", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8)}}
	s, _, err := cloud.Empty().Apply(cloud.Change{Ops: slices.Concat(root.Ops(placement.ProviderID{}), other.Ops(placement.ProviderID{}))})
	must.Succeed(t, err)
	return s
}

// TestProviderEditKeepsWhatOthersDid edits a provider that another writer changes before
// it is written.
func TestProviderEditKeepsWhatOthersDid(t *testing.T) {
	t.Parallel()
	s := edited(t)
	h1 := modeltest.ProviderID("h1")
	base := must.Get(ops.StateOf(s, h1))(t)
	want := base.Clone()
	cpus := want.Inventories[placement.VCPU]
	cpus.Total = 32
	want.Inventories[placement.VCPU] = cpus
	delete(want.Inventories, placement.DiskGB)
	want.Inventories["CUSTOM_FB"] = placement.NewInventory(4)
	want.Name, want.Traits, want.Aggregates = "host-1", []placement.Trait{"CUSTOM_GOLD"}, []placement.AggregateID{{1}}
	edit := ops.Edit{Of: ops.EditableProvider{ID: h1}, Base: base, Want: want}

	plan := planned(t)(ops.PlanEdit(s, edit))
	got, _ := ops.StateOf(plan.After, h1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("what nobody else has touched is not as it was edited:\n" + diff)
	}
	if since := edit.Since(s); len(since) > 0 {
		t.Errorf("says that someone has changed it: %q", since)
	}
	if same := planned(t)(ops.PlanEdit(s, ops.Edit{Of: ops.EditableProvider{ID: h1}, Base: base, Want: base})); !same.Empty() {
		t.Error("an edit of nothing writes")
	}

	theirs := placement.NewInventory(16)
	theirs.Reserved = 2
	later, _, err := s.Apply(cloud.Change{Ops: []placement.Op{
		placement.SetInventory{Provider: h1, Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: theirs},
		placement.SetTraits{Provider: h1, Generation: placement.AnyGeneration(), Traits: []placement.Trait{"HW_CPU_X86_AVX", placement.OwnerNova}},
	}})
	must.Succeed(t, err)
	if got, want := strings.Join(edit.Since(later), "; "), "VCPU reserved 0 > 2; traits +HW_CPU_X86_AVX"; got != want {
		t.Errorf("others did %q, want %q", got, want)
	}
	for _, test := range []struct {
		clash    ops.ConflictPolicy
		total    int64
		reserved int64
		traits   []placement.Trait
	}{
		{ops.KeepBoth, 32, 2, []placement.Trait{"CUSTOM_GOLD", "HW_CPU_X86_AVX"}},
		{ops.KeepYours, 32, 0, []placement.Trait{"CUSTOM_GOLD"}},
		{ops.KeepTheirs, 16, 2, []placement.Trait{"HW_CPU_X86_AVX", placement.OwnerNova}},
	} {
		edit.Clash = test.clash
		plan := planned(t)(ops.PlanEdit(later, edit))
		got, _ := ops.StateOf(plan.After, h1)
		if inv := got.Inventories[placement.VCPU]; inv.Total != test.total || inv.Reserved != test.reserved {
			t.Errorf("%d: total %d reserved %d, want %d and %d", test.clash, inv.Total, inv.Reserved, test.total, test.reserved)
		}
		if diff := cmp.Diff(test.traits, got.Traits); diff != "" {
			t.Errorf("%d: %s", test.clash, diff)
		}
		if plan.Empty() != (test.clash == ops.KeepTheirs) {
			t.Errorf("%d: writes nothing: %v", test.clash, plan.Empty())
		}
	}
}

// TestProvidersEditIsOneWrite sets reserved and ratio of all that have a class.
func TestProvidersEditIsOneWrite(t *testing.T) {
	t.Parallel()
	s := edited(t)
	ids := []placement.ProviderID{modeltest.ProviderID("h1"), modeltest.ProviderID("h1_card"), modeltest.ProviderID("h2")}
	of := ops.EditableProviders{IDs: ids, Class: placement.VCPU}
	state := must.Get(of.State(s))(t)
	base := state.(ops.ProvidersState)
	want, err := ops.ProvidersEdit{
		Class: placement.VCPU, Fields: "reserved=2 ratio=4", AddTraits: []placement.Trait{"CUSTOM_A"}, DropTraits: []placement.Trait{placement.OwnerNova},
	}.Of(base)
	must.Succeed(t, err)
	plan := planned(t)(ops.PlanEdit(s, ops.Edit{Of: of, Base: base, Want: want}))
	for _, id := range ids {
		st, _ := ops.StateOf(plan.After, id)
		if inv, ok := st.Inventories[placement.VCPU]; ok && (inv.Reserved != 2 || inv.AllocationRatio != 4) {
			t.Errorf("%s: %+v", st.Name, inv)
		}
		if len(st.Traits) != 1 || st.Traits[0] != "CUSTOM_A" {
			t.Errorf("%s has %v", st.Name, st.Traits)
		}
	}
	if got := strings.Join(plan.Preview.Warnings, "; "); !strings.Contains(got, "h1_card has no VCPU") {
		t.Errorf("warns of %q", got)
	}
	if _, err := (ops.ProvidersEdit{Class: placement.PCPU, Fields: "reserved=1"}).Of(base); err == nil {
		t.Error("sets fields of a class that nobody has")
	}
	if _, err := (ops.ProvidersEdit{Class: placement.VCPU, Fields: "reserved=99"}).Of(base); err == nil {
		t.Error("reserves more than there is")
	}
	// Another writer meanwhile reserves more of one: that is reported, and kept or
	// overwritten as asked.
	inv := base.Providers[ids[0]].Inventories[placement.VCPU]
	inv.MaxUnit = 3
	later := planned(t)(ops.PlanChange(s, cloud.Change{Ops: []cloud.Op{placement.SetInventory{Provider: ids[0], Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: inv}}})).After
	edit := ops.Edit{Of: of, Base: base, Want: want}
	if since := edit.Since(later); len(since) != 1 || !strings.Contains(since[0], "h1 VCPU max_unit") {
		t.Errorf("others changed %q", since)
	}
	for clash, most := range map[ops.ConflictPolicy]int64{ops.KeepBoth: 3, ops.KeepYours: base.Providers[ids[0]].Inventories[placement.VCPU].MaxUnit, ops.KeepTheirs: 3} {
		edit.Clash = clash
		st, _ := ops.StateOf(planned(t)(ops.PlanEdit(later, edit)).After, ids[0])
		reserved := int64(2)
		if clash == ops.KeepTheirs {
			reserved = inv.Reserved
		}
		if got := st.Inventories[placement.VCPU]; got.MaxUnit != most || got.Reserved != reserved {
			t.Errorf("%d: max_unit %d reserved %d, want %d and %d", clash, got.MaxUnit, got.Reserved, most, reserved)
		}
	}
}

func TestInventoryText(t *testing.T) {
	t.Parallel()
	inv := placement.NewInventory(16)
	inv.AllocationRatio = 1.5
	text := ops.InventoryText(inv)
	var again placement.Inventory
	if err := ops.EditInventory(&again, text); err != nil || again != inv {
		t.Errorf("%s is read as %+v, %v", text, again, err)
	}
	for text, want := range map[string]string{
		"20 max_unit=4": "total=20 reserved=0 ratio=1.5 min=1 max=4 step=1", "": ops.InventoryText(inv), "ratio=2 allocation_ratio=3": "given twice",
		"size=3": "there is no field size", "reserved=x": "a whole number", "ratio=NaN": "a number", "16 17": "given twice",
	} {
		one := inv
		err := ops.EditInventory(&one, text)
		if err == nil && ops.InventoryText(one) != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v, want %s", text, ops.InventoryText(one), err, want)
		}
	}
}

func FuzzEditInventory(f *testing.F) {
	for _, text := range []string{"16", "total=16 reserved=2 ratio=4 min=1 max=16 step=1", "ratio=1e999", "=", "a=b=c", "\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		inv := placement.NewInventory(1)
		if ops.EditInventory(&inv, text) != nil {
			return
		}
		var again placement.Inventory
		if err := ops.EditInventory(&again, ops.InventoryText(inv)); err != nil || again != inv {
			t.Errorf("%q is %+v, read again %+v, %v", text, inv, again, err)
		}
	})
}

// TestManyLackAClass says in one line that many providers do not have the class.
func TestManyLackAClass(t *testing.T) {
	t.Parallel()
	root := modeltest.Provider{Name: "h1", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(16)}}
	ids := []placement.ProviderID{modeltest.ProviderID("h1")}
	for _, card := range []string{"a", "b", "c", "d", "e"} {
		root.Children = append(root.Children, modeltest.Provider{Name: card})
		ids = append(ids, modeltest.ProviderID(card))
	}
	s, _, err := cloud.Empty().Apply(cloud.Change{Ops: root.Ops(placement.ProviderID{})})
	must.Succeed(t, err)
	of := ops.EditableProviders{IDs: ids, Class: placement.VCPU}
	base := must.Get(of.State(s))(t).(ops.ProvidersState)
	want := must.Get(ops.ProvidersEdit{Class: placement.VCPU, Fields: "ratio=4"}.Of(base))(t)
	plan := planned(t)(ops.PlanEdit(s, ops.Edit{Of: of, Base: base, Want: want}))
	if diff := cmp.Diff([]string{"5 of 6 have no VCPU: that stays so: a, b, c and 2 more"}, plan.Preview.Warnings); diff != "" {
		t.Error(diff)
	}
}

// TestDeletesNoCardThatMayBeBound deletes no card of Cyborg's whose requests could not be read: one
// may be bound to it.
func TestDeletesNoCardThatMayBeBound(t *testing.T) {
	t.Parallel()
	for why, deletes := range map[string]bool{"403 Forbidden": false, "": true} {
		for _, owner := range []placement.Trait{placement.OwnerCyborg, placement.OwnerNova} {
			w := newWorld(t).Node("h").Provider("card", "h", resources{placement.VGPU: 4}, owner)
			s := w.ReadAs(cloud.NewReadings([]cloud.Reading{{Part: cloud.ARQs, Why: why}}, nil))
			_, err := ops.PlanDeleteProvider(s, rp("card"), false)
			if deletes := deletes || owner == placement.OwnerNova; (err == nil) != deletes || err != nil && !errors.Is(err, placement.ErrUnavailable) {
				t.Errorf("%q, %s: %v", why, owner, err)
			} else if !deletes && !strings.HasSuffix(err.Error(), "if you know that there is none, remove OWNER_CYBORG from it first") {
				t.Errorf("no way out is told: %v", err)
			}
			freed := planned(t)(ops.PlanTraits(s, rp("card"), nil, []placement.Trait{owner})).After
			if _, err := ops.PlanDeleteProvider(freed, rp("card"), false); err != nil {
				t.Errorf("%q, %s: it cannot be deleted without an owner: %v", why, owner, err)
			}
		}
	}
}
