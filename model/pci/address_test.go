package pci_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

func TestAddressForms(t *testing.T) {
	t.Parallel()
	a := pci.Address{Bus: 0xaf, Device: 0x1f, Function: 3}
	for _, c := range []struct{ form, got, want string }{
		{"String", a.String(), "0000:af:1f.3"},
		{"Upper", a.Upper(), "0000:AF:1F.3"},
		{"NodeDevice", a.NodeDevice(), "pci_0000_af_1f_3"},
	} {
		if c.got != c.want {
			t.Errorf("%s = %q, want %q", c.form, c.got, c.want)
		}
	}
	for _, bad := range []string{"", "pci_", "0000_84_00_0", "pci_0000_84_00", "pci_0000_84_00_0_1", "pci_0000:84:00.0"} {
		if a, err := pci.ParseNodeDevice(bad); !errors.Is(err, placement.ErrInvalid) {
			t.Errorf("ParseNodeDevice(%q) = %v, %v, want ErrInvalid", bad, a, err)
		}
	}
}

func drawAddress(t *rapid.T) pci.Address {
	return pci.Address{
		Domain:   rapid.Uint32().Draw(t, "domain"),
		Bus:      rapid.Uint8().Draw(t, "bus"),
		Device:   rapid.Uint8Range(0, 31).Draw(t, "device"),
		Function: rapid.Uint8Range(0, 7).Draw(t, "function"),
	}
}

// Every form of an address reads back as the same address, and addresses sort as their
// canonical forms do if these have the same length.
func TestAddressRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawAddress(t)
		for _, text := range []string{a.String(), a.Upper()} {
			var got pci.Address
			if err := got.UnmarshalText([]byte(text)); err != nil || got != a {
				t.Fatalf("%q reads back as %v, %v, want %v", text, got, err, a)
			}
		}
		if got, err := pci.ParseNodeDevice(a.NodeDevice()); err != nil || got != a {
			t.Fatalf("ParseNodeDevice(%q) = %v, %v, want %v", a.NodeDevice(), got, err, a)
		}
		b := drawAddress(t)
		if sa, sb := a.String(), b.String(); len(sa) == len(sb) && a.Compare(b) != strings.Compare(sa, sb) {
			t.Fatalf("Compare(%v, %v) = %d", a, b, a.Compare(b))
		}
	})
}

func TestOfProvider(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why, name string
		want      string // "" if it is not one
		libvirt   bool
	}{
		{"Nova's pGPU", "cmp1_pci_0000_84_00_0", "0000:84:00.0", true},
		{"Nova's passed-through device", "cmp1_0000:AF:00.0", "0000:af:00.0", false},
		{"Cyborg's device", "cmp1_0000:af:00.0", "0000:af:00.0", false},
		{"Cyborg's, where its host is not the hypervisor's full name", "cmp1.example_0000:af:00.0", "0000:af:00.0", false},
		{"older Cyborg's", "GP100GL [Tesla P100]_0000:84:00.0", "0000:84:00.0", false},
		{"a domain behind Intel VMD", "cmp1_10000:84:00.0", "10000:84:00.0", false},
		{"libvirt's of such a domain, in upper case", "cmp1_pci_10000_AF_00_0", "10000:af:00.0", true},
		{"an address alone", "0000:84:00.0", "0000:84:00.0", false},
		{"libvirt's alone", "pci_0000_84_00_0", "0000:84:00.0", true},
		{"a word before it", "cmpx0000:84:00.0", "", false},
		{"a domain that is too long", "cmp1_123456789:84:00.0", "", false},
		{"a function that no device has", "cmp1_0000:84:00.8", "", false},
		{"something after it", "cmp1_0000:84:00.0_0", "", false},
		{"numbers", "cmp1_0000_84_00_0", "", false},
		{"nothing", "", "", false},
		{"a NUMA node", "cmp1_numa0", "", false},
		{"Neutron's agent", "cmp1:NIC Switch agent", "", false},
		{"the root itself", "cmp1", "", false},
	} {
		a, libvirt, ok := pci.OfProvider(c.name)
		if ok != (c.want != "") || libvirt != c.libvirt || ok && a.String() != c.want {
			t.Errorf("%s: OfProvider(%q) = %v, %v, %v, want %q, %v", c.why, c.name, a, libvirt, ok, c.want, c.libvirt)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"0000:84:00.0", "10000:AF:1f.7", "pci_0000_84_00_0", "::.", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if a, err := pci.ParseAddress(text); err == nil {
			if back, err := pci.ParseAddress(a.String()); err != nil || back != a || len(a.String()) > len(text) {
				t.Fatalf("%q is %v, reads back as %v, %v", text, a, back, err)
			}
		}
		if a, err := pci.ParseNodeDevice(text); err == nil {
			if back, err := pci.ParseNodeDevice(a.NodeDevice()); err != nil || back != a {
				t.Fatalf("%q is %v, reads back as %v, %v", text, a, back, err)
			}
		}
	})
}
