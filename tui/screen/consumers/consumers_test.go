package consumers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/consumers"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func open(t testing.TB, c *tuitest.Cloud, filter string) *tuitest.Host {
	t.Helper()
	return tuitest.List(consumers.New).On(t, c, filter)
}

func TestStates(t *testing.T) {
	t.Parallel()
	demo := tuitest.Demo(t, 12)
	tuitest.Frames(t, map[string]func() *tuitest.Host{
		"empty":      func() *tuitest.Host { return open(t, tuitest.NewCloud(cloud.Empty()), "") },
		"no match":   func() *tuitest.Host { return open(t, demo, "type=MIGRATION render-99") },
		"bad filter": func() *tuitest.Host { return open(t, demo, "age>soon") },
		"problems":   func() *tuitest.Host { return open(t, demo, "problem:a") },
	})
}

// TestBehaves tests what all lists share.
func TestBehaves(t *testing.T) {
	t.Parallel()
	tuitest.List(consumers.New).Behaves(t, tuitest.Demo12, "v m")
}

func TestNamelessConsumerHasItsUUIDOnce(t *testing.T) {
	t.Parallel()
	h := open(t, people(t), "uuid="+modeltest.ConsumerID("b").String())
	rows := strings.Split(h.At(120, 20).Text(), "\n")
	for _, row := range rows {
		if strings.Count(row, modeltest.ConsumerID("b").String()) > 1 {
			t.Errorf("the uuid stands twice in %q", row)
		}
	}
}

// people is a cloud with three consumers of different age, project and type.
func people(t *testing.T) *tuitest.Cloud {
	t.Helper()
	c := tuitest.NewCloud(cloud.Empty())
	for _, p := range []modeltest.Provider{
		{
			Name: "h1", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(16), placement.MemoryMB: placement.NewInventory(65536)},
			Traits:   []placement.Trait{placement.OwnerNova},
			Children: []modeltest.Provider{{Name: "h1_card", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(8)}, Traits: []placement.Trait{placement.OwnerCyborg}}},
		},
		{Name: "h2", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(16)}},
	} {
		must.Succeed(t, c.Do(p.Ops(placement.ProviderID{})...))
	}
	claim := func(name, project string, typ placement.ConsumerType, age time.Duration, on map[string]modeltest.Resources) {
		one := modeltest.Claim(name, on)
		one.Project, one.Type = project, typ
		must.Succeed(t, c.Change(cloud.Change{At: tuitest.Now().Add(-age), Ops: []placement.Op{modeltest.Allocate(one)}}))
	}
	claim("a", "zoo", placement.InstanceConsumer, 48*time.Hour, map[string]modeltest.Resources{"h1": {placement.VCPU: 4, placement.MemoryMB: 8192}, "h1_card": {placement.VGPU: 2}})
	claim("b", "art", placement.MigrationConsumer, time.Hour, map[string]modeltest.Resources{"h2": {placement.VCPU: 1}})
	claim("c", "bay", placement.InstanceConsumer, time.Minute, map[string]modeltest.Resources{"h1": {placement.VCPU: 2}, "h2": {placement.VCPU: 2}})
	return c
}

// wantRows fails the test unless the list has these projects.
func wantRows(t *testing.T, h *tuitest.Host, want string) {
	t.Helper()
	var got []string
	for _, line := range strings.Split(h.At(150, 12).Text(), "\n") {
		for _, project := range []string{"zoo", "art", "bay"} {
			if strings.Contains(line, " "+project+" ") {
				got = append(got, project)
			}
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("rows are %q, want %q", got, want)
	}
}

func TestRowsSayWhatWhereAndWhose(t *testing.T) {
	t.Parallel()
	text := open(t, people(t), "").At(150, 12).Text()
	must.Say(t, text, "VGPU 2  4C 8G", "⬡ C h1/card", "INSTANCE", "MIGRATION", "zoo", "art", "h1 + h2", " 1h")
}

func TestOrdersAndFilters(t *testing.T) {
	t.Parallel()
	h := open(t, people(t), "")
	wantRows(t, h, "bay art zoo")
	for _, test := range []struct{ keys, want string }{
		{"age", "zoo art bay"},
		{"project", "art bay zoo"},
		{"type", "art zoo bay"},
	} {
		h.Sort(test.keys)
		if test.keys == "type" { // picked again, it is reversed
			h.Sort("type")
			// both instances, of one type, are sorted by name, which is a uuid
			if got := h.At(150, 12).Text(); strings.Index(got, "art") > strings.Index(got, "zoo") {
				t.Errorf("types are not sorted:\n%s", got)
			}
			continue
		}
		wantRows(t, h, test.want)
	}
	h.Sort("project")
	wantRows(t, h, "art bay zoo")
	for filter, want := range map[string]string{
		"owner=cyborg": "zoo", "age<1d": "art bay", "age>1d": "zoo", "class=VGPU": "zoo", "where:h2": "art bay", "type=migration": "art",
		"project=z*|b*": "bay zoo", "problem:a": "art", "gen=1 !type=instance": "art", "": "art bay zoo",
		"zoo": "zoo", "cyborg": "zoo", "migration": "art", modeltest.ConsumerID("b").String()[:8]: "art",
	} {
		h.Press("/", "ctrl+u")
		h.Type(filter)
		h.Press("enter")
		if filter != "problem:a" { // the findings of an audit do not matter here
			wantRows(t, h, want)
		}
	}
	h.Press("/", "ctrl+u")
	h.Type("age<1d")
	h.Press("enter")
	if h.Press("esc"); h.Screen.(screen.Typist).Typing() {
		t.Error("the prompt is open")
	}
	wantRows(t, h, "art bay zoo")
	if h.Back() {
		t.Error("there is nothing more to close")
	}
}

// TestVerbsAreAboutWhatIsMarked marks consumers, and checks what keys apply to then.
func TestVerbsAreAboutWhatIsMarked(t *testing.T) {
	t.Parallel()
	h := open(t, people(t), "")
	h.Press(" ", " ") // the newest two: c, b; the cursor is on a
	if got := h.Status(); !strings.HasPrefix(got, "2 marked: 5C") {
		t.Errorf("status is %q, want how many are marked and what they hold", got)
	}
	h.Press("D")
	want := screen.Goto{To: place.Release{Consumer: modeltest.ConsumerID("c"), Others: modeltest.ConsumerID("b").String()}}
	if h.Last() != want {
		t.Errorf("D asks for %v, want %v", h.Last(), want)
	}
	for _, a := range h.Screen.Actions() {
		switch {
		case a.ID == "consumers.release" && a.Title != "release 2 marked...":
			t.Errorf("D is called %q", a.Title)
		case a.ID == "consumers.resize" && !strings.Contains(a.Disabled, "marked"):
			t.Errorf("r is about the row under the cursor while others are marked: %q", a.Disabled)
		case a.ID == "consumers.allocate" && a.Disabled != "":
			t.Errorf("n is disabled: %s", a.Disabled)
		}
	}
	h.Press("esc")
	if got := h.Status(); strings.Contains(got, "marked") {
		t.Errorf("status is %q without marks", got)
	}
}

func TestBadFilter(t *testing.T) {
	t.Parallel()
	h := open(t, people(t), "height>3")
	if text := h.At(150, 12).Text(); !strings.Contains(text, "/height>3") || !strings.Contains(text, `unknown field "height"; the fields are age, class,`) {
		t.Errorf("the fault is not shown:\n%s", text)
	}
	h.Press("enter", "backspace")
	if !h.Screen.(screen.Typist).Typing() {
		t.Error("a filter that cannot be read was taken")
	}
	h.Press("esc")
	wantRows(t, h, "bay art zoo")
}

func TestGoesToWhatIsUnderTheCursor(t *testing.T) {
	t.Parallel()
	h := open(t, people(t), "")
	h.Press("G")
	id := modeltest.ConsumerID("a")
	for key, want := range map[string]tea.Msg{
		"enter": screen.Goto{To: place.Provider{ID: modeltest.ProviderID("h1_card")}},
		"D":     screen.Goto{To: place.Release{Consumer: id}},
		"n":     screen.Goto{To: place.Allocate{}},
		"c":     screen.CopyMsg{What: "uuid of " + id.String(), Text: id.String()},
	} {
		h.Asks(key, want)
	}
}

// TestNarrowsByKeys goes round the owners, and leaves out what has no problem.
func TestNarrowsByKeys(t *testing.T) {
	t.Parallel()
	h := open(t, people(t), "")
	h.Press("o", "o")
	wantRows(t, h, "zoo")
	h.Press("o", "o", "o")
	wantRows(t, h, "bay art zoo")
	h.Press("/")
	h.Type("project=art | project=zoo")
	h.Press("enter", ".")
	wantRows(t, h, "")
	must.Say(t, h.Status(), "/(project=art | project=zoo) problem:?")
	h.Press(".")
	wantRows(t, h, "art zoo")
	must.Say(t, h.Status(), "/(project=art | project=zoo)   ")
	for _, typed := range []string{"problem:? | project=zoo", "project=zoo (project=art | problem:? )"} { // not what all have to pass
		h.Press("/", "ctrl+u")
		h.Type(typed)
		h.Press("enter", ".")
		must.Say(t, h.Status(), ") problem:?")
	}
}

// TestNewOnesAreSeen looks at the newest consumer: who has not moved sees the next one, too. Who
// has stays where they are, and is told of it.
func TestNewOnesAreSeen(t *testing.T) {
	t.Parallel()
	c := people(t)
	h := open(t, c, "")
	age := 50 * time.Second
	born := func(name string) {
		t.Helper()
		age -= time.Second
		one := modeltest.Claim(name, map[string]modeltest.Resources{"h2": {placement.VCPU: 1}})
		must.Succeed(t, c.Change(cloud.Change{At: tuitest.Now().Add(-age), Ops: []placement.Op{modeltest.Allocate(one)}}))
		h.Feed()
	}
	cursor := func() string { return h.Screen.(*list.Screen).CursorID() }
	at := func(name string) {
		t.Helper()
		id := modeltest.ConsumerID(name)
		must.Be(t, cursor(), string(id[:]))
	}
	h.Text()
	born("d")
	at("d")
	h.Press("j")
	born("e")
	born("f")
	at("c")
	must.Say(t, h.Status(), "2 new above")
	h.Press("g")
	h.Text()
	at("f")
	must.Be(t, h.Status(), "6 of 6   sort age ▴")
	h.Sort("name") // where the first row is not the newest, it stays
	h.Press("g")
	first := cursor()
	born("0")
	must.Be(t, cursor(), first)
}

// TestProvidersGoWhileRowsAreShown reads rows of consumers whose providers are deleted
// and their numbers reused, before there are newer rows.
func TestProvidersGoWhileRowsAreShown(t *testing.T) {
	t.Parallel()
	h := open(t, people(t), "")
	h.Press("G")
	h.Manual = true
	ops := []placement.Op{placement.DeleteAllocations{Consumer: modeltest.ConsumerID("a")}, placement.DeleteAllocations{Consumer: modeltest.ConsumerID("b")}, placement.DeleteAllocations{Consumer: modeltest.ConsumerID("c")}}
	for _, name := range []string{"h1_card", "h1", "h2"} {
		ops = append(ops, placement.DeleteProvider{ID: modeltest.ProviderID(name)})
	}
	h.Change(ops...)
	h.At(150, 20).Wants("h1 > card")
	h.Press("enter")
	h.Settle()
	h.At(150, 20).Wants("nothing holds anything")
}

// BenchmarkScreen is the screen at 160x44 on 130,000 consumers. Work off the event loop
// is part of each figure.
func BenchmarkScreen(b *testing.B) {
	c := tuitest.Big(b, modeltest.Big())
	st := tuitest.Styles(termenv.TrueColor, style.Block())
	h := tuitest.Open(b, c, consumers.New(tuitest.Env(c, st), c.Snapshot(), ""))
	view := func() { _ = h.Screen.View(160, 44) }
	view()
	b.Run("key j", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h.Press("j")
			_ = h.Screen.View(160, 44)
		}
	})
	b.Run("key s", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h.Sort("name")
			_ = h.Screen.View(160, 44)
		}
	})
	for _, filter := range []string{"server-12", "ser.*1[23].*", "class=VGPU age>"} {
		b.Run("filter key "+filter, func(b *testing.B) {
			h.Press("/")
			h.Type(filter)
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				h.Press([]string{"3", "backspace"}[i%2])
				view()
			}
			b.StopTimer()
			h.Press("esc")
		})
	}
	b.Run("new claims", func(b *testing.B) {
		n := 0
		for b.Loop() {
			b.StopTimer()
			n++
			claim := modeltest.Claim(fmt.Sprint("bench", n), nil)
			for p := range c.Snapshot().Placement().Roots() {
				claim.Allocations = map[placement.ProviderID]map[placement.ResourceClass]int64{p.ID(): {placement.DiskGB: 1}}
				break
			}
			must.Succeed(b, c.Do(modeltest.Allocate(claim)))
			b.StartTimer()
			h.Feed()
			view()
		}
	})
}

// TestNamesOfClassesKeepTheirEnd cuts the start of a custom class, which all of them
// share.
func TestNamesOfClassesKeepTheirEnd(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	h := tuitest.Open(t, c, consumers.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), "class=CUSTOM_PCI_144D_A80A"))
	for _, width := range []int{60, 80} {
		if text := h.At(width, 20).Text(); !strings.Contains(text, "PCI_144D_A80A ") {
			t.Errorf("the end of the class is cut at %d cells:\n%s", width, text)
		}
	}
}

// TestTableKeepsEachRowsWords checks that JSON has for each row the words that its text
// has.
func TestTableKeepsEachRowsWords(t *testing.T) {
	t.Parallel()
	table, _ := open(t, tuitest.Demo(t, 12), "").Screen.(screen.Tabler).Table()
	words := 0
	for _, row := range table.Rows {
		for _, cell := range row {
			v, ok := cell.Value.(kinds.Value)
			if ok && v.String() != cell.Text {
				t.Fatalf("%s: JSON has %q, and the text is %q", row[0].Text, v, cell.Text)
			}
			words += strings.Count(cell.Text, ",")
		}
	}
	if words == 0 {
		t.Error("no row has several words: the test shows nothing")
	}
	if !slices.Contains(table.Heads, "uuid") {
		t.Errorf("the uuid is not in %q, and names are not unique", table.Heads)
	}
}
