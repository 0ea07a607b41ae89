// Package owners is the screens of who owns the accelerators, and of the gate that
// keeps the owner filter from being enforced until the last nova-compute is
// upgraded.
//
//	Snapshot --off the event loop--> survey --> the lists of a page
//	u, U     --piece by piece------> outcome --> the lists of the gate's page
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
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// base is the common part of the two screens: a page whose lists show a survey.
type base struct {
	page.Page
	env   screen.Env
	snap  *cloud.Snapshot // the newest
	begun bool            // the lists exist

	gathers screen.Task[*survey]
	data    atomic.Pointer[survey] // read by the lists off the event loop
	all     atomic.Bool            // clean hosts are shown, too
	remake  func() tea.Cmd         // makes the list of hosts again
}

// open sets a page up.
func (p *base) open(env screen.Env, snap *cloud.Snapshot, name string) {
	p.env, p.snap = env, snap
	p.gathers.Clock = env.Clock
	p.Page = page.Page{Styles: env.Styles, Scope: name, WideW: 120, WideH: 34}
}

// arrange puts sections on the page: those in top above the others, which take turns where
// there is no room for boxes. Rows are the boxes.
func (p *base) arrange(top, turns []*page.Section, rows ...page.Row) {
	for i, s := range turns {
		s.Turn = i + 1
	}
	p.Sections, p.Rows, p.Focus = slices.Concat(top, turns, p.Sections), rows, len(top)
}

// Init implements screen.Screen.
func (p *base) Init() tea.Cmd {
	if screen.Small(p.snap) {
		return p.show(gather(p.env, p.snap))
	}
	return p.gather()
}

// Title implements screen.Screen.
func (p *base) Title() string { return p.Scope }

// Status implements screen.Stater.
func (p *base) Status() string {
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
	return v.words() + "   " + gate + "   " + p.Page.Status()
}

// gather surveys the newest Snapshot.
func (p *base) gather() tea.Cmd {
	env, snap := p.env, p.snap
	return p.gathers.Follow(env.Context, func(context.Context) *survey { return gather(env, snap) })
}

// follow takes a newer Snapshot.
func (p *base) follow(snap *cloud.Snapshot) tea.Cmd {
	if snap == p.snap && (p.begun || p.gathers.Busy()) {
		return nil
	}
	p.snap = snap
	return p.gather()
}

// update handles messages for both screens.
func (p *base) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		return p.follow(msg.Snapshot)
	case tea.KeyMsg:
		if !p.begun {
			return nil
		}
		return p.Page.Update(msg)
	}
	v, ok, cmd := p.gathers.Take(msg)
	if ok {
		cmd = tea.Batch(cmd, p.show(v))
	}
	if p.begun && !ok {
		cmd = tea.Batch(cmd, p.Page.Update(msg))
	}
	return cmd
}

// show passes a survey to the lists.
func (p *base) show(v *survey) tea.Cmd {
	p.data.Store(v)
	if !p.begun {
		p.begun = true
		init := p.Page.Init()
		return tea.Batch(init, p.Page.Update(screen.SnapshotMsg{Snapshot: v.of}))
	}
	return p.Page.Update(screen.SnapshotMsg{Snapshot: v.of})
}

// view draws the page, or why there is none yet.
func (p *base) view(w, h int) string {
	if !p.begun {
		n := p.snap.Placement().ProviderCount()
		return screen.State(p.env.Styles, w, h, style.SeverityNone, screen.LabelLoading, "looking at "+component.Count(n)+" providers")
	}
	return p.Page.View(w, h)
}

// actions returns the keys of the page, followed by own.
func (p *base) actions(own ...action.Action) []action.Action {
	if !p.begun {
		return nil
	}
	return slices.Concat(p.Page.Actions(), own)
}
