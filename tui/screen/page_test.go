package screen_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func plainStyles(t *testing.T) *style.Styles {
	t.Helper()
	palette := must.Get(themes.Load(nil, ""))(t)
	return style.NewPlain(palette, style.Block())
}

func TestStateFitsEverySize(t *testing.T) {
	t.Parallel()
	st := plainStyles(t)
	for w := 1; w < 130; w += 7 {
		for h := 1; h < 20; h += 3 {
			body := screen.State(st, w, h, style.SeverityWarn, screen.LabelConflict,
				"409: someone wrote cmp-014/pci_41 while you edited (gen 41 > 43)", "theirs: reserved 0 > 1")
			if problem := tuitest.FrameProblem(body, w, h); problem != "" {
				t.Fatalf("%dx%d: %s", w, h, problem)
			}
		}
	}
}

// TestStateKeepsLabelAndTextApart has a label that is as wide as there is room for one.
func TestStateKeepsLabelAndTextApart(t *testing.T) {
	t.Parallel()
	got := screen.State(plainStyles(t), 80, 1, style.SeverityWarn, "UNAVAILABLE", "the disk is full")
	must.Be(t, strings.TrimSpace(got), "UNAVAILABLE the disk is full")
}

func TestStateWrapsAtSpaces(t *testing.T) {
	t.Parallel()
	got := screen.State(plainStyles(t), 60, 3, style.SeverityWarn, screen.LabelConflict,
		"409: someone wrote cmp-014/pci_41 while you edited (gen 41 > 43)")
	want := " CONFLICT   409: someone wrote cmp-014/pci_41 while you\n            edited (gen 41 > 43)"
	var lines []string
	for _, line := range strings.Split(ansi.Strip(got), "\n") {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	if got := strings.TrimSpace(strings.Join(lines, "\n")); got != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPageOffersItsChoices(t *testing.T) {
	t.Parallel()
	ran := ""
	choice := func(key, title string) screen.Choice {
		return screen.Choice{Key: key, Title: title, Run: func() tea.Cmd {
			ran += key
			return nil
		}}
	}
	page := screen.NewLocked(plainStyles(t), "/data/p.db", "pid 4211", choice("c", "work on a copy"), choice("w", "wait"))
	for _, err := range tuitest.Unsound(page.Actions()) {
		t.Error(err)
	}
	for _, a := range page.Actions() {
		a.Run()
	}
	must.Be(t, ran, "cw")
	page.AddLine("one more line")
	view := page.View(80, 20)
	if problem := tuitest.FrameProblem(view, 80, 20); problem != "" {
		t.Error(problem)
	}
	must.Say(t, view, "LOCKED", "(pid 4211)", "/data/p.db", "one more line", "c  work on a copy", "w  wait")
}
