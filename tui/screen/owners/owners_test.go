package owners_test

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/owners"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func open(t testing.TB, c *tuitest.Cloud, st *style.Styles) *tuitest.Host {
	t.Helper()
	return tuitest.Open(t, c, owners.New(tuitest.Env(c, st), c.Snapshot(), place.Owners{}))
}

func plain(t *testing.T, c *tuitest.Cloud) *tuitest.Host {
	t.Helper()
	return open(t, c, tuitest.Plain())
}

// TestPanels shows the panels that are not visible at first, and the words about a row.
func TestPanels(t *testing.T) {
	t.Parallel()
	states := map[string]func() *tuitest.Host{}
	for name, keys := range map[string][]string{
		"hosts":          {"tab"},
		"clean hosts":    {"tab", "."},
		"both owners":    {"tab", "tab"},
		"gate":           {"tab", "tab", "tab"},
		"readiness":      {"tab", "tab", "tab", "tab", "tab", "tab"},
		"by owner":       {"shift+tab"},
		"cyborg's hosts": {"tab", "o", "o"},
		"words":          {"W"},
	} {
		states[name] = func() *tuitest.Host {
			h := plain(t, tuitest.Demo(t, 12))
			h.Press(keys...)
			return h
		}
	}
	tuitest.Frames(t, states)
}

func TestStates(t *testing.T) {
	t.Parallel()
	bare := tuitest.NewCloud(cloud.Empty())
	must.Succeed(t, bare.Do(modeltest.Provider{Name: "cmp-1", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8)}}.Ops(placement.ProviderID{})...))
	for name, c := range map[string]*tuitest.Cloud{"empty": tuitest.NewCloud(cloud.Empty()), "no accelerators": bare} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := plain(t, c)
			h.Wants("no accelerators here")
			tuitest.Actions(t, h)
		})
	}
	t.Run("loading", func(t *testing.T) {
		t.Parallel()
		c := tuitest.Demo(t, 1_500)
		h := tuitest.OpenManual(t, c, owners.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), place.Owners{}))
		h.Wants("LOADING", "looking at")
		h.Press("tab", "F", "j", "esc")
		h.Settle()
		h.Wants("NEEDS A HUMAN")
	})
}

// Owners are shown without Nova; only the gate is unknown.
func TestWithoutNova(t *testing.T) {
	t.Parallel()
	c := tuitest.NewCloud(cloud.Empty())
	host := modeltest.Provider{Name: "cmp-1", Traits: []placement.Trait{placement.OwnerNova}, Children: []modeltest.Provider{
		{Name: "cmp-1_0000:84:00.0", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(4)}, Traits: []placement.Trait{placement.OwnerCyborg}},
	}}
	must.Succeed(t, c.Do(host.Ops(placement.ProviderID{})...))
	text := plain(t, c).At(100, 24).Text()
	must.Say(t, text, "[?] computes >= 73", "Nova is not connected", "cyborg VGPU", "0/4")
}

func TestEverySize(t *testing.T) {
	t.Parallel()
	tuitest.EverySize(t, plain(t, tuitest.Demo(t, 12)))
}

func TestHarmless(t *testing.T) {
	t.Parallel()
	h := plain(t, tuitest.Hostile(t))
	for range 8 {
		h.Harmless()
		h.Press("W")
		h.Harmless()
		h.Press("W", "tab")
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	h := plain(t, tuitest.Demo(t, 12))
	for range 8 {
		tuitest.Actions(t, h)
		for _, a := range h.Screen.Actions() {
			if a.Group == action.Here && a.Help == "" {
				t.Errorf("%s has no help", a.ID)
			}
		}
		h.Press("tab")
	}
}

func TestAnything(t *testing.T) {
	t.Parallel()
	tuitest.Anything(t, func(env screen.Env, snap *cloud.Snapshot) screen.Screen {
		return owners.New(env, snap, place.Owners{})
	}, "/ o . u U W F r m tab shift+tab")
}

// seek moves the cursor down to the row with a text.
func seek(t *testing.T, h *tuitest.Host, text string) {
	t.Helper()
	h.Press("g")
	for range 40 {
		if id := h.Screen.(tuitest.Lister).CursorID(); strings.Contains(id, text) {
			return
		}
		h.Press("j")
	}
	t.Fatalf("no row is about %q:\n%s", text, h.At(120, 30).Text())
}

func TestGoes(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	id := func(name string) placement.ProviderID {
		p, ok := c.Snapshot().Placement().ProviderByName(name)
		if !ok {
			t.Fatalf("no provider %s", name)
		}
		return p.ID()
	}
	both := modeltest.InstanceNamed(t, c.Snapshot(), "cad-desk-1").UUID
	for name, tc := range map[string]struct {
		tabs int
		row  string
		want map[string]tea.Msg
	}{
		"a finding about a card": {0, "o01", map[string]tea.Msg{
			"enter": screen.Goto{To: place.Provider{ID: id("cmp-011_0000:81:00.0")}},
			"F":     screen.Goto{To: place.Problems{Rule: "o01", Subject: "cmp-011_0000:81:00.0"}},
			"m":     screen.Goto{To: place.Handover{Provider: id("cmp-011_0000:81:00.0")}},
		}},
		"a finding about an instance": {0, "o06", map[string]tea.Msg{
			"enter": screen.Goto{To: place.Instance{ID: modeltest.InstanceNamed(t, c.Snapshot(), "render-node-9").UUID}},
			"r":     screen.Goto{To: place.Resize{Instance: modeltest.InstanceNamed(t, c.Snapshot(), "render-node-9").UUID}},
			"m":     screen.Goto{To: place.Migrate{Instance: modeltest.InstanceNamed(t, c.Snapshot(), "render-node-9").UUID}},
		}},
		"a finding about a service": {0, "v01", map[string]tea.Msg{
			"enter": screen.Goto{To: place.Services{Filter: "host=cmp-012 binary=nova-compute"}},
			"F":     screen.Goto{To: place.Problems{Rule: "v01", Subject: "cmp-012"}},
		}},
		"a host": {1, id("cmp-011").String(), map[string]tea.Msg{
			"enter": screen.Goto{To: place.Provider{ID: id("cmp-011")}},
			"m":     screen.Goto{To: place.Handover{Provider: id("cmp-011")}},
			"F":     screen.Goto{To: place.Problems{Rule: "o01", Subject: "cmp-011_0000:81:00.0"}},
		}},
		"an instance": {2, both.String(), map[string]tea.Msg{
			"enter": screen.Goto{To: place.Instance{ID: both}},
			"r":     screen.Goto{To: place.Resize{Instance: both}},
		}},
		"a service": {3, "cmp-012", map[string]tea.Msg{
			"enter": screen.Goto{To: place.Services{Filter: "host=cmp-012 binary=nova-compute"}},
			"F":     screen.Goto{To: place.Problems{Rule: "v01", Subject: "cmp-012"}},
		}},
		"a check": {6, "roots", map[string]tea.Msg{
			"enter": screen.Goto{To: place.Providers{Filter: "trait:COMPUTE_NODE !owner=nova"}},
			"F":     screen.Goto{To: place.Problems{Rule: "o05", Subject: "cmp-012"}},
		}},
		"the check of computes": {6, "computes", map[string]tea.Msg{"enter": screen.Goto{To: place.Services{Filter: "gate=holds"}}}},
		"an owner": {7, "cyborg FPGA", map[string]tea.Msg{
			"enter": screen.Goto{To: place.Providers{Filter: "owner=cyborg class=FPGA"}},
			"m":     screen.Goto{To: place.Handover{Filter: "owner=cyborg class=FPGA"}},
		}},
		"an owner that should not be": {7, "both VGPU", map[string]tea.Msg{
			"F": screen.Goto{To: place.Problems{Rule: "o01"}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := plain(t, c)
			h.Press(slices.Repeat([]string{"tab"}, tc.tabs)...)
			seek(t, h, tc.row)
			for key, want := range tc.want {
				h.Asks(key, want)
			}
		})
	}
}

// Keys that can do nothing say why.
func TestDisabled(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	env := tuitest.Env(c, tuitest.Plain())
	env.Reaches = func(p place.Place) bool { return place.Kind(p) == "provider" }
	h := tuitest.Open(t, c, owners.New(env, c.Snapshot(), place.Owners{}))
	seek(t, h, "o01")
	for key, want := range map[string]string{
		"enter": "", "F": "there is no screen of problems here",
		"r": "the row is not an instance", "m": "there is no screen of handover here",
	} {
		a, ok := action.Find(key, h.Screen.Actions())
		if !ok || a.Disabled != want {
			t.Errorf("%s is disabled by %q, want %q", key, a.Disabled, want)
		}
	}
}

// The screen follows the cloud: what is repaired leaves the list, the cursor stays on its
// row, and the gate opens when the last compute is upgraded.
func TestFollows(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	h := plain(t, c)
	seek(t, h, "o02")
	at := h.Screen.(tuitest.Lister).CursorID()
	p, _ := c.Snapshot().Placement().ProviderByName("cmp-011_0000:81:00.0")
	h.Change(placement.SetTraits{Provider: p.ID(), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg}})
	text := h.At(160, 44).Text()
	if strings.Contains(text, "o01") || !strings.Contains(text, "NEEDS A HUMAN 5") {
		t.Errorf("what was repaired is still there:\n%s", text)
	}
	if got := h.Screen.(tuitest.Lister).CursorID(); got != at {
		t.Errorf("the cursor went from %q to %q", at, got)
	}
	if !strings.Contains(h.Status(), "gate closed") {
		t.Errorf("status: %s", h.Status())
	}
	upgrade := nova.UpgradeService{Host: "cmp-012", Binary: nova.Compute, Version: 73}
	must.Succeed(t, c.Change(cloud.Change{At: tuitest.Now(), Ops: []cloud.Op{upgrade}}))
	h.Feed()
	if text := h.At(160, 44).Text(); !strings.Contains(h.Status(), "gate open") || !strings.Contains(strings.Join(strings.Fields(text), " "), "[✓] computes >= 73 12/12") {
		t.Errorf("the gate does not open, %s:\n%s", h.Status(), text)
	}
}

// esc closes the words, then a filter, and then has nothing left to close.
func TestBack(t *testing.T) {
	t.Parallel()
	h := plain(t, tuitest.Demo(t, 12))
	h.Press("o", "o", "o", "W")
	for n, want := range []bool{true, true, false} {
		if got := h.Back(); got != want {
			t.Errorf("esc %d closes something: %t, want %t", n+1, got, want)
		}
	}
	if strings.Contains(h.Status(), "/owner") {
		t.Errorf("the filter stays: %s", h.Status())
	}
}

// A mixed host blocks nothing unless the owner filter lets Nova's requests take Cyborg's
// cards; then the row says with which form.
func TestMixedHostsBlockByForm(t *testing.T) {
	t.Parallel()
	for form, want := range map[nova.OwnerFilter][2]string{
		nova.OwnerOnGroups: {"0 / 8 -  ", "It blocks nothing"},
		nova.OwnerOnRoot:   {"mixed host: form root", "checks the root only"},
		nova.OwnerOff:      {"mixed host: filter off", "The owner filter is off"},
	} {
		t.Run(want[1], func(t *testing.T) {
			t.Parallel()
			c := tuitest.Demo(t, 12)
			must.Succeed(t, c.Change(switchTo(c.Snapshot(), form)))
			host, _ := c.Snapshot().Placement().ProviderByName("cmp-003")
			h := plain(t, c)
			h.Press("tab")
			seek(t, h, host.ID().String())
			if text := h.At(160, 44).Text(); !strings.Contains(text, want[0]) {
				t.Errorf("does not say %q:\n%s", want[0], text)
			}
			h.Press("W")
			if text := h.At(160, 44).Text(); !strings.Contains(text, want[1]) {
				t.Errorf("does not say %q:\n%s", want[1], text)
			}
		})
	}
}
