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

func (t texts) show() component.Rows {
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
	}
}

// TestGridLaysColumnsOut gives each column its minimum, then shares of the rest, and drops
// those with the highest Priority where there is no room. Texts too long end with an
// ellipsis, or have one within.
func TestGridLaysColumnsOut(t *testing.T) {
	t.Parallel()
	columns := []component.Column{
		{Key: "name", Title: "NAME", Min: 8, Max: 20, Flex: 1},
		{Key: "bar", Min: 4, Flex: 4, Priority: 2},
		{Key: "what", Title: "WHAT", Min: 6, Max: 10, Flex: 1, KeepEnds: true},
		{Key: "state", Title: "STATE", Min: 10, Priority: 1},
	}
	row := []string{"a long long name", "bar", "pci_0000_41", "up"}
	for _, tt := range []struct {
		w    int
		want string
	}{
		{60, "a long long … ##################### pci_…00_41 up"},
		{34, "a long … #### pc…_41 up"},
		{30, "a long l… pc…_41 up"},
		{19, "a long l… pc…_41"},
		{12, "a lo… p…1"},
	} {
		g := gridOf(plain(t, style.Block()), texts{row, {"b", "bar", "all", "down"}}, columns)
		lines := strings.Split(g.View(tt.w, 6), "\n")
		if got := strings.Join(strings.Fields(strings.TrimLeft(lines[1], "> ")), " "); got != tt.want {
			t.Errorf("the first row in %d cells is %q, want %q\n%s", tt.w, got, tt.want, strings.Join(lines, "\n"))
		}
	}
}

// TestNamesKeepTheirTellingEnds cuts texts in the middle where that is asked for.
func TestNamesKeepTheirTellingEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text        string
		w           int
		start, ends string // cut at the end, and in the middle
	}{
		{"cmp-007_pci_0000_41_00_0", 16, "cmp-007_pci_000…", "cmp-007…_41_00_0"},
		{"CUSTOM_PCI_10DE_1EB8", 16, "CUSTOM_PCI_10DE…", "CUSTOM_…0DE_1EB8"},
		{"计算节点机架-0017", 12, "计算节点机…", "计算…架-0017"},
		{"计算节点机架-0017", 17, "计算节点机架-0017", "计算节点机架-0017"},
		{"abc", 1, "…", "…"},
		{"abc", 3, "abc", "abc"},
	} {
		st := plain(t, style.Block())
		start := strings.TrimSpace(component.NewLine(st, tt.w).Add(themes.Text, tt.text).String())
		ends := strings.TrimSpace(component.NewLine(st, tt.w).KeepEnds(true).Add(themes.Text, tt.text).String())
		if start != tt.start || ends != tt.ends {
			t.Errorf("%q in %d cells is %q and %q, want %q and %q", tt.text, tt.w, start, ends, tt.start, tt.ends)
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
