// Package owners is the screens of who owns the accelerators, and of the gate that
// keeps the owner filter from being enforced until the last nova-compute is
// upgraded.
//
//	Snapshot --off the event loop--> survey --> the lists of a board
//	u, U     --piece by piece------> outcome --> the lists of the gate's board
//
// Both screens ask package ops and compute nothing themselves.
package owners

import (
	"context"
	"slices"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/board"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// page is the common part of the two screens: a board whose lists show a survey.
type page struct {
	env   screen.Env
	name  string
	snap  *cloud.Snapshot // the newest
	board board.Board
	begun bool // the lists exist

	gathers screen.Task[*survey]
	data    atomic.Pointer[survey] // read by the lists off the event loop
	all     atomic.Bool            // clean hosts are shown, too
	remake  func() tea.Cmd         // makes the list of hosts again
}

// open sets a page up.
func (p *page) open(env screen.Env, snap *cloud.Snapshot, name string) {
	p.env, p.snap, p.name = env, snap, name
	p.gathers.Clock = env.Clock
	p.board.Styles, p.board.Scope = env.Styles, name
}

// Init implements screen.Screen.
func (p *page) Init() tea.Cmd {
	if screen.Small(p.snap) {
		return p.show(gather(p.env, p.snap))
	}
	return p.gather()
}

// Title implements screen.Screen.
func (p *page) Title() string { return p.name }

// Status implements screen.Stater.
func (p *page) Status() string {
	v := p.data.Load()
	if v == nil {
		return "reading"
	}
	gate := "gate closed"
	switch {
	case v.ready.Gate.Open:
		gate = "gate open"
	case v.ready.Gate.Inferred():
		gate = "gate not known"
	}
	if v.ready.OffBy != "" {
		gate += ", filter off"
	}
	return component.Plural(v.cards, "accelerator") + "   " + gate + "   " + p.board.Status()
}

// Typing implements screen.Typist.
func (p *page) Typing() bool { return p.begun && p.board.Typing() }

// Back implements screen.Backer.
func (p *page) Back() bool { return p.begun && p.board.Back() }

// AfterBack implements screen.AfterBacker.
func (p *page) AfterBack() tea.Cmd { return p.board.AfterBack() }

// CursorID returns the id of the row under the cursor, or "" if there is none.
func (p *page) CursorID() string {
	if !p.begun {
		return ""
	}
	return p.board.CursorID()
}

// HasRow reports whether the list that the id names has its row.
func (p *page) HasRow(id string) bool { return p.begun && p.board.HasRow(id) }

// gather surveys the newest Snapshot.
func (p *page) gather() tea.Cmd {
	env, snap := p.env, p.snap
	return p.gathers.Follow(env.Context, func(context.Context) *survey { return gather(env, snap) })
}

// follow takes a newer Snapshot.
func (p *page) follow(snap *cloud.Snapshot) tea.Cmd {
	if snap == p.snap && (p.begun || p.gathers.Busy()) {
		return nil
	}
	p.snap = snap
	return p.gather()
}

// update handles messages for both screens.
func (p *page) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		return p.follow(msg.Snapshot)
	case tea.KeyMsg:
		if !p.begun {
			return nil
		}
		return p.board.Update(msg)
	}
	v, ok, cmd := p.gathers.Take(msg)
	if ok {
		cmd = tea.Batch(cmd, p.show(v))
	}
	if p.begun && !ok {
		cmd = tea.Batch(cmd, p.board.Update(msg))
	}
	return cmd
}

// show passes a survey to the lists.
func (p *page) show(v *survey) tea.Cmd {
	p.data.Store(v)
	if !p.begun {
		p.begun = true
		init := p.board.Init()
		return tea.Batch(init, p.board.Update(screen.SnapshotMsg{Snapshot: v.of}))
	}
	return p.board.Update(screen.SnapshotMsg{Snapshot: v.of})
}

// view draws the board, or why there is none yet.
func (p *page) view(w, h int) string {
	if !p.begun {
		n := p.snap.Placement().ProviderCount()
		return screen.State(p.env.Styles, w, h, style.SeverityNone, screen.LabelLoading, "looking at "+component.Count(n)+" providers")
	}
	return p.board.View(w, h)
}

// actions returns own, followed by the keys of the board.
func (p *page) actions(own ...action.Action) []action.Action {
	if !p.begun {
		return nil
	}
	return slices.Concat(p.board.Actions(), own)
}
