package profiles_test

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
)

// TestChanges presses the keys that create a profile and delete one.
func TestChanges(t *testing.T) {
	t.Parallel()
	h := open(screentest.Fleet(t), "t4-1")
	h.Asks(t, "D", screen.Goto{To: place.DelProfile{Name: "t4-1"}})
	none := open(screentest.NewCloud(cloud.Empty()), "")
	none.Asks(t, "D", nil)
	for _, one := range []*screentest.Host{h, none} {
		one.Asks(t, "n", screen.Goto{To: place.NewProfile{}})
	}
}
