// Package pulses is the overview: in five seconds, is capacity fine, who owns
// the accelerators, what is wrong, what just happened.
//
// It is gathered off the event loop into a value that drawing only reads, so a view
// costs the same for twelve hosts as for ten thousand.
package pulses

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(func(env screen.Env, _ place.Pulses) (screen.Screen, error) {
			return New(env, env.Cloud.Snapshot()), nil
		}).On("1").Called("pulses", "pulse").FoundBy("overview dashboard summary status health capacity cores ram memory").
			For("In five seconds: is there room, who owns the GPUs, is the gate open, what needs me, what just happened."),
	}
}

// Screen is the overview. It is made by New.
type Screen struct {
	env  screen.Env
	snap *cloud.Snapshot // the newest

	overviewFacts
	gathers screen.Task[*overviewFacts]

	fits    *fitResult
	fitsOf  *placement.Snapshot // for which fits are computed
	fitting screen.Task[*fitResult]
	index   *candidates.Indexer

	width, height int // of the last view; 0 before the first
	pane          pane
	cursor        [panes]int
	at            [panes]string // the row under the cursor, by name
}

// overviewFacts is what a Snapshot and the journal say.
type overviewFacts struct {
	of    *cloud.Snapshot
	facts *facts // nil before the first
	hist  history
	past  string // how far back hist goes, in words
	lines []line
	read  screen.Recent // of the journal, as far as the screen reads it
}

// pane is a part of the screen that the cursor can be in.
type pane uint8

const (
	capacity pane = iota
	ownership
	standing
	problems
	panes
)

// mostLines is how many events are put into words: more than a screen has lines.
const mostLines = 60

// New returns the screen over a Snapshot.
func New(env screen.Env, snap *cloud.Snapshot) *Screen {
	s := &Screen{env: env, snap: snap, fits: &fitResult{}, index: env.Indexer()}
	s.gathers.Clock, s.fitting.Clock = env.Clock, env.Clock
	return s
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd { return s.gather() }

// Title implements screen.Screen.
func (s *Screen) Title() string { return "pulses" }

// Status implements screen.Stater.
func (s *Screen) Status() string {
	p := s.snap.Placement()
	text := component.Plural(p.ProviderCount(), "provider") + "   " + component.Plural(p.ConsumerCount(), "consumer")
	if s.facts != nil && s.facts.totals.SharingPools > 0 {
		text += "   " + component.Plural(s.facts.totals.SharingPools, "sharing pool")
	}
	return text
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		if msg.Snapshot == s.snap && (s.facts != nil || s.gathers.Busy()) {
			return nil
		}
		s.snap = msg.Snapshot
		return s.gather()
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyMsg:
		if !msg.Paste && s.facts != nil {
			s.key(msg.String())
		}
		return nil
	}
	g, ok, cmd := s.gathers.Take(msg)
	if ok {
		s.take(g)
	}
	f, found, next := s.fitting.Take(msg)
	if found {
		s.fits = f
	}
	return tea.Batch(cmd, next, s.seekFits())
}

// gather reads snapshot and journal.
func (s *Screen) gather() tea.Cmd {
	snap, env, known := s.snap, s.env, s.read
	return s.gathers.Follow(env.Context, func(ctx context.Context) *overviewFacts {
		g := &overviewFacts{of: snap, facts: gather(env, snap), past: "24 h"}
		g.read = env.ReadOn(ctx, snap.Revision(), known, screen.RecentEvents, screen.RecentWhole)
		events := g.read.Events
		if g.read.Fault == nil || len(events) > 0 {
			now := env.Now()
			g.hist = trace(g.facts.totals, events, now, span)
			if len(g.hist) > 0 && g.hist.known() < leastKnown {
				g.hist, g.past = trace(g.facts.totals, events, now, time.Hour), "1 h"
			}
		}
		for _, ev := range events[:min(len(events), mostLines)] {
			g.lines = append(g.lines, describe(snap, ev))
		}
		return g
	})
}

// take shows what was gathered. Each cursor stays on its row, or if that is gone in its
// place.
func (s *Screen) take(g *overviewFacts) {
	s.overviewFacts = *g
	for p := range panes {
		for i := range s.rows(p) {
			if s.rowName(p, i) == s.at[p] {
				s.cursor[p] = i
			}
		}
		s.put(p, s.cursor[p])
	}
	if s.rows(s.pane) == 0 {
		s.nextPane(1)
	}
}

// rows returns how many rows of a pane the cursor can be on.
func (s *Screen) rows(p pane) int {
	switch {
	case s.facts == nil:
		return 0
	case p == capacity:
		return len(s.facts.classes)
	case p == ownership:
		return ownerCount
	case p == standing:
		return standCount
	default:
		return len(s.facts.problems)
	}
}

// rowName returns a name for a row that stays when the data changes.
func (s *Screen) rowName(p pane, i int) string {
	switch p {
	case capacity:
		return string(s.facts.classes[i].Class)
	case ownership:
		return owners()[i].String()
	case standing:
		return stands()[i]
	default:
		return string(s.facts.problems[i].Rule.ID)
	}
}

// put moves the cursor of a pane to a row, or to the nearest one.
func (s *Screen) put(p pane, i int) {
	s.cursor[p] = max(min(i, s.rows(p)-1), 0)
	if s.rows(p) > 0 {
		s.at[p] = s.rowName(p, s.cursor[p])
	}
}

// ownerCount is how many owners there are.
const ownerCount = 4

// owners is the order of the rows of the ownership pane.
func owners() [ownerCount]placement.Owner {
	return [ownerCount]placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone}
}

// key moves the cursor: through a pane, and beyond its end into the next one.
func (s *Screen) key(key string) {
	switch key {
	case "j", "down":
		s.move(1)
	case "k", "up":
		s.move(-1)
	case "ctrl+d", "pgdown":
		s.page(1)
	case "ctrl+u", "pgup":
		s.page(-1)
	case "g", "home":
		s.pane = panes - 1
		s.nextPane(1)
		s.put(s.pane, 0)
	case "G", "end":
		s.pane = capacity
		s.nextPane(-1)
		s.put(s.pane, s.rows(s.pane)-1)
	}
}

// page moves the cursor by as many rows as most panes show.
func (s *Screen) page(by int) {
	for range 5 {
		s.move(by)
	}
}

func (s *Screen) move(by int) {
	if at := s.cursor[s.pane] + by; at >= 0 && at < s.rows(s.pane) {
		s.put(s.pane, at)
		return
	}
	for p := int(s.pane) + by; p >= 0 && p < int(panes); p += by {
		if n := s.rows(pane(p)); n > 0 { // 0 <= p < panes
			s.pane = pane(p) // as above
			at := 0
			if by < 0 {
				at = n - 1
			}
			s.put(s.pane, at)
			return
		}
	}
}

// nextPane goes to the next pane with rows, wrapping around.
func (s *Screen) nextPane(by int) {
	p := int(s.pane)
	for range int(panes) {
		p = (p + by + int(panes)) % int(panes)
		if s.rows(pane(p)) > 0 { // 0 <= p < panes
			s.pane = pane(p) // as above
			return
		}
	}
}

// target returns where enter leads from the row under the cursor.
func (s *Screen) target() (place.Place, bool) {
	i := s.cursor[s.pane]
	if i >= s.rows(s.pane) {
		return nil, false
	}
	switch s.pane {
	case capacity:
		return place.Providers{Filter: "class=" + string(s.facts.classes[i].Class)}, true
	case ownership:
		return place.Owners{}, true
	case standing:
		return s.standTarget(i), true
	default:
		return place.Problems{Rule: s.facts.problems[i].Rule.ID}, true
	}
}

// Actions implements screen.Screen.
func (s *Screen) Actions() []action.Action {
	to, ok := s.target()
	nothing := s.env.NoScreen(to)
	if !ok {
		nothing = "nothing under the cursor"
	}
	step := func(by int) func() tea.Cmd {
		return func() tea.Cmd { s.nextPane(by); return nil }
	}
	move := sheet.ScrollAction("pulses.move")
	move.Title = "move"
	return []action.Action{
		{ID: "pulses.open", Keys: "enter", Title: "open", Help: "show the details of a line", Priority: 90, Disabled: nothing, To: to},
		{ID: "pulses.panel", Keys: "tab", Title: "panel", Help: "go to the next panel", Priority: 82, Group: action.Move, Run: step(1)},
		{ID: "pulses.panel.back", Keys: "shift+tab", Title: "previous panel", Help: "go to the previous panel", Group: action.Move, Run: step(-1)},
		{ID: "pulses.allocate", Keys: "n", Title: "new allocation", Help: "make an allocation", Priority: 60, Writes: []intent.Op{placement.ReplaceAllocations{}}, To: place.Allocate{}},
		move,
	}
}
