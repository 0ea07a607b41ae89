package ops_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// TestHandover hands a card from Nova to Cyborg and back: it is given once nobody holds
// any of it, and is then free again.
func TestHandover(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").Computes().Flavors()
	w.Provider("card", "h", resources{placement.VGPU: 4}, placement.OwnerNova, placement.HWNUMARoot)
	w.Running("gpu").Claim("i", placement.InstanceConsumer, modeltest.Holding("card"))
	do := func(plan func(*cloud.Snapshot) (ops.Plan, error)) {
		t.Helper()
		p := must.Get(plan(w.Snapshot))(t)
		w.Change(p.Change)
	}
	stage := func(h ops.Handover, drained, given bool, holders ...placement.ConsumerID) {
		t.Helper()
		got, err := h.Stage(w.Snapshot)
		if err != nil || got.Drained != drained || got.Given != given || !slices.EqualFunc(got.Holders, holders, func(c *placement.Consumer, id placement.ConsumerID) bool { return c.ID() == id }) {
			t.Errorf("the stage is %+v, %v", got, err)
		}
		if !slices.Equal(got.Classes, []placement.ResourceClass{placement.VGPU}) {
			t.Errorf("the classes are %v", got.Classes)
		}
	}
	h := ops.Handover{Provider: rp("card"), To: placement.OwnedByCyborg}
	stage(h, false, false, vm("i"))
	if _, err := h.PlanGive(w.Snapshot); !errors.Is(err, placement.ErrState) {
		t.Errorf("a card that is held is given: %v", err)
	}
	do(h.PlanDrain)
	stage(h, true, false, vm("i"))
	if again, err := h.PlanDrain(w.Snapshot); err != nil || !again.Empty() {
		t.Errorf("it is drained twice: %v, %v", again.Preview.Lines(), err)
	}
	w.Do(placement.DeleteAllocations{Consumer: vm("i")})
	do(h.PlanGive)
	stage(h, false, true)
	p, _ := w.Placement().ProviderByName("card")
	if got := w.Placement().TraitsOf(p); !slices.Equal(got, []placement.Trait{placement.HWNUMARoot, placement.OwnerCyborg}) {
		t.Errorf("its traits are %v", got)
	}
	back := ops.Handover{Provider: rp("card"), To: placement.OwnedByNova}
	do(back.PlanGive) // nobody holds it: no need to drain
	stage(back, false, true)
}

// TestHandoverKeepsItsOwn has a card of both owners: consumers that have it from the new
// owner may stay.
func TestHandoverKeepsItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").Card(1, 1)
	w.Do(placement.SetTraits{Provider: rp("c"), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg, placement.OwnerNova}})
	w.Claim("i", placement.InstanceConsumer, modeltest.Holding("c")).Claim("j", placement.InstanceConsumer, modeltest.Holding("c"))
	for to, leaves := range map[placement.Owner]string{placement.OwnedByNova: "i", placement.OwnedByCyborg: "j"} {
		got, err := ops.Handover{Provider: rp("c"), To: to}.Stage(w.Snapshot)
		if err != nil || len(got.Holders) != 1 || got.Holders[0].ID() != vm(leaves) {
			t.Errorf("to %s the stage is %+v, %v: want %s to leave", to, got, err, leaves)
		}
	}
}

// TestHandoverOnALiveCloud keeps a card of Cyborg's from Nova while somebody holds some of it who may
// have it of Cyborg: that no request is told says nothing. And it keeps a card from others while a
// server is on its host that holds nothing of what its flavor asks for.
func TestHandoverOnALiveCloud(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		flavor string // of the server; "" if there is none
		owner  placement.Trait
		empty  bool // it holds nothing
		to     placement.Owner
		given  bool
	}{
		"its flavor asks Cyborg":                  {flavor: "dev", owner: placement.OwnerCyborg, to: placement.OwnedByNova},
		"its flavor requires the trait of Cyborg": {flavor: "trait", owner: placement.OwnerCyborg, to: placement.OwnedByNova},
		"its flavor asks for none":                {flavor: "small", owner: placement.OwnerCyborg, to: placement.OwnedByNova},
		"its flavor is not known":                 {flavor: "gone", owner: placement.OwnerCyborg, to: placement.OwnedByNova},
		"it is not known":                         {owner: placement.OwnerCyborg, to: placement.OwnedByNova},
		"its flavor asks Nova":                    {flavor: "gpu", owner: placement.OwnerCyborg, to: placement.OwnedByNova, given: true},
		"a card of nobody's":                      {flavor: "dev", to: placement.OwnedByNova, given: true},
		"from Nova":                               {flavor: "gpu", owner: placement.OwnerNova, to: placement.OwnedByCyborg},
		"it holds nothing":                        {flavor: "gpu", owner: placement.OwnerNova, empty: true, to: placement.OwnedByCyborg},
		"it holds nothing of Cyborg's":            {flavor: "dev", owner: placement.OwnerCyborg, empty: true, to: placement.OwnedByNova},
		"it holds nothing, and asks for no cards": {flavor: "small", owner: placement.OwnerNova, empty: true, to: placement.OwnedByCyborg, given: true},
	} {
		w := newWorld(t).Node("h").Computes().Flavors()
		w.Record(&nova.Flavor{Name: "trait", FlavorID: "77", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"resources1:VGPU": "1", "trait1:OWNER_CYBORG": "required"}})
		var traits []placement.Trait
		if test.owner != "" {
			traits = append(traits, test.owner)
		}
		w.Provider("card", "h", resources{placement.VGPU: 4}, traits...)
		if test.flavor != "" {
			w.Running(test.flavor)
		}
		if !test.empty {
			w.Claim("i", "", modeltest.Holding("card"))
		}
		s := w.ReadAs(cloud.NewReadings(nil, nil))
		plan, err := ops.Handover{Provider: rp("card"), To: test.to}.PlanGive(s)
		if (err == nil && !plan.Empty()) != test.given || err != nil && !errors.Is(err, placement.ErrState) {
			t.Errorf("%s: it is given: %t, %v", name, err == nil, err)
		}
	}
}

// TestHandoverOfAOneTimeDevice hands over a device that was used, and leaves it reserved
// until it is cleaned.
func TestHandoverOfAOneTimeDevice(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		trait    placement.Trait
		keep     bool
		stays    ops.StaysReserved
		reserved int64
	}{{placement.HWPCIOneTimeUse, false, ops.StaysOneTime, 1}, {placement.HWNUMARoot, false, 0, 0}, {placement.HWNUMARoot, true, ops.StaysAsked, 1}} {
		w := newWorld(t).Node("h").Provider("ssd", "h", resources{placement.PGPU: 1}, placement.OwnerNova, tc.trait)
		inv := placement.NewInventory(1)
		inv.Reserved = 1
		w.Inventory("ssd", placement.PGPU, inv)
		h := ops.Handover{Provider: rp("ssd"), To: placement.OwnedByCyborg, Keep: tc.keep}
		if got, err := h.Stage(w.Snapshot); err != nil || !got.Drained || got.Stays != tc.stays || got.Opens() != (tc.stays == 0) {
			t.Errorf("%s: the stage is %+v, %v", tc.trait, got, err)
		}
		give := must.Get(h.PlanGive(w.Snapshot))(t)
		w.Change(give.Change)
		if got, err := h.Stage(w.Snapshot); err != nil || !got.Given || got.Opens() {
			t.Errorf("%s: once given, the stage is %+v, %v", tc.trait, got, err)
		}
		p, _ := w.Placement().ProviderByName("ssd")
		class, _ := w.Placement().ClassID(placement.PGPU)
		if iu, ok := p.Inventory(class); !ok || iu.Reserved != tc.reserved {
			t.Errorf("%s: %d are reserved, want %d", tc.trait, iu.Reserved, tc.reserved)
		}
	}
}

// TestHandoverOfADisabledDevice hands over a card whose device is disabled in Cyborg: it
// stays reserved until that is enabled, whoever gets it.
func TestHandoverOfADisabledDevice(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		to       placement.Owner
		stays    ops.StaysReserved
		reserved int64
	}{{placement.OwnedByCyborg, ops.StaysDisabled, 4}, {placement.OwnedByNova, ops.StaysDisabled, 4}} {
		w := newWorld(t)
		w.Disabled(4)
		w.Do(placement.DeleteAllocations{Consumer: vm("i")},
			placement.SetTraits{Provider: rp("c"), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg, placement.OwnerNova}})
		h := ops.Handover{Provider: rp("c"), To: tc.to}
		if got, err := h.Stage(w.Snapshot); err != nil || !got.Drained || got.Stays != tc.stays || got.Opens() != (tc.stays == 0) {
			t.Errorf("to %s: the stage is %+v, %v", tc.to, got, err)
		}
		give := must.Get(h.PlanGive(w.Snapshot))(t)
		w.Change(give.Change)
		p, _ := w.Placement().ProviderByName("c")
		class, _ := w.Placement().ClassID(placement.VGPU)
		if iu, ok := p.Inventory(class); !ok || iu.Reserved != tc.reserved || w.Placement().Owner(p) != tc.to {
			t.Errorf("to %s: it is %s's, and %d are reserved, want %d", tc.to, w.Placement().Owner(p), iu.Reserved, tc.reserved)
		}
	}
}

// TestHandoverOfAMove makes instances leave that are being moved, whether instance or
// migration has the claim and the request to Cyborg.
func TestHandoverOfAMove(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		claims, asks string
		typ          placement.ConsumerType
	}{
		"the old card waits for a confirm": {"m", "i", placement.MigrationConsumer},
		"the new card is being bound":      {"i", "m", placement.InstanceConsumer},
		"the new card is back":             {"m", "m", placement.MigrationConsumer},
	} {
		w := newWorld(t).Node("h").Card(1, 1).Flavors().Running("gpu").Migration(nova.Finished).Claim(tc.claims, tc.typ, modeltest.Holding("c"))
		for a := range w.Cyborg().ARQs() {
			w.Record(a.Edit(func(a *cyborg.ARQ) { a.Instance = vm(tc.asks) }))
		}
		h := ops.Handover{Provider: rp("c"), To: placement.OwnedByNova}
		got, err := h.Stage(w.Snapshot)
		if err != nil || len(got.Holders) != 1 || got.Holders[0].ID() != vm(tc.claims) {
			t.Errorf("%s: the stage is %+v, %v: want %s to leave", name, got, err, tc.claims)
		}
		if _, err := h.PlanGive(w.Snapshot); !errors.Is(err, placement.ErrState) {
			t.Errorf("%s: a card that is held is given: %v", name, err)
		}
		h.To = placement.OwnedByCyborg
		if got, err := h.Stage(w.Snapshot); err != nil || len(got.Holders) != 0 {
			t.Errorf("%s: to Cyborg the stage is %+v, %v: want nobody to leave", name, got, err)
		}
	}
}

// TestHandoverIsOfACard refuses providers that are not cards, and owners that cannot have
// one.
func TestHandoverIsOfACard(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h")
	w.Provider("numa", "h", resources{placement.PCPU: 4})
	for name, tc := range map[string]struct {
		h    ops.Handover
		want error
	}{
		"a root":    {ops.Handover{Provider: rp("h"), To: placement.OwnedByNova}, placement.ErrInvalid},
		"no card":   {ops.Handover{Provider: rp("numa"), To: placement.OwnedByNova}, placement.ErrInvalid},
		"nobody":    {ops.Handover{Provider: rp("numa"), To: placement.OwnedByNone}, placement.ErrInvalid},
		"not there": {ops.Handover{Provider: rp("gone"), To: placement.OwnedByNova}, placement.ErrNotFound},
	} {
		for what, plan := range map[string]func(*cloud.Snapshot) (ops.Plan, error){
			"drain": tc.h.PlanDrain, "give": tc.h.PlanGive,
			"stage": func(s *cloud.Snapshot) (ops.Plan, error) { _, err := tc.h.Stage(s); return ops.Plan{}, err },
		} {
			if _, err := plan(w.Snapshot); !errors.Is(err, tc.want) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

// Next does what can be done without a consumer leaving, until the card is given; Steps
// agrees with it.
func TestHandoverNext(t *testing.T) {
	t.Parallel()
	w := modeltest.NewVGPUWorld(t, 2).VGPUInstance("i", "nova", 1)
	h := ops.Handover{Provider: rp("n1"), To: placement.OwnedByCyborg}
	steps := func() string {
		t.Helper()
		all := must.Get(h.Steps(w.Snapshot))(t)
		var out []string
		for _, st := range all {
			out = append(out, fmt.Sprintf("%s %s", st.Kind, st.State))
		}
		return strings.Join(out, ", ")
	}
	next := func() error {
		t.Helper()
		plan, err := h.Next(w.Snapshot)
		if err == nil {
			w.Change(plan.Change)
		}
		return err
	}
	want := func(state string) {
		t.Helper()
		must.Be(t, steps(), state)
	}
	want("drain to do, leave to do, give waits for the holders")
	must.Succeed(t, next())
	want("drain done, leave to do, give waits for the holders")
	must.Fail(t, next(), placement.ErrState)
	c, _ := w.Snapshot.Placement().Consumer(vm("i"))
	plan := must.Get(ops.PlanRelease(w.Snapshot, c.ID(), rp("n1")))(t)
	w.Change(plan.Change)
	want("drain done, give to do")
	must.Succeed(t, next())
	want("drain nobody holds it, give done")
	if plan, err := h.Next(w.Snapshot); err != nil || !plan.Empty() {
		t.Errorf("once it is given: %v, %v", plan.Preview.Lines(), err)
	}
}
