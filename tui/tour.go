package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// tourStep is the text of a step of the tour, short enough for a bar of two lines of 80
// columns.
type tourStep struct{ title, text string }

// tourSteps returns the tour for new users.
func tourSteps() []tourStep {
	return []tourStep{
		{"move", "j k or the arrows go down and up, enter opens, esc closes, q goes back. Each digit at the foot leads to a screen: try 2."},
		{"find", "/ narrows a list: type cmp, or owner=both, or free>2; esc clears it. ^p finds anything by a few letters, : has all commands."},
		{"understand", "W says why in words, w asks where it would fit, d describes, H shows its history. ? lists every key, the signs and how to filter."},
		{"change", "n creates, e edits, r resizes, D deletes, F repairs, z undoes. Each shows what it would do; nothing is written until you agree there."},
		{"make it yours", "K picks columns, s sorts by one, T a theme, ^s exports, :keys binds keys. All of it is kept; :tour shows this again."},
	}
}

// tourRows is the height of the bar of the tour, in cells.
const tourRows = 3

// tourFrom is the terminal height from which there is room for it, in cells.
const tourFrom = 16

// tourCommand starts and ends the tour.
func (a *App) tourCommand() command {
	return command{name: "tour", args: []string{"stop"}, what: "the ropes in five steps", run: func(arg string) tea.Cmd {
		a.tour = 0
		a.toasts.Withdraw(tourOffer())
		if arg != "stop" {
			a.tour, a.walk = 1, nil
		}
		return nil
	}}
}

// tourActions are the keys of the tour; none outside it.
func (a *App) tourActions() []action.Action {
	if a.tour == 0 {
		return nil
	}
	return []action.Action{
		{ID: "app.tour.next", Keys: []string{")"}, Title: "next step", Help: "the next step of the tour", Run: func() tea.Cmd {
			if a.tour++; a.tour > len(tourSteps()) {
				a.tour = 0
			}
			return nil
		}},
		{ID: "app.tour.back", Keys: []string{"("}, Title: "previous step", Help: "the previous step of the tour", Run: func() tea.Cmd {
			a.tour = max(a.tour-1, 1)
			return nil
		}},
	}
}

// touring returns the current height of the bar of the tour.
func (a *App) touring() int {
	if a.tour == 0 || a.height < tourFrom || a.walk != nil {
		return 0
	}
	return tourRows
}

// tourBar draws a step.
func (a *App) tourBar(w, rows int) string {
	st, steps := a.env.Styles, tourSteps()
	step := steps[min(a.tour, len(steps))-1]
	keys := ") next   ( back   :tour stop"
	if a.tour == len(steps) {
		keys = ") ends   ( back"
	}
	lines := []string{component.Titled(st, w, fmt.Sprintf("TOUR %d/%d %s", a.tour, len(steps), step.title), keys)}
	for _, part := range component.Wrap(st, step.text, w-2) {
		lines = append(lines, component.NewLine(st, w).Space(1).Add(themes.Text, part).String())
	}
	return component.Fit(strings.Join(lines, "\n"), w, rows)
}

// welcome offers the tour to new users, once.
func (a *App) welcome() tea.Cmd {
	m := a.env.Memory
	if !a.cfg.FirstTime || m == nil || m.Toured {
		return nil
	}
	m.Toured = true
	return a.toast(tourOffer())
}

// tourOffer is the toast that offers the tour.
func tourOffer() component.Toast {
	return component.Toast{Severity: style.SeverityInfo, Text: "new here? :tour shows the ropes in five steps", Hint: "? lists every key"}
}
