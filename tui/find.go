package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// views returns the named screens.
func (a *App) views() []screen.Named {
	var out []screen.Named
	for _, d := range slices.Concat(a.mains(), a.byName()) {
		out = append(out, screen.Named{Name: d.Names[0], Title: d.Title, What: d.What, To: d.Of})
	}
	return out
}

// findActions are the keys of the search for anything; none if there is no such screen.
func (a *App) findActions() []action.Action {
	if a.opener(place.Find{}) == nil {
		return nil
	}
	return []action.Action{{
		ID: "app.find", Keys: "ctrl+p", Title: "go to anything", Help: "go to any record or screen by a few letters; so does / where there is nothing to filter", Priority: 58, Disabled: a.noCloud(),
		Run: func() tea.Cmd { return a.goTo(a.top(), screen.Goto{To: place.Find{}}) },
	}}
}
