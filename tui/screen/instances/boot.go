package instances

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// bootSteps returns the names of the steps of a boot.
func bootSteps() []string { return []string{"instance", "where", "preview", "boot"} }

// bootFields are the fields of a new instance.
type bootFields struct {
	snap *cloud.Snapshot

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
		Snap: &b.snap,
		Room: func(s *cloud.Snapshot) func() func(int) []string { return bootRoom(env, s, b.wish()) },
		Next: func(s *cloud.Snapshot) (form.Step, error) { return bootPlaces(env, s, b.wish()), nil },
	}), nil
}

// bootRoom returns a search for the hosts that an instance could boot on, nil before its
// flavor is chosen.
func bootRoom(env screen.Env, s *cloud.Snapshot, wish ops.BootWish) func() func(int) []string {
	if _, ok := s.Nova().FlavorNamed(wish.Flavor); !ok {
		return nil
	}
	wish.Name = cmp.Or(wish.Name, "new")
	task, now := ops.Boot{Instance: placement.ConsumerID(uuid.New()), Wish: wish, Indexer: env.Indexer()}, env.Clock()
	return func() func(int) []string {
		found, err := task.Places(s, now)
		var hosts []string
		for _, p := range found.Places {
			if !slices.Contains(hosts, p.Host) {
				hosts = append(hosts, p.Host)
			}
		}
		return form.WouldFit(env.Styles, func(l *component.Line) {
			switch {
			case len(hosts) > 0:
				l.Add(themes.OK, component.Plural(len(hosts), "host")).Space(2).Add(themes.Dim, strings.Join(hosts, " "))
			case err != nil:
				l.Add(themes.Critical, err.Error())
			}
		})
	}
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
		return form.AsFault(ops.CheckRequestable(b.snap, &nova.Instance{}, f, nova.AskOptions{}))
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
		return requestText(b.snap, f)
	}
	b.flavor.Complete = func(text string) []string { return form.StartingWith(text, form.FlavorNames(b.snap)) }
	b.zone.Complete = func(text string) []string { return form.StartingWith(text, form.ZoneNames(b.snap)) }
	b.zone.Check = func(text string) error { return form.OneOf(text, "availability zone", form.ZoneNames(b.snap)) }
	b.host.Complete = func(text string) []string { return form.StartingWith(text, form.ComputeHosts(b.snap)) }
	b.host.Check = func(text string) error { return form.OneOf(text, "compute host", form.ComputeHosts(b.snap)) }
	b.project.Check, b.user.Check = form.CheckOwner, form.CheckOwner
	b.project.Complete = func(text string) []string { return form.CompleteFrom(form.ProjectNames(b.snap), text) }
	b.user.Complete = func(text string) []string { return form.CompleteFrom(form.UserNames(b.snap), text) }
}

// wish returns the request in the fields.
func (b *bootFields) wish() ops.BootWish {
	return ops.BootWish{
		Name: b.name.Text, Flavor: b.flavor.Text, Zone: b.zone.Text, Host: b.host.Text, Project: b.project.Text, User: b.user.Text,
		BootFromVolume: b.volume.Yes(),
	}
}

// requestText says what a flavor requests.
func requestText(s *cloud.Snapshot, f *nova.Flavor) string {
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

// bootPlaces is the step after the fields: the places, of which one leads to the page that boots.
func bootPlaces(env screen.Env, snap *cloud.Snapshot, wish ops.BootWish) form.Step {
	indexer := env.Indexer()
	return form.List(env.Styles, bootSteps, 1, nil, form.NewPlaces(env, snap, form.Places{
		Rows: form.PlacesOf(func(s *cloud.Snapshot) (ops.Places, error) {
			return ops.Boot{Instance: placement.ConsumerID(uuid.New()), Wish: wish, Indexer: indexer}.Places(s, env.Clock())
		}, nil),
		Pick: func(s *cloud.Snapshot, r *form.Place) form.Step {
			var id placement.ConsumerID
			at := *r.Place
			return confirm.New(env, s, confirm.Spec{
				Title: "boot " + wish.Name, Verb: "boot", Says: "boot " + wish.Name + " with " + wish.Flavor + " on " + at.Host, Steps: bootSteps(), At: 2,
				Make: func() confirm.Courses {
					id = placement.ConsumerID(uuid.New())
					return confirm.Courses{
						Run:  ops.Boot{Instance: id, Wish: wish, Pick: &at, Indexer: indexer},
						Undo: ops.Boot{Instance: id, Undo: true},
					}
				},
				Done: func(confirm.WriteResult) tea.Cmd {
					return tea.Sequence(
						screen.Send(screen.MadeMsg{ID: string(id[:])}),
						screen.Send(screen.ToastMsg{Severity: style.SeverityOK, Text: wish.Name + " boots on " + at.Host, Hint: "D terminates it"}),
						screen.Send(screen.Goto{To: place.Instance{ID: id}, Replace: true}))
				},
			})
		},
	}))
}
