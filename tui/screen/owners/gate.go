package owners

import (
	"fmt"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/board"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Gate is the view of the gate of the owner filter: how far the upgrade is,
// which services hold it up, and what would change once it is done. It is made
// by OpenGate.
type Gate struct {
	page
	start place.Simulation // the initial simulation

	sims   screen.Task[*piece]
	sim    *simulation // under way, or the last; nil before the first
	known  *simulation // whose answer is shown; nil before the first
	answer atomic.Pointer[outcome]

	flavors   *list.Screen
	instances *list.Screen
}

var (
	_ screen.Screen      = (*Gate)(nil)
	_ screen.Typist      = (*Gate)(nil)
	_ screen.Stater      = (*Gate)(nil)
	_ screen.Backer      = (*Gate)(nil)
	_ screen.AfterBacker = (*Gate)(nil)
)

// The numbers of the panes.
const (
	paneChecks = iota
	paneCells
	paneHolds
	paneFlavors
	paneInstances
)

// OpenGate returns the screen over a Snapshot. Simulate is the simulation to
// begin with.
func OpenGate(env screen.Env, snap *cloud.Snapshot, simulate place.Simulation) screen.Screen {
	s := &Gate{start: simulate}
	s.open(env, snap, "gate")
	s.remake = func() tea.Cmd { return nil }
	s.flavors, s.instances = s.flavorList(), s.instanceList()
	checks, cells, holds := s.checks(checkOpens), s.cells(), s.holds()
	s.board.Fixed = 2
	s.board.Panes = []board.Pane{
		paneChecks:    {Title: "READINESS", Panel: checks, Uncounted: true, Keys: "enter open  F fix plan", About: about(checks, s.aboutCheck)},
		paneCells:     {Title: "CELLS", Note: s.cellsNote, Panel: cells, Short: 3, Uncounted: true, Keys: "enter services", About: about(cells, aboutCell)},
		paneHolds:     {Title: "HELD BY", Note: s.holdsNote, Panel: holds, Heads: 1, Uncounted: true, Keys: "enter service  F fix plan", About: about(holds, s.aboutHold)},
		paneFlavors:   {Title: "FLAVORS", Note: s.simNote, Panel: s.flavors, Heads: 1, Keys: "u opened now  U upgraded first  enter flavor", About: about(s.flavors, s.aboutFlavor)},
		paneInstances: {Title: "INSTANCES", Note: s.lookedNote, Panel: s.instances, Heads: 1, Keys: "enter instance  r resize  m migrate", About: about(s.instances, aboutInstance)},
	}
	s.board.Rows = []board.Row{
		{Slots: []board.Slot{{Pane: paneChecks, Share: 5}, {Pane: paneCells, Share: 4}}, Fits: true},
		{Slots: []board.Slot{{Pane: paneHolds, Share: 5}, {Pane: board.About, Share: 4}}},
		{Slots: []board.Slot{{Pane: paneFlavors, Share: 5}, {Pane: paneInstances, Share: 4}}},
	}
	return s
}

// cellsNote returns the state of the gate, in a few words.
func (s *Gate) cellsNote() string {
	v := s.data.Load()
	if v == nil {
		return ""
	}
	g, off := v.ready.Gate, ""
	if v.ready.OffBy != "" {
		off = ", and the filter is off"
	}
	return g.Brief() + off
}

// holdsNote says how many of the listed services hold the gate.
func (s *Gate) holdsNote() string {
	v := s.data.Load()
	if v == nil {
		return ""
	}
	n := len(v.ready.Gate.Holds)
	text := fmt.Sprintf("%d %s", n, v.ready.Gate.HoldWords())
	if aside := len(v.ready.Holds) - n; aside > 0 {
		text += fmt.Sprintf(", %d not asked", aside)
	}
	return text
}

func (s *Gate) simNote() string { return s.sim.note(s.snap.Revision()) }

// lookedNote says how many instances were checked.
func (s *Gate) lookedNote() string {
	if o := s.answer.Load(); o != nil {
		return "of " + component.Count(o.looked) + " looked at"
	}
	return ""
}

// Status implements screen.Stater.
func (s *Gate) Status() string {
	if s.simulating() {
		return s.sim.note(s.snap.Revision()) + "   esc stops"
	}
	return s.page.Status()
}

// Update implements screen.Screen.
func (s *Gate) Update(msg tea.Msg) tea.Cmd {
	if p, ok, cmd := s.sims.Take(msg); ok {
		return tea.Batch(cmd, s.take(p))
	}
	cmd := s.update(msg)
	if s.begun && s.start != place.NoSimulation {
		upgrade := s.start == place.SimulateUpgrade
		s.start = place.NoSimulation
		cmd = tea.Batch(cmd, s.simulate(upgrade))
	}
	return cmd
}

// Back implements screen.Backer: esc first stops a simulation.
func (s *Gate) Back() bool {
	if s.simulating() {
		s.stop()
		return true
	}
	return s.page.Back()
}

// View implements screen.Screen.
func (s *Gate) View(w, h int) string {
	if v := s.data.Load(); v != nil && v.cards == 0 && v.ready.Check(insight.CheckComputes).All == 0 {
		return screen.State(s.env.Styles, w, h, style.SeverityNone, screen.LabelEmpty, "no accelerators here", "not connected to nova: no nova-compute is known, and the gate stays closed")
	}
	return s.view(w, h)
}

// Actions implements screen.Screen.
func (s *Gate) Actions() []action.Action {
	simulate := func(id action.ID, key, title, help string, priority int, upgrade bool) action.Action {
		return action.Action{ID: id, Keys: action.Keys(key), Title: title, Help: help, Priority: priority, Run: func() tea.Cmd { return s.simulate(upgrade) }}
	}
	return s.actions(
		simulate("gate.simulate.open", "u", "simulate", "what would change if the gate opened now", 89, false),
		simulate("gate.simulate.upgrade", "U", "simulate upgraded", "what would change once the last nova-compute is upgraded", 64, true),
	)
}
