package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/menu"
)

// Clouds are the clouds that a dashboard can switch between.
type Clouds interface {
	// Names returns their names.
	Names() []string
	// Open opens one of them, or another place, such as a file, unless it is open already. It
	// may take as long as it likes: meanwhile the current cloud stays on the screen.
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
				return a.stack.openMenu(a.cloudMenu())
			}
			return a.switchCloud(name)
		},
	}}
}

// cloudMenu lists the clouds.
func (a *App) cloudMenu() menu.Spec {
	return menu.Spec{
		Name: "clouds", Title: "clouds", Verb: "switch", Stays: true, At: cmp.Or(a.failed, a.live.Name),
		Intro: []string{"The clouds of clouds.yaml. :ctx ./FILE opens a file"},
		Items: func() []menu.Item {
			var items []menu.Item
			for _, name := range a.cfg.Clouds.Names() {
				item := menu.Item{ID: name, Name: name}
				switch why := a.unopened[name]; {
				case name == a.live.Name:
					item.Note = "this one"
				case why != "":
					item.Note, item.Tone = "not opened: "+why, themes.Warn
				}
				items = append(items, item)
			}
			return items
		},
		Choose: func(i menu.Item) tea.Cmd { return a.switchCloud(i.ID) },
	}
}

// switchCloud opens a cloud, which replaces the shown one once it is there. If another is
// requested meanwhile, that one counts.
func (a *App) switchCloud(name string) tea.Cmd {
	if !slices.Contains(a.cfg.Clouds.Names(), name) && !strings.ContainsAny(name, "/:") {
		return a.messages.refuse("there is no cloud "+name, ":ctx lists them")
	}
	if cmd, stays := a.stays(); stays {
		return cmd
	}
	a.switches++
	if a.giveUp != nil {
		a.giveUp()
	}
	ctx, giveUp := context.WithCancel(a.env.Context)
	a.giveUp = giveUp
	try, open := a.switches, a.cfg.Clouds.Open
	return tea.Batch(a.messages.inform("opening "+name, ""), func() tea.Msg {
		msg, err := open(ctx, name)
		return otherMsg{try, name, msg, err}
	})
}

// cannotOpen says why a cloud could not be opened: in the list of clouds if a line is too
// short.
func (a *App) cannotOpen(name string, err error, hint string) tea.Cmd {
	why := err.Error()
	a.unopened[name], a.failed = why, name
	text := name + ": " + why
	if !a.messages.fits(text, hint) {
		text, hint = name+" cannot be opened", ":ctx says why"
	}
	return a.messages.refuse(text, hint)
}

// switched shows the last requested cloud.
func (a *App) switched(msg otherMsg) tea.Cmd {
	switch {
	case msg.try != a.switches:
		return nil
	case msg.err != nil:
		return a.cannotOpen(msg.name, msg.err, ":ctx again")
	}
	delete(a.unopened, msg.name)
	a.failed = ""
	if cmd, stays := a.stays(); stays { // work has begun meanwhile
		return cmd
	}
	return a.open(msg.open)
}
