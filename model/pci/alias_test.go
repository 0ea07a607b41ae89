package pci_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// The expected results are those of Nova's own nova/pci/request.py for the same texts.
func TestParseAliases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		texts []string
		want  []pci.Alias
	}{
		{nil, nil},
		{
			[]string{`{"name":"qat","vendor_id":"8086","product_id":"37C8"}`},
			[]pci.Alias{{Name: "qat", NUMAPolicy: "legacy", Specs: []pci.Spec{{"vendor_id": "8086", "product_id": "37C8"}}}},
		},
		{
			[]string{`{"name":" qat ","vendor_id":"8086","product_id":"37c8","device_type":"type-VF","numa_policy":"preferred"}`},
			[]pci.Alias{{Name: "qat", NUMAPolicy: "preferred", Specs: []pci.Spec{{"vendor_id": "8086", "product_id": "37c8", "dev_type": "type-VF"}}}},
		},
		{[]string{`{"name":"a","numa_policy":"socket","capability_type":"pci"}`}, []pci.Alias{{Name: "a", NUMAPolicy: "socket", Specs: []pci.Spec{{}}}}},
		{
			[]string{`{"name":"a","product_id":"0001","device_type":"type-PF"}`, `{"name":"a","product_id":"0002","device_type":"type-PF"}`},
			[]pci.Alias{{Name: "a", NUMAPolicy: "legacy", Specs: []pci.Spec{{"product_id": "0001", "dev_type": "type-PF"}, {"product_id": "0002", "dev_type": "type-PF"}}}},
		},
		{
			[]string{`{"name":"b","resource_class":"fast","traits":"a,b","live_migratable":"Yes"}`, `{"name":"a"}`},
			[]pci.Alias{
				{Name: "a", NUMAPolicy: "legacy", Specs: []pci.Spec{{}}},
				{Name: "b", NUMAPolicy: "legacy", Specs: []pci.Spec{{"resource_class": "fast", "traits": "a,b", "live_migratable": "true"}}},
			},
		},
	} {
		got, err := pci.ParseAliases(c.texts)
		if err != nil || !cmp.Equal(got, c.want) {
			t.Errorf("%s: %v\n%s", c.texts, err, cmp.Diff(c.want, got))
		}
	}
}

func TestParseAliasesRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		texts []string
		says  string
	}{
		{[]string{`{"vendor_id":"8086","product_id":"37c8"}`}, "needs a name"},
		{[]string{`{"name":""}`}, "needs a name"},
		{[]string{`{"name":"` + strings.Repeat("x", 257) + `"}`}, "needs a name of 1 to 256 characters"},
		{[]string{`{"name":"a","vendor_id":"086"}`}, "vendor_id must be four hexadecimal digits"},
		{[]string{`{"name":"a","product_id":"zzzz"}`}, "product_id must be four hexadecimal digits"},
		{[]string{`{"name":"a","device_type":"vdpa"}`}, "device_type must be one of type-PCI, type-PF, type-VF"},
		{[]string{`{"name":"a","numa_policy":"strict"}`}, "numa_policy must be one of required, legacy, preferred, socket"},
		{[]string{`{"name":"a","colour":"red"}`}, `"colour" is not one of`},
		{[]string{`{"name":7}`}, "name must be a string in quotes"},
		{[]string{`{"name":"a","vendor_id":8086}`}, "vendor_id must be a string in quotes"},
		{[]string{`[{"name":"a"}]`}, "must be a JSON object"},
		{[]string{`x`}, "must be a JSON object"},
		{[]string{`null`}, "must be a JSON object"},
		{[]string{`{"name":"a","capability_type":"usb"}`}, "capability_type must be one of pci"},
		{[]string{`{"name":"a","live_migratable":"perhaps"}`}, `"perhaps" is not a boolean`},
		{[]string{`{"name":"a","product_id":"0001"}`, `{"name":"a","product_id":"0002"}`}, "must have the same device_type"},
		{[]string{`{"name":"a","device_type":"type-PF"}`, `{"name":"a","device_type":"type-VF"}`}, "must have the same device_type"},
		{[]string{`{"name":"a","device_type":"type-PF"}`, `{"name":"a"}`}, "must have the same device_type"},
		{[]string{`{"name":"a","numa_policy":"required","device_type":"type-PF"}`, `{"name":"a","device_type":"type-PF"}`}, "another alias a has numa_policy required"},
	} {
		if _, err := pci.ParseAliases(c.texts); !errors.Is(err, placement.ErrInvalid) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want ErrInvalid with %q", c.texts, err, c.says)
		}
	}
}

// Source: nova/pci/request.py, _validate_aliases of release 2025.1.
func TestCheckAliases(t *testing.T) {
	t.Parallel()
	ids, class := pci.Spec{"vendor_id": "8086", "product_id": "37c8"}, pci.Spec{"resource_class": "qat"}
	for _, c := range []struct {
		why         string
		specs       []pci.Spec
		inPlacement bool
		says        string // "" for nothing
	}{
		{"ids, by pools", []pci.Spec{ids}, false, ""},
		{"ids, in Placement", []pci.Spec{ids}, true, ""},
		{"a class, by pools", []pci.Spec{class}, false, "needs vendor_id and product_id"},
		{"a class, in Placement", []pci.Spec{class}, true, ""},
		{"one id, in Placement", []pci.Spec{{"vendor_id": "8086"}}, true, "or a resource_class"},
		{"two, by pools", []pci.Spec{ids, ids}, false, ""},
		{"two, in Placement", []pci.Spec{ids, ids}, true, "give several device_spec the same resource_class instead"},
	} {
		err := pci.CheckAliases([]pci.Alias{{Name: "a", Specs: c.specs}}, c.inPlacement)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.why, err, c.says)
		}
	}
}
