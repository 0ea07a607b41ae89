package placement_test

import (
	"math"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// classID returns a check of the number of a class; want is -1 if it is unknown.
func classID(name placement.ResourceClass, want placement.ClassID) func(*testing.T, *placement.Snapshot) {
	return func(t *testing.T, s *placement.Snapshot) {
		t.Helper()
		got, ok := s.ClassID(name)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%s has number %d, want %d", name, got, want)
		}
		if ok && s.ClassName(got) != name {
			t.Errorf("number %d has name %q, want %q", got, s.ClassName(got), name)
		}
	}
}

// traitID is classID for traits.
func traitID(name placement.Trait, want placement.TraitID) func(*testing.T, *placement.Snapshot) {
	return func(t *testing.T, s *placement.Snapshot) {
		t.Helper()
		got, ok := s.TraitID(name)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%s has number %d, want %d", name, got, want)
		}
		if ok && s.TraitName(got) != name {
			t.Errorf("number %d has name %q, want %q", got, s.TraitName(got), name)
		}
	}
}

func TestStandardClassesKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	want := []placement.ResourceClass{
		"VCPU", "MEMORY_MB", "DISK_GB", "PCI_DEVICE", "SRIOV_NET_VF", "NUMA_SOCKET", "NUMA_CORE", "NUMA_THREAD",
		"NUMA_MEMORY_MB", "IPV4_ADDRESS", "VGPU", "VGPU_DISPLAY_HEAD", "NET_BW_EGR_KILOBIT_PER_SEC",
		"NET_BW_IGR_KILOBIT_PER_SEC", "PCPU", "MEM_ENCRYPTION_CONTEXT", "FPGA", "PGPU",
		"NET_PACKET_RATE_KILOPACKET_PER_SEC", "NET_PACKET_RATE_EGR_KILOPACKET_PER_SEC",
		"NET_PACKET_RATE_IGR_KILOPACKET_PER_SEC",
	}
	must.Match(t, want, placement.StandardClasses())
	s := placement.Empty()
	for i, c := range want {
		classID(c, placement.ClassID(i))(t, s)
	}
}

func TestStandardTraitsAreValidAndSingle(t *testing.T) {
	t.Parallel()
	traits := placement.StandardTraits()
	if len(traits) != 377 {
		t.Errorf("%d standard traits, want the 377 of os-traits", len(traits))
	}
	seen := map[placement.Trait]bool{}
	for _, tr := range traits {
		if err := tr.Validate(); err != nil {
			t.Error(err)
		}
		if seen[tr] {
			t.Errorf("%s is given twice", tr)
		}
		if tr.IsCustom() {
			t.Errorf("%s is custom", tr)
		}
		seen[tr] = true
	}
	for _, known := range []placement.Trait{
		placement.OwnerNova, placement.OwnerCyborg, placement.SharesViaAggregate, placement.ComputeNode,
		placement.ComputeStatusDisabled, placement.ComputeAccelerators, placement.ComputeManagedPCI,
		placement.HWPCIOneTimeUse, placement.HWNUMARoot,
	} {
		if !seen[known] {
			t.Errorf("%s is not a standard trait", known)
		}
	}
}

// CreateClass, RenameClass and DeleteClass: custom resource classes.
func TestResourceClasses(t *testing.T) {
	t.Parallel()
	base := modeltest.Ledger(t, []modeltest.Provider{{
		Name: "compute1", Inventories: modeltest.Inventories{"CUSTOM_USED": inventory(4)},
	}}, placement.CreateClass{Name: "CUSTOM_FREE"})
	long := placement.ResourceClass("CUSTOM_" + strings.Repeat("X", 255-len("CUSTOM_")))
	check(t, base, []rule{
		{
			name: "custom numbers start at 10000 and go on with the highest plus one",
			ops:  ops(placement.CreateClass{Name: "CUSTOM_NEXT"}),
			then: all(classID("CUSTOM_USED", 10000), classID("CUSTOM_FREE", 10001), classID("CUSTOM_NEXT", 10002)),
		},
		{
			name: "a number below the highest is not given again",
			ops: ops(placement.CreateClass{Name: "CUSTOM_LAST"}, placement.DeleteClass{Name: "CUSTOM_FREE"},
				placement.CreateClass{Name: "CUSTOM_NEXT"}),
			then: all(classID("CUSTOM_FREE", -1), classID("CUSTOM_NEXT", 10003)),
		},
		{
			name: "a number is still found beside the highest possible one",
			ops: ops(placement.PutRecords{Records: []versioned.Change{
				{After: &placement.ClassRecord{ID: math.MaxInt32, Name: "CUSTOM_LAST"}},
			}}, placement.CreateClass{Name: "CUSTOM_NEXT"}),
			then: classID("CUSTOM_NEXT", 10002),
		},
		{name: "255 characters are allowed", ops: ops(placement.CreateClass{Name: long})},
		{name: "256 are not", ops: ops(placement.CreateClass{Name: long + "X"}), want: placement.ErrInvalid},
		{name: "CUSTOM_ alone is not a name", ops: ops(placement.CreateClass{Name: "CUSTOM_"}), want: placement.ErrInvalid},
		{name: "nothing is not a name", ops: ops(placement.CreateClass{}), want: placement.ErrInvalid},
		{name: "lower case is not allowed", ops: ops(placement.CreateClass{Name: "CUSTOM_a"}), want: placement.ErrInvalid},
		{name: "a dash is not allowed", ops: ops(placement.CreateClass{Name: "CUSTOM_A-B"}), want: placement.ErrInvalid},
		{name: "a line end is not allowed", ops: ops(placement.CreateClass{Name: "CUSTOM_A\n"}), want: placement.ErrInvalid},
		{
			name: "a name without CUSTOM_ is not for users",
			ops:  ops(placement.CreateClass{Name: "GPU"}), want: placement.ErrInvalid,
			fact: &placement.InvalidError{Field: "resource class", Value: "GPU", Why: "custom names start with CUSTOM_"},
		},
		{name: "nor is a standard name", ops: ops(placement.CreateClass{Name: placement.VCPU}), want: placement.ErrInvalid},
		{
			name: "a name that is taken",
			ops:  ops(placement.CreateClass{Name: "CUSTOM_FREE"}), want: placement.ErrExists,
			fact: &placement.ExistsError{What: "resource class", Field: "name", Value: "CUSTOM_FREE"},
		},
		{name: "unless only its being there matters", ops: ops(placement.CreateClass{Name: "CUSTOM_FREE", IfAbsent: true})},
		{name: "also that of a standard class", ops: ops(placement.CreateClass{Name: placement.VCPU, IfAbsent: true})},
		{
			name: "renaming keeps the number",
			ops:  ops(placement.RenameClass{Name: "CUSTOM_USED", To: "CUSTOM_OTHER"}),
			then: all(classID("CUSTOM_USED", -1), classID("CUSTOM_OTHER", 10000), used("compute1", "CUSTOM_OTHER", 0)),
		},
		{name: "renaming to the same name does nothing", ops: ops(placement.RenameClass{Name: "CUSTOM_USED", To: "CUSTOM_USED"})},
		{name: "renaming to a name that is taken", ops: ops(placement.RenameClass{Name: "CUSTOM_USED", To: "CUSTOM_FREE"}), want: placement.ErrExists},
		{name: "renaming to a standard name", ops: ops(placement.RenameClass{Name: "CUSTOM_USED", To: placement.VCPU}), want: placement.ErrInvalid},
		{name: "renaming to a bad name", ops: ops(placement.RenameClass{Name: "CUSTOM_USED", To: "CUSTOM_a"}), want: placement.ErrInvalid},
		{name: "renaming a standard class", ops: ops(placement.RenameClass{Name: placement.VCPU, To: "CUSTOM_CPU"}), want: placement.ErrInvalid},
		{name: "renaming an unknown class", ops: ops(placement.RenameClass{Name: "CUSTOM_X", To: "CUSTOM_Y"}), want: placement.ErrNotFound},
		{name: "deleting a class that nothing uses", ops: ops(placement.DeleteClass{Name: "CUSTOM_FREE"}), then: classID("CUSTOM_FREE", -1)},
		{
			name: "deleting a class with an inventory",
			ops:  ops(placement.DeleteClass{Name: "CUSTOM_USED"}), want: placement.ErrInUse,
			fact: &placement.InUseError{What: "resource class", Name: "CUSTOM_USED", Providers: []string{"compute1"}},
		},
		{name: "deleting a standard class", ops: ops(placement.DeleteClass{Name: placement.VCPU}), want: placement.ErrInvalid},
		{
			name: "deleting an unknown class, with the ones that look like it",
			ops:  ops(placement.DeleteClass{Name: "CUSTOM_FEE"}), want: placement.ErrNotFound,
			fact: &placement.NotFoundError{What: "resource class", Name: "CUSTOM_FEE", Like: []string{"CUSTOM_FREE"}},
		},
	})
}

// CreateTrait and DeleteTrait: custom traits.
func TestTraits(t *testing.T) {
	t.Parallel()
	base := modeltest.Ledger(t, []modeltest.Provider{{Name: "compute1", Traits: []placement.Trait{"CUSTOM_USED"}}},
		placement.CreateTrait{Name: "CUSTOM_FREE"})
	check(t, base, []rule{
		{
			name: "custom numbers start at 10000 and go on with the highest plus one",
			ops:  ops(placement.CreateTrait{Name: "CUSTOM_NEXT"}),
			then: all(traitID("CUSTOM_USED", 10000), traitID("CUSTOM_FREE", 10001), traitID("CUSTOM_NEXT", 10002)),
		},
		{name: "making one that is there does nothing", ops: ops(placement.CreateTrait{Name: "CUSTOM_FREE"}), then: traitID("CUSTOM_FREE", 10001)},
		{name: "a name without CUSTOM_ is not for users", ops: ops(placement.CreateTrait{Name: "HW_GPU"}), want: placement.ErrInvalid},
		{name: "a bad name", ops: ops(placement.CreateTrait{Name: "CUSTOM_é"}), want: placement.ErrInvalid},
		{name: "a name that is too long", ops: ops(placement.CreateTrait{Name: placement.Trait("CUSTOM_" + strings.Repeat("é", 255))}), want: placement.ErrInvalid},
		{name: "deleting one that nobody has", ops: ops(placement.DeleteTrait{Name: "CUSTOM_FREE"}), then: traitID("CUSTOM_FREE", -1)},
		{
			name: "deleting one that a provider has",
			ops:  ops(placement.DeleteTrait{Name: "CUSTOM_USED"}), want: placement.ErrInUse,
			fact: &placement.InUseError{What: "trait", Name: "CUSTOM_USED", Providers: []string{"compute1"}},
		},
		{name: "deleting a standard trait", ops: ops(placement.DeleteTrait{Name: placement.OwnerNova}), want: placement.ErrInvalid},
		{
			name: "deleting an unknown trait, with the ones that look like it",
			ops:  ops(placement.DeleteTrait{Name: "CUSTOM_FEE"}), want: placement.ErrNotFound,
			fact: &placement.NotFoundError{What: "trait", Name: "CUSTOM_FEE", Like: []string{"CUSTOM_FREE"}},
		},
	})
}

// SetTraits replaces the traits of a provider.
func TestTraitsOfProviders(t *testing.T) {
	t.Parallel()
	base := modeltest.Ledger(t, []modeltest.Provider{{Name: "compute1", Traits: []placement.Trait{placement.OwnerNova, "CUSTOM_A"}}})
	set := func(x placement.Expect, traits ...placement.Trait) []placement.Op {
		return ops(placement.SetTraits{Provider: modeltest.ProviderID("compute1"), Generation: x, Traits: traits})
	}
	has := func(want ...placement.Trait) func(*testing.T, *placement.Snapshot) {
		return func(t *testing.T, s *placement.Snapshot) {
			t.Helper()
			p := provider(t, s, "compute1")
			must.Match(t, want, s.TraitsOf(p))
			for _, name := range want {
				id, _ := s.TraitID(name)
				if !p.HasTrait(id) || !s.WithTrait(id).Has(p.Number()) {
					t.Errorf("%s is not found", name)
				}
			}
		}
	}
	check(t, base, []rule{
		{
			name: "the whole set is replaced",
			ops:  set(placement.Generation(1), placement.ComputeNode, placement.OwnerNova),
			then: all(has(placement.ComputeNode, placement.OwnerNova), generation("compute1", 2), func(t *testing.T, s *placement.Snapshot) {
				t.Helper()
				if id, _ := s.TraitID("CUSTOM_A"); s.WithTrait(id).Len() != 0 {
					t.Error("CUSTOM_A still leads to the provider")
				}
			}),
		},
		{name: "the same set does not bump", ops: set(placement.Generation(1), "CUSTOM_A", placement.OwnerNova), then: generation("compute1", 1)},
		{name: "no traits at all", ops: set(placement.AnyGeneration()), then: func(t *testing.T, s *placement.Snapshot) {
			t.Helper()
			generation("compute1", 2)(t, s)
			must.Be(t, len(provider(t, s, "compute1").TraitIDs()), 0)
		}},
		{name: "no traits twice bumps once", ops: append(set(placement.AnyGeneration()), set(placement.AnyGeneration())...), then: generation("compute1", 2)},
		{
			name: "a stale generation",
			ops:  set(placement.Generation(0), placement.ComputeNode), want: placement.ErrConflict,
			fact: &placement.ConflictError{
				What: "resource provider", ID: modeltest.ProviderID("compute1").String(), Name: "compute1",
				Expect: placement.Generation(0), Has: 1,
			},
		},
		{name: "no generation", ops: set(placement.Expect{}), want: placement.ErrInvalid},
		{name: "the generation of a new consumer", ops: set(placement.NewConsumer()), want: placement.ErrInvalid},
		{
			name: "an unknown trait, with the ones that look like it",
			ops:  set(placement.AnyGeneration(), "OWNER_NOVE"), want: placement.ErrInvalid,
			fact: &placement.InvalidError{Field: "trait", Value: "OWNER_NOVE", Why: "no such trait, did you mean OWNER_NOVA?"},
		},
		{name: "a trait given twice", ops: set(placement.AnyGeneration(), placement.OwnerNova, placement.OwnerNova), want: placement.ErrInvalid},
		{
			name: "an unknown provider",
			ops:  ops(placement.SetTraits{Provider: modeltest.ProviderID("x"), Generation: placement.AnyGeneration()}), want: placement.ErrNotFound,
			fact: &placement.NotFoundError{What: "resource provider", Name: modeltest.ProviderID("x").String()},
		},
	})
}

// Owner and Shares read the traits of the provider itself.
func TestOwnerAndShares(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		traits []placement.Trait
		owner  placement.Owner
		shares bool
	}{
		{name: "none", owner: placement.OwnedByNone},
		{name: "nova", traits: []placement.Trait{placement.OwnerNova}, owner: placement.OwnedByNova},
		{name: "cyborg", traits: []placement.Trait{placement.OwnerCyborg}, owner: placement.OwnedByCyborg},
		{name: "both", traits: []placement.Trait{placement.OwnerNova, placement.OwnerCyborg}, owner: placement.OwnedByBoth},
		{name: "shares", traits: []placement.Trait{placement.SharesViaAggregate}, shares: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := modeltest.Ledger(t, []modeltest.Provider{{Name: "root", Traits: []placement.Trait{placement.ComputeNode}, Children: []modeltest.Provider{
				{Name: "card", Traits: tt.traits},
			}}})
			card := provider(t, s, "card")
			must.Be(t, s.Owner(card), tt.owner)
			must.Be(t, s.Shares(card), tt.shares)
			if got := s.Owner(provider(t, s, "root")); got != placement.OwnedByNone {
				t.Errorf("the root is owned by %s because of its child", got)
			}
			if got, err := placement.ParseOwner(tt.owner.String()); err != nil || got != tt.owner {
				t.Errorf("ParseOwner(%q) = %s, %v", tt.owner, got, err)
			}
		})
	}
	if _, err := placement.ParseOwner("neutron"); err == nil {
		t.Error("neutron is read as an owner")
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"nvidia-35":       "CUSTOM_NVIDIA_35",
		"a  -- b":         "CUSTOM_A_B",
		"GRID T4-2Q":      "CUSTOM_GRID_T4_2Q",
		"CUSTOM_FPGA":     "CUSTOM_FPGA",
		"custom-fpga":     "CUSTOM_FPGA",
		"":                "CUSTOM_",
		"-a-":             "CUSTOM__A_",
		"weiß":            "CUSTOM_WEI_", // upper case of ß is SS
		"ıſ":              "CUSTOM__",    // upper case of these is I and S
		"baremetal.large": "CUSTOM_BAREMETAL_LARGE",
	} {
		if got := placement.NormalizeClass(text); string(got) != want {
			t.Errorf("NormalizeClass(%q) = %s, want %s", text, got, want)
		}
		if got := placement.NormalizeTrait(text); string(got) != want {
			t.Errorf("NormalizeTrait(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestNamesLikeIt(t *testing.T) {
	t.Parallel()
	s := placement.Empty()
	for name, want := range map[placement.ResourceClass]string{
		"VCPUS":              ", did you mean VCPU or PCPU or VGPU?",
		"MEMORY":             ", did you mean MEMORY_MB?",
		"":                   "",
		"SOMETHING_ELSE_ALL": "",
	} {
		if got := s.ClassHint(name); got != want {
			t.Errorf("ClassHint(%q) = %q, want %q", name, got, want)
		}
	}
}

// Accelerators are the classes of devices that have one owner.
func TestAccelerators(t *testing.T) {
	t.Parallel()
	for class, want := range map[placement.ResourceClass]bool{
		placement.VGPU: true, placement.PGPU: true, placement.FPGA: true,
		"CUSTOM_PCI": true, "CUSTOM_PCI_8086_1572": true, "CUSTOM_PCIE": false,
		placement.VCPU: false, placement.PCIDevice: false, "VGPU_DISPLAY_HEAD": false, "CUSTOM_FPGA": false,
	} {
		if got := class.IsAccelerator(); got != want {
			t.Errorf("%s is an accelerator: %v, want %v", class, got, want)
		}
	}
}
