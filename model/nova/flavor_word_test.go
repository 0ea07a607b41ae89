package nova_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/placetop/placetop/model/nova"
)

// What upstream's validators refuse is refused when a flavor is made, with the wrong
// word; what they accept but was probably not meant is a warning.
func TestFlavorWords(t *testing.T) {
	t.Parallel()
	aliases := ledger(t, &nova.Config{PCIAliases: []string{`{"name": "gpu", "vendor_id": "10de", "product_id": "1eb8"}`}})
	for _, tt := range []struct {
		spec, word string
		refused    bool
	}{
		{"resources:=1", "resources:", true},
		{"trait:=required", "trait:", true},
		{"accel:device_profile=", "accel:device_profile", true},
		{"resources:VCPUS=1", "VCPUS", true},
		{"resource:VGPU=1", "resource", false},
		{"trait$1:CUSTOM_A=required", "trait$1", false},
		{"resources$1:VGPU=1", "resources$1", false},
		{"pci_passthrough:alias=gpu:1", "gpu:1", false},
		{"quota:cpu_shares=1", "", false},
		{"accel:device_profile=dp", "", false},
	} {
		f := flavor("m1", tt.spec)
		err := nova.Empty().Allows(nova.CreateFlavor{Flavor: f})
		wrong, word := (*nova.ExtraSpecError)(nil), ""
		if errors.As(err, &wrong) {
			word = wrong.Word
		}
		for _, w := range aliases.Remarks(f) {
			word = w.Word
		}
		if (err != nil) != tt.refused || word != tt.word {
			t.Errorf("%s: error %v, word %q, want %q", tt.spec, err, word, tt.word)
		}
		if tt.word == "" || tt.spec == "accel:device_profile=" {
			continue
		}
		// A request for an existing flavor has the warning too.
		if r := ask(t, aliases, nova.RequestSpec{Flavor: f}, nova.AskOptions{}); len(r.Warnings) == 0 || r.Warnings[0].Word != tt.word {
			t.Errorf("%s: asked with warnings %q", tt.spec, r.Warnings)
		}
	}
	nothing := flavor("m1", "resources:VCPU=0", "resources:MEMORY_MB=0", "resources:DISK_GB=0")
	if got := nova.Empty().Remarks(nothing); len(got) != 1 {
		t.Errorf("a flavor that asks for nothing: %q", got)
	}
}

// When a flavor with PCI devices is made, warnings say what the settings lack for them,
// if anything.
func TestFlavorOfAlias(t *testing.T) {
	t.Parallel()
	const alias = `{"name": "gpu", "vendor_id": "10de", "product_id": "1eb8"}`
	for name, tt := range map[string]struct {
		config nova.Config
		want   string
	}{
		"undefined":     {nova.Config{}, "No instance can be booted with it: PCI alias gpu is not defined: define it as .pci.alias in nova.conf does: .*vendor_id.*"},
		"of the hosts":  {nova.Config{PCIAliases: []string{alias}}, "PCI devices of 'gpu:1' are not requested from Placement: .* Set [[]filter_scheduler]pci_in_placement to request them."},
		"in Placement":  {nova.Config{PCIAliases: []string{alias}, PCIInPlacement: true}, ""},
		"undefined too": {nova.Config{PCIInPlacement: true}, "No instance can be booted with it: PCI alias gpu is not defined: .*"},
	} {
		told := ledger(t, &tt.config).Remarks(flavor("m1", "pci_passthrough:alias=gpu:1"))
		switch {
		case tt.want == "" && len(told) > 0, tt.want != "" && len(told) != 1:
			t.Errorf("%s: %q", name, told)
		case tt.want != "" && !regexp.MustCompile("^"+tt.want+"$").MatchString(told[0].Text):
			t.Errorf("%s: %q, want %s", name, told[0].Text, tt.want)
		}
	}
}
