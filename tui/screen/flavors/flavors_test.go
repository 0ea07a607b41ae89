package flavors_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/flavors"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func open(t testing.TB, c *tuitest.Cloud, filter string) *tuitest.Host {
	t.Helper()
	return tuitest.List(flavors.New).On(t, c, filter)
}

func TestList(t *testing.T) {
	t.Parallel()
	tuitest.List(flavors.New).Check(t, tuitest.Fleet)
}

func page(t *testing.T, c *tuitest.Cloud, st *style.Styles, ref string) *tuitest.Host {
	t.Helper()
	s := must.Get(flavors.Open(tuitest.Env(c, st), c.Snapshot(), ref))(t)
	return tuitest.Open(t, c, s)
}

// TestBootsWhereThatIsPossible checks that the key to boot knows what booting writes: where
// a store cannot carry that out, such as a real Nova, the key is disabled and says why.
func TestBootsWhereThatIsPossible(t *testing.T) {
	t.Parallel()
	actions := open(t, tuitest.Fleet(t), "").Screen.Actions()
	boot := slices.IndexFunc(actions, func(a action.Action) bool { return a.ID == "flavors.boot" })
	if boot < 0 || !slices.Equal(actions[boot].Writes, []intent.Op{nova.CreateInstance{}}) {
		t.Errorf("to boot is %d of %+v", boot, actions)
	}
}

func TestPageActions(t *testing.T) {
	t.Parallel()
	tuitest.Actions(t, page(t, tuitest.Fleet(t), tuitest.Plain(), "gpu.both"))
	tuitest.EverySize(t, page(t, tuitest.Fleet(t), tuitest.Plain(), "typo.1"))
}

// line returns the row of a flavor.
func line(t *testing.T, h *tuitest.Host, name string) string {
	t.Helper()
	for l := range strings.Lines(h.At(160, 20).Text()) {
		if fields := strings.Fields(l); slices.Contains(fields[:min(len(fields), 3)], name) {
			return strings.Join(fields, " ")
		}
	}
	return ""
}

func TestRowsTellWhatIsAskedAndWhatFits(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Fleet(t), "")
	for name, want := range map[string]string{
		"cpu.large":   "cpu.large 8C 32G 40G disk - 2 ",
		"gpu.a100.1":  "gpu.a100.1 VGPU 1 +CUSTOM_NVIDIA_A100 4C 16G 40G disk ⬢ N 1 9 ",
		"gpu.both":    "gpu.both VGPU 1 t4-1 > VGPU 1 4C 16G 40G disk N+C 1 2 ",
		"gpu.t4.1":    "gpu.t4.1 t4-1 > VGPU 1 4C 16G 40G disk ⬡ C 4 4 ",
		"gpu.t4.lost": "✗ gpu.t4.lost t4-9 4C 16G 40G disk - 0 - device profile t4-9 does not exist",
		"gold.1":      "✗ gold.1 4C 16G 40G disk +CUSTOM_GOLD - 0 0 trait CUSTOM_GOLD: nobody",
		"huge.1":      "✗ huge.1 64C 256G 40G disk - 0 0 VCPU: 64 free: nobody",
		"rack.7":      "✗ rack.7 2C 8G 40G disk +CUSTOM_RACK_7 - 0 - no such trait",
		"typo.1":      "! typo.1 2C 8G 40G disk - 0 ",
	} {
		h.Press("/", "ctrl+u")
		h.Type(name)
		h.Press("enter")
		if got := strings.TrimPrefix(line(t, h, name), "> "); !strings.HasPrefix(got+" ", want) {
			t.Errorf("the row is %q, want %q", got, want)
		}
	}
}

// TestFitsIsTheSearch compares the column with the result of the search.
func TestFitsIsTheSearch(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	h := open(t, c, "gpu.a100.1")
	f, _ := c.Snapshot().Nova().FlavorNamed("gpu.a100.1")
	r := must.Get(c.Snapshot().Nova().Ask(nova.RequestSpec{Flavor: f}, nova.AskOptions{Placement: c.Snapshot().Placement()}))(t)
	asks := must.Get(candidates.NewIndex(c.Snapshot().Placement()).Ask(r.Query))(t)
	fit := candidates.FitOf(asks)
	if text := h.At(100, 24).Text(); !strings.Contains(text, fmt.Sprintf(" %d more fit", fit.Copies)) || fit.Copies == 0 {
		t.Errorf("does not say that %d fit:\n%s", fit.Copies, text)
	}
}

// TestFitsOfPinnedCPUs counts hosts that report PCPU and others: Nova asks for both, unless
// the flavor itself asks for PCPU.
func TestFitsOfPinnedCPUs(t *testing.T) {
	t.Parallel()
	w := modeltest.NewWorld(t).Pinned().
		Record(&nova.Flavor{Name: "only", VCPUs: 4, MemoryMB: 1024, ExtraSpecs: map[string]string{"resources:PCPU": "4", "resources:VCPU": "0"}})
	c := tuitest.NewCloud(w.Snapshot)
	for name, want := range map[string]string{"pin": " 4 more fit", "only": " 2 more fit"} {
		if text := open(t, c, name).At(100, 24).Text(); !strings.Contains(text, want) {
			t.Errorf("%s: does not say %q:\n%s", name, want, text)
		}
	}
}

// TestFitsComesLater draws rows before it is known how many fit, keeps the numbers while
// the cloud changes, and computes them again.
func TestFitsComesLater(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	h := tuitest.OpenManual(t, c, flavors.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), "gpu.a100.1"))
	if text := line(t, h, "gpu.a100.1"); !strings.HasSuffix(text, "⬢ N 1 …") {
		t.Errorf("before it is known, the row is %q", text)
	}
	h.Settle()
	before := line(t, h, "gpu.a100.1")
	if strings.Contains(before, "…") {
		t.Fatalf("when it is known, the row is %q", before)
	}
	claim := modeltest.Claim("more", map[string]modeltest.Resources{"cmp-3_pci_0000_41_00_0": {placement.VGPU: 4}})
	must.Succeed(t, c.Do(modeltest.Allocate(claim)))
	h.Feed()
	h.RunOne(0)
	if got := line(t, h, "gpu.a100.1"); got != before {
		t.Errorf("while it is asked again the row is %q, was %q", got, before)
	}
	if h.Settle(); line(t, h, "gpu.a100.1") == before {
		t.Errorf("two units less change nothing: %q", before)
	}
}

// TestEachRowHasItsTurn changes the cloud before each piece of work: no row waits for
// ever, although a piece is not enough for all.
func TestEachRowHasItsTurn(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	var change nova.PutRecords
	const more = 40
	for n := range more {
		name := fmt.Sprint("gpu.", 100+n)
		modeltest.Put(&change, c.Snapshot().Nova(), &nova.Flavor{Name: name, FlavorID: name, VCPUs: 1, MemoryMB: int64(1024 + n), RootGB: 1})
	}
	must.Succeed(t, c.Change(cloud.Change{Ops: []cloud.Op{change}}))
	h := open(t, c, "gpu.1")
	before := h.At(100, 60).Text()
	h.Manual = true
	for n := range 60 {
		host := fmt.Sprint("cmp-", 2+n%3)
		must.Succeed(t, c.Do(modeltest.Allocate(modeltest.Claim(fmt.Sprint("more", n), map[string]modeltest.Resources{host: {placement.VCPU: 1}}))))
		h.Feed()
		if h.Pending() > 0 {
			h.RunOne(0)
		}
	}
	after := strings.Split(h.At(100, 60).Text(), "\n")
	for i, row := range strings.Split(before, "\n")[1 : more+1] {
		if !strings.Contains(row, "gpu.1") || row == after[i+1] {
			t.Fatalf("a row was never renewed: %s", row)
		}
	}
}

func TestOrderByFits(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Fleet(t), "fits>=0")
	h.Press("/", "ctrl+u", "enter")
	h.Sort("fits")
	h.Press("g", "c")
	if got := h.Last(); got != (screen.CopyMsg{What: "name of gold.1", Text: "gold.1"}) {
		t.Errorf("what fits least is %v", got)
	}
}

// TestFaultsStandAtTheWord shows a wrong extra spec with a sign below the wrong word.
func TestFaultsStandAtTheWord(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	for name, want := range map[string][2]string{
		"typo.1": {"! resources:VGPUS=1", "            ^ "},
		"rack.7": {"✗ trait:CUSTOM_RACK_7=required", "        ^ no such trait CUSTOM_RACK_7: make it in :traits"},
	} {
		for _, h := range []*tuitest.Host{open(t, c, name), page(t, c, tuitest.Plain(), name)} {
			lines := strings.Split(h.Text(), "\n")
			at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, want[0]) })
			if at < 0 || !strings.HasPrefix(lines[at+1], want[1]) {
				t.Errorf("%s does not say what is wrong:\n%s", name, strings.Join(lines, "\n"))
			}
		}
	}
}

func TestGoes(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Fleet(t), "gpu.t4.1")
	for key, want := range map[string]tea.Msg{
		"enter": screen.Goto{To: place.Flavor{Ref: "gpu.t4.1"}},
		"w":     screen.Goto{To: place.WhatIf{Flavor: "gpu.t4.1"}},
		"W":     screen.Goto{To: place.WhatIf{Flavor: "gpu.t4.1", Words: true}},
		"i":     screen.Goto{To: place.Instances{Filter: "flavor=gpu.t4.1"}},
	} {
		h.Asks(key, want)
	}
	h = open(t, tuitest.Fleet(t), "gpu.t4.lost")
	if h.Press("w"); h.Last() != nil {
		t.Errorf("what cannot be asked leads to %v", h.Last())
	}
}

// BenchmarkFits is how long 10,000 hosts take for the number of fits of a flavor, and a
// key meanwhile.
func BenchmarkFits(b *testing.B) {
	c := tuitest.Big(b, modeltest.Big())
	var change nova.PutRecords
	for n := range 40 {
		name := fmt.Sprint("gpu.", n)
		modeltest.Put(&change, c.Snapshot().Nova(), &nova.Flavor{Name: name, FlavorID: name, VCPUs: int64(1 + n), MemoryMB: 4096, RootGB: 20, ExtraSpecs: map[string]string{"resources1:VGPU": "1"}})
	}
	must.Succeed(b, c.Change(cloud.Change{Ops: []cloud.Op{change}}))
	st := tuitest.Styles(termenv.TrueColor, style.Block())
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			tuitest.Open(b, c, flavors.New(tuitest.Env(c, st), c.Snapshot(), ""))
		}
	})
	h := tuitest.Open(b, c, flavors.New(tuitest.Env(c, st), c.Snapshot(), ""))
	b.Run("key j", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h.Press("j")
			_ = h.Screen.View(160, 44)
		}
	})
}
