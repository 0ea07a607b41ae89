package form_test

import (
	"testing"

	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen/flavors"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestExtraSpecsAgainstEachOther checks that conflicts between extra specs are shown at
// the line to be corrected, before anything is planned.
func TestExtraSpecsAgainstEachOther(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		lines []string // typed one after the other, each with enter
		wants []string
		mends []string // what to replace the wrong line with, and what follows it
	}{
		{
			"one key twice",
			[]string{"resources1:VGPU=1", "group_policy=none", "resources1:VGPU=2"},
			[]string{"resources1:VGPU is given twice, in spec 1 too: give it once"},
			[]string{"resources2:VGPU=2", ""},
		},
		{
			"groups of which nobody says whether they may meet",
			[]string{"resources1:VGPU=1", "resources2:VGPU=1", ""},
			[]string{"group_policy must be none or isolate, as the flavor has groups 1, 2"},
			[]string{"group_policy=isolate", ""},
		},
		{
			"a group that is called like one of the device profile",
			[]string{"resourcesdevice_profile_0:VGPU=1", "accel:device_profile=t4-2b-x1", ""},
			[]string{`suffix "device_profile_0" is used by a group of device profile t4-2b-x1: choose another`},
			[]string{"resourcesmine:VGPU=1", "accel:device_profile=t4-2b-x1", ""},
		},
		{
			"a trait that nobody has made yet",
			[]string{"trait:CUSTOM_ZEBRA_9=required"},
			[]string{"no such trait CUSTOM_ZEBRA_9: make it in :traits"},
			[]string{"resources:VGPU=1", ""},
		},
		{
			"a class that nobody has made yet",
			[]string{"resources:CUSTOM_ZEBRA_9=1"},
			[]string{"no such resource class CUSTOM_ZEBRA_9: make it in :classes"},
			[]string{"resources:VGPU=1", ""},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				r := opened(t, fleet(t), 100, 30, place.SetFlavor{}, flavors.OpenFlavor)
				r.Type("gpu.new")
				r.Press("enter", "enter", "enter", "enter", "enter", "enter", "enter", "enter", "enter")
				for _, line := range test.lines {
					r.Replace(line)
					r.Press("enter")
				}
				r.Wants(append(test.wants, "NEW FLAVOR")...)
				for _, line := range test.mends {
					r.Replace(line)
					r.Press("enter")
				}
				r.Wants("RECORDS", "CHECKS", "gpu.new")
			})
		})
	}
}
