package instances

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/sections"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Open returns the page of the instance with a uuid. The error matches
// placement.ErrNotFound.
func Open(env screen.Env, snap *cloud.Snapshot, id placement.ConsumerID) (screen.Screen, error) {
	p := &page{env: env, id: id}
	spec := sections.Spec[*nova.Instance]{
		Name: "instance", Kind: kinds.Instances,
		Find:  func(s *cloud.Snapshot) (*nova.Instance, bool) { return s.Nova().Instance(id) },
		Title: func(i *nova.Instance, _ list.At) string { return i.Name },
		Status: func(i *nova.Instance, _ list.At) string {
			return panel.InstanceState(i)
		},
		Facts: facts,
		Parts: []sections.Part[*nova.Instance]{
			sections.Lines("FAULT", faults),
			sections.Table("CLAIM", claimColumns(), claims, func(h *holding) string { return h.by.String() + h.provider.String() }, func(h *holding) tea.Msg {
				return screen.Goto{To: place.Provider{ID: h.provider}}
			}),
			sections.Table("ACCELERATOR REQUESTS", requestColumns(), requests, func(a *cyborg.ARQ) string { return a.UUID.String() }, func(a *cyborg.ARQ) tea.Msg {
				return screen.Goto{To: place.ARQs{Filter: "uuid=" + a.UUID.String()}}
			}),
			sections.Table("MIGRATIONS", moveColumns(), moves, func(m *nova.Migration) string { return m.UUID.String() }, func(m *nova.Migration) tea.Msg {
				return screen.Goto{To: place.Migrations{Filter: "uuid=" + m.UUID.String()}}
			}),
		},
		Actions: func(i *nova.Instance, at list.At) []action.Action {
			return append(pageActions(env, i, at), panel.FixingConsumer("instance", env, at.Snap, i.UUID, ""))
		},
	}
	if of := env.Cloud.Capabilities().Servers; of != nil && of.Actions != nil {
		p.asks, spec.Parts = of.Actions, append(spec.Parts, sections.Lines("ASKED OF NOVA", p.lines))
	}
	s, err := sections.New(spec, env, snap, id.String())
	if err != nil || p.asks == nil {
		return s, err
	}
	p.Screen = s
	return p, nil
}

func facts(i *nova.Instance, at list.At) []sections.Fact {
	state := sections.Fact{Name: "state", Text: panel.InstanceState(i), Token: panel.InstanceSeverity(i).Token()}
	out := []sections.Fact{
		state,
		{Name: "host", Text: i.Host, Token: themes.Strong},
		{Name: "flavor", Text: nova.FlavorName(i.Flavor), Token: themes.Strong},
		{Name: "zone", Text: at.Snap.Nova().InstanceZone(i)},
		{Name: "project", Text: panel.Project(at.Snap, i.Project)},
		{Name: "user", Text: panel.User(at.Snap, i.User)},
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

// holding is what the instance or one of its migrations holds of one provider.
type holding struct {
	by       placement.ConsumerID
	who      string
	provider placement.ProviderID
	owner    placement.Owner
	path     string
	held     string
}

// claims returns what the instance holds, and then what its migrations keep.
func claims(i *nova.Instance, at list.At) []*holding {
	out := holdings(at.Snap.Placement(), i.UUID, "instance")
	for m := range at.Snap.Nova().MigrationsOf(i.UUID) {
		out = append(out, holdings(at.Snap.Placement(), m.UUID, string(m.Type)+", old")...)
	}
	return out
}

func holdings(s *placement.Snapshot, id placement.ConsumerID, who string) []*holding {
	c, ok := s.Consumer(id)
	if !ok {
		return nil
	}
	var out []*holding
	for a := range s.Allocations(c) {
		if n := len(out); n > 0 && out[n-1].provider == a.Provider.ID() {
			continue
		}
		out = append(out, &holding{
			by: id, who: who, provider: a.Provider.ID(), owner: s.Owner(a.Provider),
			path: strings.Join(panel.Path(s, a.Provider), " > "), held: panel.Held(s, c, a.Provider),
		})
	}
	return out
}

func claimColumns() []*list.Column[*holding] {
	return []*list.Column[*holding]{
		{Column: component.Column{Key: "provider", Title: "PROVIDER", Min: 16, Max: 60, Flex: 2, KeepEnds: true}, Cell: list.TextCell(themes.Strong, func(h *holding, _ list.At) string { return h.path })},
		{Column: component.Column{Key: "owner", Title: "OWN", Min: 3}, Cell: func(l *component.Line, h *holding, _ list.At) {
			component.OwnerBadge(l, panel.Owner(h.owner))
		}},
		{Column: component.Column{Key: "held", Title: "HOLDS", Min: 12, Max: 60, Flex: 2}, Cell: list.TextCell(themes.Text, func(h *holding, _ list.At) string { return h.held })},
		{Column: component.Column{Key: "by", Title: "BY", Min: 11, Max: 20, Flex: 1, Priority: 1}, Cell: list.TextCell(themes.Dim, func(h *holding, _ list.At) string { return h.who })},
	}
}

// requests returns the accelerator requests of the instance, and those that its
// migrations keep for it.
func requests(i *nova.Instance, at list.At) []*cyborg.ARQ {
	var out []*cyborg.ARQ
	out = slices.AppendSeq(out, at.Snap.Cyborg().ARQsOf(i.UUID))
	for m := range at.Snap.Nova().MigrationsOf(i.UUID) {
		out = slices.AppendSeq(out, at.Snap.Cyborg().ARQsOf(m.UUID))
	}
	return out
}

func requestColumns() []*list.Column[*cyborg.ARQ] {
	shows := list.Shows[*cyborg.ARQ]
	return list.Bound(kinds.Of(kinds.ARQs),
		shows("asks", "PROFILE", 10, 30, 1, 0),
		shows("state", "STATE", 11, 0, 0, 0).Colour(func(a *cyborg.ARQ, _ list.At) themes.Token { return panel.ARQToken(a) }),
		shows("handle", "HANDLE", 14, 30, 1, 0),
		shows("provider", "PROVIDER", 12, 50, 2, 1).ByEnds(),
	)
}

// moves returns the migrations of the instance, newest first.
func moves(i *nova.Instance, at list.At) []*nova.Migration {
	return panel.MigrationsOf(at.Snap.Nova(), i.UUID)
}

func moveColumns() []*list.Column[*nova.Migration] {
	shows := list.Shows[*nova.Migration]
	return list.Bound(kinds.Of(kinds.Migrations),
		shows("type", "TYPE", 9, 14, 0, 0),
		shows("status", "STATUS", 14, 30, 1, 0).Drawn(func(l *component.Line, m *nova.Migration, at list.At) {
			l.Add(panel.MigrationToken(m), panel.ShortStatus(m, at.Now))
		}),
		shows("way", "FROM > TO", 17, 50, 1, 0),
		shows("flavors", "FLAVORS", 22, 50, 2, 2),
		shows("age", "SINCE", 5, 0, 0, 1),
	)
}

func pageActions(env screen.Env, i *nova.Instance, at list.At) []action.Action {
	return slices.Concat([]action.Action{
		{ID: "instance.copy", Keys: []string{"c"}, Title: "copy uuid", Help: "copy the uuid", Request: func() tea.Msg {
			return screen.CopyMsg{What: "uuid of " + i.Name, Text: i.UUID.String()}
		}},
	}, panel.Moving("instance", at.Snap, i.UUID, ""), panel.Ending("instance", env.Cloud.Capabilities(), at.Snap, i.UUID, ""), panel.Asking("instance", place.WhatIf{Instance: i.UUID}, ""))
}
