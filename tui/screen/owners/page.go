// Package owners is the screen of who owns the accelerators, and of the gate that
// keeps the owner filter from being enforced until the last nova-compute is
// upgraded.
//
//	Snapshot --off the event loop--> survey --> the lists of the page
//	u, U     --piece by piece------> outcome --> its lists of flavors and instances
//
// It asks package insight and computes nothing itself.
package owners

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Init implements screen.Screen.
func (p *Screen) Init() tea.Cmd {
	if screen.Small(p.snap) {
		return p.show(gather(p.env, p.snap))
	}
	return p.gather()
}

// Title implements screen.Screen.
func (p *Screen) Title() string { return "owners" }

// Status implements screen.Stater.
func (p *Screen) Status() string {
	v := p.data.Load()
	switch {
	case v == nil:
		return "reading"
	case p.simulating():
		return p.sim.note(p.snap.Revision()) + "   esc stops"
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
func (p *Screen) gather() tea.Cmd {
	env, snap := p.env, p.snap
	return p.gathers.Follow(env.Context, func(context.Context) *survey { return gather(env, snap) })
}

// follow takes a newer Snapshot.
func (p *Screen) follow(snap *cloud.Snapshot) tea.Cmd {
	if snap == p.snap && (p.begun || p.gathers.Busy()) {
		return nil
	}
	p.snap = snap
	return p.gather()
}

// Update implements screen.Screen.
func (p *Screen) Update(msg tea.Msg) tea.Cmd {
	if done, ok, cmd := p.sims.Take(msg); ok {
		return tea.Batch(cmd, p.take(done))
	}
	cmd := p.update(msg)
	if what := p.start; p.begun && what != place.NoSimulation {
		p.start = place.NoSimulation
		cmd = tea.Batch(cmd, p.simulate(what))
	}
	return cmd
}

// update passes a message on to the page, or to what it is made from.
func (p *Screen) update(msg tea.Msg) tea.Cmd {
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
func (p *Screen) show(v *survey) tea.Cmd {
	p.data.Store(v)
	if !p.begun {
		p.begun = true
		init := p.Page.Init()
		return tea.Batch(init, p.Page.Update(screen.SnapshotMsg{Snapshot: v.of}))
	}
	return p.Page.Update(screen.SnapshotMsg{Snapshot: v.of})
}
