package tui

import (
	"context"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Clouds are those that a dashboard can switch between.
type Clouds interface {
	// Names returns them, as they are named to Open.
	Names() []string
	// Open opens one, unless it is open already. It may take as long as it likes: the cloud
	// that is shown stays meanwhile.
	Open(ctx context.Context, name string) (OpenMsg, error)
}

// otherMsg is a cloud that was to be opened, or why it could not be.
type otherMsg struct {
	try  int
	name string
	open OpenMsg
	err  error
}

// cloudCommand switches to another cloud.
func (a *App) cloudCommand() []command {
	if a.cfg.Clouds == nil {
		return nil
	}
	return []command{{
		name: "ctx", also: []string{"context", "clouds"}, args: a.cfg.Clouds.Names(), what: "switch to another cloud", run: func(name string) tea.Cmd {
			if name == "" {
				return a.pickCloud()
			}
			return a.switchCloud(name)
		},
	}}
}

// pickCloud lists the clouds.
func (a *App) pickCloud() tea.Cmd {
	const keys = 9
	names := a.cfg.Clouds.Names()
	var choices []screen.Choice
	for i, name := range names[:min(keys, len(names))] {
		title := name
		if name == a.cfg.Name {
			title += ", which is shown"
		}
		choices = append(choices, screen.Choice{Key: strconv.Itoa(i + 1), Title: title, Run: func() tea.Cmd { return a.switchCloud(name) }})
	}
	lines := []string{"switch to another cloud"}
	if len(names) > keys {
		lines = append(lines, "more, by :ctx NAME: "+strings.Join(names[keys:], ", "))
	}
	page := screen.NewPage(a.env.Styles, "clouds", style.SeverityNone, "clouds", lines, choices...)
	return a.push(nil, func(screen.Env) (screen.Screen, error) { return page, nil })
}

// switchCloud opens a cloud, which takes the place of the one that is shown once it is
// there. Where another is asked for meanwhile, that one counts.
func (a *App) switchCloud(name string) tea.Cmd {
	if !slices.Contains(a.cfg.Clouds.Names(), name) {
		return a.refuse("there is no cloud "+name, ":ctx shows those there are")
	}
	a.switches++
	if a.giveUp != nil {
		a.giveUp()
	}
	ctx, giveUp := context.WithCancel(a.env.Context)
	a.giveUp = giveUp
	try, open := a.switches, a.cfg.Clouds.Open
	return tea.Batch(a.toast(component.Toast{Severity: style.SeverityInfo, Text: "opening " + name}), func() tea.Msg {
		msg, err := open(ctx, name)
		return otherMsg{try, name, msg, err}
	})
}

// switched shows the cloud that was asked for last.
func (a *App) switched(msg otherMsg) tea.Cmd {
	switch {
	case msg.try != a.switches:
		return nil
	case msg.err != nil:
		return a.refuse(msg.name+": "+msg.err.Error(), ":ctx again")
	}
	return a.open(msg.open)
}
