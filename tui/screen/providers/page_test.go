package providers_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/providers"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func openWith(tb testing.TB, c *tuitest.Cloud, st *style.Styles, name string) *tuitest.Host {
	tb.Helper()
	p, ok := c.Snapshot().Placement().ProviderByName(name)
	if !ok {
		tb.Fatalf("no provider %s", name)
	}
	s := must.Get(providers.Open(tuitest.Env(c, st), c.Snapshot(), p.ID()))(tb)
	return tuitest.Open(tb, c, s)
}

func openPage(tb testing.TB, c *tuitest.Cloud, which string) *tuitest.Host {
	tb.Helper()
	return openWith(tb, c, tuitest.Plain(), which)
}

func TestPageStates(t *testing.T) {
	t.Parallel()
	tuitest.Frames(t, map[string]func() *tuitest.Host{
		"gone": func() *tuitest.Host {
			h := openPage(t, tuitest.Demo(t, 12), "cmp-012_pci_0000_41_00_0")
			h.Change(placement.DeleteProvider{ID: id(t, h, "cmp-012_pci_0000_41_00_0")})
			return h
		},
		"bare": func() *tuitest.Host {
			c := tuitest.NewCloud(cloud.Empty())
			must.Succeed(t, c.Do(placement.CreateProvider{ID: modeltest.ProviderID("bare"), Name: "bare"}))
			return openPage(t, c, "bare")
		},
		"scrolled": func() *tuitest.Host {
			h := openPage(t, tuitest.Demo(t, 12), "cmp-007")
			h.Press("shift+tab")
			h.Text() // it says how much there is to scroll
			h.Press("G")
			return h
		},
		"one time use": func() *tuitest.Host {
			c := tuitest.Demo(t, 12)
			pl := c.Snapshot().Placement()
			once, _ := pl.TraitID(placement.HWPCIOneTimeUse)
			for n := range pl.WithTrait(once).All() {
				return openPage(t, c, pl.ProviderAt(n).Name())
			}
			t.Fatal("the demo has no device for one time use")
			return nil
		},
	})
}

func id(t *testing.T, h *tuitest.Host, name string) placement.ProviderID {
	t.Helper()
	p, ok := h.Cloud.Snapshot().Placement().ProviderByName(name)
	if !ok {
		t.Fatalf("no provider %s", name)
	}
	return p.ID()
}

func TestEverySize(t *testing.T) {
	t.Parallel()
	for _, which := range []string{"cmp-007", "ceph-ssd-01", "cmp-012_pci_0000_41_00_0"} {
		h := openPage(t, tuitest.Demo(t, 12), which)
		tuitest.EverySize(t, h)
		h.At(80, 20).Text()
		h.Press("tab", "G")
		tuitest.EverySize(t, h)
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	for p := range c.Snapshot().Placement().Providers() {
		tuitest.Actions(t, openPage(t, c, p.Name()))
	}
}

func TestAnything(t *testing.T) {
	t.Parallel()
	for _, which := range []string{"a", "b"} {
		tuitest.Anything(t, func(env screen.Env, snap *cloud.Snapshot) screen.Screen {
			s := must.Get(providers.Open(env, snap, modeltest.ProviderID(which)))(t)
			return s
		}, "tab u t C n D enter")
	}
}

func TestPageNamesCannotActOnTheTerminal(t *testing.T) {
	t.Parallel()
	c := tuitest.Hostile(t)
	for p := range c.Snapshot().Placement().Providers() {
		h := openPage(t, c, p.Name())
		h.Harmless()
		h.Change(placement.CreateTrait{Name: "CUSTOM_" + placement.Trait(strings.ToUpper(p.ID().String()[:8]))})
		h.Harmless()
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	for _, id := range []placement.ProviderID{{}, {1}} {
		if _, err := providers.Open(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), id); !errors.Is(err, placement.ErrNotFound) {
			t.Errorf("New(%s) = %v, want ErrNotFound", id, err)
		}
	}
}

func TestEveryLineCanBeSeen(t *testing.T) {
	t.Parallel()
	h := openPage(t, tuitest.Demo(t, 12), "cmp-003")
	p, _ := h.Cloud.Snapshot().Placement().ProviderByName("cmp-003")
	for _, size := range append(tuitest.Sizes(), [2]int{80, 9}) {
		seen := ""
		for range 6 { // sections
			h.Press("tab")
			for range 40 {
				seen += h.At(size[0], size[1]).Text()
				h.Press("j")
			}
			h.Press("g")
		}
		for _, name := range h.Cloud.Snapshot().Placement().TraitsOf(p) {
			_, rest, _ := strings.Cut(string(name), "_")
			if size[0] > 40 && !strings.Contains(seen, rest) {
				t.Errorf("%dx%d: trait %s is nowhere", size[0], size[1], name)
			}
		}
		for _, want := range []string{p.ID().String()[:13], "MEMORY_MB", "0000:83:00.0", "AGGREGATES 2", "CHILDREN 3", "CONSUMERS 17", "train-42"} {
			if !strings.Contains(seen, want) {
				t.Errorf("%dx%d: %q is nowhere", size[0], size[1], want)
			}
		}
	}
}

// TestTabGivesRoom gives one section the whole body of a small terminal on tab.
func TestTabGivesRoom(t *testing.T) {
	t.Parallel()
	h := openPage(t, tuitest.Demo(t, 12), "cmp-007")
	for _, want := range [][]string{
		{"─ CONSUMERS 23 ──", " 6/6 tab ─", "infer-9", "render-node-10", "train-8"},
		{"─ PROVIDER ──", " 1/6 tab ─", "⬢ N nova"},
		{"─ INVENTORY ──", " 2/6 tab ─", "VCPU", "MEMORY_MB", "DISK_GB"},
	} {
		text := h.At(40, 6).Text()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("does not say %q:\n%s", w, text)
			}
		}
		h.Press("tab")
	}
}

// TestCountsAggregatesOfTheRoot counts in the crumb line what a card reaches through its
// root.
func TestCountsAggregatesOfTheRoot(t *testing.T) {
	t.Parallel()
	for which, want := range map[string]string{"cmp-007": "2 aggregates", "cmp-007_pci_0000_41_00_0": "2 aggregates", "ceph-ssd-01": "1 aggregate "} {
		if got := openPage(t, tuitest.Demo(t, 12), which).Status(); !strings.Contains(got, want) {
			t.Errorf("%s stands %q, want %q in it", which, got, want)
		}
	}
}

func TestReachesPools(t *testing.T) {
	t.Parallel()
	h := openPage(t, tuitest.Demo(t, 12), "cmp-005")
	h.At(160, 80).Wants("DISK_GB 2.2T/3.3T, 720G by this host")
}

func TestKeysMoveWhereTheFocusIs(t *testing.T) {
	t.Parallel()
	h := openPage(t, tuitest.Demo(t, 12), "cmp-007")
	first := h.At(80, 20).Text()
	h.Press("shift+tab") // traits
	h.At(80, 20).Text()
	h.Press("j", "j")
	h.Wants("> TRAITS", "lines 3 to ")
	h.Press("k", "k", "k", "tab")
	if text := h.Text(); text != first {
		t.Errorf("does not scroll back:\n%s", text)
	}
	h.Press("G")
	if text := h.At(250, 80).Text(); !strings.Contains(lastWith(text, "INSTANCE"), "│ >") {
		t.Errorf("G does not go to the last consumer:\n%s", text)
	}
}

// lastWith returns the last line that contains s.
func lastWith(text, s string) string {
	last := ""
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(line, s) {
			last = line
		}
	}
	return last
}

func TestGoesOn(t *testing.T) {
	t.Parallel()
	c := tuitest.NewCloud(cloud.Empty())
	tree := modeltest.Provider{Name: "host", Children: []modeltest.Provider{{
		Name: "host_card", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(8)},
	}}}
	must.Succeed(t, c.Do(append(tree.Ops(placement.ProviderID{}), modeltest.Allocate(modeltest.Claim("vm", map[string]modeltest.Resources{"host_card": {placement.VGPU: 2}})))...))
	h := openPage(t, c, "host_card")
	card, vm := modeltest.ProviderID("host_card"), modeltest.ConsumerID("vm")
	for key, want := range map[string]tea.Msg{
		"enter": screen.Goto{To: place.Consumers{Filter: "uuid=" + vm.String()}},
		"n":     screen.Goto{To: place.Allocate{Provider: card}},
		"D":     screen.Goto{To: place.Release{Consumer: vm, From: card}},
		"h":     screen.Goto{To: place.Provider{ID: modeltest.ProviderID("host")}, Replace: true},
		"`":     screen.Goto{To: place.Providers{Filter: `root="host"`}},
		"c":     screen.CopyMsg{What: "uuid of host_card", Text: card.String()},
	} {
		h.Asks(key, want)
	}
	for what, want := range map[string]string{
		"name": "host_card", "uuid": card.String(), "command": "placetop get providers " + card.String(),
		"openstack command": "openstack --os-placement-api-version 1.39 resource provider show --allocations " + card.String(),
	} {
		if got := h.Copied(what); got != want {
			t.Errorf("%s is %q, want %q", what, got, want)
		}
	}
	for what, want := range map[string]string{"JSON": `"name": "host_card"`, "YAML": "\nname: host_card\n", "text for a ticket": "provider host_card, seen "} {
		if got := h.Copied(what); !strings.Contains(got, want) {
			t.Errorf("%s is %q, want %q in it", what, got, want)
		}
	}
	if table, ok := h.Screen.(screen.Tabler).Table(); !ok || len(table.Rows) != 1 || table.Name != "provider-consumers" {
		t.Errorf("the table is %v", table)
	}
	h.Asked = nil
	h.Change(placement.DeleteAllocations{Consumer: modeltest.ConsumerID("vm")})
	h.Press("enter")
	if h.Asked != nil {
		t.Errorf("without consumers it asks for %v", h.Asked)
	}
	h.Asks("D", screen.Goto{To: place.DelProvider{ID: card}}) // nothing is in the way of that
	h.Asked = nil
	h.Change(placement.DeleteProvider{ID: modeltest.ProviderID("host_card")})
	h.Press("enter", "n", "D", "u", "t", "c", "C", "tab", "j", "G")
	if h.Asked != nil || h.Status() != "deleted" || h.Screen.Title() != "host > card" {
		t.Errorf("deleted, it is called %q, stands %q and asks for %v", h.Screen.Title(), h.Status(), h.Asked)
	}
	// The uuid comes back, as with a replay or an undo.
	h.Change(placement.CreateProvider{ID: modeltest.ProviderID("host_card"), Name: "again"})
	if text := h.Text(); !strings.Contains(text, "no inventory") || h.Screen.Title() != "again" {
		t.Errorf("made again, it is called %q:\n%s", h.Screen.Title(), text)
	}
}

func TestCrowd(t *testing.T) {
	t.Parallel()
	c := tuitest.NewCloud(cloud.Empty())
	pool := modeltest.Provider{Name: "pool", Inventories: modeltest.Inventories{placement.DiskGB: placement.NewInventory(100_000)}}
	ops := pool.Ops(placement.ProviderID{})
	var claims []placement.Claim
	for i := range providers.MostConsumers + 5 {
		claims = append(claims, modeltest.Claim(fmt.Sprint("vm", i), map[string]modeltest.Resources{"pool": {placement.DiskGB: 1}}))
	}
	for i := range 100 {
		name := fmt.Sprintf("child%03d", i)
		ops = append(ops, placement.CreateProvider{ID: modeltest.ProviderID(name), Name: name, Parent: modeltest.ProviderID("pool")})
	}
	must.Succeed(t, c.Do(append(ops, modeltest.Allocate(claims...))...))
	h := openPage(t, c, "pool")
	h.At(80, 20).Wants("CONSUMERS 1 005, 1 000 of them here")
	for range 2 { // inventory, children
		h.Press("tab")
		h.At(80, 30).Text()
	}
	h.Press("G")
	h.At(80, 30).Wants("CHILDREN 100")
}

// BenchmarkScreen is one host at 160x44 in a cloud of 10,000.
func BenchmarkScreen(b *testing.B) {
	c := tuitest.Big(b, modeltest.Big())
	h := openWith(b, c, tuitest.Styles(termenv.TrueColor, style.Block()), "compute-00042.example.org")
	_ = h.Screen.View(160, 44)
	b.Run("key j", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h.Press("j")
			_ = h.Screen.View(160, 44)
		}
	})
	b.Run("new claims", func(b *testing.B) {
		p, _ := c.Snapshot().Placement().ProviderByName("compute-00042.example.org")
		claim := modeltest.Claim("bench", nil)
		claim.Allocations = map[placement.ProviderID]map[placement.ResourceClass]int64{p.ID(): {placement.DiskGB: 1}}
		other := c.Snapshot()
		must.Succeed(b, c.Do(modeltest.Allocate(claim)))
		h.Manual = true // a frame does not wait for the audit
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			h.Send(screen.SnapshotMsg{Snapshot: []*cloud.Snapshot{c.Snapshot(), other}[i%2]})
			_ = h.Screen.View(160, 44)
		}
	})
}

// TestShareOfPool checks that a host shows its share of a pool, and not the total usage
// of the pool.
func TestShareOfPool(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	h := openPage(t, c, "cmp-005")
	h.At(100, 40).Wants("720G here, of ceph-ssd-01 2.2T/3.3T, shared")
}

// TestPageWithoutTimes shows no times for a provider that was read over the API, which does
// not report them.
func TestPageWithoutTimes(t *testing.T) {
	t.Parallel()
	empty := cloud.Empty()
	read := cloud.Differences(empty.Records(), []versioned.Record{&placement.ProviderRecord{UUID: modeltest.ProviderID("a"), Name: "a"}})
	snap, _, err := empty.Apply(cloud.PutRecords("cloud", "as it was read", read))
	must.Succeed(t, err)
	if text := openPage(t, tuitest.NewCloud(snap), "a").Text(); strings.Contains(text, "written") {
		t.Error(text)
	}
}
