package cyborg_test

import (
	"testing"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/pci"
)

func TestAddressOfDevice(t *testing.T) {
	t.Parallel()
	w := newSite(t, "compute1")
	w.report(cyborg.Card{Address: pci.Address{Domain: 1, Bus: 0x84, Function: 3}, Type: cyborg.FPGA, Vendor: "8086"})
	for d := range w.y.Devices() {
		if at := w.y.AddressOf(d.UUID); at != "0001:84:00.3" {
			t.Errorf("address is %q", at)
		}
		for path := range w.y.ControlPathsOf(d.UUID) {
			for _, info := range []string{"", "{}", "[1]", `{"bus":7}`} {
				if at := (&cyborg.ControlPath{UUID: path.UUID, Info: info}).Address(); at != "" {
					t.Errorf("address in %q is %q", info, at)
				}
			}
		}
	}
	if at := w.y.AddressOf(id("nobody")); at != "" {
		t.Errorf("a device that is not there is at %q", at)
	}
}
