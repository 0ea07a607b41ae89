package tui

import (
	"cmp"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/menu"
)

// ageCommand lists when the parts of a live cloud were last read.
func (a *App) ageCommand() []command {
	if a.cfg.Link == nil {
		return nil
	}
	return []command{{name: "ages", also: []string{"age", "refresh"}, what: "when each part of this cloud was read, and when it will be again", run: func(string) tea.Cmd { return a.openMenu(a.ageMenu()) }}}
}

// ageMenu lists the parts with their ages; a part that could not be read has the reason,
// and the age of what is shown of it.
func (a *App) ageMenu() menu.Spec {
	ago := func(at time.Time) string {
		if at.IsZero() {
			return "never read"
		}
		return component.Age(max(a.env.Clock().Sub(at), 0)) + " ago"
	}
	return menu.Spec{
		Name: "ages", Title: "ages", Empty: "nothing has been read yet",
		Items: func() []menu.Item {
			is, now := a.live.link, a.env.Clock()
			var items []menu.Item
			for _, of := range is.services() {
				item := menu.Item{ID: of.Name, Name: of.Name, Note: fmt.Sprintf("%-12s %s requests, %s", ago(of.At), component.Count(of.Requests), of.Took.Round(10*time.Millisecond))}
				switch {
				case is.Followed && of.Lost == "":
					item.Note = "changes by others appear at once"
				case is.Followed:
					item.Note = fmt.Sprintf("%-12s R asks again", ago(of.At))
				case !of.Since.IsZero():
					item.Note += "; reading"
				case a.live.paused:
					item.Note += "; paused: p resumes, R reads it now"
				case !of.Next.IsZero():
					item.Note += "; again in " + component.Age(max(of.Next.Sub(now), 0))
				default:
					item.Note += "; R reads it again"
				}
				if state := of.State(now); state == cloud.Slow || state == cloud.Stale {
					item.Note, item.Tone = item.Note+"; "+cmp.Or(of.Why(now), string(state)), themes.Warn
				}
				items = append(items, item)
			}
			for _, p := range is.Parts {
				item := menu.Item{ID: string(p.Part), Name: string(p.Part), Note: fmt.Sprintf("%-12s %s", ago(p.At), component.Count(p.Rows))}
				if why := cmp.Or(p.Why, p.Cut); why != "" {
					item.Note, item.Tone = fmt.Sprintf("%-12s %s", ago(p.At), why), themes.Warn
				}
				items = append(items, item)
			}
			return items
		},
	}
}
