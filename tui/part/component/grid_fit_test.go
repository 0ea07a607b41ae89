package component_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// texts is a table of texts; a cell with the text "bar" takes all of its room.
type texts [][]string

func (t texts) source() component.Source {
	return component.Rows{
		N:    len(t),
		Name: func(row int) string { return t[row][0] },
		Draw: func(l *component.Line, row, col int) {
			if text := t[row][col]; text != "bar" {
				l.Add(themes.Text, text)
				return
			}
			l.Glyphs(themes.BarUsed, "#", l.Left())
		},
	}.Source()
}

func TestGridGivesRoomToWhatIsCut(t *testing.T) {
	t.Parallel()
	columns := []component.Column{
		{Key: "name", Title: "NAME", Min: 8, Max: 20, Flex: 1},
		{Key: "bar", Min: 4, Flex: 4},
		{Key: "what", Title: "WHAT", Min: 6, Max: 10, Flex: 1},
		{Key: "state", Title: "STATE", Min: 10},
	}
	rows := texts{{"a", "bar", "nothing of note", "up"}, {"b", "bar", "all", "down"}, {"c", "bar", "none", "up"}}
	for _, tt := range []struct {
		name string
		rows texts
		w    int
		want string
	}{
		{"all is whole where there is room", rows, 50, "a        ################ nothing of note up"},
		{"a bar is short before a word is cut", rows, 34, "a    #### nothing of note up"},
		{"what makes most cells whole comes first", texts{{"a", "bar", "a very long sentence", "up"}, {"b", "bar", "seventeen letters", "up"}, {"c", "bar", "seventeen letters", "up"}}, 36, "a    #### a very long …     up"},
		{"nothing changes where no cell is cut", texts{{"a", "bar", "all", "up"}}, 50, "a           ############### all      up"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := component.NewGrid(plain(t, style.Block()), tt.rows.source(), columns)
			g.Unwrapped = true
			lines := strings.Split(g.View(tt.w, 6), "\n")
			if got := strings.TrimSpace(strings.TrimLeft(lines[1], "> ")); got != tt.want {
				t.Errorf("the first row is %q, want %q\n%s", got, tt.want, strings.Join(lines, "\n"))
			}
			if again := g.View(tt.w, 5); strings.Split(again, "\n")[1] != lines[1] {
				t.Errorf("the next view differs:\n%s", again)
			}
		})
	}
}

// TestGridKeepsColumnsInNarrowPanes checks that a name does not vanish where even the columns
// that are never left out have no room.
func TestGridKeepsColumnsInNarrowPanes(t *testing.T) {
	t.Parallel()
	g := component.NewGrid(plain(t, style.Block()), texts{{"a-name-that-is-long", "sixteen letters!"}}.source(), []component.Column{
		{Key: "name", Title: "NAME", Min: 16, Flex: 2, Whole: true},
		{Key: "state", Title: "STATE", Min: 16},
	})
	g.Unwrapped = true
	lines := strings.Split(g.View(19, 4), "\n")
	if got := strings.TrimSpace(strings.TrimLeft(lines[1], "> ")); !strings.HasPrefix(got, "… sixteen") {
		t.Errorf("the row is %q, want a sign of the name before the state\n%s", got, strings.Join(lines, "\n"))
	}
}

// TestGridWrapsIntoFreeLines checks that sentences continue below their rows if lines are
// free, and that a click still finds the row.
func TestGridWrapsIntoFreeLines(t *testing.T) {
	t.Parallel()
	columns := []component.Column{
		{Key: "name", Title: "NAME", Min: 4, Flex: 1, Whole: true},
		{Key: "what", Title: "WHAT", Min: 6, Flex: 3},
	}
	rows := texts{{"cmp-007", "it has two owners and that is one too many"}, {"b", "short"}, {"cmp-008", "what goes on for long as well"}}
	for _, tt := range []struct {
		name string
		h    int
		want []string
		at   []int // the row on each line
	}{
		{"no line is free", 3, []string{"> cmp-007 it has two owners …", "b short", "cmp-008 what goes on for …"}, []int{0, 1, 2}},
		{"one is, for the row that does with it", 4, []string{"> cmp-007 it has two owners …", "b short", "cmp-008 what goes on for", "long as well"}, []int{0, 1, 2, 2}},
		{"all are", 7, []string{"> cmp-007 it has two owners", "and that is one too", "many", "b short", "cmp-008 what goes on for", "long as well", ""}, []int{0, 0, 0, 1, 2, 2, -1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := component.NewGrid(plain(t, style.Block()), rows.source(), columns)
			g.NoHeader = true
			for range 2 {
				lines := strings.Split(g.View(30, tt.h), "\n")
				for i, line := range lines {
					if got := strings.Join(strings.Fields(line), " "); got != tt.want[i] || component.Width(plain(t, style.Block()), line) != 30 {
						t.Errorf("line %d is %q, want %q", i, line, tt.want[i])
					}
					if row := g.RowAt(i); row != tt.at[i] {
						t.Errorf("line %d is of row %d, want %d", i, row, tt.at[i])
					}
				}
				g.Invalidate()
			}
			if g.Extra() != 3 {
				t.Errorf("%d more lines could be used, want 3", g.Extra())
			}
		})
	}
}

// TestGridRunsOverEmptyCells checks that a cut text runs over the empty cells after it,
// and takes no room from other columns for that.
func TestGridRunsOverEmptyCells(t *testing.T) {
	t.Parallel()
	columns := []component.Column{
		{Key: "name", Title: "NAME", Min: 8, Flex: 1},
		{Key: "n", Title: "N", Min: 4, Align: component.AlignRight},
		{Key: "who", Title: "WHO", Min: 5, Flex: 1},
	}
	for _, tt := range []struct {
		name, want string
		row        []string
		cuts       bool
	}{
		{"over one", "ten services anna", []string{"ten services", "", "anna"}, false},
		{"over all", "ten services say it", []string{"ten services say it", "", ""}, false},
		{"not over what is there", "ten servi… 1 anna", []string{"ten services say", "1", "anna"}, true},
		{"and no further than there is room", "ten services… anna", []string{"ten services say that", "", "anna"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := component.NewGrid(plain(t, style.Block()), texts{tt.row, {"b", "22", "who wrote"}}.source(), columns)
			lines := strings.Split(g.View(26, 3), "\n")
			if got := strings.Join(strings.Fields(strings.TrimLeft(lines[1], "> ")), " "); got != tt.want || g.Cuts() != tt.cuts {
				t.Errorf("the row is %q, cut %v; want %q, %v\n%s", got, g.Cuts(), tt.want, tt.cuts, strings.Join(lines, "\n"))
			}
		})
	}
}

func TestNamesKeepTheirTellingEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		w    int
		want string
	}{
		{"cmp-007_pci_0000_41_00_0", 16, "cmp-007_41_00_0"},
		{"cmp-007_pci_0000_41_00_0", 6, "cmp-0…"},
		{"CUSTOM_PCI_10DE_1EB8", 16, "…PCI_10DE_1EB8"},
		{"CUSTOM_FPGA", 6, "…FPGA"},
		{"COMPUTE_STATUS_DISABLED", 12, "COMPUTE_STA…"},
		{"resize of train-42", 12, "resiz…ain-42"},
		{"cmp-1 > pci_0000_41_00_0", 15, "cmp-1 > 41_00_0"},
		{"12 services say that they are 73", 12, "12 services…"},
		{"计算节点机架-0017", 12, "计算…架-0017"},
		{"计算节点机架-0017", 17, "计算节点机架-0017"},
		{"计算节点机架-0017", 6, "计算…"},
		{"serveur-é-017-gpu", 10, "serv…7-gpu"},
		{"計算機はどこにありますか", 9, "計算機は…"},
		{"b645b154-53db-555c-a2f0-c402acecb83b", 12, "b645b154 …"},
	} {
		got := strings.TrimSpace(component.NewLine(plain(t, style.Block()), tt.w).Add(themes.Text, tt.text).String())
		if got != tt.want {
			t.Errorf("%q in %d cells is %q, want %q", tt.text, tt.w, got, tt.want)
		}
	}
}

func TestShareServesWhoNeedsLeastFirst(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ room, a, b, c int }{{30, 5, 10, 15}, {20, 5, 10, 5}, {4, 4, 0, 0}, {0, 0, 0, 0}} {
		got := component.Share(tt.room, 5, 10, 20)
		if tt.room == 30 {
			tt.c = 15
		}
		if got[0] != tt.a || got[1] != tt.b || got[2] != tt.c {
			t.Errorf("%d shared out among 5, 10 and 20 are %v", tt.room, got)
		}
	}
}
