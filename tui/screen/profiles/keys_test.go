package profiles_test

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
)

// TestChanges presses the keys that make a profile and delete one.
func TestChanges(t *testing.T) {
	t.Parallel()
	h := open(t, screentest.Fleet(t), "t4-1")
	if h.Press("D"); h.Last() != (screen.Goto{To: place.DelProfile{Name: "t4-1"}}) {
		t.Errorf("D asks for %v", h.Last())
	}
	none := open(t, screentest.NewCloud(cloud.Empty()), "")
	if none.Press("D"); none.Last() != nil {
		t.Errorf("D asks for %v where there is no profile", none.Last())
	}
	for _, one := range []*screentest.Host{h, none} {
		if one.Press("n"); one.Last() != (screen.Goto{To: place.NewProfile{}}) {
			t.Errorf("n asks for %v", one.Last())
		}
	}
}
