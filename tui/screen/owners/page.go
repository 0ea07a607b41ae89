// Package owners is the screen of who owns the accelerators, and of the gate that
// keeps the owner filter from being enforced until the last nova-compute is
// upgraded; and the way that a card takes from one owner to the other.
//
//	Snapshot --off the event loop--> survey --> the lists of the page
//	u, U     --piece by piece------> outcome --> its lists of flavors and instances
//
//	host ──► card ──► drain ──► each holder leaves ──► give
//	                 preview    resize, migrate,      preview
//	                            release
//
// It asks package insight and computes nothing itself. The progress of a handover is kept
// only in the cloud, see ops.Handover: its screen can be left and opened again at any time.
package owners

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd {
	if screen.Small(s.snap) {
		return s.show(gather(s.env, s.snap))
	}
	return s.gather()
}

// Title implements screen.Screen.
func (s *Screen) Title() string { return "owners" }

// Status implements screen.Stater.
func (s *Screen) Status() string {
	v := s.data.Load()
	switch {
	case v == nil:
		return "reading"
	case s.simulating():
		return s.sim.note(s.snap.Revision()) + "   esc stops"
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
	return v.words() + "   " + gate + "   " + s.Page.Status()
}

// gather surveys the newest Snapshot.
func (s *Screen) gather() tea.Cmd {
	env, snap := s.env, s.snap
	return s.gathers.Follow(env.Context, func(context.Context) *survey { return gather(env, snap) })
}

// follow takes a newer Snapshot.
func (s *Screen) follow(snap *cloud.Snapshot) tea.Cmd {
	if snap == s.snap && (s.begun || s.gathers.Busy()) {
		return nil
	}
	s.snap = snap
	return s.gather()
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if done, ok, cmd := s.sims.Take(msg); ok {
		return tea.Batch(cmd, s.take(done))
	}
	cmd := s.update(msg)
	if what := s.start; s.begun && what != place.NoSimulation {
		s.start = place.NoSimulation
		cmd = tea.Batch(cmd, s.simulate(what))
	}
	return cmd
}

// update passes a message on to the page, or to what it is made from.
func (s *Screen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		return s.follow(msg.Snapshot)
	case tea.KeyMsg:
		if !s.begun {
			return nil
		}
		return s.Page.Update(msg)
	}
	v, ok, cmd := s.gathers.Take(msg)
	if ok {
		cmd = tea.Batch(cmd, s.show(v))
	}
	if s.begun && !ok {
		cmd = tea.Batch(cmd, s.Page.Update(msg))
	}
	return cmd
}

// show passes a survey to the lists.
func (s *Screen) show(v *survey) tea.Cmd {
	s.data.Store(v)
	if !s.begun {
		s.begun = true
		init := s.Page.Init()
		return tea.Batch(init, s.Page.Update(screen.SnapshotMsg{Snapshot: v.of}))
	}
	return s.Page.Update(screen.SnapshotMsg{Snapshot: v.of})
}
