package cyborg_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// site is a cloud as Cyborg knows it, with hosts without devices.
type site struct {
	rapid.TB

	y *cyborg.Snapshot
	p *placement.Snapshot
}

func newSite(t rapid.TB, hosts ...string) *site {
	t.Helper()
	w := &site{TB: t, y: cyborg.Empty(), p: placement.Empty()}
	for _, h := range hosts {
		w.place(placement.CreateProvider{ID: provider(h), Name: h})
	}
	return w
}

// place applies operations on Placement's ledger that must be accepted.
func (w *site) place(ops ...placement.Op) {
	w.Helper()
	next, _, err := w.p.Apply(placement.Change{At: at, Ops: ops})
	must.Succeed(w, err)
	w.p = next
}

// change applies operations on Cyborg's ledger that must be accepted.
func (w *site) change(ops ...cyborg.Op) {
	w.Helper()
	w.y = apply(w, w.y, ops...)
}

// report applies a report of compute1, and returns it. A second one must find nothing to
// write.
func (w *site) report(cards ...cyborg.Card) cyborg.Discovery {
	w.Helper()
	d := must.Get(cyborg.Discover(w.y, w.p, "compute1", cards))(w)
	w.change(d.Cyborg...)
	w.place(d.Placement...)
	again, err := cyborg.Discover(w.y, w.p, "compute1", cards)
	if err != nil || !again.Empty() {
		w.Errorf("a second report writes %v %v, %v", again.Cyborg, again.Placement, err)
	}
	must.Match(w, d.Troubles, again.Troubles)
	clean(w, w.y)
	return d
}

// holds makes a consumer hold n units of the card.
func (w *site) holds(who string, class placement.ResourceClass, n int64) {
	w.Helper()
	w.place(claim(consumer(who), w.provider(t4Name).ID(), class, n))
}

// claim returns the operation that makes a consumer hold n units.
func claim(who placement.ConsumerID, on placement.ProviderID, class placement.ResourceClass, n int64) placement.Op {
	c := placement.Claim{Consumer: who, Generation: placement.AnyGeneration(), Type: placement.InstanceConsumer, Project: "p", User: "u"}
	if n > 0 {
		c.Allocations = placement.Amounts{on: {class: n}}
	}
	return placement.ReplaceAllocations{Consumers: []placement.Claim{c}}
}

func (w *site) provider(name string) *placement.ResourceProvider {
	w.Helper()
	p, ok := w.p.ProviderByName(name)
	if !ok {
		w.Fatalf("there is no provider %s", name)
	}
	return p
}

func (w *site) inventory(name string, class placement.ResourceClass) placement.Inventory {
	w.Helper()
	id, _ := w.p.ClassID(class)
	iu, ok := w.provider(name).Inventory(id)
	if !ok {
		w.Fatalf("%s has no %s", name, class)
	}
	return iu.Inventory
}

// card returns the device at the address of t4, and its deployable.
func (w *site) card() (*cyborg.Device, *cyborg.Deployable) {
	w.Helper()
	for d := range w.y.Deployables() {
		if d.Name == t4Name {
			device, _ := w.y.Device(d.Device)
			return device, d
		}
	}
	w.Fatalf("there is no deployable %s", t4Name)
	return nil, nil
}

func address(text string) pci.Address {
	a, err := pci.ParseAddress(text)
	if err != nil {
		panic(err)
	}
	return a
}

// t4 is a card that is divided into virtual GPUs.
func t4(units int64) cyborg.Card {
	return cyborg.Card{
		Address: address("0000:af:00.0"), Type: cyborg.GPU, Vendor: "10de", Product: "1eb8", Model: "Tesla T4",
		Parts: []cyborg.Part{{MdevType: "nvidia-222", MdevName: "GRID T4-2B", Units: units}},
	}
}

const t4Name = "compute1_0000:af:00.0"

// Every kind of card is reported with its class and traits.
func TestDiscoverCards(t *testing.T) {
	t.Parallel()
	whole := func(kind cyborg.DeviceType, vendor, product string) cyborg.Card {
		return cyborg.Card{Address: address("0000:af:00.0"), Type: kind, Vendor: vendor, Product: product}
	}
	anyPCI := whole(cyborg.SSD, "144d", "a80a")
	anyPCI.Generic = true
	region := whole(cyborg.FPGA, "8086", "09c4")
	region.Parts = []cyborg.Part{{Units: 1, Traits: []placement.Trait{"CUSTOM_FPGA_REGION_1", "CUSTOM_FPGA_INTEL"}}}
	for name, tc := range map[string]struct {
		card   cyborg.Card
		class  placement.ResourceClass
		total  int64
		traits []placement.Trait
		owner  placement.Owner
	}{
		"VGPU": {t4(16), placement.VGPU, 16, []placement.Trait{"CUSTOM_NVIDIA_1EB8_T4_2B", "OWNER_CYBORG"}, placement.OwnedByCyborg},
		"PGPU": {whole(cyborg.GPU, "10de", "20b0"), placement.PGPU, 1, []placement.Trait{"CUSTOM_NVIDIA_20B0", "OWNER_CYBORG"}, placement.OwnedByCyborg},
		"a GPU of another vendor": {
			whole(cyborg.GPU, "1002", "73bf"), "CUSTOM_PCI", 1,
			[]placement.Trait{"CUSTOM_PCI_1002", "CUSTOM_PCI_PRODUCT_ID_73BF", "OWNER_CYBORG"},
			placement.OwnedByCyborg,
		},
		"AICHIP": {
			whole(cyborg.AIChip, "19e5", "d100"), "CUSTOM_PCI", 1,
			[]placement.Trait{"CUSTOM_PCI_HUAWEI", "CUSTOM_PCI_PRODUCT_ID_D100", "OWNER_CYBORG"},
			placement.OwnedByCyborg,
		},
		"any PCI device": {
			anyPCI, "CUSTOM_PCI", 1,
			[]placement.Trait{"CUSTOM_PCI_144D", "CUSTOM_PCI_PRODUCT_ID_A80A", "OWNER_CYBORG"},
			placement.OwnedByCyborg,
		},
		"FPGA": {region, placement.FPGA, 1, []placement.Trait{"CUSTOM_FPGA_INTEL", "CUSTOM_FPGA_PRODUCT_ID_09C4", "CUSTOM_FPGA_REGION_1"}, placement.OwnedByNone},
		"QAT":  {whole(cyborg.QAT, "8086", "37c8"), "CUSTOM_QAT", 1, []placement.Trait{"CUSTOM_QAT_INTEL", "CUSTOM_QAT_PRODUCT_ID_37C8"}, placement.OwnedByNone},
		"NIC":  {whole(cyborg.NIC, "8086", "0d58"), "CUSTOM_NIC", 1, []placement.Trait{"CUSTOM_NIC_INTEL", "CUSTOM_NIC_PRODUCT_ID_0D58"}, placement.OwnedByNone},
		"SSD":  {whole(cyborg.SSD, "1bd4", "1001"), "CUSTOM_SSD", 1, []placement.Trait{"CUSTOM_SSD_INSPUR", "CUSTOM_SSD_PRODUCT_ID_1001"}, placement.OwnedByNone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newSite(t, "compute1")
			if d := w.report(tc.card); len(d.Troubles) > 0 {
				t.Errorf("troubles: %v", d.Troubles)
			}
			rp := w.provider(t4Name)
			want := placement.NewInventory(tc.total)
			want.MaxUnit = tc.total
			if got := w.inventory(t4Name, tc.class); got != want || len(rp.Inventories()) != 1 {
				t.Errorf("the inventory is %+v, want %+v", got, want)
			}
			if got := w.p.TraitsOf(rp); !slices.Equal(got, tc.traits) || w.p.Owner(rp) != tc.owner {
				t.Errorf("the traits are %v of %s, want %v of %s", got, w.p.Owner(rp), tc.traits, tc.owner)
			}
			if parent, ok := w.p.Parent(rp); !ok || parent.Name() != "compute1" || rp.ID().String() != "5b0dd8ca-0827-3ef3-804e-232d0228a582" {
				t.Errorf("it is %s below %v", rp.ID(), parent)
			}
		})
	}
}

// A card consists of these records in Cyborg's ledger.
func TestDiscoverRecords(t *testing.T) {
	t.Parallel()
	w := newSite(t, "compute1")
	w.report(t4(2))
	device, d := w.card()
	want := &cyborg.Device{
		UUID: device.UUID, Type: cyborg.GPU, Vendor: "10de", Model: "Tesla T4", Hostname: "compute1", Status: cyborg.Enabled,
		StdBoardInfo: `{"product_id": "1eb8"}`, Created: at.UnixMilli(),
	}
	must.Match(t, want, device)
	for path := range w.y.ControlPathsOf(device.UUID) {
		if path.Type != "PCI" || path.Info != `{"bus": "af", "device": "00", "domain": "0000", "function": "0"}` {
			t.Errorf("the control path is %+v", path)
		}
	}
	if d.Accelerators != 2 || d.Driver != "NVIDIA" || d.Provider != cyborg.ProviderID(t4Name) {
		t.Errorf("the deployable is %+v", d)
	}
	attributes := map[string]string{}
	for a := range w.y.AttributesOf(d.UUID) {
		attributes[a.Key] = a.Value
	}
	must.Match(t, map[string]string{"rc": "VGPU", "trait0": "OWNER_CYBORG", "trait1": "CUSTOM_NVIDIA_1EB8_T4_2B"}, attributes)
	var infos []string
	for h := range w.y.AttachHandlesOf(d.UUID) {
		if h.Type != cyborg.AttachMdev || h.InUse {
			t.Errorf("the attach handle is %+v", h)
		}
		infos = append(infos, h.Info)
	}
	slices.Sort(infos)
	const info = `{"asked_type": "nvidia-222", "bus": "af", "device": "00", "domain": "0000", "function": "0", "vgpu_mark": "nvidia-222_`
	must.Match(t, []string{info + `0"}`, info + `1"}`}, infos)
}

// What operators set stays; what the driver no longer reports goes.
func TestDiscoverKeepsWhatOperatorsMake(t *testing.T) {
	t.Parallel()
	w := newSite(t, "compute1")
	w.report(t4(4))
	rp := w.provider(t4Name)
	inv := w.inventory(t4Name, placement.VGPU)
	inv.Reserved, inv.AllocationRatio = 1, 2
	w.place(
		placement.CreateTrait{Name: "CUSTOM_RACK_7"}, placement.CreateClass{Name: "CUSTOM_LICENSE"},
		placement.SetTraits{Provider: rp.ID(), Generation: placement.AnyGeneration(), Traits: []placement.Trait{"CUSTOM_RACK_7", "OWNER_CYBORG", "CUSTOM_NVIDIA_1EB8_T4_2B"}},
		placement.SetInventories{Provider: rp.ID(), Generation: placement.AnyGeneration(), Inventories: map[placement.ResourceClass]placement.Inventory{
			placement.VGPU: inv, "CUSTOM_LICENSE": placement.NewInventory(3),
		}},
	)
	card := t4(8)
	card.Parts[0].MdevType, card.Parts[0].MdevName = "nvidia-223", "GRID T4-4Q"
	w.report(card)
	inv.Total, inv.MaxUnit = 8, 8
	must.Be(t, w.inventory(t4Name, placement.VGPU), inv)
	if w.inventory(t4Name, "CUSTOM_LICENSE").Total != 3 {
		t.Error("the operator's inventory is gone")
	}
	if got := w.p.TraitsOf(w.provider(t4Name)); !slices.Equal(got, []placement.Trait{"CUSTOM_NVIDIA_1EB8_T4_4Q", "CUSTOM_RACK_7", "OWNER_CYBORG"}) {
		t.Errorf("the traits are %v", got)
	}
}

// binds binds one unit of the card to an instance.
func (w *site) binds(instance string) {
	w.Helper()
	w.holds(instance, placement.VGPU, 1)
	p, _ := w.y.DeviceProfile("dp-vgpu")
	ids := must.Get(cyborg.ARQIDs(p, consumer(instance)))(w)
	w.change(cyborg.CreateARQs{Profile: "dp-vgpu", Owner: consumer(instance)}, cyborg.StartBind{
		ARQs: ids, Instance: consumer(instance), Host: "compute1",
		Mappings: map[string][]placement.ProviderID{"device_profile_0": {cyborg.ProviderID(t4Name)}},
	}, cyborg.FinishBind{Instance: consumer(instance)})
}

// ends releases everything that an instance has.
func (w *site) ends(instance string) {
	w.Helper()
	var ids []uuid.UUID
	for a := range w.y.ARQsOf(consumer(instance)) {
		ids = append(ids, a.UUID)
	}
	w.change(cyborg.DeleteARQs{ARQs: ids})
	w.holds(instance, placement.VGPU, 0)
}

func TestDiscoverGrowsAndShrinks(t *testing.T) {
	t.Parallel()
	w := newSite(t, "compute1")
	w.y = withProfile(t, w.y, oneVGPU)
	w.report(t4(2))
	w.binds("a")
	w.binds("b")
	for _, step := range []struct{ units, want int64 }{{4, 4}, {3, 3}, {1, 2}, {2, 2}, {16, 16}} {
		w.report(t4(step.units))
		_, d := w.card()
		if got := w.inventory(t4Name, placement.VGPU).Total; got != step.want || d.Accelerators != step.want {
			t.Errorf("%d units are reported as %d, and %d attach handles", step.units, got, d.Accelerators)
		}
		if handles, requests := w.y.Units(d); handles != 2 || requests != 2 {
			t.Errorf("%d attach handles in use for %d requests", handles, requests)
		}
	}
	marks := map[string]bool{}
	_, d := w.card()
	for h := range w.y.AttachHandlesOf(d.UUID) {
		if marks[h.Info] {
			t.Errorf("two attach handles are %s", h.Info)
		}
		marks[h.Info] = true
	}
}

// New units differ from the existing ones, whoever made those.
func TestDiscoverAddsUnits(t *testing.T) {
	t.Parallel()
	infos := func(w *site) []string {
		var out []string
		_, d := w.card()
		for h := range w.y.AttachHandlesOf(d.UUID) {
			out = append(out, h.Info)
		}
		slices.Sort(out)
		return out
	}
	t.Run("of an mdev type", func(t *testing.T) {
		t.Parallel()
		w := newSite(t, "compute1")
		w.report(t4(2))
		want := infos(w)
		_, d := w.card()
		var c cyborg.PutRecords
		for h := range w.y.AttachHandlesOf(d.UUID) {
			modeltest.Delete(&c, w.y, h)
			modeltest.Put(&c, w.y, h.Edit(func(own *cyborg.AttachHandle) { own.UUID, own.InUse = id(h.Info), false }))
		}
		w.change(c)
		w.report(t4(1))
		w.report(t4(2))
		if got := infos(w); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
	t.Run("of a whole device", func(t *testing.T) {
		t.Parallel()
		w := newSite(t, "compute1")
		card := cyborg.Card{Address: t4(0).Address, Type: cyborg.FPGA, Vendor: "8086", Product: "09c4", Parts: []cyborg.Part{{Units: 1}}}
		w.report(card)
		card.Parts[0].Units = 2
		w.report(card)
		const info = `{"bus": "af", "device": "00", "domain": "0000", "function": "0"}`
		if got := infos(w); !slices.Equal(got, []string{info, info}) || w.inventory(t4Name, placement.FPGA).Total != 2 {
			t.Errorf("%v", got)
		}
	})
}

func TestDiscoverShrinksBelowWhatIsReserved(t *testing.T) {
	t.Parallel()
	w := newSite(t, "compute1")
	w.report(t4(4))
	inv := w.inventory(t4Name, placement.VGPU)
	inv.Reserved = 3
	w.place(placement.SetInventory{Provider: w.provider(t4Name).ID(), Generation: placement.AnyGeneration(), Class: placement.VGPU, Inventory: inv})
	w.report(t4(2))
	if got := w.inventory(t4Name, placement.VGPU); got.Total != 2 || got.Reserved != 2 {
		t.Errorf("the inventory is %+v", got)
	}
}

func TestDiscoverVanishedCard(t *testing.T) {
	t.Parallel()
	t.Run("goes with its provider", func(t *testing.T) {
		t.Parallel()
		w := newSite(t, "compute1")
		w.report(t4(4))
		w.report()
		if w.y.DeviceCount() != 0 || w.p.ProviderCount() != 1 {
			t.Errorf("%d devices and %d providers are left", w.y.DeviceCount(), w.p.ProviderCount())
		}
		for r := range w.y.Records() {
			t.Errorf("%T is left", r)
		}
	})
	t.Run("stays while it is allocated", func(t *testing.T) {
		t.Parallel()
		w := newSite(t, "compute1")
		w.y = withProfile(t, w.y, oneVGPU)
		w.report(t4(4))
		w.binds("a")
		d := w.report()
		if len(d.Troubles) != 1 || d.Troubles[0].Kind != cyborg.StillUsed || !strings.Contains(d.Troubles[0].Why, "409") {
			t.Errorf("the troubles are %v", d.Troubles)
		}
		if got := w.inventory(t4Name, placement.VGPU); got.Total != 1 || got.MaxUnit != 1 {
			t.Errorf("something new could land there: %+v", got)
		}
		w.ends("a")
		w.report()
		if w.y.DeviceCount() != 0 || w.p.ProviderCount() != 1 {
			t.Error("it stays although nobody uses it")
		}
	})
	t.Run("stays while it is claimed and not yet bound", func(t *testing.T) {
		t.Parallel()
		w := newSite(t, "compute1")
		w.report(t4(4))
		w.holds("a", placement.VGPU, 2)
		w.report()
		if got := w.inventory(t4Name, placement.VGPU); got.Total != 2 {
			t.Errorf("the inventory is %+v", got)
		}
		w.report(t4(4))
		if got := w.inventory(t4Name, placement.VGPU); got.Total != 4 {
			t.Errorf("it came back with %+v", got)
		}
	})
	t.Run("is a part of a card", func(t *testing.T) {
		t.Parallel()
		w := newSite(t, "compute1")
		card := t4(4)
		card.Parts = append(card.Parts, cyborg.Part{Function: address("0000:af:00.4"), MdevType: "nvidia-230", MdevName: "NVIDIA T4-1Q", Units: 2})
		w.report(card)
		if got := w.inventory("compute1_0000:af:00.4", placement.VGPU); got.Total != 2 || w.y.DeviceCount() != 1 {
			t.Errorf("two parts of %d devices; the second has %+v", w.y.DeviceCount(), got)
		}
		card.Parts[1].Units = 0
		w.report(card)
		if _, ok := w.p.ProviderByName("compute1_0000:af:00.4"); ok || w.y.DeviceCount() != 1 {
			t.Errorf("the second part is left, or the card gone: %d devices", w.y.DeviceCount())
		}
	})
}

// A card that changes its class keeps the old one while that is in use.
func TestDiscoverChangesClass(t *testing.T) {
	t.Parallel()
	w := newSite(t, "compute1")
	whole := t4(0)
	whole.Parts = nil
	w.report(whole)
	w.holds("a", placement.PGPU, 1)
	d := w.report(t4(4))
	if len(d.Troubles) != 1 || d.Troubles[0].Kind != cyborg.ClassUsed || w.inventory(t4Name, placement.PGPU).Total != 1 {
		t.Errorf("%v", d.Troubles)
	}
	w.holds("a", placement.PGPU, 0)
	w.report(t4(4))
	if got := len(w.provider(t4Name).Inventories()); got != 1 || w.inventory(t4Name, placement.VGPU).Total != 4 {
		t.Errorf("there are %d inventories", got)
	}
}

func TestDiscoverTroubles(t *testing.T) {
	t.Parallel()
	t.Run(string(cyborg.NoRoot), func(t *testing.T) {
		t.Parallel()
		w := newSite(t)
		d := w.report(t4(4))
		if len(d.Troubles) != 1 || d.Troubles[0].Kind != cyborg.NoRoot || d.Troubles[0].Name != "compute1" || w.p.ProviderCount() != 0 {
			t.Errorf("%v", d.Troubles)
		}
		w.place(placement.CreateProvider{ID: provider("compute1"), Name: "compute1"})
		if d := w.report(t4(4)); len(d.Troubles) != 0 || w.inventory(t4Name, placement.VGPU).Total != 4 {
			t.Errorf("not reported below the root that came later: %v", d.Troubles)
		}
	})
	t.Run(string(cyborg.NameTaken), func(t *testing.T) {
		t.Parallel()
		w := newSite(t, "compute1")
		w.place(placement.CreateProvider{ID: provider("nova's"), Name: "compute1_0000:84:00.0", Parent: provider("compute1")})
		card := t4(4)
		card.Address = address("0000:84:00.0")
		d := w.report(card)
		if len(d.Troubles) != 1 || d.Troubles[0].Kind != cyborg.NameTaken || len(d.Placement) != 0 {
			t.Errorf("%v, %v", d.Troubles, d.Placement)
		}
	})
	t.Run("in another tree", func(t *testing.T) {
		t.Parallel()
		w := newSite(t, "compute1", "compute2")
		w.place(placement.CreateProvider{ID: cyborg.ProviderID(t4Name), Name: t4Name, Parent: provider("compute2")})
		d := w.report(t4(4))
		if len(d.Troubles) != 1 || d.Troubles[0].Kind != cyborg.NameTaken || len(d.Placement) != 0 {
			t.Errorf("%v, %v", d.Troubles, d.Placement)
		}
	})
	t.Run(string(cyborg.CountedTwice), func(t *testing.T) {
		t.Parallel()
		for _, name := range []string{"compute1_pci_0000_af_00_0", "compute1_0000:AF:00.0"} {
			w := newSite(t, "compute1")
			w.place(placement.CreateProvider{ID: provider("nova's"), Name: name, Parent: provider("compute1")})
			d := w.report(t4(4))
			if len(d.Troubles) != 1 || d.Troubles[0].Kind != cyborg.CountedTwice || !strings.HasPrefix(d.Troubles[0].Why, name) {
				t.Errorf("%v", d.Troubles)
			}
		}
	})
	t.Run(string(cyborg.NoSuchTrait), func(t *testing.T) {
		t.Parallel()
		w := newSite(t, "compute1")
		card := t4(4)
		card.Parts[0].Traits = []placement.Trait{"HW_NOT_KNOWN"}
		d := w.report(card)
		if len(d.Troubles) != 1 || d.Troubles[0].Kind != cyborg.NoSuchTrait {
			t.Errorf("%v", d.Troubles)
		}
	})
}

// A provider that Cyborg made under another uuid is found by its name.
func TestDiscoverAdoptsItsOwn(t *testing.T) {
	t.Parallel()
	w := newSite(t, "compute1")
	w.place(
		placement.CreateProvider{ID: provider("old"), Name: t4Name, Parent: provider("compute1")},
		placement.SetTraits{Provider: provider("old"), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg}},
	)
	w.report(t4(4))
	if _, d := w.card(); d.Provider != provider("old") || w.inventory(t4Name, placement.VGPU).Total != 4 {
		t.Errorf("%+v", d)
	}
}

func TestDiscoverRefuses(t *testing.T) {
	t.Parallel()
	same := t4(4)
	same.Parts = append(same.Parts, same.Parts[0])
	mdevOfFPGA := t4(4)
	mdevOfFPGA.Type = cyborg.FPGA
	odd := t4(4)
	odd.Parts, odd.Type = nil, "SOUND"
	for name, tc := range map[string]struct {
		host  string
		cards []cyborg.Card
		words string // expected in the message
	}{
		"no host":              {"", nil, "host"},
		"one card twice":       {"compute1", []cyborg.Card{t4(4), t4(4)}, `"0000:af:00.0": is given to two cards`},
		"one function twice":   {"compute1", []cyborg.Card{same}, "one function has one type"},
		"units without end":    {"compute1", []cyborg.Card{t4(1 << 40)}, "must be from 0 to 4096"},
		"less than no units":   {"compute1", []cyborg.Card{t4(-1)}, "must be from 0 to 4096"},
		"virtual GPUs of FPGA": {"compute1", []cyborg.Card{mdevOfFPGA}, "NVIDIA"},
		"a type unheard of":    {"compute1", []cyborg.Card{odd}, "SOUND"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := cyborg.Discover(cyborg.Empty(), placement.Empty(), tc.host, tc.cards)
			refused(t, err, placement.ErrInvalid, tc.words)
		})
	}
}

func TestDisableDevice(t *testing.T) {
	t.Parallel()
	w := newSite(t, "compute1")
	w.report(t4(4))
	w.holds("a", placement.VGPU, 1)
	device, _ := w.card()
	set := func(op cyborg.Op, disabled bool) {
		t.Helper()
		w.place(w.y.StatusOps(w.p, device.UUID, disabled)...)
		w.change(op)
		if ops := w.y.StatusOps(w.p, device.UUID, disabled); len(ops) > 0 || apply(t, w.y, op) != w.y {
			t.Errorf("%s again: %v", op, ops)
		}
	}
	reserved := func(want int64) {
		t.Helper()
		must.Be(t, w.inventory(t4Name, placement.VGPU).Reserved, want)
	}
	set(cyborg.DisableDevice{Device: device.UUID}, true)
	reserved(4)
	w.report(t4(4))
	reserved(4)
	w.report(t4(6))
	reserved(6)
	if d, _ := w.card(); d.Status != cyborg.Maintaining {
		t.Errorf("a report makes the device %s", d.Status)
	}
	set(cyborg.EnableDevice{Device: device.UUID}, false)
	reserved(0)
	for _, op := range []cyborg.Op{cyborg.DisableDevice{Device: id("none")}, cyborg.EnableDevice{Device: id("none")}} {
		refused(t, w.y.Allows(op), placement.ErrNotFound, id("none").String())
	}
}
