package devices_test

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestChanges presses the keys that create a profile and delete one.
func TestChanges(t *testing.T) {
	t.Parallel()
	h := openProfiles(t, tuitest.Fleet(t), "t4-1")
	h.Asks("D", screen.Goto{To: place.DelProfile{Name: "t4-1"}})
	none := openProfiles(t, tuitest.NewCloud(cloud.Empty()), "")
	none.Asks("D", nil)
	for _, one := range []*tuitest.Host{h, none} {
		one.Asks("n", screen.Goto{To: place.NewProfile{}})
	}
}
