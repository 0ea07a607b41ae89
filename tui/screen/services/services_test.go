package services_test

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/services"
	"github.com/placetop/placetop/tui/tuitest"
)

// screenOf returns the list over a Snapshot.
func screenOf(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return services.New(env, snap, filter)
}

func open(t testing.TB, c *tuitest.Cloud, filter string) *tuitest.Host {
	t.Helper()
	return tuitest.List(screenOf).On(t, c, filter)
}

func TestList(t *testing.T) {
	t.Parallel()
	tuitest.List(screenOf).Check(t, tuitest.Fleet)
}

// TestGate shows which services hold the gate, and that it opens when none does.
func TestGate(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	h := open(t, c, "")
	h.Press("b")
	text := h.At(160, 24).Text()
	must.Say(t, text, "closed: minimum Yoga (61), need 73; 2 services hold it", "cell2 2 of 2 old, from Yoga (61), 1 not asked", "holds: dead record", "holds: upgrade it")
	if strings.Contains(text, "cmp-9") || strings.Contains(text, "cmp-1 ") || !strings.Contains(text, "delete the record of this service") && !strings.Contains(text, "upgrade nova-compute on cmp-3") {
		t.Errorf("o does not show what holds the gate:\n%s", text)
	}
	h.Press("b")
	if got := h.Status(); !strings.HasPrefix(got, "7 of 7") {
		t.Errorf("o does not go back: %s", got)
	}
	for _, host := range []string{"cmp-3", "cmp-4"} {
		upgrade := nova.UpgradeService{Host: host, Binary: nova.Compute, Version: 73}
		must.Succeed(t, c.Change(cloud.Change{At: tuitest.Now(), Ops: []cloud.Op{upgrade}}))
	}
	if h.Feed(); !strings.Contains(h.At(80, 20).Text(), "open: all nova-compute services are at 73 or later") {
		t.Errorf("the gate does not open:\n%s", h.At(80, 20).Text())
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]int{
		"": 7, "version<73": 3, "state=up": 4, "state:down": 3, "state:disabled": 1, "disabled": 1, "cell=cell2": 3, "binary=nova-compute": 5,
		"gate=holds": 2, "gate:asked": 1, "seen>1d": 2, "ctl": 2,
	} {
		if got := open(t, tuitest.Fleet(t), filter).Status(); !strings.Contains(got, fmt.Sprintf("%d of 7", want)) {
			t.Errorf("%q shows %s, want %d", filter, got, want)
		}
	}
}

// TestNotable narrows a binary to what is worth a look, which has alternatives itself, and
// then shows all of that binary.
func TestNotable(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Fleet(t), "")
	h.Press("/")
	h.Type("binary=nova-compute")
	h.Press("enter", ".")
	must.Say(t, h.Status(), "/binary=nova-compute (!state=up | gate=holds)")
	h.Press(".")
	if got := h.Status(); strings.Contains(got, "gate=holds") || !strings.Contains(got, "/binary=") {
		t.Errorf("it shows %s", got)
	}
}

func TestGoes(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Fleet(t), "cmp-4")
	for key, want := range map[string]tea.Msg{
		"enter": screen.Goto{To: place.Provider{ID: modeltest.ProviderID("cmp-4")}},
		"i":     screen.Goto{To: place.Instances{Filter: "host=cmp-4"}},
		"c":     screen.CopyMsg{What: "host", Text: "cmp-4"},
	} {
		h.Asks(key, want)
	}
}
