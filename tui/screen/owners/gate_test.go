package owners_test

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/owners"
	"github.com/placetop/placetop/tui/tuitest"
)

func gateIn(t *testing.T, env screen.Env, c *tuitest.Cloud, simulate place.Simulation) *tuitest.Host {
	t.Helper()
	return tuitest.Open(t, c, owners.New(env, c.Snapshot(), place.Owners{Simulate: simulate}))
}

func gate(t *testing.T, c *tuitest.Cloud, simulate place.Simulation) *tuitest.Host {
	t.Helper()
	return gateIn(t, tuitest.Env(c, tuitest.Plain()), c, simulate)
}

func TestGatePanels(t *testing.T) {
	t.Parallel()
	states := map[string]func() *tuitest.Host{}
	for name, tc := range map[string]struct {
		simulate place.Simulation
		keys     []string
	}{
		"upgraded":  {"upgrade", nil},
		"instances": {"open", []string{"tab"}},
		"words":     {"open", []string{"W"}},
		"nothing":   {"", []string{"tab", "tab", "tab", "tab", "tab"}},
	} {
		states[name] = func() *tuitest.Host {
			h := gate(t, tuitest.Demo(t, 12), tc.simulate)
			h.Press(tc.keys...)
			return h
		}
	}
	tuitest.Frames(t, states)
}

// Each record that holds the gate has its reason: old, dead, disabled, forced down.
func TestGateHolds(t *testing.T) {
	t.Parallel()
	h := gate(t, tuitest.Fleet(t), "").At(160, 44)
	text := h.Text()
	must.Say(t, text,
		"closed at 61, need 73, 2 hold it", "cell2 0/2", "1 at 66: cmp-3",
		"disabled (mainboard), sil", "old: Antelope/Bobcat/Caracal (66)", "forced down")
	h.Press("shift+tab", "shift+tab")
	seek(t, h, "computes")
	h.Press("W")
	must.Say(t, h.At(100, 30).Text(), "cell1: 2 nova-compute services, 2 count, 0 below 73, all upgraded", "cell2: 3 nova-compute services, 2 count, 2 below 73", "on 1 host: cmp-3")
}

func TestGateEmpty(t *testing.T) {
	t.Parallel()
	h := gate(t, tuitest.NewCloud(cloud.Empty()), "")
	tuitest.Actions(t, h)
	h.Press("u")
	h.Wants("no accelerators here")
}

func TestGateEverySize(t *testing.T) {
	t.Parallel()
	tuitest.EverySize(t, gate(t, tuitest.Demo(t, 12), "open"))
}

func TestGateGoes(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	h := gate(t, c, "open")
	for _, tc := range []struct {
		row  string
		want map[string]tea.Msg
	}{
		{"gpu.a100.1", map[string]tea.Msg{"enter": screen.Goto{To: place.Flavor{Ref: flavorRef(t, c, "gpu.a100.1")}}}},
		{modeltest.InstanceNamed(t, c.Snapshot(), "render-node-9").UUID.String(), map[string]tea.Msg{
			"enter": screen.Goto{To: place.Instance{ID: modeltest.InstanceNamed(t, c.Snapshot(), "render-node-9").UUID}},
			"m":     screen.Goto{To: place.Migrate{Instance: modeltest.InstanceNamed(t, c.Snapshot(), "render-node-9").UUID}},
		}},
	} {
		seek(t, h, tc.row)
		for key, want := range tc.want {
			h.Asks(key, want)
		}
		h.Press("tab")
	}
}

func flavorRef(t *testing.T, c *tuitest.Cloud, name string) string {
	t.Helper()
	f, ok := c.Snapshot().Nova().FlavorNamed(name)
	if !ok {
		t.Fatalf("no flavor %s", name)
	}
	return f.Ref()
}

// clock advances a little at each look, so that work ends after a piece.
type clock struct {
	at   time.Time
	step time.Duration
}

func (c *clock) now() time.Time {
	c.at = c.at.Add(c.step)
	return c.at
}

// A long simulation shows its progress. esc stops it, and the previous answer stays.
func TestGateIsStopped(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	env := tuitest.Env(c, tuitest.Plain())
	slow := &clock{at: tuitest.Now(), step: 40 * time.Millisecond}
	env.Clock = slow.now
	h := gateIn(t, env, c, "")
	h.Press("u")
	if text := h.Text(); !strings.Contains(text, "simulated 14:0") || !strings.Contains(h.Status(), "gate closed") {
		t.Fatalf("no answer, %s:\n%s", h.Status(), text)
	}
	first := h.Text()
	h.Manual = true
	h.Press("U")
	if !strings.Contains(h.Status(), "simulating...   esc stops") {
		t.Errorf("status: %s", h.Status())
	}
	told := map[string]bool{}
	for range 3 {
		h.RunOne(h.Pending() - 1)
		told[h.Status()] = true
	}
	if len(told) < 3 || !strings.Contains(h.Status(), " of 37") {
		t.Errorf("it does not say how far it is: %v", told)
	}
	if !h.Back() {
		t.Error("esc does not stop it")
	}
	h.Settle()
	if got := h.Text(); got != first {
		t.Errorf("the answer before it is gone:\n%s", got)
	}
	if h.Back() {
		t.Error("esc stops something twice")
	}
}

// The answer says that the cloud has changed since.
func TestGateAnswerAges(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	h := gate(t, c, "open")
	h.Change(placement.CreateTrait{Name: "CUSTOM_NEW"})
	h.Wants("1 revision ago")
	h.Press("u")
	h.Lacks("ago")
}

// Both forms of the filter are side by side: the one that applies to every group keeps a
// flavor of Nova's off Cyborg's cards; the one merged upstream does not.
func TestGateForms(t *testing.T) {
	t.Parallel()
	h := gate(t, tuitest.Demo(t, 12), "open")
	seek(t, h, "gpu.a100.1")
	h.Press("W")
	h.At(100, 30).Wants("form groups: 2 then, 3 lost", "form root: 4 then, 1 lost", "asked as if the gate were open", "cmp-004_0000:af:00.0 lacks OWNER_NOVA", "on 5 mixed")
}

// If the filter is off, each part of the screen says so, and switching it on is
// simulated.
func TestGateOfAFilterThatIsOff(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	h := gate(t, c, "")
	must.Succeed(t, c.Change(switchTo(c.Snapshot(), nova.OwnerOff)))
	h.Feed()
	h.At(320, 44).Wants("the filter is off", "the filter is off; once on and the gate open, 2 providers would drop out of every request")
	if !strings.Contains(h.Status(), "gate closed, filter off") {
		t.Errorf("status: %s", h.Status())
	}
	h.Press("shift+tab", "shift+tab")
	seek(t, h, "unowned")
	h.Press("W")
	h.At(100, 30).Wants("no request asks for an owner: owner_filter is off.")
	h.Press("W", "u")
	seek(t, h, "gpu.a100.1")
	h.Press("W")
	for _, want := range []string{"the owner filter were switched on", "it is off: owner_filter is off"} {
		h.At(120, 30).Wants(want)
	}
}

// switchTo returns the Change that sets the form of the owner filter.
func switchTo(s *cloud.Snapshot, form nova.OwnerFilter) cloud.Change {
	var c cloud.Change
	modeltest.PutIn(&c, s, &nova.Config{OwnerFilter: form})
	return c
}
