package cyborg_test

import (
	"testing"

	"github.com/placetop/placetop/model/cyborg"
)

func TestPCIAddress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, want string }{
		{"host_pci_0000_84_00_0", "0000:84:00.0"},
		{"host_0000:AF:00.0", "0000:af:00.0"},
		{"host_0000:af:00.0", "0000:af:00.0"},
		{"host_10000:01:1f.7", "10000:01:1f.7"},
		{"host_pci_0000_84_00_", ""},
		{"host_pci_0000_84_00_0_1", ""},
		{"host_0000:84:00", ""},
		{"host_0000:84:0g.0", ""},
		{"host_000:84:00.0", ""},
		{"host_123456789:84:00.0", ""},
		{"host_pci_0000:84:00.0", ""},
		{"host_0000_84_00_0", ""},
		{"host", ""},
		{"host_", ""},
		{"host_numa0", ""},
		{"other_0000:84:00.0", ""},
		{"0000:84:00.0", ""},
	} {
		got, ok := cyborg.PCIAddress("host", tc.name)
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("PCIAddress(%q) = %q, %t, want %q", tc.name, got, ok, tc.want)
		}
	}
}

func FuzzPCIAddress(f *testing.F) {
	for _, s := range []string{"h_pci_0000_84_00_0", "h_0000:AF:00.0", "h_0000:af:00.0", "h_", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		a, ok := cyborg.PCIAddress("h", name)
		if !ok {
			return
		}
		if again, ok := cyborg.PCIAddress("h", "h_"+a); !ok || again != a {
			t.Errorf("PCIAddress(%q) = %q, which reads as %q", name, a, again)
		}
	})
}
