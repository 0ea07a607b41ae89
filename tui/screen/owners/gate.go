package owners

import (
	"fmt"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Gate is the view of the gate of the owner filter: how far the upgrade is,
// which services hold it up, and what would change once it is done. It is made
// by OpenGate.
type Gate struct {
	base
	start place.Simulation // the initial simulation

	sims   screen.Task[*piece]
	sim    *simulation // under way, or the last; nil before the first
	known  *simulation // whose answer is shown; nil before the first
	answer atomic.Pointer[outcome]

	flavors   *list.Screen
	instances *list.Screen
}

var (
	_ screen.Screen = (*Gate)(nil)
	_ screen.Typist = (*Gate)(nil)
	_ screen.Stater = (*Gate)(nil)
	_ screen.Backer = (*Gate)(nil)
)

// paneFlavors is the number of the section with the flavors.
const paneFlavors = 3

// OpenGate returns the screen over a Snapshot. Simulate is the simulation to
// begin with.
func OpenGate(env screen.Env, snap *cloud.Snapshot, simulate place.Simulation) screen.Screen {
	s := &Gate{start: simulate}
	s.open(env, snap, "gate")
	s.remake = func() tea.Cmd { return nil }
	s.flavors, s.instances = s.flavorList(), s.instanceList()
	checks, cells, holds := s.checks(checkOpens), s.cells(), s.holds()
	ready := &page.Section{Title: "READINESS", List: checks, Least: 6, Uncounted: true, Keys: "enter open  F fix plan", About: about(&s.base, checks, s.aboutCheck)}
	old := &page.Section{Title: "CELLS", Note: s.cellsNote, List: cells, Least: 3, Uncounted: true, Keys: "enter services", About: about(&s.base, cells, aboutCell)}
	held := &page.Section{Title: "HELD BY", Note: s.holdsNote, List: holds, Uncounted: true, Keys: "enter service  F fix plan", About: about(&s.base, holds, s.aboutHold)}
	flavors := &page.Section{Title: "FLAVORS", Note: s.simNote, List: s.flavors, Keys: "u opened now  U upgraded first  enter flavor", About: about(&s.base, s.flavors, s.aboutFlavor)}
	losers := &page.Section{Title: "INSTANCES", Note: s.lookedNote, List: s.instances, Keys: "enter instance  r resize  m migrate", About: about(&s.base, s.instances, aboutInstance)}
	s.arrange([]*page.Section{ready, old}, []*page.Section{held, flavors, losers},
		page.Row{Slots: []page.Slot{page.Box(5, ready), page.Box(4, old)}, Fits: true},
		page.Row{Slots: []page.Slot{page.Box(5, held), page.Box(4, s.Aside(false))}},
		page.Row{Slots: []page.Slot{page.Box(5, flavors), page.Box(4, losers)}})
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
	return s.base.Status()
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
func (s *Gate) Back() (bool, tea.Cmd) {
	if s.simulating() {
		s.stop()
		return true, nil
	}
	return s.Page.Back()
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
