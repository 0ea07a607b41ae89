package devices_test

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/devices"
	"github.com/placetop/placetop/tui/tuitest"
)

func openProfiles(t testing.TB, c *tuitest.Cloud, filter string) *tuitest.Host {
	t.Helper()
	return tuitest.List(devices.NewProfiles).On(t, c, filter)
}

func TestProfileList(t *testing.T) {
	t.Parallel()
	tuitest.List(devices.NewProfiles).Check(t, tuitest.Fleet)
}

func TestProfileFilters(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]int{"": 3, "class=VGPU": 2, "flavor=gpu.both": 1, "arqs=0": 2, "t4": 2, "asks:FPGA": 1} {
		if got := openProfiles(t, tuitest.Fleet(t), filter).Status(); !strings.Contains(got, fmt.Sprintf("%d of 3", want)) {
			t.Errorf("%q shows %s, want %d", filter, got, want)
		}
	}
}

// TestBrokenProfile shows what is wrong with a profile from elsewhere.
func TestBrokenProfile(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	p, _ := c.Snapshot().Cyborg().DeviceProfile("t4-1")
	broken := versioned.Clone(p)
	broken.Groups = []map[string]string{{"resources:VGPU": "many"}}
	var change cyborg.PutRecords
	modeltest.Put(&change, c.Snapshot().Cyborg(), broken)
	must.Succeed(t, c.Change(cloud.Change{Ops: []cloud.Op{change}}))
	if text := openProfiles(t, c, "t4-1").At(120, 20).Text(); !strings.Contains(text, "✗ t4-1") || !strings.Contains(text, "many") {
		t.Errorf("does not say what is wrong:\n%s", text)
	}
}

func TestProfileGoes(t *testing.T) {
	t.Parallel()
	h := openProfiles(t, tuitest.Fleet(t), "t4-1")
	for key, want := range map[string]tea.Msg{
		"enter": screen.Goto{To: place.Flavors{Filter: "profile=t4-1"}},
		"i":     screen.Goto{To: place.ARQs{Filter: "profile=t4-1"}},
		"c":     screen.CopyMsg{What: "name of the profile", Text: "t4-1"},
	} {
		h.Asks(key, want)
	}
}
