package pulses_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/pulses"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func open(t testing.TB, c *tuitest.Cloud) *tuitest.Host {
	t.Helper()
	return tuitest.Open(t, c, pulses.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot()))
}

// TestFitsOfFlavorsThatCanBeHad shows how many more fit of the flavors for new instances:
// of a deleted or disabled one, none does.
func TestFitsOfFlavorsThatCanBeHad(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	for _, flavor := range []string{"nvme.1", "fpga.1", "gpu.whole.1"} {
		if text := open(t, c).At(200, 60).Text(); !strings.Contains(text, flavor+"  ") {
			t.Fatalf("does not say how many more %s fit:\n%s", flavor, text)
		}
	}
	h := open(t, c).At(200, 60)
	must.Succeed(t, c.Do(nova.DeleteFlavor{Flavor: "nvme.1"}, nova.DisableFlavor{Flavor: "fpga.1", Disabled: true}))
	h.Send(screen.SnapshotMsg{Snapshot: c.Snapshot()})
	for flavor, want := range map[string]bool{"nvme.1": false, "fpga.1": false, "gpu.whole.1": true} {
		if text := h.Text(); strings.Contains(text, flavor+"  ") != want {
			t.Errorf("says how many more %s fit: %v, want %v\n%s", flavor, !want, want, text)
		}
	}
}

// TestFitsOfPinnedCPUs counts hosts that report PCPU and others: Nova asks for both.
func TestFitsOfPinnedCPUs(t *testing.T) {
	t.Parallel()
	text := open(t, tuitest.NewCloud(modeltest.NewWorld(t).Pinned().Snapshot)).At(200, 60).Text()
	if !regexp.MustCompile(`\bpin +4\b`).MatchString(text) {
		t.Errorf("does not say that 4 more fit:\n%s", text)
	}
}

// TestNumbersAreWhole cuts no number while bars have room to spare.
func TestNumbersAreWhole(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Demo(t, 24))
	for _, size := range [][2]int{{80, 40}, {120, 36}, {160, 48}, {250, 80}} {
		if text := h.At(size[0], size[1]).Text(); !strings.Contains(text, " 12.0M/130.0M ") {
			t.Errorf("the bandwidth is cut at %dx%d:\n%s", size[0], size[1], text)
		}
	}
}

// sound is a cloud without inventory, problems or history.
func sound(t *testing.T) *tuitest.Cloud {
	t.Helper()
	c := tuitest.NewCloud(cloud.Empty())
	must.Succeed(t, c.Do(placement.CreateProvider{ID: modeltest.ProviderID("bare"), Name: "bare"}))
	return tuitest.NewCloud(c.Snapshot())
}

func TestStates(t *testing.T) {
	t.Parallel()
	tuitest.Frames(t, map[string]func() *tuitest.Host{
		"empty":        func() *tuitest.Host { return open(t, tuitest.NewCloud(cloud.Empty())) },
		"no inventory": func() *tuitest.Host { return open(t, sound(t)) },
		"loading": func() *tuitest.Host {
			c := tuitest.Demo(t, 12)
			return tuitest.OpenManual(t, c, pulses.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot()))
		},
		"no journal": func() *tuitest.Host {
			c := tuitest.Demo(t, 12)
			c.Fault = errors.New("disk I/O error")
			return open(t, c)
		},
		"problems": func() *tuitest.Host {
			h := open(t, tuitest.Demo(t, 12))
			h.Press("G")
			return h
		},
	}, [2]int{120, 28})
}

// TestPages moves by several lines, beyond the end of a panel into the next, and back.
func TestPages(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Demo(t, 12))
	opens := func(keys ...string) tea.Msg {
		h.Press(append(keys, "enter")...)
		return h.Last()
	}
	first := opens()
	if down := opens("pgdown"); down == first {
		t.Errorf("PgDn leads to what the first line does: %v", down)
	}
	if back := opens("ctrl+d", "pgdown", "ctrl+u", "pgup", "pgup"); back != first {
		t.Errorf("three pages down and up the line opens %v, want %v", back, first)
	}
}

func TestEverySize(t *testing.T) {
	t.Parallel()
	for _, c := range []*tuitest.Cloud{tuitest.Demo(t, 12), sound(t), tuitest.NewCloud(cloud.Empty()), tuitest.Demo(t, 300)} {
		h := open(t, c)
		for range 4 {
			tuitest.EverySize(t, h)
			h.Press("tab")
		}
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	tuitest.Actions(t, open(t, tuitest.Demo(t, 12)))
	tuitest.Actions(t, open(t, tuitest.NewCloud(cloud.Empty())))
}

func TestAnything(t *testing.T) {
	t.Parallel()
	tuitest.Anything(t, func(env screen.Env, snap *cloud.Snapshot) screen.Screen { return pulses.New(env, snap) }, "tab shift+tab G g")
}

func TestNamesCannotActOnTheTerminal(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Hostile(t))
	for range tuitest.Names() {
		h.Harmless()
		h.Press("j")
	}
	tuitest.EverySize(t, h)
}

func TestHugeNumbers(t *testing.T) {
	t.Parallel()
	c := tuitest.NewCloud(cloud.Empty())
	most := placement.NewInventory(placement.MaxInt)
	most.AllocationRatio = placement.MaxRatio
	for i := range 3 {
		p := modeltest.Provider{
			Name: fmt.Sprint("huge", i), Traits: []placement.Trait{placement.ComputeNode},
			Inventories: modeltest.Inventories{placement.VCPU: most, placement.VGPU: most, "CUSTOM_A_CLASS_WITH_A_NAME_THAT_IS_LONGER_THAN_ANY_COLUMN": most},
		}
		must.Succeed(t, c.Do(append([]placement.Op{placement.CreateClass{Name: "CUSTOM_A_CLASS_WITH_A_NAME_THAT_IS_LONGER_THAN_ANY_COLUMN", IfAbsent: true}}, p.Ops(placement.ProviderID{})...)...))
	}
	h := open(t, c)
	tuitest.EverySize(t, h)
	h.At(160, 44).Lacks("-9223", "»")
}

// TestDevicesForOneTimeUse has such a device in use: it is then reserved, not over-full.
func TestDevicesForOneTimeUse(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Demo(t, 12))
	text := h.At(160, 44).Text()
	_, line, _ := strings.Cut(text, "CUSTOM_PCI_144D_A80A")
	line, _, _ = strings.Cut(line, "\n")
	if !strings.Contains(line, "1/1") || strings.Contains(text, "✗ CUSTOM_PCI_144D_A80A") {
		t.Errorf("a device in its one use is shown as over-full: %s", line)
	}
}

func TestGoesOn(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	h := open(t, c)
	for _, step := range []struct {
		keys string
		want tea.Msg
	}{
		{"enter", screen.Goto{To: place.Providers{Filter: "class=VCPU"}}},
		{"j j enter", screen.Goto{To: place.Providers{Filter: "class=MEMORY_MB"}}},
		{"tab enter", screen.Goto{To: place.Owners{}}},
		{"j j j j enter", screen.Goto{To: place.Owners{}}}, // beyond the end of the pane
		{"j enter", screen.Goto{To: place.Providers{Filter: "trait:COMPUTE_NODE !owner=nova"}}},
		{"j enter", screen.Goto{To: place.Instances{}}},
		{"j enter", screen.Goto{To: place.Migrations{}}},
		{"j enter", screen.Goto{To: place.ARQs{Filter: "state:failed"}}},
		{"j enter", screen.Goto{To: place.Problems{Rule: "a02"}}},
		{"j enter", screen.Goto{To: place.Problems{Rule: "o01"}}},
		{"tab enter", screen.Goto{To: place.Event{Revision: 228}}},
		{"tab enter", screen.Goto{To: place.Providers{Filter: "class=MEMORY_MB"}}},
		{"k k k enter", screen.Goto{To: place.Providers{Filter: "class=VCPU"}}},
		{"G g enter n", screen.Goto{To: place.Allocate{}}},
	} {
		if h.Press(strings.Fields(step.keys)...); h.Last() != step.want {
			t.Errorf("%s asks for %v, want %v", step.keys, h.Last(), step.want)
		}
	}
	if !strings.Contains(h.Status(), "41 providers   165 consumers   2 sharing pools") {
		t.Errorf("status is %q", h.Status())
	}
}

// A row without a screen says so.
func TestNoScreen(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	env := tuitest.Env(c, tuitest.Plain())
	env.Reaches = func(p place.Place) bool { return place.Kind(p) == "providers" }
	h := tuitest.Open(t, c, pulses.New(env, c.Snapshot()))
	for _, want := range []string{"", "there is no screen of owners here", "there is no screen of owners here", "there is no screen of problems here"} {
		if a, ok := action.Find("enter", h.Screen.Actions()); !ok || a.Disabled != want {
			t.Errorf("enter is disabled by %q, want %q", a.Disabled, want)
		}
		h.Press("tab")
	}
}

// The lines about Nova and Cyborg say what is pending and what has failed, and nothing if
// nothing is known.
func TestStanding(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cloud *tuitest.Cloud
		want  []string
	}{
		"demo": {tuitest.Demo(t, 12), []string{
			"! gate       closed, 1 of 12 holds it", "! OWNER_NOVA 11/12 computes", "instances  161 active  1 resized", "✗ moves      1 failed  1 wait", "✗ ARQs       1 of 41 failed",
		}},
		"moving": {moving(t), []string{"! gate       open, the filter is off", "✗ moves      1 failed  1 wait  22 run"}},
		"fleet":  {tuitest.Fleet(t), []string{"gate       closed, 2 of 4 hold it", "✗ instances  1 error  4 active"}},
		"unread": {unread(t), []string{"! gate       services not read", "! instances  servers not read", "! moves      migrations not read", "ARQs       0, none failed"}},
		"bare":   {sound(t), []string{"gate       closed, no nova-compute", "instances  none", "moves      none pending", "ARQs       0, none failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := open(t, tc.cloud).Text()
			for _, want := range tc.want {
				if !strings.Contains(text, want) {
					t.Errorf("does not say %q:\n%s", want, text)
				}
			}
		})
	}
}

// unread is a cloud whose Nova reports nothing.
func unread(t *testing.T) *tuitest.Cloud {
	t.Helper()
	c := sound(t)
	const why = "503 Service Unavailable"
	c.ReadAs(cloud.Reading{Part: cloud.Services, Why: why}, cloud.Reading{Part: cloud.Instances, Why: why}, cloud.Reading{Part: cloud.Migrations, Why: why})
	return c
}

// TestCapacityUnread says of a cloud that is still being read that it is, and not that it
// is empty.
func TestCapacityUnread(t *testing.T) {
	t.Parallel()
	hosts := tuitest.NewCloud(cloud.Empty())
	must.Succeed(t, hosts.Do(placement.CreateProvider{ID: modeltest.ProviderID("a"), Name: "a"}))
	lost := tuitest.NewCloud(hosts.Snapshot())
	lost.ReadAs(cloud.Reading{Part: cloud.Contents, Why: "403 Forbidden"})
	for name, test := range map[string]struct {
		of      *tuitest.Cloud
		reading string
		want    string
		lacks   string
	}{
		"read":           {hosts, "", "no inventory yet", "not counted"},
		"being read":     {hosts, "reading 40%", "not counted yet: reading 40%", "no inventory"},
		"not read":       {lost, "", "inventories, traits, aggregates not read", "no inventory"},
		"nothing yet":    {tuitest.NewCloud(cloud.Empty()), "reading 1%", "no providers so far: reading 1%", "has no providers"},
		"nothing at all": {tuitest.NewCloud(cloud.Empty()), "", "has no providers yet", "so far"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range [][2]int{{80, 20}, {160, 44}} {
				env := tuitest.Env(test.of, tuitest.Plain())
				env.Keeper = keeper.New(test.of, keeper.Options{Now: tuitest.Now, Unread: func() string { return test.reading }})
				text := tuitest.Open(t, test.of, pulses.New(env, test.of.Snapshot())).At(size[0], size[1]).Text()
				if !strings.Contains(text, test.want) || strings.Contains(text, test.lacks) {
					t.Errorf("at %v, does not say %q:\n%s", size, test.want, text)
				}
			}
		})
	}
}

// moving is the demo with moves of every kind, 22 of them under way, and no old compute;
// the filter behind the gate is off.
func moving(t *testing.T) *tuitest.Cloud {
	t.Helper()
	c := tuitest.Demo(t, 12)
	records := c.Snapshot().Nova()
	change := cloud.Change{}
	for svc := range records.Services() {
		modeltest.PutIn(&change, records, svc.Edit(func(s *nova.Service) { s.Version = max(s.Version, nova.VersionOwnerNova) }))
	}
	modeltest.PutIn(&change, records, &nova.Config{OwnerFilter: nova.OwnerOff})
	for n := range 22 {
		name := fmt.Sprint("m", n)
		modeltest.PutIn(&change, records, &nova.Migration{UUID: modeltest.ConsumerID(name), Instance: modeltest.ConsumerID("i" + name), Type: nova.Resize, Status: nova.Migrating})
	}
	must.Succeed(t, c.Change(change))
	return tuitest.NewCloud(c.Snapshot())
}

// TestCursorStaysOnItsClass adds a class before the one under the cursor.
func TestCursorStaysOnItsClass(t *testing.T) {
	t.Parallel()
	c := tuitest.NewCloud(cloud.Empty())
	add := func(name string, class placement.ResourceClass) []placement.Op {
		return modeltest.Provider{Name: name, Inventories: modeltest.Inventories{class: placement.NewInventory(4)}}.Ops(placement.ProviderID{})
	}
	must.Succeed(t, c.Do(add("a", placement.DiskGB)...))
	h := open(t, c)
	h.Change(add("b", placement.VCPU)...)
	h.Press("enter")
	if want := (screen.Goto{To: place.Providers{Filter: "class=DISK_GB"}}); h.Last() != want {
		t.Errorf("the cursor is on %v, want %v", h.Last(), want)
	}
	h.Change(placement.DeleteProvider{ID: modeltest.ProviderID("a")})
	h.Press("enter")
	if want := (screen.Goto{To: place.Providers{Filter: "class=VCPU"}}); h.Last() != want {
		t.Errorf("the cursor is on %v, want %v", h.Last(), want)
	}
}

// TestLateAnswer has the cloud change twice while it is being added up.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	h := open(t, sound(t))
	h.Manual = true
	for _, name := range []string{"one", "two"} {
		h.Change(placement.CreateProvider{ID: modeltest.ProviderID(name), Name: name})
	}
	if h.Pending() != 1 {
		t.Errorf("%d gatherings at a time, want 1", h.Pending())
	}
	h.Settle()
	h.Wants("rp+    two")
}

// BenchmarkScreen is the screen at 160x44 on 10,000 hosts.
func BenchmarkScreen(b *testing.B) {
	c := tuitest.Big(b, modeltest.Big())
	st := tuitest.Styles(termenv.TrueColor, style.Block())
	h := tuitest.Open(b, c, pulses.New(tuitest.Env(c, st), c.Snapshot()))
	_ = h.Screen.View(160, 44)
	b.Run("View", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = h.Screen.View(160, 44)
		}
	})
	b.Run("gather", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s := pulses.New(tuitest.Env(c, st), c.Snapshot())
			tuitest.Open(b, c, s)
		}
	})
}
