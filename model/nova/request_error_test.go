package nova_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// What has no effect is a warning in Nova's words, with the wrong word.
func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key, value string
		word, want string
	}{
		{"resources:VGPUS", "1", "VGPUS", "Received an invalid ResourceClass 'VGPUS' in extra_specs."},
		{"resources1:VGPU", "one", "one", "Resource amounts must be nonnegative integers. Received 'one' for key 'resources1:VGPU'."},
		{"resources:VGPU", "-1", "-1", "Resource amounts must be nonnegative integers. Received '-1' for key 'resources:VGPU'."},
		{"resources:VGPU", "-99999999999999999999", "-99999999999999999999", "Resource amounts must be nonnegative integers. Received '-99999999999999999999' for key 'resources:VGPU'."},
		{"trait:CUSTOM_A", "wanted", "wanted", "Only (required, forbidden) traits are supported. Received 'wanted' for key 'trait:CUSTOM_A'."},
		{"group_policy", "any", "any", "Invalid group_policy 'any'. Valid values are 'none' and 'isolate'."},
	} {
		t.Run(tt.key+"="+tt.value, func(t *testing.T) {
			t.Parallel()
			r := ask(t, upgraded(t), nova.RequestSpec{Flavor: flavor("m1", tt.key+"="+tt.value)}, nova.AskOptions{})
			must.Match(t, []nova.Warning{{Key: tt.key, Value: tt.value, Word: tt.word, Text: tt.want}}, r.Warnings)
			if plain := ask(t, upgraded(t), nova.RequestSpec{Flavor: flavor("m1")}, nova.AskOptions{}); plain.Query.URL() != r.Query.URL() {
				t.Errorf("it has an effect: %s", r.Query.URL())
			}
		})
	}
}

// A flavor that asks one card for several virtual GPUs is accepted with a warning, in
// whichever group, as Nova wants a group for each.
func TestSeveralVirtualGPUs(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"resources:VGPU", "resources1:VGPU", "resources_A:VGPU"} {
		r := ask(t, upgraded(t), nova.RequestSpec{Flavor: flavor("m1", key+"=2")}, nova.AskOptions{})
		must.Match(t, []nova.Warning{{
			Key: key, Value: "2", Word: "2", Accepted: true,
			Text: key + "=2 asks one card for 2 virtual GPUs: Nova wants a group for each, such as resources1:VGPU=1 and resources2:VGPU=1 with group_policy=none or isolate.",
		}}, r.Warnings)
	}
	one := ask(t, upgraded(t), nova.RequestSpec{Flavor: flavor("m1", "resources1:VGPU=1", "resources2:VGPU=1", "group_policy=none")}, nova.AskOptions{})
	must.Be(t, len(one.Warnings), 0)
}

// An error about what Placement would refuse names the extra spec, and the word in it.
func TestExtraSpecErrors(t *testing.T) {
	t.Parallel()
	p := modeltest.Apply(t, placement.Empty(), placement.CreateTrait{Name: "CUSTOM_GPU"}, placement.CreateClass{Name: "CUSTOM_FPGA"})
	for _, tt := range []struct {
		name      string
		specs     []string
		key, word string
		why       string
	}{
		{"a class that is not there", []string{"resources:CUSTOM_FPGB=1"}, "resources:CUSTOM_FPGB", "CUSTOM_FPGB", "did you mean CUSTOM_FPGA"},
		{"a class that is none", []string{"resources1:CUSTOM_fpga=1"}, "resources1:CUSTOM_fpga", "CUSTOM_fpga", "only A-Z"},
		{"a trait that is not there", []string{"resources1:VGPU=1", "trait1:CUSTOM_GPX=required"}, "trait1:CUSTOM_GPX", "CUSTOM_GPX", "did you mean CUSTOM_GPU"},
		{"a forbidden trait that is not there", []string{"trait:NO_SUCH=forbidden"}, "trait:NO_SUCH", "NO_SUCH", "no such trait"},
		{"an amount beyond all", []string{"resources:VGPU=2147483648"}, "resources:VGPU", "2147483648", "at most 2147483647"},
		{"an amount beyond all numbers", []string{"resources:VGPU=99999999999999999999"}, "resources:VGPU", "99999999999999999999", "at most 2147483647"},
		{"a group without resources", []string{"traits:CUSTOM_GPU=required"}, "traits:CUSTOM_GPU", "CUSTOM_GPU", "group s asks for no resources"},
		{"groups that nobody says may meet", []string{"resources1:VGPU=1", "resources2:VGPU=1"}, "group_policy", "", "must be none or isolate, as the flavor has groups 1, 2"},
		{"a device profile without groups", []string{"accel:device_profile=dp"}, "accel:device_profile", "dp", "no request groups"},
		{"a CPU policy that is none", []string{"hw:cpu_policy=pinned"}, "hw:cpu_policy", "pinned", "shared, dedicated or mixed"},
		{"a thread policy that is none", []string{"hw:cpu_policy=dedicated", "hw:cpu_thread_policy=x"}, "hw:cpu_thread_policy", "x", "prefer"},
		{"mixed CPUs without mask", []string{"hw:cpu_policy=mixed"}, "hw:cpu_policy", "mixed", "needs hw:cpu_dedicated_mask"},
		{"a mask that is none", []string{"hw:cpu_policy=mixed", "hw:cpu_dedicated_mask=0,x-1"}, "hw:cpu_dedicated_mask", "x-1", "must be a CPU, a range"},
		{"a mask of all", []string{"hw:cpu_policy=mixed", "hw:cpu_dedicated_mask=0-1"}, "hw:cpu_dedicated_mask", "0-1", "not all"},
		{"a mask beyond the flavor", []string{"hw:cpu_policy=mixed", "hw:cpu_dedicated_mask=1-4"}, "hw:cpu_dedicated_mask", "1-4", "its last one is 1"},
		{"the other owner's trait", []string{"trait:OWNER_CYBORG=required"}, "trait:OWNER_CYBORG", "OWNER_CYBORG", "requires what pre-filter owner_nova_filter forbids"},
		{"not the owner's trait", []string{"trait:OWNER_NOVA=forbidden"}, "trait:OWNER_NOVA", "OWNER_NOVA", "forbids what pre-filter owner_nova_filter requires"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := upgraded(t).Ask(nova.RequestSpec{Flavor: flavor("m1", tt.specs...)}, nova.AskOptions{Placement: p})
			var e *nova.ExtraSpecError
			if !errors.As(err, &e) || !errors.Is(err, placement.ErrInvalid) {
				t.Fatalf("error %v", err)
			}
			if e.Key != tt.key || e.Word != tt.word || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("error %q about %q of %q, want %q about %q of %q", err, e.Word, e.Key, tt.why, tt.word, tt.key)
			}
			if !strings.Contains(e.Key+"="+e.Value, e.Word) {
				t.Errorf("%q does not stand in %s=%s", e.Word, e.Key, e.Value)
			}
		})
	}
}

func TestRequestErrors(t *testing.T) {
	t.Parallel()
	large := flavor("m1")
	large.RootGB, large.EphemeralGB = placement.MaxInt, 1
	for name, tt := range map[string]struct {
		spec nova.RequestSpec
		want error
		text string
	}{
		"no flavor":                  {nova.RequestSpec{}, placement.ErrInvalid, "needs a flavor"},
		"a flavor that is none":      {nova.RequestSpec{Flavor: &nova.Flavor{Name: "m1"}}, placement.ErrInvalid, "vcpus"},
		"more disk than can be":      {nova.RequestSpec{Flavor: large}, placement.ErrInvalid, "root_gb + ephemeral_gb"},
		"an image trait that is not": {nova.RequestSpec{Flavor: flavor("m1"), ImageTraits: []placement.Trait{"CUSTOM_X"}}, placement.ErrInvalid, "image trait:CUSTOM_X=required"},
		"a host that is not":         {nova.RequestSpec{Flavor: flavor("m1"), Host: "compute9"}, placement.ErrNotFound, "compute9"},
		"a group without suffix":     {nova.RequestSpec{Flavor: flavor("m1"), Ports: []candidates.Group{group("", placement.VGPU, 1)}}, placement.ErrInvalid, "port"},
		"a suffix twice": {
			nova.RequestSpec{Flavor: flavor("m1", "resources1:VGPU=1"), Devices: []candidates.Group{group("1", placement.VGPU, 1)}}, placement.ErrInvalid, "device profile",
		},
		"a class that Cyborg's group has wrong": {nova.RequestSpec{Flavor: flavor("m1"), Devices: []candidates.Group{group("x", "CUSTOM_NO", 1)}}, placement.ErrInvalid, "CUSTOM_NO"},
		"nothing at all":                        {nova.RequestSpec{Flavor: flavor("m1", "resources:VCPU=0", "resources:MEMORY_MB=0", "resources:DISK_GB=0")}, placement.ErrInvalid, "at least one resources"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := upgraded(t).Ask(tt.spec, nova.AskOptions{Placement: placement.Empty()})
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want %v about %q", err, tt.want, tt.text)
			}
		})
	}
}
