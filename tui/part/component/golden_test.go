package component_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// card is a source like that of the providers screen: a tree with owners and bars.
type card struct {
	name  string
	depth int
	last  uint64
	fold  component.Fold
	owner style.Owner
	sev   style.Severity
	load  component.Load
	gen   int64
	tags  string
}

type cards []card

func (c cards) ID(i int) string               { return c[i].name }
func (c cards) Severity(i int) style.Severity { return c[i].sev }
func (c cards) Cell(l *component.Line, i, k int) {
	r := c[i]
	switch k {
	case 0:
		component.Branch(l, r.depth, r.last, r.fold).Add(themes.Text, r.name)
		if r.fold == component.FoldClosed {
			l.Add(themes.Faint, "  (6 below)")
		}
	case 1:
		l.Owner(r.owner)
	case 2:
		component.Bar(l, l.Left(), r.load)
	case 3:
		l.Add(themes.Text, component.Used(r.load, component.UnitCount))
	case 4:
		l.Add(themes.Dim, component.Count(r.gen))
	case 5:
		l.Add(themes.Faint, r.tags)
	}
}

func (c cards) show() component.Rows {
	return component.Rows{N: len(c), Name: c.ID, Draw: c.Cell, Grade: c.Severity}
}

func demoCards() cards {
	n, c, both, none := style.OwnerNova, style.OwnerCyborg, style.OwnerBoth, style.OwnerNone
	open, closed, leaf := component.FoldOpen, component.FoldClosed, component.FoldLeaf
	crit, warn := style.SeverityCritical, style.SeverityWarn
	one := func(total, used int64) component.Load { return newLoad(total, 0, 1, used) }
	return cards{
		{"cmp-014", 0, 0, open, n, crit, one(32, 26), 89, "94"},
		{"numa0", 1, 0, open, n, crit, one(16, 12), 12, "3"},
		{"pci_0000_41_00_0", 2, 0, leaf, n, crit, one(8, 9), 41, "6 A100"},
		{"pci_0000_42_00_0", 2, 4, leaf, n, 0, one(8, 3), 40, "6 A100"},
		{"numa1", 1, 2, closed, c, 0, one(16, 14), 7, "3"},
		{"cmp-015", 0, 0, closed, n, 0, one(32, 29), 77, "94"},
		{"cmp-016", 0, 0, closed, c, 0, one(32, 19), 51, "95"},
		{"cmp-017", 0, 0, closed, n, 0, one(32, 32), 50, "94"},
		{"cmp-077", 0, 0, open, both, warn, newLoad(8, 1, 1, 4), 23, "95"},
		{"pci_0000_81_00_0", 1, 2, leaf, both, crit, newLoad(8, 1, 1, 4), 22, "7 L40S"},
		{"cmp-078", 0, 0, closed, none, warn, one(32, 0), 5, "61"},
		{"cmp-101", 0, 0, open, n, 0, newLoad(16, 2, 4, 40), 210, "94"},
		{"pci_0000_c1_00_0", 1, 2, leaf, n, 0, newLoad(16, 2, 4, 40), 19, "6 T4"},
		{"cmp-102", 0, 0, closed, n, 0, newLoad(16, 2, 4, 12), 198, "94"},
	}
}

// sheet draws every part once, 80 cells wide.
func sheet(st *style.Styles) string {
	const w = 80
	head := component.NewLine(st, w)
	head.Space(1).Add(themes.Logo, "placetop").Space(2).Add(themes.Strong, "demo").Space(2).Add(themes.Writable, "RW").Space(2)
	head.Glyphs(themes.Live, st.Glyphs.Live, 1).Add(themes.Live, " live ").Add(themes.Faint, "0.4s")
	head.To(60)
	head.Mark(style.SeverityCritical).Add(themes.Critical, "3 ")
	head.Mark(style.SeverityWarn).Add(themes.Warn, "11")
	head.To(w-10).Add(themes.Dim, "14:02:07Z")

	crumb := component.Spread(st, w,
		[]component.Seg{{Token: themes.Crumb, Text: " pulses > "}, {Token: themes.CrumbHere, Text: "providers"}, {Token: themes.Accent, Text: "  /class=VGPU"}},
		[]component.Seg{{Token: themes.Dim, Text: "721 of 10 240 "}})

	g := gridOf(st, demoCards(), []component.Column{
		{Key: "name", Title: "NAME", Min: 24, Max: 40, Flex: 2},
		{Key: "owner", Title: "OWN", Min: 3},
		{Key: "used%", Title: "VGPU", Min: 17, Max: 17},
		{Key: "used", Title: "used/cap", Min: 8, Align: component.AlignRight},
		{Key: "gen", Title: "GEN", Min: 4, Align: component.AlignRight},
		{Key: "traits", Title: "TRAITS", Min: 8, Max: 12, Flex: 1},
	})
	g.SortedBy, g.Desc = g.Columns()[2].Key, true
	g.MoveTo("cmp-015")
	g.Key("space")
	g.Key("space")
	g.MoveToRow(2)

	caps := component.NewLine(st, w)
	var capacity []string
	for _, c := range []struct {
		sev   style.Severity
		class string
		load  component.Load
		unit  component.Unit
		hist  []float64
	}{
		{0, "VCPU", component.Load{Total: 24000, Reserved: 960, Capacity: 92160, Used: 48212}, component.UnitCount, []float64{2, 2, 3, 3, 4, 4, 5, 5, 6}},
		{0, "MEMORY_MB", newLoad(276824064, 2097152, 1, 179517850), component.UnitMB, []float64{3, 3, 3, 4, 4, 4, 4, 5, 5}},
		{style.SeverityWarn, "VGPU", newLoad(2112, 64, 1, 1942), component.UnitCount, []float64{5, 5, 6, 6, 6, 7, 7, 7, 8}},
		{style.SeverityCritical, "PGPU", newLoad(128, 0, 1, 130), component.UnitCount, []float64{7, 7, 7, 7, 7, 8, 8, 8, 8}},
	} {
		l := caps.Reset(w)
		l.Mark(c.sev).Space(1).Column(11, themes.Text, c.class)
		component.Bar(l, 26, c.load)
		l.Cell(18).Add(themes.Text, component.Used(c.load, c.unit)).EndCell(component.AlignRight)
		l.Cell(9).Add(themes.Strong, component.Amount(c.load.Free(), c.unit)).EndCell(component.AlignRight).Space(2)
		capacity = append(capacity, component.Spark(l, 9, c.hist, 9).String())
	}

	p := component.NewPrompt(st, st.Glyphs.PromptFilter)
	p.Suggest = func(string) []string { return []string{"owner=cyborg"} }
	p.SetValue("owner=cy")
	p.SetNote(themes.Dim, "198 match")

	now := time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC)
	var ts component.Toasts
	ts.Push(component.Toast{Severity: style.SeverityOK, Text: "resized vm-7019", Hint: "z undoes it"}, now)
	ts.Push(component.Toast{Severity: style.SeverityCritical, Text: "409: someone wrote cmp-014 while you edited", Hint: "m merge"}, now)

	owners := component.NewLine(st, w).Space(1)
	for o, word := range []string{"none", "nova", "cyborg", "both"} {
		owners.Owner(style.Owner(o)).Space(1).Add(style.Owner(o).Token(), word).Space(3)
	}
	for s := style.SeverityOK; s <= style.SeverityCritical; s++ {
		owners.Mark(s).Space(1).Add(s.Token(), s.String()).Space(2)
	}

	tags := component.Tags(st, 34, []string{"OWNER_NOVA", "HW_GPU_API_VULKAN", "HW_GPU_API_CUDA", "CUSTOM_NVIDIA_20B0_A100", "CUSTOM_RACK_12", "COMPUTE_NODE", "STORAGE_DISK_SSD"})
	diff := strings.Join([]string{
		component.NewLine(st, 34).Add(themes.Removed, "- total 10").String(),
		component.NewLine(st, 34).Add(themes.Added, "+ total 8").String(),
		component.NewLine(st, 34).Add(themes.Changed, "~ generation 39 > 40").String(),
		component.NewLine(st, 34).Add(themes.Replay, " REPLAY ").Space(1).Add(themes.Stale, "stale 38s").Space(1).Add(themes.ReadOnly, "RO").String(),
		component.NewLine(st, 34).Add(themes.ButtonOn, " apply ").Space(1).Add(themes.Button, " cancel ").String(),
	}, "\n")
	boxes := component.Beside(1,
		component.Box{Title: "TRAITS", Right: "6", Footer: "tab into pane", Focused: true}.Render(st, 40, 9, tags),
		component.Box{Title: "CHANGE", Footer: "enter dry run"}.Render(st, 39, 9, diff))

	keys := component.NewLine(st, w).Space(1)
	component.Keys(keys, "enter", "open", "d", "describe", "w", "what-if", "o", "owner", "/", "filter", ":", "command", "?", "help")

	return component.Stack(head.String(), crumb, g.View(w, 16),
		component.Rule(st, w, component.Label{Text: "CAPACITY"}, component.Label{Text: "used / capacity", At: 40}, component.Label{Text: "free", At: 59}, component.Label{Text: "1 h", At: 67}),
		strings.Join(capacity, "\n"),
		component.Titled(st, w, "SIGNS", "letter, shape and colour"), owners.String(), boxes,
		p.View(w), ts.View(st, w), keys.String())
}

func TestGoldenSheet(t *testing.T) {
	t.Parallel()
	profiles := map[string]termenv.Profile{"none": termenv.Ascii, "ansi": termenv.ANSI, "truecolor": termenv.TrueColor}
	for _, g := range []style.Glyphs{style.Block(), style.Braille(), style.ASCII()} {
		for name, p := range profiles {
			t.Run(g.Name+"-"+name, func(t *testing.T) {
				t.Parallel()
				view := sheet(coloured(t, "default-dark", p, g))
				checkFrame(t, view, 80, 1+strings.Count(view, "\n"))
				if g.Name == "block" && name == "truecolor" || g.Name == "ascii" && name == "none" {
					golden.RequireEqual(t, view)
				}
			})
		}
	}
	for _, name := range themes.Builtins()[1:] {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := sheet(coloured(t, name, termenv.TrueColor, style.Block()))
			checkFrame(t, view, 80, 1+strings.Count(view, "\n"))
		})
	}
}

// TestAsciiSheetIsAscii checks that the ASCII set draws only ASCII.
func TestAsciiSheetIsAscii(t *testing.T) {
	t.Parallel()
	for _, r := range sheet(coloured(t, "default-dark", termenv.TrueColor, style.ASCII())) {
		if r > 0x7e {
			t.Fatalf("%q is not ASCII", r)
		}
	}
}
