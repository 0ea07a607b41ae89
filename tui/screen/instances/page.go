package instances

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/sections"
	"github.com/placetop/placetop/tui/screen"
)

// Open returns the page of the instance with a uuid. Errors match
// placement.ErrInvalid where it is none, and placement.ErrNotFound.
func Open(env screen.Env, snap *cloud.Snapshot, which string) (screen.Screen, error) {
	id, err := placement.ParseConsumerID(which)
	if err != nil {
		return nil, err
	}
	return sections.New(sections.Spec[*nova.Instance]{
		Name:  "instance",
		Find:  func(s *cloud.Snapshot) (*nova.Instance, bool) { return s.Nova().Instance(id) },
		Title: func(i *nova.Instance) string { return i.Name },
		Status: func(i *nova.Instance, _ list.At) string {
			return panel.InstanceState(i)
		},
		Facts: facts,
		Parts: []sections.Part[*nova.Instance]{
			sections.Lines("FAULT", faults),
			sections.Table("CLAIM", claimColumns(), claims, func(h holding) string { return h.by.String() + h.provider.String() }, func(h holding) tea.Msg {
				return screen.Goto{Kind: screen.Provider, Arg: h.provider.String()}
			}),
			sections.Table("ACCELERATOR REQUESTS", requestColumns(), requests, func(a *cyborg.ARQ) string { return a.UUID.String() }, func(a *cyborg.ARQ) tea.Msg {
				return screen.Goto{Kind: screen.ARQs, Arg: "uuid=" + a.UUID.String()}
			}),
			sections.Table("MIGRATIONS", moveColumns(), moves, func(m *nova.Migration) string { return m.UUID.String() }, func(m *nova.Migration) tea.Msg {
				return screen.Goto{Kind: screen.Migrations, Arg: "uuid=" + m.UUID.String()}
			}),
		},
		Actions: func(i *nova.Instance, at list.At) []action.Action {
			return append(pageActions(i, at), panel.FixingConsumer("instance", env, at.Snap, i.UUID, ""))
		},
	}, env, snap, which)
}

func facts(i *nova.Instance, at list.At) []sections.Fact {
	state := sections.Fact{Name: "state", Text: panel.InstanceState(i), Token: panel.InstanceSeverity(i).Token()}
	out := []sections.Fact{
		state,
		{Name: "host", Text: i.Host, Token: themes.Strong},
		{Name: "flavor", Text: nova.FlavorName(i.Flavor), Token: themes.Strong},
		{Name: "zone", Text: i.Zone},
		{Name: "project", Text: i.Project},
		{Name: "user", Text: i.User},
		{Name: "age", Text: panel.Age(at.Now, i.CreatedAt())},
		{Name: "forced host", Text: i.ForcedHost},
	}
	if i.BootFromVolume {
		out = append(out, sections.Fact{Name: "boots from", Text: "volume"})
	}
	if of := nova.ImageWords(i.Image, i.ImageTraits); of != "" {
		out = append(out, sections.Fact{Name: "image has", Text: of})
	}
	return append(out, sections.Fact{Name: "uuid", Text: i.UUID.String(), Token: themes.Dim})
}

// faults says what went wrong with the instance and with its move.
func faults(i *nova.Instance, a list.Area) []string {
	var lines []string
	if i.Fault != "" {
		lines = append(lines, panel.Fault(a.Styles, a.Width, i.Fault))
	}
	for m := range a.Snap.Nova().MigrationsOf(i.UUID) {
		if m.Fault != "" {
			lines = append(lines, panel.Fault(a.Styles, a.Width, string(m.Type)+": "+m.Fault))
		}
	}
	return lines
}

// holding is what is held of one provider, by the instance or by one of its
// migrations.
type holding struct {
	by       placement.ConsumerID
	who      string
	provider placement.ProviderID
	owner    placement.Owner
	path     string
	held     string
}

// claims returns what the instance holds, and then what its migrations keep.
func claims(i *nova.Instance, at list.At) []holding {
	out := holdings(at.Snap.Placement(), i.UUID, "instance")
	for m := range at.Snap.Nova().MigrationsOf(i.UUID) {
		out = append(out, holdings(at.Snap.Placement(), m.UUID, string(m.Type)+", old")...)
	}
	return out
}

func holdings(s *placement.Snapshot, id placement.ConsumerID, who string) []holding {
	c, ok := s.Consumer(id)
	if !ok {
		return nil
	}
	var out []holding
	for a := range s.Allocations(c) {
		if n := len(out); n > 0 && out[n-1].provider == a.Provider.ID() {
			continue
		}
		out = append(out, holding{
			by: id, who: who, provider: a.Provider.ID(), owner: s.Owner(a.Provider),
			path: strings.Join(panel.Path(s, a.Provider), " > "), held: panel.Held(s, c, a.Provider),
		})
	}
	return out
}

func claimColumns() []list.Column[holding] {
	return []list.Column[holding]{
		{Column: component.Column{Key: "provider", Title: "PROVIDER", Min: 16, Max: 60, Flex: 2}, Cell: list.TextCell(themes.Strong, func(h holding, _ list.At) string { return h.path })},
		{Column: component.Column{Key: "owner", Title: "OWN", Min: 3}, Cell: func(l *component.Line, h holding, _ list.At) {
			component.OwnerBadge(l, panel.Owner(h.owner))
		}},
		{Column: component.Column{Key: "held", Title: "HOLDS", Min: 12, Max: 60, Flex: 2}, Cell: list.TextCell(themes.Text, func(h holding, _ list.At) string { return h.held })},
		{Column: component.Column{Key: "by", Title: "BY", Min: 11, Max: 20, Flex: 1, Priority: 1}, Cell: list.TextCell(themes.Dim, func(h holding, _ list.At) string { return h.who })},
	}
}

// requests returns the accelerator requests of the instance, and those that its
// migrations keep for it.
func requests(i *nova.Instance, at list.At) []*cyborg.ARQ {
	var out []*cyborg.ARQ
	for a := range at.Snap.Cyborg().ARQsOf(i.UUID) {
		out = append(out, a)
	}
	for m := range at.Snap.Nova().MigrationsOf(i.UUID) {
		for a := range at.Snap.Cyborg().ARQsOf(m.UUID) {
			out = append(out, a)
		}
	}
	return out
}

func requestColumns() []list.Column[*cyborg.ARQ] {
	return []list.Column[*cyborg.ARQ]{
		{Column: component.Column{Key: "profile", Title: "PROFILE", Min: 10, Max: 30, Flex: 1}, Cell: list.TextCell(themes.Strong, func(a *cyborg.ARQ, _ list.At) string { return panel.ARQProfile(a) })},
		{Column: component.Column{Key: "state", Title: "STATE", Min: 11}, Cell: func(l *component.Line, a *cyborg.ARQ, _ list.At) {
			l.Add(panel.ARQToken(a), string(a.State))
		}},
		{Column: component.Column{Key: "handle", Title: "HANDLE", Min: 14, Max: 30, Flex: 1}, Cell: list.TextCell(themes.Text, func(a *cyborg.ARQ, at list.At) string { return panel.ARQHandle(at.Snap.Cyborg(), a) })},
		{Column: component.Column{Key: "provider", Title: "PROVIDER", Min: 12, Max: 50, Flex: 2, Priority: 1}, Cell: list.TextCell(themes.Text, func(a *cyborg.ARQ, at list.At) string { return panel.ProviderName(at.Snap.Placement(), a.Provider) })},
	}
}

// moves returns the migrations of the instance, the newest first.
func moves(i *nova.Instance, at list.At) []*nova.Migration {
	return panel.MigrationsOf(at.Snap.Nova(), i.UUID)
}

func moveColumns() []list.Column[*nova.Migration] {
	text := func(get func(*nova.Migration) string) func(*nova.Migration, list.At) string {
		return func(m *nova.Migration, _ list.At) string { return get(m) }
	}
	return []list.Column[*nova.Migration]{
		{Column: component.Column{Key: "type", Title: "TYPE", Min: 9, Max: 14, Flex: 1}, Cell: list.TextCell(themes.Strong, text(func(m *nova.Migration) string { return string(m.Type) }))},
		{Column: component.Column{Key: "status", Title: "STATUS", Min: 18, Max: 30, Flex: 1}, Cell: func(l *component.Line, m *nova.Migration, at list.At) {
			l.Add(panel.MigrationToken(m), panel.ShortStatus(m, at.Now))
		}},
		{Column: component.Column{Key: "way", Title: "FROM > TO", Min: 14, Max: 50, Flex: 2}, Cell: list.TextCell(themes.Text, text(panel.MigrationWay))},
		{Column: component.Column{Key: "flavors", Title: "FLAVORS", Min: 14, Max: 50, Flex: 2, Priority: 2}, Cell: list.TextCell(themes.Text, text(panel.FlavorWay))},
		{Column: component.Column{Key: "since", Title: "SINCE", Min: 5, Align: component.AlignRight, Priority: 1}, Cell: list.TextCell(themes.Faint, func(m *nova.Migration, at list.At) string { return panel.Age(at.Now, m.CreatedAt()) })},
	}
}

func pageActions(i *nova.Instance, at list.At) []action.Action {
	return slices.Concat([]action.Action{
		{ID: "instance.copy", Keys: []string{"c"}, Title: "copy uuid", Help: "copy the uuid", Run: func() tea.Cmd {
			return screen.Send(screen.CopyMsg{What: "uuid of " + i.Name, Text: i.UUID.String()})
		}},
	}, panel.Moving("instance", at.Snap, i.UUID, ""), panel.Ending("instance", at.Snap, i.UUID, ""), panel.Asking("instance", "instance:"+i.UUID.String(), ""))
}
