// Package allocations holds the pages that make and release allocations.
//
//	what ──► where ──► preview ──► write ──► the consumer
//	 ▲         ▲          │          │
//	 │         │          ▼          ▼
//	 fields    list       planned again on each new Snapshot, and on a conflict
package allocations

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{screen.Declare(OpenAllocate), screen.Declare(OpenRelease)}
}

// The steps of an allocation.
const (
	stepWhat = iota
	stepWhere
	stepPreview
)

// Allocate is the form for a new allocation: who is to hold what, on which of
// the providers that have room, and the page that shows it before it is
// written.
type Allocate struct {
	screen.Outbox

	env  screen.Env
	snap *cloud.Snapshot
	from placement.ProviderID // where it was opened, zero if at no provider

	step    int
	touched bool // something was typed or chosen
	what    *form.What
	where   *where        // nil before the fields were first right
	preview *confirm.Page // nil except in the last step

	reads screen.Sequence
	room  room // for what the fields say so far
}

var (
	_ screen.Screen      = (*Allocate)(nil)
	_ screen.Typist      = (*Allocate)(nil)
	_ screen.Stater      = (*Allocate)(nil)
	_ screen.Backer      = (*Allocate)(nil)
	_ screen.AfterBacker = (*Allocate)(nil)
	_ screen.Pending     = (*Allocate)(nil)
	_ screen.Screen      = (*confirm.Page)(nil)
	_ screen.Typist      = (*confirm.Page)(nil)
	_ screen.Stater      = (*confirm.Page)(nil)
	_ screen.Backer      = (*confirm.Page)(nil)
	_ screen.Pending     = (*confirm.Page)(nil)
)

// vocabularyMsg brings the names for completion.
type vocabularyMsg struct {
	owner *Allocate
	seq   uint64
	voc   form.Vocabulary
}

// NewAllocate returns the form, for a new consumer with a uuid made up for it.
// If from is not the zero id, the allocation starts with that provider.
func NewAllocate(env screen.Env, snap *cloud.Snapshot, from placement.ProviderID) *Allocate {
	name := ""
	if p, ok := snap.Placement().Provider(from); ok {
		name = p.Name()
	}
	a := &Allocate{
		env: env, snap: snap, from: from,
		what: form.NewWhat(env.Styles, snap, placement.ConsumerID(uuid.New()), env.Owner(), name),
	}
	a.room.searches.Clock = env.Clock
	a.what.Room = a.room.draw
	return a
}

// OpenAllocate makes the screen of a place.
func OpenAllocate(env screen.Env, at place.Allocate) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	if _, ok := snap.Placement().Provider(at.Provider); !ok && !at.Provider.IsZero() {
		return nil, &placement.NotFoundError{What: "resource provider", Name: at.Provider.String()}
	}
	return NewAllocate(env, snap, at.Provider), nil
}

// steps returns the names of the steps.
func steps() []string { return []string{"what", "where", "preview"} }

// Init implements screen.Screen: it collects the names to complete from.
func (a *Allocate) Init() tea.Cmd {
	ctx, seq := a.reads.Next(a.env.Context)
	snap := a.snap
	if screen.Small(snap) {
		a.what.Know(form.ReadVocabulary(ctx, snap))
		return nil
	}
	return func() tea.Msg { return vocabularyMsg{owner: a, seq: seq, voc: form.ReadVocabulary(ctx, snap)} }
}

// Title implements screen.Screen.
func (a *Allocate) Title() string { return "new allocation" }

// Status implements screen.Stater.
func (a *Allocate) Status() string {
	switch a.step {
	case stepPreview:
		return a.preview.Status()
	case stepWhere:
		return "step 2 of 3   " + a.where.status()
	default:
		return "step 1 of 3"
	}
}

// Typing implements screen.Typist: fields and the filter of the list take all
// keys.
func (a *Allocate) Typing() bool {
	switch a.step {
	case stepPreview:
		return a.preview.Typing()
	case stepWhere:
		return a.where.typing()
	default:
		return true
	}
}

// Pending implements screen.Pending.
func (a *Allocate) Pending() string {
	switch {
	case a.preview != nil && a.preview.Over():
		return ""
	case a.preview != nil && a.preview.Pending() != "":
		return a.preview.Pending()
	case a.touched:
		return "a new allocation is not written yet"
	default:
		return ""
	}
}

// Back implements screen.Backer: esc on the preview goes back to the list, on the
// list to all of its rows, and then to the fields.
func (a *Allocate) Back() bool {
	switch {
	case a.step == stepWhat:
		return false
	case a.step == stepWhere:
		if !a.where.back() {
			a.fields()
		}
	case a.preview.Back():
	case a.preview.Stays():
		return false
	default:
		a.preview, a.step = nil, stepWhere
	}
	return true
}

// AfterBack implements screen.AfterBacker: the cloud may have changed while the list was
// shown.
func (a *Allocate) AfterBack() tea.Cmd {
	if a.step != stepWhat {
		return nil
	}
	return a.remeasure()
}

// Update implements screen.Screen.
func (a *Allocate) Update(msg tea.Msg) tea.Cmd {
	if found, ok, cmd := a.room.searches.Take(msg); ok || cmd != nil {
		if ok {
			a.room.fits = *found
		}
		return cmd
	}
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		return a.follow(msg)
	case vocabularyMsg:
		if msg.owner == a && a.reads.Current(msg.seq) {
			a.what.Know(msg.voc)
		}
		return nil
	case offersMsg:
		if a.where != nil {
			return a.where.take(msg)
		}
		return nil
	case tea.KeyMsg:
		switch a.step {
		case stepWhat:
			return a.whatKey(msg)
		case stepWhere:
			a.where.key(msg)
			return nil
		}
	}
	if a.preview != nil {
		return a.preview.Update(msg)
	}
	return nil
}

// follow takes a newer Snapshot.
func (a *Allocate) follow(msg screen.SnapshotMsg) tea.Cmd {
	a.snap = msg.Snapshot
	a.what.Follow(a.snap)
	switch a.step {
	case stepWhere:
		return a.where.follow(a.snap, followGap)
	case stepPreview:
		// The list is kept up to date for when the user returns to it.
		return screen.Batch(a.preview.Update(msg), a.where.follow(a.snap, hiddenGap))
	default:
		return a.remeasure()
	}
}

// whatKey handles a key for the fields.
func (a *Allocate) whatKey(msg tea.KeyMsg) tea.Cmd {
	switch a.what.Key(msg) {
	case form.Cancelled:
		a.Post(screen.PopMsg{})
	case form.Changed:
		a.touched = true
		return a.measure()
	case form.Submitted:
		wish, err := a.what.Wish()
		if err != nil {
			return nil // the fields were right, but the cloud has changed since
		}
		a.room.searches.Drop()
		a.where = newWhere(a.env, a.snap, wish)
		a.step, a.touched = stepWhere, true
		return a.where.begin()
	case form.None:
	}
	return nil
}

// pick continues with the option under the cursor.
func (a *Allocate) pick() tea.Cmd {
	o, ok := a.where.pick()
	if !ok {
		return nil
	}
	return a.show(o)
}

// fields returns to the fields.
func (a *Allocate) fields() {
	a.where.asked.Stop()
	a.step = stepWhat
	a.what.Refresh()
}

// show opens the preview of the wish on an option.
func (a *Allocate) show(o ops.Option) tea.Cmd {
	wish := a.where.wish
	a.step = stepPreview
	a.preview = confirm.New(a.env, a.snap, confirm.Spec{
		Title: "new allocation", Verb: "allocate", Steps: steps(), At: stepPreview, Makes: string(wish.Consumer[:]),
		Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanClaim(s, wish, o) },
		Done: func(w confirm.Written) tea.Cmd { return w.Finish(a.next(wish.Consumer)) },
	})
	return a.preview.Init()
}

// next returns where to go after writing: back to the provider where the form was opened,
// or on to the new consumer.
func (a *Allocate) next(id placement.ConsumerID) tea.Msg {
	if !a.from.IsZero() {
		return screen.PopMsg{}
	}
	return screen.Goto{To: place.Consumer{ID: id}, Replace: true}
}

// View implements screen.Screen.
func (a *Allocate) View(w, h int) string {
	switch a.step {
	case stepWhere:
		return a.where.view(w, h, steps())
	case stepPreview:
		return a.preview.View(w, h)
	default:
		return a.what.View(w, h, steps())
	}
}

// Actions implements screen.Screen.
func (a *Allocate) Actions() []action.Action {
	key := func(id, title, help string, keys ...string) action.Action {
		return action.Action{ID: action.ID("allocate." + id), Keys: keys, Title: title, Help: help}
	}
	switch a.step {
	case stepPreview:
		return append(a.preview.Actions(), action.Action{
			ID: "allocate.list", Keys: []string{"b"}, Title: "back to the list", Priority: 50, Disabled: a.stay(),
			Run: func() tea.Cmd {
				a.preview, a.step = nil, stepWhere
				return nil
			},
		})
	case stepWhere:
		do := func(f func()) func() tea.Cmd {
			return func() tea.Cmd {
				f()
				return nil
			}
		}
		return append([]action.Action{
			{ID: "allocate.pick", Keys: []string{"enter"}, Title: "pick", Help: "preview it on the tree under the cursor", Priority: 95, Run: a.pick},
			{ID: "allocate.filter", Keys: []string{"/"}, Title: "filter", Help: "filter: text, regex, !term, fits=yes free>2", Priority: 88, Run: do(a.where.open)},
			{ID: "allocate.fields", Keys: []string{"shift+tab"}, Title: "fields", Help: "back to the fields", Priority: 60, Run: func() tea.Cmd {
				a.fields()
				return a.AfterBack()
			}},
		}, panel.GridMoves()...)
	default:
		return []action.Action{
			key("next", "next field", "next field; from the last one to the list of providers", "enter"),
			key("complete", "complete", "complete the word, or next field", "tab"),
			key("prev", "previous field", "", "shift+tab", "up"),
			key("down", "next field", "", "down"),
		}
	}
}

// stay returns why the user cannot return to the list now.
func (a *Allocate) stay() string {
	if a.preview.Before() {
		return ""
	}
	return a.preview.Status()
}
