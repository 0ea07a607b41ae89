package panel_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/problems"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestFixingLeadsToTheFinding presses F on a thing with a problem, on its host, and on a
// thing without problems.
func TestFixingLeadsToTheFinding(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	env, snap := tuitest.Env(c, tuitest.Plain()), c.Snapshot()
	provider := func(name string) tea.Msg {
		p, ok := snap.Placement().ProviderByName(name)
		if !ok {
			t.Fatalf("no provider %s", name)
		}
		return panel.FixingProvider("test", env, snap, p.ID(), "").Request()
	}
	consumer := func(rule audit.RuleID) tea.Msg {
		for _, f := range audit.Find(snap) {
			if f.Rule == rule {
				return panel.FixingConsumer("test", env, snap, f.Consumer, "").Request()
			}
		}
		return nil
	}
	for name, step := range map[string]struct {
		got  tea.Msg
		want string // the row under the cursor; "" for none
	}{
		"card":          {provider("cmp-007_pci_0000_41_00_0"), "VGPU 9/8"},
		"other part":    {provider("cmp-011_pci_0000_84_00_0"), "cyborg and nova"},
		"host of cards": {provider("cmp-007"), "VGPU 9/8"},
		"host itself":   {provider("cmp-012"), "11 others have OWNER_NOVA"},
		"fine":          {provider("cmp-008"), ""},
		"consumer":      {consumer(audit.RuleOrphan), "deleted, on cmp-005"},
		"nobody":        {panel.FixingConsumer("test", env, snap, modeltest.ConsumerID("nobody"), "").Request(), ""},
		"service":       {panel.FixingService("test", env, snap, "cmp-012", "").Request(), "nova-compute"},
		"gone":          {panel.FixingProvider("test", env, snap, placement.ProviderID{9}, "").Request(), ""},
	} {
		to, found := step.got.(screen.Goto)
		if found != (step.want != "") {
			t.Errorf("%s: leads to %v", name, step.got)
			continue
		}
		if !found {
			continue
		}
		text := tuitest.Open(t, c, problems.New(env, snap, to.To.(place.Problems))).At(110, 44).Text()
		line, _, _ := strings.Cut(text[strings.Index(text, "\n> ")+1:], "\n")
		if !strings.Contains(line, step.want) {
			t.Errorf("%s: the cursor is on %q, want %q", name, line, step.want)
		}
	}
}

// TestFixingSearchesLargeCloudsInTheBackground looks for what is wrong in a cloud whose rules
// run longer than a key may take.
func TestFixingSearchesLargeCloudsInTheBackground(t *testing.T) {
	t.Parallel()
	c := tuitest.Big(t, modeltest.Size{Hosts: 400, Traits: 2, Cards: 1, Servers: 13})
	env, snap := tuitest.Env(c, tuitest.Plain()), c.Snapshot()
	for what, a := range map[string]action.Action{
		"provider": panel.FixingProvider("test", env, snap, placement.ProviderID{9}, ""),
		"consumer": panel.FixingConsumer("test", env, snap, modeltest.ConsumerID("nobody"), ""),
		"service":  panel.FixingService("test", env, snap, "cmp-012", ""),
	} {
		if a.Request != nil || a.Run == nil {
			t.Errorf("%s: F searches on the event loop", what)
			continue
		}
		if _, ok := a.Run()().(screen.ToastMsg); !ok {
			t.Errorf("%s: F says nothing", what)
		}
	}
}
