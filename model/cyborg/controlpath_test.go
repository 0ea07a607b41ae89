package cyborg_test

import (
	"testing"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/pci"
)

func TestWordsForDevices(t *testing.T) {
	t.Parallel()
	w := newSite(t, "compute1")
	w.report(cyborg.Card{Address: pci.Address{Domain: 1, Bus: 0x84, Function: 3}, Type: cyborg.FPGA, Vendor: "8086"})
	for d := range w.y.Devices() {
		must.Be(t, w.y.AddressOf(d.UUID), "0001:84:00.3")
		for path := range w.y.ControlPathsOf(d.UUID) {
			for _, info := range []string{"", "{}", "[1]", `{"bus":7}`} {
				if at := (&cyborg.ControlPath{UUID: path.UUID, Info: info}).Address(); at != "" {
					t.Errorf("address in %q is %q", info, at)
				}
			}
		}
	}
	for name, want := range map[string]string{
		`{"asked_type":"nvidia-222","bus":"84","device":"00","domain":"0000","function":"0","vgpu_mark":"nvidia-222_3"}`: "nvidia-222_3",
		`{"bus":"84","device":"00","domain":"0000","function":"1"}`:                                                      "0000:84:00.1",
		`{"bus":7`: "",
	} {
		if got := (&cyborg.AttachHandle{Info: name}).Unit(); got != want {
			t.Errorf("%s is unit %q, want %q", name, got, want)
		}
	}
	if at := w.y.AddressOf(id("nobody")); at != "" {
		t.Errorf("a device that is not there is at %q", at)
	}
}
