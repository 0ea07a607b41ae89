package tui

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
)

// Presence is what a server of dashboards and one of them know of each other: which
// screen is shown, and messages for the user. It may be used from any goroutine.
type Presence struct {
	news chan struct{} // with one token while there are messages

	mu       sync.Mutex
	at       string // title of the screen
	messages []string
}

// NewPresence returns a Presence for one dashboard.
func NewPresence() *Presence { return &Presence{news: make(chan struct{}, 1)} }

// At returns the title of the screen that is shown.
func (p *Presence) At() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

// Tell shows a message to the user.
func (p *Presence) Tell(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = append(p.messages, text)
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// take returns the messages since the last call.
func (p *Presence) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.messages
	p.messages = nil
	return out
}

// ConnectedUser is a user who is connected, as ":who" lists them.
type ConnectedUser struct {
	Name, Role, Address, At string
	Since, Heard            time.Time // Heard is zero where that is not known
}

// messagesMsg says that the server has messages.
type messagesMsg struct{}

// listen waits for messages from the server.
func (p *Presence) listen(ctx context.Context) tea.Cmd {
	if p == nil {
		return nil
	}
	return func() tea.Msg {
		select {
		case <-p.news:
			return messagesMsg{}
		case <-ctx.Done():
			return nil
		}
	}
}

// show shows messages from the server, and waits for more.
func (p *Presence) show(m *messages) tea.Cmd {
	cmds := []tea.Cmd{p.listen(m.ctx)}
	for _, text := range p.take() {
		cmds = append(cmds, m.refuse(text, ""))
	}
	return tea.Batch(cmds...)
}

// publish tells the server the title of the screen that is shown.
func (p *Presence) publish(at string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = at
}

// who lists who shares the cloud.
func (l *live) who() list.MenuSpec {
	return list.MenuSpec{Name: "who", Title: "who is here", Items: func() (items []list.Item) {
		all, now, wide := l.Who(), l.session.Clock(), 0
		for _, p := range all {
			wide = max(wide, len(p.Address))
		}
		for i, p := range all {
			idle := ""
			if !p.Heard.IsZero() {
				idle = "idle " + component.Age(max(now.Sub(p.Heard), 0))
			}
			note := fmt.Sprintf("%-8s  %-*s  since %s  %-9s  %s", p.Role, wide, p.Address, p.Since.UTC().Format("15:04Z"), idle, p.At)
			items = append(items, list.Item{ID: strconv.Itoa(i), Name: p.Name, Note: note})
		}
		return items
	}}
}
