package whatif_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/whatif"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// tooMuch fits nowhere in the demo cloud.
const tooMuch = "resources=VCPU:4,MEMORY_MB:8192&required=!COMPUTE_STATUS_DISABLED&resources_GPU=VGPU:6&required_GPU=OWNER_NOVA&root_required=OWNER_NOVA"

// someGPUs fits on some hosts, in several ways.
const someGPUs = "resources=VCPU:2,MEMORY_MB:4096&resources_GPU=VGPU:1"

func open(t *testing.T, st *style.Styles, query string) *tuitest.Host {
	t.Helper()
	c := tuitest.Demo(t, 12)
	return tuitest.Open(t, c, whatif.New(tuitest.Env(c, st), c.Snapshot(), place.WhatIf{Query: query}))
}

// text returns what the screen shows on a body of 80x20.
func text(t *testing.T, h *tuitest.Host) string {
	t.Helper()
	return h.At(80, 20).Text()
}

// shows fails the test unless the screen shows all of want.
func shows(t *testing.T, h *tuitest.Host, want ...string) {
	t.Helper()
	got := text(t, h)
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("no %q on\n%s", w, got)
		}
	}
}

// TestGoldenPages are the pages that keys lead to.
func TestGoldenPages(t *testing.T) {
	t.Parallel()
	states := map[string]func() *tuitest.Host{
		"candidates": func() *tuitest.Host { return open(t, tuitest.Plain(), someGPUs) },
		"prefilters": func() *tuitest.Host {
			h := asNova(t, tuitest.Fleet(t), tuitest.Plain(), place.WhatIf{Flavor: "gpu.both"})
			h.Press("shift+tab", "u", "G", "k", "k")
			return h
		},
		"terms": func() *tuitest.Host {
			h := asNova(t, tuitest.Fleet(t), tuitest.Plain(), place.WhatIf{Instance: modeltest.ConsumerID("train-1")})
			h.Press("shift+tab", "shift+tab")
			return h
		},
	}
	for name, keys := range map[string]string{"nothing fits": "", "misses": "tab tab", "words": "tab tab W", "edit": "e", "fits": "l l h h f"} {
		states[name] = func() *tuitest.Host {
			h := open(t, tuitest.Plain(), tooMuch)
			h.Press(strings.Fields(keys)...)
			return h
		}
	}
	tuitest.Frames(t, states, [2]int{160, 44})
}

// TestAmounts changes an amount with keys: the answer follows.
func TestAmounts(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), "resources=VCPU:4&resources_GPU=VGPU:6")
	shows(t, h, "[VCPU=4]", "VGPU=6")
	h.Press("shift+tab", "j", "h", "h", "left", "h", "h")
	shows(t, h, "VCPU=4", "[VGPU=1]", "CANDIDATES")
	h.Press("h")
	shows(t, h, "[VGPU=1]")
	h.Press("l")
	shows(t, h, "[VGPU=2]")
	h.Press("k", "right")
	shows(t, h, "[VCPU=5]", "VGPU=2")
}

// TestMegabytesGoBySteps checks that l moves in whole steps of 512.
func TestMegabytesGoBySteps(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), "resources=MEMORY_MB:1")
	h.Press("l")
	shows(t, h, "[MEMORY_MB=512]")
	h.Press("h")
	shows(t, h, "[MEMORY_MB=1]")
}

// TestWayOut tries the first way out, which then gives what it promised.
func TestWayOut(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), "resources=VCPU:1&resources_GPU=VGPU:8&required_GPU=OWNER_NOVA")
	shows(t, h, "0 CANDIDATES", "WAYS OUT")
	h.Press("tab", "enter")
	if got := h.Status(); strings.HasPrefix(got, "0 candidates") {
		t.Errorf("after the way out: %s", got)
	}
}

// TestEditing types a query: a valid one is run at once, an invalid one shows where it is
// wrong, and esc goes back.
func TestEditing(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), "resources=VCPU:1")
	before := h.Status()
	h.Press("e")
	h.Type("&required=NOPE")
	shows(t, h, "column 27", "no such trait NOPE", "^")
	if h.Status() != before {
		t.Errorf("an unreadable query changed the answer from %s to %s", before, h.Status())
	}
	h.Press("enter")
	shows(t, h, "no such trait NOPE")
	for range "NOPE" {
		h.Press("backspace")
	}
	h.Type("OWNER_CYBORG")
	shows(t, h, "enter accepts")
	h.Press("enter")
	shows(t, h, "OWNER_CYBORG")
	before = h.Status()
	h.Press("e")
	h.Type("0000000")
	h.Press("esc")
	if got := h.Status(); got != before {
		t.Errorf("after esc: %s, before: %s", got, before)
	}
}

// TestOtherQuestionBeginsAtTheNearestMiss shows the nearest misses of an edited query
// first, wherever the first one of the previous query is now.
func TestOtherQuestionBeginsAtTheNearestMiss(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	h := tuitest.Open(t, c, whatif.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), place.WhatIf{}))
	h.At(160, 48).Text()
	h.Press("e", "ctrl+u")
	h.Type("resources=VCPU:8,VGPU:4&required=HW_GPU_API_VULKAN")
	h.Press("enter")
	if got := h.At(160, 40).Text(); !strings.Contains(got, "needs 4 VGPU") {
		t.Errorf("the nearest misses are not shown:\n%s", got)
	}
}

func TestUnreadableArgument(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), "resources=VCPU:none")
	shows(t, h, "column 16", "VCPU:none")
	if !h.Screen.(screen.Typist).Typing() {
		t.Error("the prompt is not open")
	}
}

// TestStart makes queries from a provider and from a consumer.
func TestStart(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	pl := c.Snapshot().Placement()
	open := func(at place.WhatIf) *tuitest.Host {
		return tuitest.Open(t, c, whatif.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), at))
	}
	for p := range pl.Providers() {
		h := open(place.WhatIf{Provider: p.ID()})
		if len(h.Asked) > 0 {
			continue // nothing in the tree has inventory: an example is shown
		}
		if got := text(t, h); !strings.Contains(got, "in tree of") {
			t.Errorf("%s:\n%s", p.Name(), got)
		}
	}
	for consumer := range pl.Consumers() {
		h := open(place.WhatIf{Consumer: consumer.ID()})
		if len(h.Asked) > 0 {
			t.Errorf("%s: %v", consumer.ID(), h.Asked)
		}
	}
	for _, at := range []place.WhatIf{{Consumer: placement.ConsumerID{1}}, {Provider: placement.ProviderID{1}}} {
		if h := open(at); len(h.Asked) != 1 {
			t.Errorf("%v: asked for %v", at, h.Asked)
		}
	}
}

// TestAllocate goes from a candidate to the form with its allocations.
func TestAllocate(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), someGPUs)
	h.Press("enter")
	push, ok := h.Last().(screen.PushMsg)
	if !ok {
		t.Fatalf("asked for %v", h.Last())
	}
	if _, ok := push.Screen.(*form.Wizard); !ok {
		t.Fatalf("pushed %T", push.Screen)
	}
	f := tuitest.Open(t, h.Cloud, push.Screen)
	if got := f.At(80, 20).Text(); !strings.Contains(got, "⬢ N cmp-001_pci") {
		t.Errorf("the fields:\n%s", got)
	}
	tuitest.EverySize(t, f)
	f.Type("p")
	f.Press("enter", "enter")
	if got := f.At(80, 20).Text(); !strings.Contains(got, "VGPU 1") || !strings.Contains(got, "AFTER") {
		t.Errorf("the preview:\n%s", got)
	}
	if h.Cloud.Writes > 0 {
		t.Error("it was written before anybody said yes")
	}
	f.Press("enter")
	if h.Cloud.Writes != 1 {
		t.Errorf("%d writes after the yes", h.Cloud.Writes)
	}
}

// TestUnfold shows every candidate of a kind.
func TestUnfold(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), someGPUs)
	shows(t, h, "+1 alike")
	folded := strings.Count(text(t, h), " alike")
	h.Press("g", "x")
	if got := strings.Count(text(t, h), " alike"); got == folded {
		h.Press("j", "x")
		if got := strings.Count(text(t, h), " alike"); got >= folded {
			t.Errorf("%d folded kinds, before %d", got, folded)
		}
	}
	h.Press("x")
	if got := strings.Count(text(t, h), " alike"); got != folded {
		t.Errorf("%d folded kinds after folding again, not %d", got, folded)
	}
}

// TestFits counts copies, and counts again when an amount or the cloud changes.
func TestFits(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), "resources_GPU=VGPU:4")
	h.Press("f")
	shows(t, h, "HOW MANY MORE FIT", "copies fit")
	before := text(t, h)
	h.Press("h")
	shows(t, h, "HOW MANY MORE FIT", "[VGPU=3]")
	wanting := strings.Count(before, "VGPU: 4 free")
	if after := text(t, h); strings.Count(after, "VGPU: 4 free") >= wanting {
		t.Errorf("what four at once wants after three were asked for:\n%s", after)
	}
	if !h.Back() {
		t.Error("esc closed nothing")
	}
	shows(t, h, "CANDIDATES")
}

// TestFitsWhileShown counts copies again while the focus is elsewhere and the count is still on
// screen, and stays there after another query is typed.
func TestFitsWhileShown(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), "resources_GPU=VGPU:4")
	h.Press("f")
	text(t, h)
	h.Press("tab") // the query, above the count
	text(t, h)
	h.Press("h")
	shows(t, h, "HOW MANY MORE FIT", "[VGPU=3]", "copies fit")
	h.Lacks("of the previous query")
	h.Press("f", "e", "ctrl+u")
	h.Type("resources=VCPU:1")
	h.Press("enter")
	shows(t, h, "> HOW MANY MORE FIT", "copies fit")
	h.Lacks("of the previous query", "enter accepts")
}

// TestTabLeavesPages checks that tab shows the section that it goes to.
func TestTabLeavesPages(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), "resources_GPU=VGPU:4")
	h.Press("W")
	h.Lacks("asked", "CANDIDATES ─")
	h.Press("tab")
	h.Wants("> FUNNEL", "all trees")
	h.Press("f", "shift+tab")
	h.Wants("> NEAREST MISSES")
}

// TestCandidatesWithinTheLimit says how many of all candidates are listed.
func TestCandidatesWithinTheLimit(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), "resources=VCPU:1&limit=3")
	h.Wants("12 CANDIDATES, THE FIRST 3 LISTED")
}

// TestLostToStage lists what a stage removed, and esc shows all again.
func TestLostToStage(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), "resources=VGPU:8&required=OWNER_NOVA")
	h.Press("g", "j", "j", "enter")
	shows(t, h, "LOST TO VGPU: 8 free")
	if !h.Back() {
		t.Error("esc closed nothing")
	}
	shows(t, h, "NEAREST MISSES")
	h.Press("enter")
	if _, ok := h.Last().(screen.Goto); !ok {
		t.Errorf("enter on a provider asked for %v", h.Last())
	}
}

// TestNotAsked does not say that a provider without a class has room for it.
func TestNotAsked(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), "resources=VCPU:1,MEMORY_MB:1024")
	for _, size := range tuitest.Sizes() {
		if got := h.At(size[0], size[1]).Text(); strings.Contains(got, "0 free of 0") {
			t.Errorf("in order is what is not there:\n%s", got)
		}
	}
	h.Press("W")
	if got := h.At(160, 44).Text(); !strings.Contains(got, "cmp-001 is among the candidates for VCPU, MEMORY_MB") {
		t.Errorf("W explains another than who is under the cursor:\n%s", got)
	}
	h.Press("W", "tab", "tab", "W")
	got := h.At(160, 44).Text()
	must.Say(t, got, "ceph-ssd-01: has none of the classes asked for", "has no inventory of VCPU")
	for _, never := range []string{"0 free of 0", "✓ VCPU: 1 free", "✓ VCPU: 1 at once"} {
		if strings.Contains(got, never) {
			t.Errorf("%q of who has no VCPU, on\n%s", never, got)
		}
	}
	h.Press("W", "tab", "tab")
	for line := range strings.Lines(h.At(160, 44).Text()) {
		if strings.Contains(line, "has no inventory of VCPU") && !strings.Contains(line, "✗        -        ") {
			t.Errorf("not asked for VCPU: %s", line)
		}
	}
}

// TestLostNobodyStays leaves the page of a stage that removes no near provider, which
// says so, when the cloud changes.
func TestLostNobodyStays(t *testing.T) {
	t.Parallel()
	const nobody = "none of the nearest misses fails this"
	h := open(t, tuitest.Plain(), "resources=VCPU:1")
	h.Press("tab", "G", "enter")
	shows(t, h, nobody)
	h.Change(placement.CreateProvider{ID: placement.ProviderID{1}, Name: "new"})
	shows(t, h, nobody)
}

// TestCopies copies request, commands and words.
func TestCopies(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), tooMuch)
	for what, want := range map[string]string{
		"request":           "/allocation_candidates?" + tooMuch,
		"command":           "placetop candidates --explain '" + tooMuch[:10],
		"text for a ticket": "candidates: 0",
		"openstack command, which cannot say root_required": "openstack ",
	} {
		if got := h.Copied(what); !strings.Contains(got, want) {
			t.Errorf("%s is %q, want %q in it", what, got, want)
		}
	}
	h.Press("c")
	if got, ok := h.Last().(screen.CopyMsg); !ok || got.Text != "/allocation_candidates?"+tooMuch {
		t.Errorf("c copied %v", h.Last())
	}
}

// TestStaleAnswers drops the answer to an older query, and keeps what was shown until the
// newest is there.
func TestStaleAnswers(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 1_500)
	h := tuitest.OpenManual(t, c, whatif.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), place.WhatIf{Query: "resources=VCPU:1"}))
	h.Settle()
	first := h.Status()
	h.Press("e")
	h.Type("0000000") // ten million: nothing fits
	if got := h.Status(); !strings.HasPrefix(got, strings.Fields(first)[0]) || !strings.Contains(got, "asking") {
		t.Errorf("while it asks: %s", got)
	}
	for h.Pending() > 0 {
		h.RunOne(h.Pending() - 1) // the newest first
	}
	must.Be(t, h.Status(), "0 candidates")
}

// TestFollowsTheCloud asks again when the cloud changes.
func TestFollowsTheCloud(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), "resources=VCPU:1")
	before := h.Status()
	id := must.Get(placement.ParseProviderID("aaaaaaaa-0000-4000-8000-000000000001"))(t)
	h.Change(placement.CreateProvider{ID: id, Name: "new"}, placement.SetInventories{Provider: id, Generation: placement.Generation(0), Inventories: map[placement.ResourceClass]placement.Inventory{
		placement.VCPU: {Total: 8, MinUnit: 1, MaxUnit: 8, StepSize: 1, AllocationRatio: 1},
	}})
	if h.Status() == before {
		t.Errorf("%s before and after a host came", before)
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	for _, query := range []string{tooMuch, someGPUs} {
		h := open(t, tuitest.Plain(), query)
		for range 5 {
			tuitest.Actions(t, h)
			h.Press("tab")
		}
	}
}

func TestEverySize(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"funnel": nil, "misses": {"tab", "tab"}, "words": {"W"}, "edit": {"e", "x"}, "fits": {"f"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, tuitest.Plain(), tooMuch)
			h.Press(keys...)
			tuitest.EverySize(t, h)
		})
	}
	t.Run("list", func(t *testing.T) {
		t.Parallel()
		tuitest.EverySize(t, open(t, tuitest.Plain(), someGPUs))
	})
}

func TestAnything(t *testing.T) {
	t.Parallel()
	tuitest.Anything(t, func(env screen.Env, snap *cloud.Snapshot) screen.Screen { return whatif.New(env, snap, place.WhatIf{}) },
		"h l h l e / W = f z x C tab tab & = , 1 r V backspace right left")
}

// TestPaste pastes a query into the prompt at once.
func TestPaste(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Plain(), "resources=VCPU:1")
	h.Press("e")
	h.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(",MEMORY_MB:512"), Paste: true})
	h.Press("enter")
	shows(t, h, "MEMORY_MB=512")
}

// FuzzArgument opens the screen on anything that can be typed.
func FuzzArgument(f *testing.F) {
	for _, seed := range []string{"", "provider:", "consumer:x", tooMuch, someGPUs, "resources=VCPU:2147483647", "resources=VCPU:1&limit=1", "required_A=OWNER_NOVA&resources_B=VCPU:1&same_subtree=_A,_B&group_policy=none"} {
		f.Add(seed)
	}
	c := tuitest.Demo(f, 2)
	f.Fuzz(func(t *testing.T, arg string) {
		at, err := place.Parse(place.WhatIf{}, arg)
		if err != nil {
			return
		}
		h := tuitest.Open(t, c, whatif.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), at.(place.WhatIf)))
		for _, size := range tuitest.Sizes() {
			h.At(size[0], size[1]).Text()
		}
	})
}

// TestWhyOfAProvider first explains the card in question, and not its sibling that is
// among the candidates; later the one under the cursor.
func TestWhyOfAProvider(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 2)
	card, ok := c.Snapshot().Placement().ProviderByName("cmp-001_pci_0000_42_00_0")
	if !ok {
		t.Fatal("no such card in the demo cloud")
	}
	h := tuitest.Open(t, c, whatif.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), place.WhatIf{Provider: card.ID(), Words: true}))
	for _, want := range []string{"_42_00_0 is among the candidates", "_41_00_0 is among the candidates"} {
		h.At(160, 44).Wants(want)
		h.Press("W", "W")
	}
}

// TestStartsFromNova runs Nova's request for a flavor and for an instance: the terms of
// pre-filters and of device profiles can be edited.
func TestStartsFromNova(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	for at, want := range map[place.WhatIf][]string{
		{Flavor: "gpu.t4.1"}:                                     {"what-if from flavor gpu.t4.1", "VGPU=1", "OWNER_CYBORG", "COMPUTE_STATUS_DISABLED"},
		{Instance: modeltest.ConsumerID("train-1")}:              {"what-if from train-1", "CUSTOM_NVIDIA_A100", "VGPU=1"},
		{Instance: modeltest.ConsumerID("train-1"), Words: true}: {"what-if from train-1", "IN WORDS", "cmp-1"},
	} {
		h := tuitest.Open(t, c, whatif.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), at))
		text := h.Screen.Title() + "\n" + h.At(160, 44).Text()
		for _, words := range want {
			if !strings.Contains(text, words) {
				t.Errorf("%v does not say %q:\n%s", at, words, text)
			}
		}
	}
	for at, want := range map[place.WhatIf]string{
		{Flavor: "nobody"}: "flavor nobody", {Flavor: "rack.7"}: "CUSTOM_RACK_7", {Flavor: "gpu.t4.lost"}: "device profile t4-9",
		{Instance: modeltest.ConsumerID("nobody")}: "instance",
	} {
		h := tuitest.Open(t, c, whatif.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), at))
		if toast, ok := h.Last().(screen.ToastMsg); !ok || !strings.Contains(toast.Text, want) || !strings.HasSuffix(toast.Text, ": this is an example") {
			t.Errorf("%v says %v, want a word about %s", at, h.Last(), want)
		}
	}
}
