package pci_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

func address(t *testing.T, text string) pci.Address {
	t.Helper()
	a := must.Get(pci.ParseAddress(text))(t)
	return a
}

// functions returns the functions in the cases of TestDeviceSpecMatches: a physical one,
// a virtual one, the parent of that, and one of another vendor.
func functions(t *testing.T) []pci.Function {
	parent := address(t, "0000:0a:00.0")
	return []pci.Function{
		{Address: address(t, "0000:0a:00.1"), Vendor: "8086", Product: "37c8"},
		{Address: address(t, "0000:0a:02.0"), Vendor: "8086", Product: "37c9", Parent: &parent, ParentNets: []string{"enp10s0f0"}},
		{Address: parent, Vendor: "8086", Product: "37c8", Nets: []string{"enp10s0f0"}},
		{Address: address(t, "0000:af:1f.7"), Vendor: "10de", Product: "1eb8", Serial: "MT2113"},
	}
}

// A device spec picks what Nova's own nova/pci/whitelist.py picks of the same functions:
// what is wanted, except for devname and the serial number, are its answers.
func TestDeviceSpecMatches(t *testing.T) {
	t.Parallel()
	all := functions(t)
	for _, c := range []struct{ spec, want string }{
		{`{}`, "1111"},
		{`{"vendor_id":"8086"}`, "1110"},
		{`{"vendor_id":"*","product_id":"37C9"}`, "0100"},
		{`{"vendor_id":" 8086 ","product_id":"37c8"}`, "1010"},
		{`{"vendor_id":"0x10de"}`, "0001"},
		{`{"product_id":"1eb8 "}`, "0001"},
		{`{"vendor_id":"86"}`, "0000"},
		{`{"address":"0000:0a:00.0"}`, "0110"}, // a PF, and with it its VFs
		{`{"address":"0000:0a:00.1"}`, "1000"},
		{`{"address":"*:0a:00.*"}`, "1010"},
		{`{"address":"0A:00"}`, "1010"},
		{`{"address":":00."}`, "1010"},
		{`{"address":".7"}`, "0001"},
		{`{"address":""}`, "1111"},
		{`{"address":"0a:*.*"}`, "1110"},
		{`{"address":"*"}`, "1111"},
		{`{"address":"af:1f.7"}`, "0001"},
		{`{"address":{"domain":".*","bus":"0a","slot":"00","function":"[0-2]"}}`, "1010"},
		{`{"address":{"bus":"0"}}`, "1110"}, // matched from the start, and not to the end
		{`{"address":{}}`, "1111"},
		{`{"address":{"bus":"0A"}}`, "0000"},
		{`{"address":{"domain":"0000","bus":"0a","slot":"00","function":"0"}}`, "0110"},
		{`[{"vendor_id":"8086"},{"vendor_id":"10de"}]`, "1111"},
		{`[]`, "0000"},
		{`{"vendor_id":"8086","physical_network":"physnet1","trusted":"true"}`, "1110"},
		{`{"remote_managed":"true"}`, "0001"}, // the one that has a serial number
		{`{"devname":"enp10s0f0"}`, "0110"},
		{`{"devname":"eth7"}`, "0000"},
	} {
		specs, err := pci.ParseDeviceSpecs([]string{c.spec}, false)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		got := ""
		for _, f := range all {
			picked := "0"
			for _, s := range specs {
				if s.Matches(f) {
					picked = "1"
				}
			}
			got += picked
		}
		if got != c.want {
			t.Errorf("%s picks %s, want %s", c.spec, got, c.want)
		}
	}
}

// What Nova refuses is refused, and the error says what is wrong.
func TestDeviceSpecRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ spec, says string }{
		{`{"vendor_id":"12345"}`, `vendor_id "12345" is greater than FFFF`},
		{`{"vendor_id":"zzzz"}`, `vendor_id "zzzz" is not a hexadecimal number`},
		{`{"vendor_id":7}`, "vendor_id must be a string in quotes"},
		{`{"address":"0000:0a:00.8"}`, `function "8" is greater than 7`},
		{`{"address":"10000:0a:00.0"}`, `domain "10000" is greater than FFFF`},
		{`{"address":"0000:0a:20.0"}`, `slot "20" is greater than 1F`},
		{`{"address":"1:2:3:4.5"}`, "has more than a domain, a bus and a slot"},
		{`{"address":{"bus":"[0"}}`, `bus "[0" is not a regular expression`},
		{`{"address":{"device":"00"}}`, `"device" is not one of domain, bus, slot, function`},
		{`{"address":7}`, "address must be a glob such as *:0a:00.*"},
		{`{"address":"0a:00.0","devname":"eth0"}`, "has both devname and address"},
		{`7`, "must be a JSON object"},
		{`nonsense`, "must be a JSON object"},
		{`[7]`, "must be a JSON object"},
		{`null`, "must be a JSON object"},
		{`{"managed":"perhaps"}`, `managed: "perhaps" is not a boolean`},
		{`{"trusted":["yes"]}`, "trusted must be a string in quotes"},
		{`{"one_time_use":"yes"}`, "set report_in_placement"},
	} {
		_, err := pci.ParseDeviceSpecs([]string{c.spec}, false)
		if !errors.Is(err, placement.ErrInvalid) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.spec) {
			t.Errorf("%s: %v, want ErrInvalid with %q and the spec", c.spec, err, c.says)
		}
	}
}

func TestDeviceSpecTags(t *testing.T) {
	t.Parallel()
	specs, err := pci.ParseDeviceSpecs([]string{`{"vendor_id": "8086", "resource_class": "my qat", "traits": "hw_numa_root, fast",
		"managed": "No", "one_time_use": true, "live_migratable": "ON", "physical_network": "net1"}`}, true)
	must.Succeed(t, err)
	s := specs[0]
	want := map[string]string{
		"resource_class": "my qat", "traits": "hw_numa_root, fast", "managed": "false", "one_time_use": "true", "live_migratable": "true", "physical_network": "net1",
	}
	if !maps.Equal(s.Tags, want) {
		t.Errorf("tags:\n%s", cmp.Diff(want, s.Tags))
	}
	class, err := s.Class(functions(t)[0])
	if err != nil || class != "CUSTOM_MY_QAT" {
		t.Errorf("class %s, %v", class, err)
	}
	traits, err := s.Traits()
	if err != nil || !cmp.Equal(traits, []placement.Trait{"CUSTOM_FAST", "HW_NUMA_ROOT", "HW_PCI_LIVE_MIGRATABLE", "HW_PCI_ONE_TIME_USE"}) {
		t.Errorf("traits %v, %v", traits, err)
	}
	if class, err := (pci.DeviceSpec{}).Class(functions(t)[3]); err != nil || class != "CUSTOM_PCI_10DE_1EB8" {
		t.Errorf("class of the ids %s, %v", class, err)
	}
}

func FuzzParseDeviceSpecs(f *testing.F) {
	for _, s := range []string{
		`{}`, `[{"vendor_id":"8086","address":"*:0a:00.*"}]`, `{"address":{"bus":"0[ab]"},"traits":"A,b"}`, `{"one_time_use":"yes"}`, `{"resource_class":"ß"}`, `[null]`, `{"address":".."}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		specs, err := pci.ParseDeviceSpecs([]string{text}, true)
		if err != nil && !errors.Is(err, placement.ErrInvalid) {
			t.Fatalf("%q: %v, want ErrInvalid", text, err)
		}
		for _, s := range specs {
			s.Matches(pci.Function{Vendor: "8086", Product: "37c8"})
			if _, err := s.Class(pci.Function{Vendor: "8086", Product: "37c8"}); err != nil {
				t.Fatalf("%q was taken, and has no class: %v", text, err)
			}
			if _, err := s.Traits(); err != nil {
				t.Fatalf("%q was taken, and has no traits: %v", text, err)
			}
			_ = s.String()
		}
	})
}
