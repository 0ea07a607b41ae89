package form_test

import (
	"testing"

	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen/devices"
	"github.com/placetop/placetop/tui/screen/flavors"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestDeleteFlavor deletes an unused flavor with a key, and a used one with its name:
// instances keep it.
func TestDeleteFlavor(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := fleet(t)
		r := opened(t, s, 100, 30, place.DelFlavor{Name: "gold.1"}, flavors.OpenDeleteFlavor)
		r.Wants("RECORDS", "gold.1", "deleted")
		r.Press("enter")
		r.Wrote(1)
		r = opened(t, s, 100, 30, place.DelFlavor{Name: "gpu.t4.1"}, flavors.OpenDeleteFlavor)
		r.Wants("4 instances have flavor gpu.t4.1, and keep it")
		r.Press("enter")
		r.Wants("type gpu.t4.1 to delete it")
		r.Wrote(1)
		r.Type("gpu.t4.1")
		r.Press("enter")
		r.Wrote(2)
		if _, ok := s.Snapshot().Nova().FlavorNamed("gpu.t4.1"); ok {
			t.Error("it is still there")
		}
		if _, ok := s.Snapshot().Nova().Flavor("gpu.t4.1"); !ok {
			t.Error("the instances do not keep it")
		}
	})
}

// TestDeleteProfile says why a profile with requests cannot be deleted.
func TestDeleteProfile(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := fleet(t)
		r := opened(t, s, 100, 30, place.DelProfile{Name: "t4-1"}, devices.OpenDeleteProfile)
		r.Wants("REFUSED", "accelerator requests, the first is")
		r.Press("enter")
		r.Wrote(0)
	})
}
