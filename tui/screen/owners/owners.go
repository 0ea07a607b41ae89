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

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(func(env screen.Env, at place.Owners) (screen.Screen, error) {
			return New(env, env.Cloud.Snapshot(), at), nil
		}).On("5").Called("owners", "own").FoundBy("nova cyborg owner both ownership transition upgrade upgraded pre-filter prefilter rolling version cell cells simulate simulation").
			For("Who owns each accelerator, who keeps the owner filter off, and what turning it on would change.").
			Answering(screen.Named{Kind: "view", Name: "gate", Title: "gate", What: "Which computes keep the owner filter off.", Also: "ready readiness upgrade upgraded block blocks blocking hold holds", To: place.Owners{Gate: true}}),
		screen.Declare(OpenCards).Called("cards", "handover", "hand").FoundBy("hand over gpu vgpu pgpu give take took transfer move owner nova cyborg").
			For("Who owns each card; hand one over to the other owner."),
	}
}

// Screen is the view of who owns what, and of the gate of the owner filter: how far the upgrade
// is, which services hold it up, and what would change once it is done. It is made by New.
type Screen struct {
	page.Page
	env   screen.Env
	snap  *cloud.Snapshot // the newest
	begun bool            // the lists exist

	gathers screen.Task[*survey]
	data    atomic.Pointer[survey] // read by the lists off the event loop
	all     atomic.Bool            // clean hosts are shown, too
	remake  func() tea.Cmd         // makes the list of hosts again

	start  place.Simulation // the initial simulation
	sims   screen.Task[*piece]
	sim    *simulation // under way, or the last; nil before the first
	known  *simulation // whose answer is shown; nil before the first
	answer atomic.Pointer[outcome]

	flavors   *list.Screen
	instances *list.Screen
}

var (
	_ screen.Screen = (*Screen)(nil)
	_ screen.Typist = (*Screen)(nil)
	_ screen.Stater = (*Screen)(nil)
	_ screen.Backer = (*Screen)(nil)
)

// The numbers of the sections that have the focus at first, of the gate, and after a simulation.
const (
	paneHuman   = 2
	paneGate    = 5
	paneFlavors = 6
)

// New returns the screen of a place over a Snapshot.
func New(env screen.Env, snap *cloud.Snapshot, at place.Owners) *Screen {
	s := &Screen{env: env, snap: snap, start: at.Simulate, Page: page.Page{Styles: env.Styles, Scope: "owners", WideW: 120, WideH: 34}}
	s.gathers.Clock = env.Clock
	checks, shares, found, hosts, twos, holds := s.checks(), s.shares(), s.findings(), s.hosts(), s.twos(), s.holds()
	s.flavors, s.instances, s.remake = s.flavorList(), s.instanceList(), hosts.Remake
	ready := &page.Section{Title: "READINESS", Note: s.gateNote, List: checks, Least: 6, Uncounted: true, Keys: "enter open  F fix plan", About: about(s, checks, s.aboutCheck)}
	owned := &page.Section{Title: "BY OWNER", Note: sharesNote, List: shares, Least: 5, Uncounted: true, Keys: "enter providers  o owner", About: about(s, shares, s.aboutShare)}
	human := &page.Section{Title: "NEEDS A HUMAN", List: found, Keys: "enter open  F fix plan  m hand over  o owner", About: about(s, found, aboutFinding)}
	cards := &page.Section{Title: "HOSTS", Note: s.hostsNote, List: hosts, Keys: "enter host  m hand over  . clean ones  o owner  s sort", About: about(s, hosts, s.aboutHost)}
	both := &page.Section{Title: "BOTH OWNERS", List: twos, Keys: "enter instance  r resize  m migrate", About: about(s, twos, aboutTwo)}
	held := &page.Section{Title: "GATE", Note: s.holdsNote, List: holds, Keys: "enter service  F fix plan", About: about(s, holds, s.aboutHold)}
	flavors := &page.Section{Title: "FLAVORS", Note: s.simNote, List: s.flavors, Keys: "u opened now  U upgraded first  enter flavor", About: about(s, s.flavors, s.aboutFlavor)}
	losers := &page.Section{Title: "INSTANCES", Note: s.lookedNote, List: s.instances, Keys: "enter instance  r resize  m migrate", About: about(s, s.instances, aboutInstance)}
	turns := []*page.Section{human, cards, both, held, flavors, losers}
	for i, t := range turns {
		t.Turn = i + 1
	}
	s.Sections, s.Focus = append([]*page.Section{ready, owned}, turns...), paneHuman
	if at.Gate {
		s.Show(paneGate)
	}
	s.Rows = []page.Row{
		{Slots: []page.Slot{page.Box(9, ready), page.Box(8, owned)}, Fits: true},
		{Slots: []page.Slot{page.Box(3, cards), page.Box(1, both)}},
		{Slots: []page.Slot{page.Box(2, human), page.Box(1, s.Aside(false))}},
		{Slots: []page.Slot{page.Box(4, held), {Sections: []*page.Section{flavors, losers}, Share: 3}}},
	}
	return s
}

// gateNote returns the state of the gate, in a few words.
func (s *Screen) gateNote() string {
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
func (s *Screen) holdsNote() string {
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

func (s *Screen) simNote() string { return s.sim.note(s.snap.Revision()) }

// lookedNote says how many instances were checked.
func (s *Screen) lookedNote() string {
	if o := s.answer.Load(); o != nil {
		return "of " + component.Count(o.looked) + " looked at"
	}
	return ""
}

// Back implements screen.Backer: esc first stops a simulation.
func (s *Screen) Back() (bool, tea.Cmd) {
	if s.simulating() {
		s.stop()
		return true, nil
	}
	return s.Page.Back()
}

// View implements screen.Screen.
func (s *Screen) View(w, h int) string {
	v := s.data.Load()
	switch {
	case !s.begun:
		n := s.snap.Placement().ProviderCount()
		return screen.State(s.env.Styles, w, h, style.SeverityNone, screen.LabelLoading, "looking at "+component.Count(n)+" providers")
	case v.cards == 0 && v.ready.Check(insight.CheckComputes).All == 0:
		return screen.State(s.env.Styles, w, h, style.SeverityNone, screen.LabelEmpty, "no accelerators here", v.ready.Words())
	}
	return s.Page.View(w, h)
}

// Actions implements screen.Screen.
func (s *Screen) Actions() []action.Action {
	if !s.begun {
		return nil
	}
	simulate := func(what place.Simulation, key, title, help string, priority int) action.Action {
		return action.Action{ID: action.ID("owners.simulate." + what), Keys: action.Keys(key), Title: title, Help: help, Priority: priority, Run: func() tea.Cmd { return s.simulate(what) }}
	}
	return append(s.Page.Actions(),
		simulate(place.SimulateOpen, "u", "simulate", "what would change if the gate opened now", 74),
		simulate(place.SimulateUpgrade, "U", "if upgraded", "what would change once the last nova-compute is upgraded", 40),
	)
}
