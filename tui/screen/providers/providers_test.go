package providers_test

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/providers"
	"github.com/placetop/placetop/tui/tuitest"
)

func open(t testing.TB, c *tuitest.Cloud, filter string) *tuitest.Host {
	t.Helper()
	return tuitest.Open(t, c, providers.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), filter))
}

func TestStates(t *testing.T) {
	t.Parallel()
	demo := tuitest.Demo(t, 12)
	tuitest.Frames(t, map[string]func() *tuitest.Host{
		"empty": func() *tuitest.Host { return open(t, tuitest.NewCloud(cloud.Empty()), "") },
		"no match": func() *tuitest.Host {
			h := open(t, demo, "class=PGPU free>0 cmp")
			h.Press("o", "o", "o")
			return h
		},
		"loading": func() *tuitest.Host {
			c := tuitest.Big(t, modeltest.Size{Hosts: providers.BigList + 1})
			return tuitest.OpenManual(t, c, providers.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), ""))
		},
		"bad filter": func() *tuitest.Host { return open(t, demo, "colour=red") },
		"typing": func() *tuitest.Host {
			h := open(t, demo, "")
			h.Press("/")
			h.Type("owner=both | 82")
			return h
		},
		"context": func() *tuitest.Host { return open(t, demo, "0000:81") },
		"flat": func() *tuitest.Host {
			h := open(t, demo, "class=vgpu")
			h.Press("`")
			h.Sort("used%")
			h.Command("wide")
			return h
		},
		"folded": func() *tuitest.Host { h := open(t, demo, ""); h.Command("fold"); h.Press(">", ">"); return h },
	}, [2]int{160, 18})
}

// TestWithoutTimes shows no times for providers that were read over the API, which does
// not report them.
func TestWithoutTimes(t *testing.T) {
	t.Parallel()
	empty := cloud.Empty()
	read := cloud.Differences(empty.Records(), []versioned.Record{&placement.ProviderRecord{UUID: modeltest.ProviderID("a"), Name: "a"}})
	snap, _, err := empty.Apply(cloud.PutRecords("cloud", "as it was read", read))
	must.Succeed(t, err)
	if text := open(t, tuitest.NewCloud(snap), "").At(160, 40).Text(); strings.Contains(text, "written") {
		t.Error(text)
	}
}

// TestLooking returns the visible rows, wherever the list was moved to.
func TestLooking(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Demo(t, 12), "")
	looking := func() []placement.ProviderID {
		h.Text()
		return h.Screen.(screen.Looker).Looking()
	}
	first := looking()
	h.Press("G")
	last := looking()
	if len(first) < 5 || len(last) < 5 || slices.Contains(last, first[0]) {
		t.Errorf("shown are %d at first, and %d at the end", len(first), len(last))
	}
}

// TestBehaves tests what all lists share.
func TestBehaves(t *testing.T) {
	t.Parallel()
	list := func(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
		return providers.New(env, snap, filter)
	}
	tuitest.List(list).Behaves(t, tuitest.Demo12, "` < x ctrl+w b c u 0")
}

func TestNamesCannotActOnTheTerminal(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Hostile(t), "")
	for range 2 * len(tuitest.Names()) {
		h.Harmless()
		h.Press("j")
	}
	h.Press("/", "x", "[")
	h.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("\x1b[2J\tx"), Paste: true})
	h.Press("enter", "esc")
	h.Harmless()
	tuitest.EverySize(t, h)
}

// names returns the first words of the rows of the list.
func names(t *testing.T, h *tuitest.Host) []string {
	t.Helper()
	var out []string
	for _, line := range strings.Split(h.At(100, 15).Text(), "\n")[1:] {
		if strings.HasPrefix(line, "/") { // the prompt
			break
		}
		line = strings.Trim(string([]rune(line)[4:]), " │├└─▾▸")
		if name, _, _ := strings.Cut(line, " "); name != "" {
			out = append(out, name)
		}
	}
	return out
}

func wantNames(t *testing.T, h *tuitest.Host, want string) {
	t.Helper()
	must.Be(t, strings.Join(names(t, h), " "), want)
}

// smallCloud has two hosts with two cards each, and a pool.
func smallCloud(t *testing.T) *tuitest.Cloud {
	t.Helper()
	inv := func(n int64) modeltest.Inventories {
		return modeltest.Inventories{placement.VGPU: placement.NewInventory(n)}
	}
	vcpu := modeltest.Inventories{placement.VCPU: placement.NewInventory(16)}
	c := tuitest.NewCloud(cloud.Empty())
	for _, p := range []modeltest.Provider{
		{Name: "h1", Inventories: vcpu, Traits: []placement.Trait{placement.OwnerNova}, Children: []modeltest.Provider{
			{Name: "h1_a", Inventories: inv(8), Traits: []placement.Trait{placement.OwnerNova}},
			{Name: "h1_b", Inventories: inv(4), Traits: []placement.Trait{placement.OwnerCyborg}},
		}},
		{Name: "h2", Inventories: vcpu, Children: []modeltest.Provider{
			{Name: "h2_c", Inventories: inv(8), Traits: []placement.Trait{placement.OwnerNova, placement.OwnerCyborg}},
			{Name: "h2_d", Inventories: inv(2)},
		}},
		{Name: "pool", Inventories: modeltest.Inventories{placement.DiskGB: placement.NewInventory(100)}},
	} {
		must.Succeed(t, c.Do(p.Ops(placement.ProviderID{})...))
	}
	if err := c.Do(modeltest.Allocate(
		modeltest.Claim("vm1", map[string]modeltest.Resources{"h1_a": {placement.VGPU: 2}}),
		modeltest.Claim("vm2", map[string]modeltest.Resources{"h2_c": {placement.VGPU: 6}}),
		modeltest.Claim("vm3", map[string]modeltest.Resources{"h1_b": {placement.VGPU: 4}}),
	)); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFilterAndFoldByKeys(t *testing.T) {
	t.Parallel()
	h := open(t, smallCloud(t), "")
	wantNames(t, h, "h1 a b h2 c d pool")
	h.Press("/")
	h.Type("2_")
	wantNames(t, h, "h2 c d")
	h.Press("enter")
	wantNames(t, h, "h2 c d")
	if got := h.Status(); !strings.Contains(got, "/2_") || !strings.Contains(got, "2 of 7") {
		t.Errorf("status is %q", got)
	}
	// A filtered list has its own folds.
	h.Press("g", "h")
	wantNames(t, h, "h2")
	h.Press("l", "l")
	h.At(100, 15).Wants("> ✗ ├─ c")
	h.Press("h")
	h.Wants(">   ▾ h2")
	h.Press("h", "esc")
	wantNames(t, h, "h1 a b h2 c d pool")
	h.Press("G", "k")
	h.Command("fold")
	wantNames(t, h, "h1 h2 pool")
	h.At(100, 15).Wants("> ✗ ▸ h2  (2 below)")
	h.Press("`")
	wantNames(t, h, "h1 h1_a h1_b h2 h2_c h2_d pool")
	h.Press("`")
	wantNames(t, h, "h1 h2 pool")
	h.Command("fold")
	wantNames(t, h, "h1 a b h2 c d pool")
}

func TestBadFilters(t *testing.T) {
	t.Parallel()
	h := open(t, smallCloud(t), "colour=red")
	if text := h.At(100, 15).Text(); !strings.Contains(text, "/colour=red") || !strings.Contains(text, `column 1: unknown field "colour"`) {
		t.Errorf("the fault of the filter that was given is not shown:\n%s", text)
	}
	h.Press("enter") // this keeps it
	if !h.Screen.(screen.Typist).Typing() {
		t.Error("a filter that cannot be read was taken")
	}
	h.Press("esc")
	wantNames(t, h, "h1 a b h2 c d pool")
	h.Press("/")
	h.Type("h1_ free>")
	if text := h.At(100, 15).Text(); !strings.Contains(text, `"" is not a number`) {
		t.Errorf("the fault is not shown:\n%s", text)
	}
	h.At(100, 15).Wants("no provider matches  /h1_ free ")
	h.Type("5")
	wantNames(t, h, "h1 a")
	h.Press("esc")
	wantNames(t, h, "h1 a b h2 c d pool")
}

func TestOwnersAndClasses(t *testing.T) {
	t.Parallel()
	h := open(t, smallCloud(t), "")
	h.Press("`")
	for _, want := range []string{"h1 h1_a", "h1_b", "h2_c", "h2 h2_d pool", "h1 h1_a h1_b h2 h2_c h2_d pool"} {
		h.Press("o")
		wantNames(t, h, want)
	}
	h.Press("/")
	h.Type("class=vcpu")
	h.Press("enter")
	wantNames(t, h, "h1 h2")
	h.At(100, 15).Wants(" VCPU ", "0/16")
	h.Press("esc", ">")
	h.Wants(" DISK_GB ")
	h.Press("/")
	h.Type("class=VGPU")
	h.Press("esc")
	h.Wants(" DISK_GB ")
}

func TestOrders(t *testing.T) {
	t.Parallel()
	h := open(t, smallCloud(t), "")
	// Roots are sorted by the sum of their subtrees, then children; those without the
	// class come last in both directions.
	for _, test := range []struct{ keys, want string }{
		{"sort name", "pool h2 d c h1 b a"},
		{"sort used%", "h2 c d h1 b a pool"},
		{"sort used%", "h1 a b h2 d c pool"},
		{"sort free", "h1 a b h2 c d pool"},
		{"sort owner", "h2 d c pool h1 a b"},
		{"sort gen", "h1 a b h2 c d pool"},
		{"sort name", "h1 a b h2 c d pool"},
		{"sort used", "h1 b a h2 c d pool"}, // which is an order of the column only
	} {
		if order, sorts := strings.CutPrefix(test.keys, "sort "); sorts {
			h.Sort(order)
		} else {
			h.Press(strings.Fields(test.keys)...)
		}
		wantNames(t, h, test.want)
	}
	if got := h.Status(); !strings.Contains(got, "sort used ") {
		t.Errorf("status is %q", got)
	}
}

func TestSortKeepsTheCursorUnlessItIsFirst(t *testing.T) {
	t.Parallel()
	cursor := func(h *tuitest.Host) string {
		for _, line := range strings.Split(h.At(100, 15).Text(), "\n") {
			if strings.HasPrefix(line, ">") {
				return line
			}
		}
		return ""
	}
	h := open(t, smallCloud(t), "")
	if h.Sort("used%"); !strings.Contains(cursor(h), "▾ h2") {
		t.Errorf("from the first row the cursor goes to %q, want h2", cursor(h))
	}
	h.Press("j")
	if h.Sort("free"); !strings.Contains(cursor(h), "─ c") {
		t.Errorf("from another row the cursor goes to %q, want c", cursor(h))
	}
}

// TestCursorThatMovedWhileTheListIsSortedStays is about large clouds, whose lists are
// made off the event loop.
func TestCursorThatMovedWhileTheListIsSortedStays(t *testing.T) {
	t.Parallel()
	c := tuitest.Big(t, modeltest.Size{Hosts: providers.BigList + 1})
	h := tuitest.Open(t, c, providers.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), ""))
	h.Manual = true
	at := func() string { return h.Screen.(*providers.Screen).CursorID() }
	first := at()
	h.Sort("name")
	h.Sort("used%")
	h.Press("j", "j")
	want := at()
	h.Settle()
	if got := at(); got != want || got == first {
		t.Errorf("the cursor went to %x when the list came, want %x", got, want)
	}
}

func TestGoesToWhatIsUnderTheCursor(t *testing.T) {
	t.Parallel()
	h := open(t, smallCloud(t), "")
	h.Press("j")
	id := modeltest.ProviderID("h1_a")
	for key, want := range map[string]tea.Msg{
		"enter": screen.Goto{To: place.Provider{ID: id}},
		"n":     screen.Goto{To: place.Allocate{Provider: id}},
		"c":     screen.CopyMsg{What: "uuid of h1_a", Text: id.String()},
	} {
		h.Asks(key, want)
	}
	empty := open(t, tuitest.NewCloud(cloud.Empty()), "")
	empty.Press("enter", "n", "c", "h", "l", ">", "o", "esc")
	if empty.Asked != nil {
		t.Errorf("an empty list asks for %v", empty.Asked)
	}
}

func TestDataChangesUnderTheCursor(t *testing.T) {
	t.Parallel()
	h := open(t, smallCloud(t), "")
	on := func(want string) {
		t.Helper()
		for _, line := range strings.Split(h.At(100, 15).Text(), "\n") {
			if strings.HasPrefix(line, ">") {
				if !strings.Contains(line, want) {
					t.Errorf("the cursor is on %q, want %q", line, want)
				}
				return
			}
		}
		t.Error("no cursor")
	}
	h.Press("j", "j")
	on("└─ b")
	h.Change(placement.CreateProvider{ID: modeltest.ProviderID("a0"), Name: "a0"})
	on("└─ b")
	h.Change(placement.UpdateProvider{ID: modeltest.ProviderID("h1_b"), Name: "h1_0"})
	on("├─ 0")
	h.Change(modeltest.Allocate(modeltest.Claim("vm9", map[string]modeltest.Resources{"h1_a": {placement.VGPU: 5}})))
	on("├─ 0")
	h.At(100, 15).Wants("7/8", "11/12")
	// A freed number belongs to another provider at once.
	h.Press("G")
	on("pool")
	h.Change(placement.DeleteProvider{ID: modeltest.ProviderID("h2_d")}, placement.CreateProvider{ID: modeltest.ProviderID("zz"), Name: "zz"})
	on("pool")
	wantNames(t, h, "a0 h1 0 a h2 c pool zz")
}

// TestLateLists changes the cloud and the wish while a list is being made.
func TestLateLists(t *testing.T) {
	t.Parallel()
	c := tuitest.Big(t, modeltest.Size{Hosts: providers.BigList + 1})
	h := tuitest.Open(t, c, providers.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), ""))
	h.Manual = true
	h.Press("/", "0", "0", "1")
	h.Press("enter", "esc") // and no filter again
	for h.Pending() > 0 {
		h.RunOne(h.Pending() - 1) // the oldest ends last
	}
	if got := h.Status(); !strings.Contains(got, "10 001 of 10 001") {
		t.Errorf("status is %q", got)
	}
	// All providers are deleted while a list of them is being made, and their numbers are
	// reused.
	h.Sort("used%")
	var ops []placement.Op
	for p := range c.Snapshot().Placement().Providers() {
		ops = append(ops, placement.DeleteProvider{ID: p.ID()})
	}
	h.Change(ops[:len(ops)-1]...)
	h.At(160, 44).Text()
	h.Change(placement.CreateProvider{ID: modeltest.ProviderID("new"), Name: "new"})
	h.Settle()
	if text := h.At(80, 20).Text(); !strings.Contains(text, "new") || !strings.Contains(h.Status(), "2 of 2") {
		t.Errorf("status is %q\n%s", h.Status(), text)
	}
}

// TestNoMatchSaysWhatTheFilterTakes says it to whoever named no field.
func TestNoMatchSaysWhatTheFilterTakes(t *testing.T) {
	t.Parallel()
	const takes = "what it takes: text, regex, !term, owner=both"
	open(t, smallCloud(t), "nobody").Wants("no provider matches", takes)
	open(t, smallCloud(t), "owner=cyborg").Lacks(takes)
}

// TestFilterCountsWhatTheColumnShows filters by the free units that rows show: in a tree
// those of a provider and its subtree, else its own.
func TestFilterCountsWhatTheColumnShows(t *testing.T) {
	t.Parallel()
	h := open(t, smallCloud(t), "free=4")
	wantNames(t, h, "h2")
	h.At(100, 15).Wants("6/10      4")
	h.Press("`")
	h.Wants("no provider matches")
	h.Press("`", "/", "ctrl+u")
	h.Type("used%>=60 owner=none")
	wantNames(t, h, "h2")
}

// TestSaysWhatHoldsBack shows what a user must know before sending anything to a
// provider.
func TestSaysWhatHoldsBack(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	for filter, want := range map[string][]string{
		"cmp-008":          {"cmp-008  disabled", "nova-compute is disabled: memory errors"},
		"pci_0000_41_00_0": {"(1 held)", "▒"},
	} {
		h := tuitest.Open(t, c, providers.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), filter))
		text := h.Text() // of the match, not of the host above it
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: does not say %q:\n%s", filter, w, text)
			}
		}
	}
}

// TestEditsWhatIsMarked presses the keys that change providers, with and without marks.
func TestEditsWhatIsMarked(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	h := tuitest.Open(t, c, providers.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), "name~^cmp-00[12]$"))
	id := func(name string) placement.ProviderID {
		p, ok := c.Snapshot().Placement().ProviderByName(name)
		if !ok {
			t.Fatal(name)
		}
		return p.ID()
	}
	press := func(key string, want tea.Msg) {
		t.Helper()
		h.Asks(key, want)
	}
	press("e", screen.Goto{To: place.SetProvider{ID: id("cmp-001")}})
	press("D", screen.Goto{To: place.DelProvider{ID: id("cmp-001")}})
	h.Press("a")
	second := id("cmp-002").String()
	press("e", screen.Goto{To: place.SetProvider{ID: id("cmp-001"), Others: second, Class: placement.VGPU}})
	press("D", screen.Goto{To: place.DelProvider{ID: id("cmp-001"), Others: second}})
	if got := h.Status(); !strings.HasPrefix(got, "2 marked: VGPU") {
		t.Errorf("status is %q", got)
	}
	h = tuitest.Open(t, c, providers.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), "name=ceph-ssd-01"))
	h.Press("a")
	if got := h.Status(); !strings.HasPrefix(got, "1 marked") || strings.Contains(got, "VGPU") {
		t.Errorf("status of what has no VGPU is %q", got)
	}
}

// TestExported checks what is written of providers: amounts as numbers, with the class
// that they are of and the uuid, also where the screen has no room for it.
func TestExported(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Demo(t, 12), "name=cmp-001")
	h.At(80, 24).Text()
	table, _ := h.Screen.(screen.Tabler).Table()
	must.Be(t, strings.Join(table.Heads, " "), "name owner class used% used free gen traits uuid")
	out, _, err := table.Write("json")
	must.Succeed(t, err)
	for _, want := range []string{`"class": "VGPU"`, `"used%": 68`, `"used": 11`, `"uuid": "`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is not in\n%s", want, out)
		}
	}
}
