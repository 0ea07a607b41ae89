package migrations

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/places"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// The steps of the wizard, from 0. The flavor and the place are both the target.
const (
	stepTarget  = 1
	stepPreview = 2
	stepDecide  = 4
)

// stepNames are the names of the steps.
func (w *Wizard) stepNames() []string {
	names := []string{"instance", "target", "preview", "apply", "confirm / revert"}
	if w.live { // nothing waits at its end
		return names[:stepDecide]
	}
	return names
}

// part is a screen that is a part of the wizard.
type part interface {
	screen.Screen
	screen.Typist
	screen.Stater
	screen.Backer
}

// Wizard resizes or migrates an instance.
type Wizard struct {
	env      screen.Env
	snap     *cloud.Snapshot
	instance placement.ConsumerID
	cold     bool // it migrates with the current flavor
	live     bool // live

	flavor      string // the chosen one
	place       ops.Place
	sameHost    bool
	revertAfter time.Duration
	id          placement.ConsumerID // of the waiting migration
	indexer     *candidates.Indexer

	flavors *flavorList    // nil for a migration
	places  *places.List   // nil before there is a flavor
	page    *confirm.Page  // nil before there is a place; later the page that confirms or reverts
	decide  bool           // the move is done and waits
	ending  bool           // page confirms or reverts
	taken   []ops.StepDone // of the move
	reads   screen.Task[[]ops.StepDone]
	aheads  screen.Task[*ahead]
	ahead   ahead        // where the decision leads
	scroll  sheet.Scroll // of the decision
}

var (
	_ screen.Screen      = (*Wizard)(nil)
	_ screen.Typist      = (*Wizard)(nil)
	_ screen.Stater      = (*Wizard)(nil)
	_ screen.Backer      = (*Wizard)(nil)
	_ screen.AfterBacker = (*Wizard)(nil)
	_ screen.Pending     = (*Wizard)(nil)
)

// OpenResize makes the screen of a place. If the instance waits to be confirmed or
// reverted, it shows that.
func OpenResize(env screen.Env, at place.Resize) (screen.Screen, error) {
	return open(env, at.Instance, false)
}

// OpenMigrate is OpenResize with the flavor that the instance has.
func OpenMigrate(env screen.Env, at place.Migrate) (screen.Screen, error) {
	return open(env, at.Instance, true)
}

func open(env screen.Env, id placement.ConsumerID, cold bool) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	if m, ok := snap.Nova().Migration(id); ok {
		id = m.Instance
	}
	i, ok := snap.Nova().Instance(id)
	if !ok || !i.Live() {
		return nil, &placement.NotFoundError{What: "instance", Name: id.String()}
	}
	w := &Wizard{env: env, snap: snap, instance: id, cold: cold, indexer: env.Indexer()}
	if m, err := ops.Waiting(snap, id); err == nil {
		w.wait(m)
		return w, nil
	}
	if cold {
		w.flavor = ""
		w.places = w.newPlaces()
	} else {
		w.flavors = w.newFlavors()
	}
	return w, nil
}

// wait shows a migration that is under way already.
func (w *Wizard) wait(m *nova.Migration) {
	w.id, w.live, w.cold = m.UUID, m.Type == nova.LiveMigration, m.Type != nova.Resize
	if m.Status == nova.Finished {
		w.decide = true
		return
	}
	spec := w.spec()
	spec.Make = func() confirm.Courses {
		return confirm.Courses{Run: ops.Move{Migration: m.UUID, Instance: m.Instance}, Undo: ops.Revert{Migration: m.UUID}}
	}
	if m.Status == nova.Confirming {
		spec = w.ends("confirm", ops.Confirm{Migration: m.UUID})
	}
	spec.Of = w.subject()
	w.page = confirm.Resume(w.env, w.snap, spec, fmt.Sprintf("the %s to %s is %s and unfinished", m.Type, m.Dest, m.Status))
}

// subject returns the course whose steps are read from the journal.
func (w *Wizard) subject() ops.CourseOf {
	return ops.CourseOf{Instance: w.instance, Migration: w.id}
}

// read reads from the journal the steps of a waiting move. Unknown steps are not shown.
func (w *Wizard) read() tea.Cmd {
	journal, of := w.env.Cloud, w.subject()
	return w.reads.Start(w.env.Context, func(ctx context.Context) []ops.StepDone {
		steps, _ := ops.StepsTaken(ctx, journal, of)
		return steps
	})
}

// name returns the usual name of the instance.
func (w *Wizard) name() string { return panel.ConsumerName(w.snap, w.instance) }

func (w *Wizard) verb() string {
	if w.flavors != nil && w.flavor == "" {
		return string(nova.Resize) // the flavor is not chosen yet
	}
	if m, ok := w.snap.Nova().Migration(w.id); ok && m.Type == nova.Resize {
		return string(nova.Resize) // even if the flavor is unknown
	}
	return w.course(w.id).About().Name
}

// part returns the current screen of the wizard, nil for the decision.
func (w *Wizard) part() part {
	switch {
	case w.page != nil:
		return w.page
	case w.decide:
		return nil
	case w.places != nil:
		return w.places
	default:
		return w.flavors
	}
}

// Init implements screen.Screen.
func (w *Wizard) Init() tea.Cmd {
	if p := w.part(); p != nil {
		return p.Init()
	}
	return screen.Batch(w.read(), w.foretell())
}

// Title implements screen.Screen.
func (w *Wizard) Title() string { return w.verb() + " " + w.name() }

// Status implements screen.Stater.
func (w *Wizard) Status() string {
	switch {
	case w.page != nil:
		return w.page.Status()
	case w.decide:
		return fmt.Sprintf("step %d of %d   waiting for you", stepDecide+1, len(w.stepNames()))
	default:
		return fmt.Sprintf("step %d of %d   %s", stepTarget+1, len(w.stepNames()), w.part().Status())
	}
}

// Typing implements screen.Typist.
func (w *Wizard) Typing() bool { return w.part() != nil && w.part().Typing() }

// Pending implements screen.Pending.
func (w *Wizard) Pending() string {
	if w.page != nil {
		return w.page.Pending()
	}
	return ""
}

// Back implements screen.Backer: esc goes back a step until something is written.
func (w *Wizard) Back() bool {
	if p := w.part(); p != nil && p.Back() {
		return true
	}
	switch {
	case w.ending && w.decide && w.page != nil && !w.page.Stays():
		w.page, w.ending = nil, false
		return true
	case w.page != nil && w.places != nil && !w.page.Stays():
		w.page = nil
		return true
	case w.page == nil && !w.decide && w.places != nil && w.flavors != nil:
		w.places = nil
		return true
	default:
		return false
	}
}

// AfterBack implements screen.AfterBacker: the list that the user comes back to
// may be old.
func (w *Wizard) AfterBack() tea.Cmd {
	var cmd tea.Cmd
	if a, ok := w.part().(screen.AfterBacker); ok {
		cmd = a.AfterBack()
	}
	return screen.Batch(cmd, w.follow(), w.foretell())
}

// follow passes the newest Snapshot to what is shown.
func (w *Wizard) follow() tea.Cmd {
	if p := w.part(); p != nil {
		return p.Update(screen.SnapshotMsg{Snapshot: w.snap})
	}
	return nil
}

// Update implements screen.Screen.
func (w *Wizard) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		w.snap = msg.Snapshot
		if m, ok := w.snap.Nova().Migration(w.id); ok && m.Status == nova.Finished && w.page != nil && w.page.Resumes() && !w.live {
			w.page, w.decide = nil, true // someone else has taken the remaining steps
			return screen.Batch(w.read(), w.foretell())
		}
		return screen.Batch(w.follow(), w.foretell())
	case flavorMsg:
		w.flavor = msg.flavor
		w.places = w.newPlaces()
		return w.places.Init()
	case places.PickMsg:
		w.place = msg.Place
		w.page = confirm.New(w.env, w.snap, w.spec())
		return w.page.Init()
	case tea.KeyMsg:
		if p := w.part(); p != nil {
			return p.Update(msg)
		}
		if !msg.Paste {
			w.scroll.Key(msg.String())
		}
		return nil
	}
	if steps, ok, cmd := w.reads.Take(msg); ok {
		w.taken = steps
		return cmd
	}
	if leads, ok, cmd := w.aheads.Take(msg); ok {
		w.ahead = *leads
		return cmd
	}
	// An answer may be for a list below another one.
	var cmds []tea.Cmd
	if w.flavors != nil {
		cmds = append(cmds, w.flavors.Update(msg))
	}
	if w.places != nil {
		cmds = append(cmds, w.places.Update(msg))
	}
	if w.page != nil {
		cmds = append(cmds, w.page.Update(msg))
	}
	return screen.Batch(cmds...)
}

// newPlaces returns the list of places for the instance with the chosen flavor.
func (w *Wizard) newPlaces() *places.List {
	hint := func(p ops.Place) string {
		if p.Stays && !w.asked() {
			return w.env.Styles.Key("H") + " lets a resize stay there"
		}
		return ""
	}
	move := w.course(placement.ConsumerID{}) // as of now: places are found off the event loop
	return places.New(w.env, w.snap, places.Spec{
		Find:     func(s *cloud.Snapshot) (ops.Places, error) { return w.placesOf(s, move) },
		LeftHint: hint, Indexer: w.indexer, Actions: w.placeActions,
	})
}

// placesOf returns the places for a move: one for each host if Nova does it, which can at
// most be told the host, and chooses within it.
func (w *Wizard) placesOf(s *cloud.Snapshot, move ops.Move) (ops.Places, error) {
	found, err := move.Places(s, w.env.Now())
	if w.asked() {
		seen := map[string]bool{}
		found.Places = slices.DeleteFunc(found.Places, func(p ops.Place) bool {
			again := seen[p.Host]
			seen[p.Host] = true
			return again
		})
	}
	return found, err
}

// placeActions are the keys of the list of places.
func (w *Wizard) placeActions() []action.Action {
	if w.cold && w.asked() {
		return w.liveKey()
	}
	if w.cold || w.asked() {
		return nil
	}
	title := "same host too"
	if w.sameHost {
		title = "other hosts only"
	}
	return []action.Action{{ID: "move.samehost", Keys: []string{"H"}, Title: title, Help: "allow the resize to stay on its host, or not", Priority: 60, Run: func() tea.Cmd {
		w.sameHost = !w.sameHost
		w.places = w.newPlaces()
		return w.places.Init()
	}}}
}

// liveKey is the key that toggles live migration.
func (w *Wizard) liveKey() []action.Action {
	title, other := "live", !w.live
	if w.live {
		title = "cold"
	}
	key := action.Action{ID: "move.live", Keys: []string{"L"}, Title: title, Help: "migrate the guest while it runs, or stopped and to be confirmed", Priority: 60, Run: func() tea.Cmd {
		w.live = other
		return nil
	}}
	m := w.course(placement.ConsumerID{})
	m.Live = other
	if _, err := (ops.Asked{Task: m, Of: *w.env.Cloud.Capabilities().Servers}).Action(w.snap, w.env.Clock()); err != nil {
		key.Disabled = err.Error()
	}
	return []action.Action{key}
}

// course returns the chosen move, with a migration of the given uuid.
func (w *Wizard) course(id placement.ConsumerID) ops.Move {
	return ops.Move{
		Migration: id, Instance: w.instance, Flavor: w.flavor, SameHost: w.sameHost, RevertAfter: w.revertAfter, Live: w.live, Indexer: w.indexer,
	}
}

// spec returns the page that previews and applies the move.
func (w *Wizard) spec() confirm.Spec {
	return confirm.Spec{
		Title: w.Title(), Verb: w.verb(), Steps: w.stepNames(), At: stepPreview, Back: backTo(nova.LiveMigration, ""),
		Make: func() confirm.Courses {
			w.id = placement.ConsumerID(uuid.New())
			m, at := w.course(w.id), w.place
			if w.cold || !w.asked() { // Nova can be told where to migrate to, but not where to resize to
				m.Pick = &at
			}
			if w.live {
				return confirm.Courses{Run: m}
			}
			return confirm.Courses{Run: m, Then: ops.Confirm{Migration: w.id}, Undo: ops.Revert{Migration: w.id}}
		},
		Keys: w.clockKeys,
		Done: func(done confirm.Written) tea.Cmd {
			if w.live {
				return nil
			}
			w.taken = w.page.Taken()
			w.snap, w.page, w.decide = done.Snap, nil, true
			if m, err := ops.Waiting(w.snap, w.instance); err == nil {
				w.id = m.UUID // Nova assigns it if it was asked
			}
			return w.foretell()
		},
	}
}

// asked reports whether the cloud's Nova is asked for the move, and takes the steps.
func (w *Wizard) asked() bool { return w.env.Cloud.Capabilities().Servers != nil }

// View implements screen.Screen.
func (w *Wizard) View(width, h int) string {
	switch {
	case w.page != nil:
		return w.page.View(width, h)
	case w.decide:
		return w.viewDecision(width, h)
	}
	st := w.env.Styles
	head := ""
	if h >= 6 {
		head = sheet.Steps(st, width, w.stepNames(), stepTarget)
	}
	if h >= 10 {
		head = component.Stack(head, w.about(width))
	}
	return sheet.Page(width, h, head, "", func(bw, bh int) string { return w.part().View(bw, bh) })
}

// about shows what the instance is and holds.
func (w *Wizard) about(width int) string {
	l := component.NewLine(w.env.Styles, width).Space(1).Add(themes.Strong, w.name())
	i, ok := w.snap.Nova().Instance(w.instance)
	if !ok {
		return l.Add(themes.Dim, "  gone").String()
	}
	l.Add(themes.Dim, "  on ").Add(themes.Text, i.Host).Add(themes.Dim, "  flavor ").Add(themes.Text, nova.FlavorName(i.Flavor))
	if w.places != nil && w.flavor != "" {
		l.Add(themes.Dim, " > ").Add(themes.Strong, w.flavor)
	}
	if c, ok := w.snap.Placement().Consumer(w.instance); ok {
		l.Add(themes.Dim, "  holds ").Add(themes.Text, panel.Held(w.snap.Placement(), c, nil))
	}
	return l.String()
}

// Actions implements screen.Screen.
func (w *Wizard) Actions() []action.Action {
	if p := w.part(); p != nil {
		return p.Actions()
	}
	return w.decisionActions()
}
