package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/list"
)

// Clouds are the clouds that a dashboard can switch between.
type Clouds interface {
	// Names returns their names.
	Names() []string
	// Open opens one of them, or another place, such as a file, unless it is open already. It
	// may take as long as it likes: meanwhile the current cloud stays on the screen.
	Open(ctx context.Context, name string) (OpenMsg, error)
}

// clouds switches between clouds.
type clouds struct {
	of       Clouds // nil for none
	live     *live
	stack    *stack
	messages *messages
	requests int               // number of the newest; answers to others are dropped
	giveUp   func()            // cancels the last of them
	unopened map[string]string // why clouds could not be opened, by name
	failed   string            // the last of them; "" if another cloud was opened since
}

// otherMsg is a cloud that was to be opened, or why it could not be.
type otherMsg struct {
	try  int
	name string
	open OpenMsg
	err  error
}

// names returns the names of the clouds.
func (c *clouds) names() []string {
	if c.of == nil {
		return nil
	}
	return c.of.Names()
}

// command switches to a cloud by its name, or lists them.
func (c *clouds) command(name string) tea.Cmd {
	return c.open(name)
}

// menu lists the clouds.
func (c *clouds) menu() list.MenuSpec {
	return list.MenuSpec{
		Name: "clouds", Title: "clouds", Verb: "switch", Stays: true, At: cmp.Or(c.failed, c.live.Name),
		Intro: []string{"The clouds of clouds.yaml. :ctx ./FILE opens a file"},
		Items: func() []list.Item {
			var items []list.Item
			for _, name := range c.names() {
				item := list.Item{Name: name, Run: func() tea.Cmd { return c.open(name) }}
				switch why := c.unopened[name]; {
				case name == c.live.Name:
					item.Note = "this one"
				case why != "":
					item.Note, item.Tone = "not opened: "+why, themes.Warn
				}
				items = append(items, item)
			}
			return items
		},
	}
}

// open opens a cloud, which replaces the shown one once it is there. If another is
// requested meanwhile, that one counts.
func (c *clouds) open(name string) tea.Cmd {
	if !slices.Contains(c.names(), name) && !strings.ContainsAny(name, "/:") {
		return c.messages.refuse("there is no cloud "+name, ":ctx lists them")
	}
	if cmd, stays := c.stays(); stays {
		return cmd
	}
	c.giveUp()
	ctx, giveUp := context.WithCancel(c.live.session.Context)
	c.giveUp = giveUp
	c.requests++
	try, open := c.requests, c.of.Open
	return tea.Batch(c.messages.inform("opening "+name, ""), func() tea.Msg {
		msg, err := open(ctx, name)
		return otherMsg{try, name, msg, err}
	})
}

// opened reports whether the last requested cloud is to be shown now.
func (c *clouds) opened(msg otherMsg) (why tea.Cmd, shows bool) {
	switch {
	case msg.try != c.requests:
		return nil, false
	case msg.err != nil:
		c.unopened[msg.name], c.failed = msg.err.Error(), msg.name
		why, hint := msg.name+": "+msg.err.Error(), ":ctx again"
		if !c.messages.fits(why, hint) {
			why, hint = msg.name+" cannot be opened", ":ctx says why"
		}
		return c.messages.refuse(why, hint), false
	}
	delete(c.unopened, msg.name)
	c.failed = ""
	why, stays := c.stays() // work may have begun meanwhile
	return why, !stays
}

// stays refuses to close all screens if something would be lost, and reports whether it
// refused.
func (c *clouds) stays() (tea.Cmd, bool) {
	what := unwritten(c.stack.all())
	if what == "" {
		return nil, false
	}
	return c.messages.refuse(c.live.Name+" stays: "+what, "leave that page first"), true
}
