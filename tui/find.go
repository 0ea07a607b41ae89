package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/help"
)

// views returns what can be gone to by its name, or by other words for it: the screens, what
// they show at places of their own, and the tasks of help.
func (a *App) views() []screen.Named {
	if a.live.Cloud == nil {
		return nil // no screen can be shown yet
	}
	var out, answers []screen.Named
	for _, d := range slices.Concat(a.mains(), a.byName()) {
		also := strings.Join(append(slices.Clone(d.Names), d.Also), " ")
		out = append(out, screen.Named{Kind: "view", Name: d.Names[0], Title: d.Title, What: d.What, Also: also, To: d.Of})
		answers = append(answers, d.Answers...)
	}
	out = append(out, answers...)
	for _, t := range help.Tasks() {
		if a.opener(t.To) != nil {
			out = append(out, screen.Named{Kind: help.OnCall, Name: t.For, Title: t.For, What: strings.ReplaceAll(t.Reads, "`", ""), Also: t.Also, To: t.To})
		}
	}
	return out
}

// findActions are the keys of the search for anything; none if there is no such screen.
func (a *App) findActions() []action.Action {
	if a.opener(place.Find{}) == nil {
		return nil
	}
	return []action.Action{{
		ID: "app.find", Keys: "ctrl+p", Title: "go to anything", Help: "go to any record or screen by a few letters; so does / where there is nothing to filter", Priority: 58, Disabled: a.live.noCloud(),
		Run: func() tea.Cmd { return a.goTo(a.top(), screen.Goto{To: place.Find{}}) },
	}}
}
