package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// undoActions are the keys that undo and redo the last write of this dashboard. Others
// may have written since, so it need not be the newest revision of the journal.
func (a *App) undoActions() []action.Action {
	if a.opener(place.Event{}) == nil {
		return nil
	}
	rev, off := cloud.Revision(0), "nothing was written here yet: 7 lists earlier changes, and z there undoes one"
	if a.sight != nil {
		rev = cloud.Revision(a.sight.wrote.Load())
	}
	if rev > 0 {
		off = ""
	}
	show := func() tea.Cmd { return a.goTo(a.under(), screen.Goto{To: place.Event{Revision: rev}}) }
	return []action.Action{
		{ID: "app.undo", Keys: []string{"z"}, Title: "undo", Help: "show what was written here last; z there undoes it", Disabled: off, Run: show},
		{ID: "app.redo", Keys: []string{"Z"}, Title: "redo", Help: "show what was written here last; Z there redoes it", Disabled: off, Run: show},
	}
}
