package instances

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// guestPage is the page of an instance, with its actions in Nova: these are read once the page
// is open, and again when the instance has changed.
type guestPage struct {
	*page.Screen[*nova.Instance]
	env   screen.Env
	id    placement.ConsumerID
	asks  func(ctx context.Context, instance placement.ConsumerID) ([]nova.Action, error)
	reads screen.Task[*instanceActions]
	acted *instanceActions // nil until it is read
	at    *nova.Instance   // the instance that was asked about
}

// instanceActions is the actions of an instance.
type instanceActions struct {
	actions []nova.Action
	err     error
}

// Init implements screen.Screen.
func (p *guestPage) Init() tea.Cmd {
	p.at, _ = p.env.Cloud.Snapshot().Nova().Instance(p.id)
	return tea.Batch(p.Screen.Init(), p.read())
}

// read reads the actions of the instance.
func (p *guestPage) read() tea.Cmd {
	return p.reads.Follow(p.env.Context, func(ctx context.Context) *instanceActions {
		actions, err := p.asks(ctx, p.id)
		return &instanceActions{actions, err}
	})
}

// Update implements screen.Screen.
func (p *guestPage) Update(msg tea.Msg) tea.Cmd {
	got, ok, cmd := p.reads.Take(msg)
	if ok {
		p.acted = got
		p.Refresh()
	}
	if newer, is := msg.(screen.SnapshotMsg); is {
		if i, there := newer.Snapshot.Nova().Instance(p.id); there && i != p.at {
			p.at = i
			cmd = tea.Batch(cmd, p.read())
		}
	}
	return tea.Batch(cmd, p.Screen.Update(msg))
}

// lines lists the actions.
func (p *guestPage) lines(_ *nova.Instance, a list.Area) []string {
	switch {
	case p.acted == nil:
		return []string{panel.Text(a.Styles, a.Width, themes.Dim, "  asking Nova")}
	case p.acted.err != nil:
		return []string{panel.Text(a.Styles, a.Width, themes.Warn, "  not read: "+p.acted.err.Error())}
	case len(p.acted.actions) == 0:
		return []string{panel.Text(a.Styles, a.Width, themes.Dim, "  Nova reports none")}
	}
	var lines []string
	for _, act := range p.acted.actions {
		l := a.Line().Space(2).Number(4, themes.Dim, panel.Age(a.Snap.NovasTime(a.Now), act.At))
		l.Space(2).Column(16, themes.Text, act.Name).Space(1)
		if act.Wrong {
			l.Add(themes.Critical, "failed").Space(2)
		}
		lines = append(lines, l.Add(themes.Dim, act.Request+"  by "+act.User).String())
	}
	return lines
}
