package instances

import (
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
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
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

// Wizard resizes or migrates an instance.
type Wizard struct {
	*form.Wizard
	env      screen.Env
	instance placement.ConsumerID
	cold     bool // it migrates with the current flavor
	live     bool // live

	flavor      string // the chosen one
	sameHost    bool
	revertAfter time.Duration
	id          placement.ConsumerID // of the waiting migration
	indexer     *candidates.Indexer
}

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
	w := &Wizard{Wizard: form.Begin(snap, ""), env: env, instance: id, cold: cold, indexer: env.Indexer()}
	var first form.Step
	switch m, err := ops.WaitingMigration(snap, id); {
	case err == nil:
		first = w.wait(m)
	case cold:
		first = w.places()
	default:
		first = w.flavors()
	}
	w.Show(first)
	return w, nil
}

// wait returns the step for a migration that is under way already.
func (w *Wizard) wait(m *nova.Migration) form.Step {
	w.id, w.live, w.cold = m.UUID, m.Type == nova.LiveMigration, m.Type != nova.Resize
	if m.Status == nova.Finished {
		return &decision{w: w}
	}
	spec := w.spec(ops.Place{})
	spec.Make = func() confirm.Courses {
		return confirm.Courses{Run: ops.Move{Migration: m.UUID, Instance: m.Instance}, Undo: ops.Revert{Migration: m.UUID}}
	}
	if m.Status == nova.Confirming {
		spec = w.ends("confirm", ops.Confirm{Migration: m.UUID}, nil)
	}
	spec.Of = w.subject()
	return confirm.Resume(w.env, w.Snap, spec, fmt.Sprintf("the %s to %s is %s and unfinished", m.Type, m.Dest, m.Status))
}

// subject returns the course whose steps are read from the journal.
func (w *Wizard) subject() ops.CourseOf {
	return ops.CourseOf{Instance: w.instance, Migration: w.id}
}

// name returns the usual name of the instance.
func (w *Wizard) name() string { return panel.ConsumerName(w.Snap, w.instance) }

func (w *Wizard) verb() string {
	if !w.cold && w.flavor == "" {
		return string(nova.Resize) // the flavor is not chosen yet
	}
	if m, ok := w.Snap.Nova().Migration(w.id); ok && m.Type == nova.Resize {
		return string(nova.Resize) // even if the flavor is unknown
	}
	return w.course(w.id).About().Name
}

// Title implements screen.Screen.
func (w *Wizard) Title() string { return w.verb() + " " + w.name() }

// Update implements screen.Screen.
func (w *Wizard) Update(msg tea.Msg) tea.Cmd {
	cmd := w.Wizard.Update(msg)
	_, news := msg.(screen.SnapshotMsg)
	if page, ok := w.Shown().(*confirm.Page); !news || !ok || !page.Resumes() || w.live {
		return cmd
	}
	if m, ok := w.Snap.Nova().Migration(w.id); ok && m.Status == nova.Finished {
		return tea.Batch(cmd, w.Restart(&decision{w: w})) // someone else has taken the remaining steps
	}
	return cmd
}

// places returns the step of the places for the instance with the chosen flavor.
func (w *Wizard) places() form.Step {
	hint := func(p ops.Place) string {
		if p.Stays && !w.asked() {
			return "tab lets a resize stay there"
		}
		return ""
	}
	move := w.course(placement.ConsumerID{}) // as of now: places are found off the event loop
	return w.target(form.NewPlaces(w.env, w.Snap, form.Places{
		Rows:    form.PlacesOf(func(s *cloud.Snapshot) (ops.Places, error) { return w.placesOf(s, move) }, hint),
		Pick:    func(s *cloud.Snapshot, r *form.Place) form.Step { return confirm.New(w.env, s, w.spec(*r.Place)) },
		Actions: w.placeActions, Fixing: w.fixing,
	}), w.flavor)
}

// target returns a list as the step that chooses the target; flavor is what was chosen of
// it before.
func (w *Wizard) target(l *list.Screen, flavor string) form.Step {
	return form.List(w.env.Styles, w.stepNames, stepTarget, func(width int) string { return w.about(width, flavor) }, l)
}

// placesOf returns the places for a move: one for each host if Nova does it, which can at
// most be told the host, and chooses within it. There may be places, and it cannot begin all
// the same: the error says why.
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
	course := w.asks(move)
	for _, c := range course.Checks(s, w.env.Now()) {
		if c.Refusal != nil && err == nil {
			err = c.Refusal
		}
	}
	if asked, ok := course.(ops.NovaTask); ok && err == nil {
		_, err = asked.Action(s, w.env.Now())
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
	return []action.Action{{ID: "move.samehost", Keys: "tab", Title: title, Help: "allow the resize to stay on its host, or not", Priority: 60, Request: func() tea.Msg {
		w.sameHost = !w.sameHost
		return form.NextMsg{Step: w.places(), Replace: true}
	}}}
}

// fixing is the key that leads to what is wrong with the instance: it is often why it cannot go.
func (w *Wizard) fixing() action.Action {
	return panel.FixingConsumer("move", w.env, w.Snap, w.instance, "")
}

// liveKey is the key that toggles live migration.
func (w *Wizard) liveKey() []action.Action {
	title, other := "live", !w.live
	if w.live {
		title = "cold"
	}
	key := action.Action{ID: "move.live", Keys: "tab", Title: title, Help: "migrate the guest while it runs, or stopped and to be confirmed", Priority: 60, Run: func() tea.Cmd {
		w.live = other
		return nil
	}}
	m := w.course(placement.ConsumerID{})
	m.Live = other
	if _, err := (ops.NovaTask{Task: m, Of: *w.env.Cloud.Capabilities().Servers}).Action(w.Snap, w.env.Clock()); err != nil {
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

// sentence says what a move to a place does.
func (w *Wizard) sentence(at ops.Place) string {
	says := w.Title()
	if w.flavor != "" {
		says += " to " + w.flavor
	}
	if i, ok := w.Snap.Nova().Instance(w.instance); ok {
		says += ", from " + i.Host + " to " + at.Host
	}
	return says
}

// spec returns the page that previews and applies the move to a place.
func (w *Wizard) spec(at ops.Place) confirm.Spec {
	return confirm.Spec{
		Title: w.Title(), Verb: w.verb(), Says: w.sentence(at), Steps: w.stepNames(), At: stepPreview, Back: backTo(nova.LiveMigration, ""),
		Make: func() confirm.Courses {
			w.id = placement.ConsumerID(uuid.New())
			m := w.course(w.id)
			if w.cold || !w.asked() { // Nova can be told where to migrate to, but not where to resize to
				m.Pick = &at
			}
			if w.live {
				return confirm.Courses{Run: m}
			}
			return confirm.Courses{Run: m, Then: ops.Confirm{Migration: w.id}, Undo: ops.Revert{Migration: w.id}}
		},
		Keys: w.clockKeys,
		Done: func(done confirm.WriteResult) tea.Cmd {
			if w.live {
				return nil
			}
			w.Snap = done.Snap
			if m, err := ops.WaitingMigration(w.Snap, w.instance); err == nil {
				w.id = m.UUID // Nova assigns it if it was asked
			}
			return w.Restart(&decision{w: w, taken: done.Taken})
		},
	}
}

// asked reports whether the cloud's Nova is asked for the move, and takes the steps.
func (w *Wizard) asked() bool { return w.env.Cloud.Capabilities().Servers != nil }

// about shows what the instance is and holds, and the flavor that was chosen, "" for none.
func (w *Wizard) about(width int, flavor string) string {
	l := component.NewLine(w.env.Styles, width).Space(1).Add(themes.Strong, w.name())
	i, ok := w.Snap.Nova().Instance(w.instance)
	if !ok {
		return l.Add(themes.Dim, "  gone").String()
	}
	l.Add(themes.Dim, "  on ").Add(themes.Text, i.Host).Add(themes.Dim, "  flavor ").Add(themes.Text, nova.FlavorName(i.Flavor))
	if flavor != "" {
		l.Add(themes.Dim, " > ").Add(themes.Strong, flavor)
	}
	if c, ok := w.Snap.Placement().Consumer(w.instance); ok {
		l.Add(themes.Dim, "  holds ").Add(themes.Text, panel.Held(w.Snap.Placement(), c, nil))
	}
	return l.String()
}
