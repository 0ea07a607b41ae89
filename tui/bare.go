package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// headed reports whether the header is shown. It always is, whatever the user prefers, if
// the screen does not simply show the present: if it is of the past, paused, or read from
// a live cloud some time ago.
func (a *App) headed() bool { return !a.bare.Header || a.dated() }

// dated reports whether the header says what time the data is from.
func (a *App) dated() bool {
	l := &a.live
	return a.inPast() || l.closed || l.paused || l.link.Lost != "" || l.link.Doing != "" || !l.link.At.IsZero()
}

// bareActions are the keys that hide the lines above a screen.
func (a *App) bareActions() []action.Action {
	toggle := func(of *bool, what, key, again string) func() tea.Cmd {
		return func() tea.Cmd {
			*of = !*of
			var cmds []tea.Cmd
			if m := a.env.Memory; m != nil {
				m.Bare = a.bare
				cmds = append(cmds, a.keepMemory())
			}
			if *of {
				cmds = append(cmds, a.toast(component.Toast{Severity: style.SeverityInfo, Text: what + " hidden", Hint: key + " shows " + again}))
			}
			return screen.Batch(cmds...)
		}
	}
	header := action.Action{ID: "app.header", Keys: []string{"ctrl+e"}, Title: "header", Help: "hide or show the header", Run: toggle(&a.bare.Header, "header", "^e", "it again")}
	if a.dated() && !a.bare.Header {
		header.Disabled = "it says of when the data is"
	}
	return []action.Action{
		header,
		{ID: "app.crumbs", Keys: []string{"ctrl+g"}, Title: "crumbs", Help: "hide or show the line that says where you are", Run: toggle(&a.bare.Crumbs, "crumbs", "^g", "them again")},
	}
}
