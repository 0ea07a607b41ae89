package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
)

// LinkState is the state of the connection to a cloud elsewhere. A store on this
// machine has none.
type LinkState struct {
	cloud.ServiceLink                     // to Placement
	Beside            []cloud.ServiceLink // to Nova and Cyborg, if it has them
	Doing             string              // what is being read, "" for nothing
	Parts             []cloud.Reading     // when each part was read last
	Followed          bool                // what is written there comes by itself
}

// services returns the links to all services, Placement's first.
func (l LinkState) services() []cloud.ServiceLink {
	return append([]cloud.ServiceLink{l.ServiceLink}, l.Beside...)
}

// turns returns how long until the state of a service changes if nothing else happens, at
// most the time after which its age is drawn again.
func (l LinkState) turns(now time.Time) time.Duration {
	next := ageTick
	for _, of := range l.services() {
		if at := of.Turns(now); !at.IsZero() {
			next = min(next, at.Sub(now))
		}
	}
	return next
}

// Link reports the state of the connection to a cloud elsewhere.
type Link interface {
	Link() LinkState
	// Linked returns a channel with room for one value, which gets one whenever what
	// Link returns changes. It is closed when ctx ends.
	Linked(ctx context.Context) <-chan struct{}
	// Look says which providers are looked at, until the next call: they are read first.
	Look(ids ...placement.ProviderID)
	// Hold stops reading in the background until ctx ends, unless others look at the cloud
	// through this process.
	Hold(ctx context.Context)
}

// ageTick is how often the age of the data is redrawn, and linkGap the least time between
// two looks at a link that changes all the time.
const (
	ageTick = 10 * time.Second
	linkGap = 250 * time.Millisecond
)

// link is the connection to a cloud elsewhere. Its state is zero for one that is here.
type link struct {
	LinkState
	of      Link // nil for a cloud that is here
	clock   func() time.Time
	changes <-chan struct{}
	held    context.CancelFunc     // resumes reading; nil unless it is held
	seen    time.Time              // when the shown data was read
	looked  []placement.ProviderID // what it was last told is on screen
}

// linkedMsg says that the link may have changed, or that time has passed.
type linkedMsg struct{ watch <-chan struct{} }

// watch waits for the link of another cloud to change.
func (l *link) watch(ctx context.Context, of Link) tea.Cmd {
	*l = link{of: of, clock: l.clock}
	if of == nil {
		return nil
	}
	l.LinkState, l.changes = of.Link(), of.Linked(ctx)
	return l.next(ctx)
}

// next returns a command that waits for the link to change, or until its age or state
// has to be drawn again.
func (l *link) next(ctx context.Context) tea.Cmd {
	changes, until := l.changes, l.turns(l.clock())
	return func() tea.Msg {
		gap := time.NewTimer(linkGap)
		defer gap.Stop()
		select {
		case <-gap.C:
		case <-ctx.Done():
			return nil
		}
		tick := time.NewTimer(until)
		defer tick.Stop()
		select {
		case _, ok := <-changes:
			if !ok {
				return nil
			}
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		return linkedMsg{changes}
	}
}

// news takes the state of the link and waits for more, unless they are of a cloud that was left.
// Lost is why it cannot be read any more, "" if that is not new.
func (l *link) news(ctx context.Context, msg linkedMsg) (next tea.Cmd, lost string) {
	if l.of == nil || msg.watch != l.changes {
		return nil, ""
	}
	was := l.Lost
	if l.LinkState = l.of.Link(); was == "" {
		lost = l.Lost
	}
	return l.next(ctx), lost
}

// shown notes how old what is shown now is.
func (l *link) shown() {
	if l.of != nil {
		l.seen = l.of.Link().At
	}
}

// hold stops reading in the background.
func (l *link) hold(ctx context.Context) {
	if l.seen = l.At; l.of != nil {
		ctx, l.held = context.WithCancel(ctx)
		l.of.Hold(ctx)
	}
}

// resume reads again.
func (l *link) resume() {
	if l.held != nil {
		l.held()
		l.held = nil
	}
}

// look tells a cloud that is still being read which providers are on screen.
func (l *link) look(e *entry) {
	is, ok := as[screen.Looker](e)
	if l.of == nil || l.Doing == "" || !ok {
		return
	}
	if ids := is.Looking(); len(ids) > 0 && !slices.Equal(ids, l.looked) {
		l.looked = ids
		l.of.Look(ids...)
	}
}

// state returns how current what is shown of Placement is.
func (l *link) state() cloud.Liveness { return l.State(l.clock()) }

// age returns the age of the data of a live cloud, after a space; "" if unknown.
func (l *link) age() string {
	at := l.At
	if l.held != nil {
		at = l.seen
	}
	if at.IsZero() {
		return ""
	}
	return " " + component.Age(max(l.clock().Sub(at), 0))
}

// absent returns in words which services besides Placement do not answer, and how old
// what is shown of them is.
func (l *link) absent(compact bool) []string {
	var out []string
	now := l.clock()
	for _, of := range l.Beside {
		state := of.State(now)
		if state != cloud.Stale && state != cloud.Slow {
			continue
		}
		text := of.Name + " " + string(state)
		if !of.At.IsZero() && !compact {
			text += " " + component.Age(max(now.Sub(of.At), 0))
		}
		out = append(out, text)
	}
	return out
}

// ages lists the parts of a live cloud with when they were last read; a part that could not be
// read has the reason, and the age of what is shown of it.
func (l *link) ages() list.MenuSpec {
	return list.MenuSpec{
		Name: "ages", Title: "ages", Empty: "nothing has been read yet",
		Items: func() []list.Item {
			now := l.clock()
			ago := func(at time.Time) string {
				if at.IsZero() {
					return "never read"
				}
				return component.Age(max(now.Sub(at), 0)) + " ago"
			}
			var items []list.Item
			for _, of := range l.services() {
				item := list.Item{ID: of.Name, Name: of.Name, Note: fmt.Sprintf("%-12s %s requests, %s", ago(of.At), component.Count(of.Requests), of.Took.Round(10*time.Millisecond))}
				switch {
				case l.Followed && of.Lost == "":
					item.Note = "changes by others appear at once"
				case l.Followed:
					item.Note = fmt.Sprintf("%-12s R asks again", ago(of.At))
				case !of.Since.IsZero():
					item.Note += "; reading"
				case l.held != nil:
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
			for _, p := range l.Parts {
				item := list.Item{ID: string(p.Part), Name: string(p.Part), Note: fmt.Sprintf("%-12s %s", ago(p.At), component.Count(p.Rows))}
				if why := cmp.Or(p.Why, p.Cut); why != "" {
					item.Note, item.Tone = fmt.Sprintf("%-12s %s", ago(p.At), why), themes.Warn
				}
				items = append(items, item)
			}
			return items
		},
	}
}
