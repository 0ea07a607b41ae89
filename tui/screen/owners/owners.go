package owners

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(func(env screen.Env, _ place.Owners) (screen.Screen, error) {
			return New(env, env.Cloud.Snapshot()), nil
		}).On("5").Called("owners", "own").FoundBy("nova cyborg owner both ownership").
			For("Who owns each accelerator, what both services own, and what nobody owns."),
		screen.Declare(func(env screen.Env, at place.Gate) (screen.Screen, error) {
			return OpenGate(env, env.Cloud.Snapshot(), at.Simulate), nil
		}).Called("gate", "ready").AsDetail().FoundBy("transition upgrade pre-filter prefilter rolling version").
			For("How far the upgrade is that turns on the owner filter, and what that would change."),
	}
}

// Screen is the view of who owns what. It is made by New.
type Screen struct {
	base
}

var (
	_ screen.Screen = (*Screen)(nil)
	_ screen.Typist = (*Screen)(nil)
	_ screen.Stater = (*Screen)(nil)
	_ screen.Backer = (*Screen)(nil)
)

// New returns the screen over a Snapshot.
func New(env screen.Env, snap *cloud.Snapshot) *Screen {
	s := &Screen{}
	s.open(env, snap, "owners")
	checks, shares, found, hosts, twos := s.checks(func(*insight.Check) place.Place { return place.Gate{} }), s.shares(), s.findings(), s.hosts(), s.twos()
	s.remake = hosts.Remake
	ready := &page.Section{Title: "READINESS", List: checks, Least: 6, Uncounted: true, Keys: "enter gate", About: about(&s.base, checks, s.aboutCheck)}
	owned := &page.Section{Title: "BY OWNER", Note: sharesNote, List: shares, Least: 5, Uncounted: true, Keys: "enter providers  o owner", About: about(&s.base, shares, s.aboutShare)}
	human := &page.Section{Title: "NEEDS A HUMAN", List: found, Keys: "enter open  F fix plan  m hand over  o owner", About: about(&s.base, found, aboutFinding)}
	cards := &page.Section{Title: "HOSTS", Note: s.hostsNote, List: hosts, Keys: "enter host  m hand over  . clean ones  o owner  s sort", About: about(&s.base, hosts, s.aboutHost)}
	both := &page.Section{Title: "BOTH OWNERS", List: twos, Keys: "enter instance  r resize  m migrate", About: about(&s.base, twos, aboutTwo)}
	s.arrange([]*page.Section{ready, owned}, []*page.Section{human, cards, both},
		page.Row{Slots: []page.Slot{page.Box(9, ready), page.Box(8, owned)}, Fits: true},
		page.Row{Slots: []page.Slot{page.Box(3, cards), page.Box(1, both)}},
		page.Row{Slots: []page.Slot{page.Box(2, human), page.Box(1, s.Aside(false))}})
	return s
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	return s.update(msg)
}

// View implements screen.Screen.
func (s *Screen) View(w, h int) string {
	if v := s.data.Load(); v != nil && v.cards == 0 {
		lines := []string{"no accelerators here", v.ready.Words()}
		if s.env.NoScreen(place.Gate{}) == "" {
			lines = append(lines, "try: :gate for the upgrade that the owner filter waits for")
		}
		return screen.State(s.env.Styles, w, h, style.SeverityNone, screen.LabelEmpty, lines...)
	}
	return s.view(w, h)
}

// Actions implements screen.Screen.
func (s *Screen) Actions() []action.Action {
	simulate := func(key string, what place.Simulation, title, help string, priority int) action.Action {
		return action.Action{ID: action.ID("owners.simulate." + what), Keys: action.Keys(key), Title: title, Help: help, Priority: priority, Disabled: s.env.NoScreen(place.Gate{}), To: place.Gate{Simulate: what}}
	}
	return s.actions(
		simulate("u", place.SimulateOpen, "simulate", "what would change if the gate opened now", 74),
		simulate("U", place.SimulateUpgrade, "if upgraded", "what would change once the last nova-compute is upgraded", 40),
	)
}
