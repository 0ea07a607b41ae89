package nova_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

const (
	aliasQAT = `{"name": "qat", "vendor_id": "8086", "product_id": "37c8"}`
	aliasGPU = `{"name": "gpu", "resource_class": "my gpu", "traits": "hw_numa_root, fast", "live_migratable": "yes", "vendor_id": "10de", "product_id": "1eb8", "numa_policy": "preferred"}`
	aliasOld = `{"name": "old", "vendor_id": "8086", "product_id": "37c8", "live_migratable": "no"}`
)

// pciTerms returns the terms of the groups of PCI requests, with the number of the
// request in place of its uuid.
func pciTerms(r nova.Request) []string {
	var out []string
	for _, g := range r.Query.Groups {
		for n, request := range r.PCI {
			turn, ok := strings.CutPrefix(g.Suffix, request.ID.String()+"-")
			if !ok {
				continue
			}
			text := request.Alias + "/" + string(rune('0'+n)) + "-" + turn
			for _, res := range g.Resources {
				text += " " + string(res.Class)
			}
			for _, t := range g.Required {
				text += " " + string(t.Names[0])
			}
			for _, t := range g.Forbidden {
				text += " !" + string(t.Name)
			}
			out = append(out, text)
		}
	}
	return out
}

// If Placement is asked, each device has its own group.
//
// Source: nova/objects/request_spec.py, generate_request_groups_from_pci_requests;
// nova/tests/functional/libvirt/test_pci_in_placement.py.
func TestPCIRequestGroups(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		why, value  string
		inPlacement bool
		want        []string
	}{
		{"by the records of hosts", "qat:1", false, nil},
		{"one", "qat:1", true, []string{"qat/0-0 CUSTOM_PCI_8086_37C8"}},
		{"two of one", "qat:2", true, []string{"qat/0-0 CUSTOM_PCI_8086_37C8", "qat/0-1 CUSTOM_PCI_8086_37C8"}},
		{
			"of two aliases, one by its class", "qat:1, gpu:1", true,
			[]string{"qat/0-0 CUSTOM_PCI_8086_37C8", "gpu/1-0 CUSTOM_MY_GPU CUSTOM_FAST HW_NUMA_ROOT HW_PCI_LIVE_MIGRATABLE"},
		},
		{"one alias twice", "qat:1,qat:1", true, []string{"qat/0-0 CUSTOM_PCI_8086_37C8", "qat/1-0 CUSTOM_PCI_8086_37C8"}},
		{"that must not migrate", "old:1", true, []string{"old/0-0 CUSTOM_PCI_8086_37C8 !HW_PCI_LIVE_MIGRATABLE"}},
		{"none", "qat:0", true, nil},
	} {
		s := ledger(t, &nova.Config{PCIAliases: []string{aliasQAT, aliasGPU, aliasOld}, PCIInPlacement: tt.inPlacement})
		i := &nova.Instance{UUID: modeltest.ConsumerID("i")}
		r := ask(t, s, i.RequestSpec(flavor("f", "pci_passthrough:alias="+tt.value)), nova.AskOptions{})
		if got := pciTerms(r); !cmp.Equal(got, tt.want) {
			t.Errorf("%s: %s", tt.why, cmp.Diff(tt.want, got))
		}
		asked := strings.Contains(r.Query.URL(), "group_policy=none")
		if want := len(tt.want) > 1; asked != want {
			t.Errorf("%s: group_policy=none asked is %v, want %v", tt.why, asked, want)
		}
		other := !tt.inPlacement
		if again := ask(t, s, i.RequestSpec(flavor("f", "pci_passthrough:alias="+tt.value)), nova.AskOptions{PCIInPlacement: &other}); len(pciTerms(again)) > 0 == tt.inPlacement {
			t.Errorf("%s: AskOptions.PCIInPlacement has no effect", tt.why)
		}
	}
}

// Both forms of the owner filter keep PCI groups on Nova's providers; the merged one
// leaves the flavor's own groups alone.
//
// Source: nova/scheduler/request_filter.py, owner_nova_filter.
func TestOwnerOfPCIGroups(t *testing.T) {
	t.Parallel()
	for form, want := range map[nova.OwnerFilter][]string{
		nova.OwnerOnRoot:   {"required<pci>=OWNER_NOVA", "root_required=OWNER_NOVA"},
		nova.OwnerOnGroups: {"required1=OWNER_NOVA", "required<pci>=OWNER_NOVA", "required=!OWNER_CYBORG", "required=OWNER_NOVA", "root_required=OWNER_NOVA"},
		nova.OwnerOff:      {},
	} {
		s := upgraded(t, &nova.Config{OwnerFilter: form, PCIAliases: []string{aliasQAT}, PCIInPlacement: true})
		r := ask(t, s, nova.RequestSpec{Flavor: flavor("f", "pci_passthrough:alias=qat:1", "resources1:VGPU=1")}, nova.AskOptions{})
		got := strings.Fields(strings.ReplaceAll(terms(r, nova.FilterOwner), r.PCI[0].Suffix(0), "<pci>"))
		slices.Sort(got)
		if !cmp.Equal(got, want) {
			t.Errorf("form %q: %s", form, cmp.Diff(want, got))
		}
	}
}

// An instance keeps the requests that it was booted with, with their ids; for another
// flavor it gets new ones.
func TestPCIRequestsAreKept(t *testing.T) {
	t.Parallel()
	f := flavor("f", "pci_passthrough:alias=qat:1")
	i := &nova.Instance{UUID: modeltest.ConsumerID("i"), Flavor: "f"}
	first, err := ledger(t, &nova.Config{PCIAliases: []string{aliasQAT}}).PCIRequests(i, f)
	if err != nil || len(first) != 1 || first[0].String() != "qat:1" {
		t.Fatalf("%v, %v", first, err)
	}
	i.PCIRequests = first
	later := ledger(t, &nova.Config{PCIAliases: []string{strings.Replace(aliasQAT, "37c8", "4940", 1)}})
	if kept, err := later.PCIRequests(i, f); err != nil || !cmp.Equal(kept, first) {
		t.Errorf("of its own flavor it has %v, %v, want %v", kept, err, first)
	}
	other, err := later.PCIRequests(i, flavor("g", "pci_passthrough:alias=qat:1"))
	if err != nil || other[0].Specs[0]["product_id"] != "4940" || other[0].ID == first[0].ID {
		t.Errorf("of another flavor it gets %v, %v", other, err)
	}
	if none, err := later.PCIRequests(i, flavor("h")); err != nil || len(none) > 0 {
		t.Errorf("of a flavor without alias it gets %v, %v", none, err)
	}
}

func TestPCIAliasFaults(t *testing.T) {
	t.Parallel()
	s := ledger(t, &nova.Config{PCIAliases: []string{aliasQAT}})
	for _, tt := range []struct {
		value, word, says string
		made              bool // whether such a flavor may be made
	}{
		{"gpu:1", "gpu", "PCI alias gpu is not defined", true},
		{"qat", "qat", "like qat:1", false},
		{"qat:", "qat:", "like qat:1", false},
		{"qat:x", "qat:x", "like qat:1", false},
		{"qat:1,", "qat:1,", "like qat:1", false},
		{":1", ":1", "like qat:1", false},
		{"qat:-1", "qat:-1", "like qat:1", false},
		{"qat:1:2", "qat:1:2", "like qat:1", false},
		{"qat:99999999999999999999", "qat:99999999999999999999", "more than 4096 devices", false},
	} {
		f := flavor("f", "pci_passthrough:alias="+tt.value)
		if err := f.CheckExtraSpecs(nil); (err == nil) != tt.made {
			t.Errorf("%s: a flavor is made with error %v, want %v", tt.value, err, tt.made)
		}
		_, err := s.Ask(nova.RequestSpec{Flavor: f}, nova.AskOptions{})
		wrong := (*nova.ExtraSpecError)(nil)
		if !errors.As(err, &wrong) || wrong.Word != tt.word || !strings.Contains(wrong.Why, tt.says) {
			t.Errorf("%s: %v, want %q about %s", tt.value, err, tt.says, tt.word)
		}
	}
	for _, c := range []*nova.Config{
		{PCIAliases: []string{`{"name": "a"}`}},
		{PCIAliases: []string{`nonsense`}},
		{PCIInPlacement: true, PCIAliases: []string{
			`{"name": "a", "vendor_id": "8086", "product_id": "0001", "device_type": "type-PF"}`, `{"name": "a", "vendor_id": "8086", "product_id": "0002", "device_type": "type-PF"}`,
		}},
	} {
		if err := c.Validate(); !errors.Is(err, placement.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", c.PCIAliases, err)
		}
	}
}
