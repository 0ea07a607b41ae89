package journal

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Page is one revision: who made it, why, and its records before and after. It is made by
// Open.
type Page struct {
	env   screen.Env
	snap  *cloud.Snapshot
	rev   cloud.Revision
	to    cloud.Revision // the page is of everything after rev, up to this one; 0 means rev itself
	event *cloud.Event   // nil before it is read
	fault error

	reads  screen.Task[*read]
	thens  screen.Task[*moment]
	then   moment
	scroll panel.Scroll

	lines []string // as last drawn, in width cells
	width int
}

// read is the answer of the journal.
type read struct {
	event *cloud.Event
	fault error
}

// Open returns the page of a revision.
func Open(env screen.Env, snap *cloud.Snapshot, rev cloud.Revision) *Page {
	return &Page{env: env, snap: snap, rev: rev}
}

// Between returns the page of all revisions after rev up to to, as one.
func Between(env screen.Env, snap *cloud.Snapshot, rev, to cloud.Revision) *Page {
	return &Page{env: env, snap: snap, rev: rev, to: to}
}

// Init implements screen.Screen.
func (p *Page) Init() tea.Cmd {
	journal, rev, to := p.env.Cloud, p.rev, p.to
	if to > 0 {
		return p.reads.Start(p.env.Context, func(ctx context.Context) *read { return between(ctx, journal, rev, to) })
	}
	return p.reads.Start(p.env.Context, func(ctx context.Context) *read {
		events, err := journal.Events(ctx, cloud.EventQuery{Until: rev, Limit: 1, Small: small})
		switch {
		case err != nil:
			return &read{fault: fmt.Errorf("the journal cannot be read: %w", err)}
		case len(events) == 0 || events[0].Revision != rev:
			if rev > journal.Snapshot().Revision() {
				return &read{fault: &placement.NotFoundError{What: "revision", Name: fmt.Sprintf("%d of the journal", rev)}}
			}
			return &read{fault: &cloud.ForgottenError{Revision: rev}}
		}
		return &read{event: &events[0]}
	})
}

// between reads what came after a revision, as one event.
func between(ctx context.Context, journal cloud.Historian, rev, to cloud.Revision) *read {
	events, err := journal.Events(ctx, cloud.EventQuery{After: rev, Until: to, Limit: most, Small: small})
	if err != nil {
		return &read{fault: fmt.Errorf("the journal cannot be read: %w", err)}
	}
	ev := &cloud.Event{Revision: to, Note: fmt.Sprintf("what %s changed in all", component.Plural(len(events), "revision"))}
	if n := len(events); n > 0 {
		ev.At = events[0].At
		if first := events[n-1].Revision; first != rev+1 {
			ev.Note += fmt.Sprintf(": those before revision %d are left out or expired", first)
		}
	}
	ev.Changes, ev.Omitted = cloud.Net(events)
	return &read{event: ev}
}

// Title implements screen.Screen.
func (p *Page) Title() string {
	title := "rev " + component.Count(p.rev) // revisions are counted up
	if p.to > 0 {
		title += " > " + component.Count(p.to) // revisions are counted up
	}
	return title
}

// Update implements screen.Screen.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		p.snap = msg.Snapshot // names may have changed
		p.width = 0
	case tea.KeyMsg:
		if !msg.Paste {
			p.scroll.Key(msg.String())
		}
	}
	got, ok, cmd := p.reads.Take(msg)
	if ok {
		p.event, p.fault, p.width = got.event, got.fault, 0
		if p.event != nil && p.to == 0 {
			journal, now, ev := p.env.Cloud, p.snap, p.event
			cmd = tea.Batch(cmd, p.thens.Start(p.env.Context, func(ctx context.Context) *moment { return momentOf(ctx, journal, now, ev) }))
		}
	}
	if then, ok, next := p.thens.Take(msg); ok {
		p.then, p.width = *then, 0
		cmd = tea.Batch(cmd, next)
	}
	return cmd
}

// View implements screen.Screen.
func (p *Page) View(w, h int) string {
	st := p.env.Styles
	switch {
	case p.fault != nil:
		return screen.State(st, w, h, style.SeverityWarn, screen.LabelEmpty, p.fault.Error())
	case p.event == nil:
		return screen.State(st, w, h, style.SeverityNone, screen.LabelLoading, "reading the journal")
	}
	if p.width != w {
		p.lines, p.width = p.draw(w), w
	}
	return component.Fit(p.scroll.View(st, w, h, p.lines), w, h)
}

// draw draws all of the page.
func (p *Page) draw(w int) []string {
	st, ev := p.env.Styles, p.event
	at := list.Area{At: list.At{Snap: p.snap, Now: p.env.Now()}, Styles: st, Width: w}
	lines := component.Wrap(st, ev.Note, w-2)
	for i, text := range lines {
		lines[i] = component.NewLine(st, w).Space(1).Add(themes.Strong, text).String()
	}
	if p.to > 0 {
		lines = append(lines, component.Titled(st, w, "RECORDS "+component.Count(len(ev.Changes)+ev.Omitted), "before > after"))
		return append(lines, records(ev, at)...)
	}
	lines = append(lines, panel.Facts(st, w,
		panel.Fact{Name: "by", Text: ev.Actor},
		panel.Fact{Name: "at", Text: ev.At.UTC().Format(cloud.Moment)},
		panel.Fact{Name: "task", Text: ev.Task},
		panel.Fact{Name: "step", Text: ev.Step},
		panel.Fact{Name: "records", Text: component.Count(len(ev.Changes) + ev.Omitted)},
	)...)
	lines = append(lines, component.Titled(st, w, "RECORDS", "before > after"))
	return slices.Concat(lines, records(ev, at), p.then.lines(st, w))
}

// redone reads what came after an event and opens the page that redoes it.
func redone(env screen.Env, snap *cloud.Snapshot, ev *cloud.Event) tea.Cmd {
	return func() tea.Msg {
		events, err := env.Cloud.Events(env.Context, cloud.EventQuery{After: ev.Revision, Until: snap.Revision(), Limit: most, Small: small})
		if err != nil {
			return screen.Warning("redo: the journal cannot be read: " + err.Error())
		}
		return redoing(env, snap, ev, events)
	}
}

// Actions implements screen.Screen.
func (p *Page) Actions() []action.Action {
	if p.to > 0 {
		return []action.Action{panel.ScrollAction("event.scroll")}
	}
	none := ""
	if p.event == nil {
		none = "the journal is being read"
	}
	to := func(rev cloud.Revision) func() tea.Msg {
		return func() tea.Msg { return screen.Goto{To: place.Event{Revision: rev}, Replace: true} }
	}
	older := action.Action{ID: "event.older", Keys: "h left", Title: "older", Help: "the previous revision", Priority: 70, Request: to(p.rev - 1)}
	if p.rev <= 1 {
		older.Disabled = "this is the first revision"
	}
	newer := action.Action{ID: "event.newer", Keys: "l right", Title: "newer", Help: "the next revision", Priority: 69, Request: to(p.rev + 1)}
	if p.rev >= p.snap.Revision() {
		newer.Disabled = "this is the newest revision"
	}
	undo, redo := undoAction("event"), redoAction("event")
	switch {
	case p.event == nil:
		undo.Disabled, redo.Disabled = none, none
	default:
		undo.Disabled = cannotUndo(p.event)
		undo.Request = func() tea.Msg { return undoing(p.env, p.snap, p.event) }
		redo.Run = func() tea.Cmd { return redone(p.env, p.snap, p.event) }
	}
	diff := diffAction("event", func() tea.Msg { return screen.PushMsg{Screen: Between(p.env, p.snap, p.rev, p.snap.Revision())} })
	diff.Disabled = newer.Disabled
	then := thenAction("event")
	then.Request = func() tea.Msg { return screen.ReplayMsg{Revision: p.rev} }
	return inTime(p.env, then, []action.Action{
		older, newer, undo, redo, diff,
		{ID: "event.copy", Keys: "c", Title: "copy", Help: "copy the line, for a ticket", Disabled: none, Request: func() tea.Msg {
			return screen.CopyMsg{What: p.Title(), Text: line(p.event)}
		}},
		panel.ScrollAction("event.scroll"),
	})
}
