package form

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
	"github.com/placetop/placetop/tui/form/course"
	"github.com/placetop/placetop/tui/form/places"
	"github.com/placetop/placetop/tui/form/sheet"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// bootSteps are the names of the steps of a boot.
func bootSteps() []string { return []string{"instance", "where", "preview", "boot"} }

// bootFields are what a new instance is asked for with.
type bootFields struct {
	snap *cloud.Snapshot
	voc  vocabulary

	name, flavor, zone, host, project, user, volume *field
}

// OpenBoot makes the screen of kind screen.Boot: arg is the name of a flavor, or
// empty. Project and user are those of the newest instance of whoever asks.
func OpenBoot(env screen.Env, arg string) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	b := &bootFields{snap: snap}
	project, user := lastOwner(snap, env.Actor)
	st := env.Styles
	b.name = newField(st, "name", "what people call it", "", nameLimit)
	b.flavor = newField(st, "flavor", "what it asks for", arg, nameLimit)
	b.zone = newField(st, "zone", "availability zone; empty for any", "", nameLimit)
	b.host = newField(st, "host", "past the choice of the scheduler; empty for any", "", nameLimit)
	b.project = newField(st, "project", "id of the project that it counts for", project, nameLimit)
	b.user = newField(st, "user", "id of the user that it counts for", user, nameLimit)
	b.volume = newYesNo(st, "volume", "its root disk is a volume, and takes no room on the host: yes or no", false)
	b.checks()
	fs := newFields(st, b.name, b.flavor, b.zone, b.host, b.project, b.user, b.volume)
	return newForm(env, snap, ask{
		scope: "boot", title: "boot an instance", section: "NEW INSTANCE", steps: bootSteps(), fields: fs,
		know:   func(v vocabulary) { b.voc = v; fs.refresh() },
		follow: func(s *cloud.Snapshot) { b.snap = s; fs.all[fs.at].refresh() },
		submit: func(s *cloud.Snapshot) (next, bool) { return newBootNext(env, s, b.wish()), true },
	}), nil
}

// lastOwner returns project and user of the newest instance of a user, or of all
// where they have none.
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

// checks says what is right in the fields, and how they may go on.
func (b *bootFields) checks() {
	b.name.check = func(text string) error { return asFault(nova.CheckName("name", text)) }
	b.flavor.check = func(text string) error {
		f, ok := b.snap.Nova().FlavorNamed(text)
		switch {
		case !ok:
			return &fault{text: "there is no such flavor"}
		case f.Disabled:
			return &fault{text: "is disabled"}
		}
		return asFault(ops.Askable(b.snap, &nova.Instance{}, f, nova.AskOptions{}))
	}
	b.volume.note = func(text string) string {
		if f, ok := b.snap.Nova().FlavorNamed(b.flavor.text); ok && f.RootGB == 0 && text != "yes" {
			return "the flavor has no root disk: from an image, only admins may boot it, and no disk is counted"
		}
		return ""
	}
	b.flavor.note = func(text string) string {
		f, ok := b.snap.Nova().FlavorNamed(text)
		if !ok {
			return ""
		}
		return asksOf(b.snap, f)
	}
	b.flavor.complete = func(text string) []string { return startingWith(text, flavorNames(b.snap)) }
	b.zone.complete = func(text string) []string { return startingWith(text, zoneNames(b.snap)) }
	b.zone.check = func(text string) error { return oneOf(text, "availability zone", zoneNames(b.snap)) }
	b.host.complete = func(text string) []string { return startingWith(text, computeHosts(b.snap)) }
	b.host.check = func(text string) error { return oneOf(text, "compute host", computeHosts(b.snap)) }
	b.project.check, b.user.check = checkOwner, checkOwner
	b.project.complete = func(text string) []string { return completeFrom(b.voc.projects, text) }
	b.user.complete = func(text string) []string { return completeFrom(b.voc.users, text) }
}

// wish returns what the fields ask for.
func (b *bootFields) wish() ops.BootWish {
	return ops.BootWish{
		Name: b.name.text, Flavor: b.flavor.text, Zone: b.zone.text, Host: b.host.text, Project: b.project.text, User: b.user.text,
		BootFromVolume: b.volume.yes(),
	}
}

// asksOf says what a flavor asks for.
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

// bootNext is what comes after the fields: the places, then the page that boots.
type bootNext struct {
	env     screen.Env
	snap    *cloud.Snapshot
	wish    ops.BootWish
	indexer *candidates.Indexer

	places *places.List
	page   *course.Page // nil while the places are shown
}

var _ next = (*bootNext)(nil)

func newBootNext(env screen.Env, snap *cloud.Snapshot, wish ops.BootWish) *bootNext {
	b := &bootNext{env: env, snap: snap, wish: wish, indexer: &candidates.Indexer{}}
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

// Update implements screen.Screen.
func (b *bootNext) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		b.snap = msg.Snapshot
	case places.PickMsg:
		b.page = course.New(b.env, b.snap, b.spec(msg.Place))
		return b.page.Init()
	case tea.KeyMsg:
		return b.part().Update(msg)
	}
	cmd := b.places.Update(msg)
	if b.page != nil {
		cmd = tea.Batch(cmd, b.page.Update(msg))
	}
	return cmd
}

// spec returns the page that boots at a place.
func (b *bootNext) spec(at ops.Place) course.Spec {
	var id placement.ConsumerID
	return course.Spec{
		Title: b.Title(), Verb: "boot", Steps: bootSteps(), At: 2,
		Make: func() course.Courses {
			id = placement.ConsumerID(uuid.New())
			return course.Courses{
				Run:  ops.Boot{Instance: id, Wish: b.wish, Pick: &at, Indexer: b.indexer},
				Undo: ops.Boot{Instance: id, Undo: true},
			}
		},
		Done: func(s *cloud.Snapshot) tea.Cmd {
			return tea.Sequence(
				screen.Send(screen.ToastMsg{Severity: style.SeverityOK, Text: b.wish.Name + " is booted on " + at.Host}),
				screen.Send(screen.Goto{Kind: screen.Instance, Arg: id.String(), Replace: true}))
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

// asFault returns err as what is wrong with a text, nil for none.
func asFault(err error) error {
	if err == nil {
		return nil
	}
	return &fault{text: reason(err)}
}
