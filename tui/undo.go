package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// undoActions is the key that leads to the last write of this dashboard, if there is one. Others
// may have written since, so it need not be the newest revision of the journal.
func (a *App) undoActions() []action.Action {
	if !a.screens.has(place.Event{}) || a.live.view == nil || a.live.view.wrote.Load() == 0 {
		return nil
	}
	rev := cloud.Revision(a.live.view.wrote.Load())
	show := func() tea.Cmd { return a.stack.goTo(a.stack.under(), screen.Goto{To: place.Event{Revision: rev}}) }
	return []action.Action{
		{ID: "app.undo", Keys: "z", Title: "undo", Help: "show what was written here last, to undo or redo it", Run: show},
	}
}
