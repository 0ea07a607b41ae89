package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// findActions are the keys of the search for anything; none if there is no such screen.
func (a *App) findActions() []action.Action {
	if !a.screens.has(place.Find{}) {
		return nil
	}
	return []action.Action{{
		ID: "app.find", Keys: "ctrl+p", Title: "go to anything", Help: "go to any record or screen by a few letters; so does / where there is nothing to filter", Priority: 58, Disabled: a.live.noCloud(),
		Run: func() tea.Cmd { return a.stack.goTo(a.stack.top(), screen.Goto{To: place.Find{}}) },
	}}
}
