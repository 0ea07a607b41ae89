package instances

import (
	"cmp"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/places"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// bootSteps returns the names of the steps of a boot.
func bootSteps() []string { return []string{"instance", "where", "preview", "boot"} }

// bootFields are the fields of a new instance.
type bootFields struct {
	snap *cloud.Snapshot
	voc  form.Vocabulary

	name, flavor, zone, host, project, user, volume *form.Field
}

// OpenBoot makes the screen of a place. Project and user are those of the newest instance of whoever asks.
func OpenBoot(env screen.Env, at place.Boot) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	b := &bootFields{snap: snap}
	project, user := lastOwner(snap, env.Actor)
	st := env.Styles
	b.name = form.NewField(st, "name", "its name", "", form.NameLimit)
	b.flavor = form.NewField(st, "flavor", "what it asks for", at.Flavor, form.NameLimit)
	b.zone = form.NewField(st, "zone", "availability zone; empty for any", "", form.NameLimit)
	b.host = form.NewField(st, "host", "bypasses the scheduler; empty for any", "", form.NameLimit)
	b.project = form.NewField(st, "project", "id of its project", project, form.NameLimit)
	b.user = form.NewField(st, "user", "id of its user", user, form.NameLimit)
	b.volume = form.NewYesNo(st, "volume", "its root disk is a volume, not on the host: yes or no", false)
	b.checks()
	fs := form.NewFields(st, b.name, b.flavor, b.zone, b.host, b.project, b.user, b.volume)
	return form.New(env, snap, form.Ask{
		Scope: "boot", Title: "boot an instance", Section: "NEW INSTANCE", Steps: bootSteps(), Fields: fs,
		Know:   func(v form.Vocabulary) { b.voc = v; fs.Refresh() },
		Follow: func(s *cloud.Snapshot) { b.snap = s; fs.All[fs.At].Refresh() },
		Submit: func(s *cloud.Snapshot) (form.Next, bool) { return newBootNext(env, s, b.wish()), true },
	}), nil
}

// lastOwner returns project and user of a user's newest instance, or of the newest of all
// if they have none.
func lastOwner(s *cloud.Snapshot, actor string) (project, user string) {
	var own, last *nova.Instance
	for i := range s.Nova().Instances() {
		if last == nil || i.Created > last.Created {
			last = i
		}
		if i.User == actor && (own == nil || i.Created > own.Created) {
			own = i
		}
	}
	switch {
	case own != nil:
		return own.Project, own.User
	case last != nil:
		return last.Project, cmp.Or(actor, last.User)
	}
	return "", actor
}

// checks sets the checks and completions of the fields.
func (b *bootFields) checks() {
	b.name.Check = func(text string) error { return form.AsFault(nova.CheckName("name", text)) }
	b.flavor.Check = func(text string) error {
		f, ok := b.snap.Nova().FlavorNamed(text)
		switch {
		case !ok:
			return &form.Fault{Text: "no such flavor"}
		case f.Disabled:
			return &form.Fault{Text: "is disabled"}
		}
		return form.AsFault(ops.Askable(b.snap, &nova.Instance{}, f, nova.AskOptions{}))
	}
	b.volume.Note = func(string) string {
		if f, ok := b.snap.Nova().FlavorNamed(b.flavor.Text); ok && f.RootGB == 0 && !b.volume.Yes() {
			return "the flavor has no root disk: from an image only admins may boot it, and no disk is counted"
		}
		return ""
	}
	b.flavor.Note = func(text string) string {
		f, ok := b.snap.Nova().FlavorNamed(text)
		if !ok {
			return ""
		}
		return asksOf(b.snap, f)
	}
	b.flavor.Complete = func(text string) []string { return form.StartingWith(text, form.FlavorNames(b.snap)) }
	b.zone.Complete = func(text string) []string { return form.StartingWith(text, form.ZoneNames(b.snap)) }
	b.zone.Check = func(text string) error { return form.OneOf(text, "availability zone", form.ZoneNames(b.snap)) }
	b.host.Complete = func(text string) []string { return form.StartingWith(text, form.ComputeHosts(b.snap)) }
	b.host.Check = func(text string) error { return form.OneOf(text, "compute host", form.ComputeHosts(b.snap)) }
	b.project.Check, b.user.Check = form.CheckOwner, form.CheckOwner
	b.project.Complete = func(text string) []string { return form.CompleteFrom(b.voc.Projects, text) }
	b.user.Complete = func(text string) []string { return form.CompleteFrom(b.voc.Users, text) }
}

// wish returns the request in the fields.
func (b *bootFields) wish() ops.BootWish {
	return ops.BootWish{
		Name: b.name.Text, Flavor: b.flavor.Text, Zone: b.zone.Text, Host: b.host.Text, Project: b.project.Text, User: b.user.Text,
		BootFromVolume: b.volume.Yes(),
	}
}

// asksOf says what a flavor requests.
func asksOf(s *cloud.Snapshot, f *nova.Flavor) string {
	spec, err := ops.RequestSpecOf(s, &nova.Instance{}, f)
	if err != nil {
		return err.Error()
	}
	groups, err := nova.Amounts(spec)
	if err != nil {
		return err.Error()
	}
	return panel.Amounts(nova.Total(groups))
}

// bootNext is what follows the fields: the places, then the page that boots.
type bootNext struct {
	env     screen.Env
	snap    *cloud.Snapshot
	wish    ops.BootWish
	indexer *candidates.Indexer

	places *places.List
	page   *confirm.Page // nil while the places are shown
}

var _ form.Next = (*bootNext)(nil)

func newBootNext(env screen.Env, snap *cloud.Snapshot, wish ops.BootWish) *bootNext {
	b := &bootNext{env: env, snap: snap, wish: wish, indexer: env.Indexer()}
	b.places = places.New(env, snap, places.Spec{
		Find: func(s *cloud.Snapshot) (ops.Places, error) {
			return ops.Boot{Instance: placement.ConsumerID(uuid.New()), Wish: wish, Indexer: b.indexer}.Places(s, env.Clock())
		},
		Indexer: b.indexer,
	})
	return b
}

// part returns what is shown.
func (b *bootNext) part() interface {
	screen.Screen
	screen.Typist
	screen.Stater
	screen.Backer
} {
	if b.page != nil {
		return b.page
	}
	return b.places
}

// Init implements screen.Screen.
func (b *bootNext) Init() tea.Cmd { return b.part().Init() }

// Title implements screen.Screen.
func (b *bootNext) Title() string { return "boot " + b.wish.Name }

// Status implements screen.Stater.
func (b *bootNext) Status() string {
	if b.page != nil {
		return b.page.Status()
	}
	return fmt.Sprintf("step 2 of %d   %s", len(bootSteps()), b.places.Status())
}

// Typing implements screen.Typist.
func (b *bootNext) Typing() bool { return b.part().Typing() }

// Pending implements screen.Pending.
func (b *bootNext) Pending() string {
	if b.page == nil {
		return ""
	}
	return b.page.Pending()
}

// Stays implements next.
func (b *bootNext) Stays() bool { return b.page != nil && b.page.Stays() }

// Over implements next.
func (b *bootNext) Over() bool { return b.page != nil && b.page.Over() }

// Back implements screen.Backer.
func (b *bootNext) Back() bool {
	switch {
	case b.part().Back():
	case b.page != nil && !b.page.Stays():
		b.page = nil
	default:
		return false
	}
	return true
}

// AfterBack implements screen.AfterBacker: the places that a filter left out come back.
func (b *bootNext) AfterBack() tea.Cmd { return b.places.AfterBack() }

// Update implements screen.Screen.
func (b *bootNext) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		b.snap = msg.Snapshot
	case places.PickMsg:
		b.page = confirm.New(b.env, b.snap, b.spec(msg.Place))
		return b.page.Init()
	case tea.KeyMsg:
		return b.part().Update(msg)
	}
	cmd := b.places.Update(msg)
	if b.page != nil {
		cmd = screen.Batch(cmd, b.page.Update(msg))
	}
	return cmd
}

// spec returns the page that boots at a place.
func (b *bootNext) spec(at ops.Place) confirm.Spec {
	var id placement.ConsumerID
	return confirm.Spec{
		Title: b.Title(), Verb: "boot", Steps: bootSteps(), At: 2,
		Make: func() confirm.Courses {
			id = placement.ConsumerID(uuid.New())
			return confirm.Courses{
				Run:  ops.Boot{Instance: id, Wish: b.wish, Pick: &at, Indexer: b.indexer},
				Undo: ops.Boot{Instance: id, Undo: true},
			}
		},
		Done: func(confirm.Written) tea.Cmd {
			return tea.Sequence(
				screen.Send(screen.MadeMsg{ID: string(id[:])}),
				screen.Send(screen.ToastMsg{Severity: style.SeverityOK, Text: b.wish.Name + " boots on " + at.Host, Hint: "D terminates it"}),
				screen.Send(screen.Goto{To: place.Instance{ID: id}, Replace: true}))
		},
	}
}

// View implements screen.Screen.
func (b *bootNext) View(w, h int) string {
	if b.page != nil {
		return b.page.View(w, h)
	}
	head := ""
	if h >= 6 {
		head = sheet.Steps(b.env.Styles, w, bootSteps(), 1)
	}
	return sheet.Page(w, h, head, "", b.places.View)
}

// Actions implements screen.Screen.
func (b *bootNext) Actions() []action.Action { return b.part().Actions() }
