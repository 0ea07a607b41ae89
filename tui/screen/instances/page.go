package instances

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Open returns the page of the instance with a uuid. The error matches
// placement.ErrNotFound.
func Open(env screen.Env, snap *cloud.Snapshot, id placement.ConsumerID) (screen.Screen, error) {
	p := &guestPage{env: env, id: id}
	spec := page.Spec[*nova.Instance]{
		Name: "instance", Kind: kinds.Instances,
		Find:  func(s *cloud.Snapshot) (*nova.Instance, bool) { return s.Nova().Instance(id) },
		Title: func(i *nova.Instance, _ list.At) string { return i.Name },
		Status: func(i *nova.Instance, _ list.At) string {
			return panel.InstanceState(i)
		},
		Facts: panel.KindFacts[*nova.Instance](kinds.Instances),
		Parts: []page.Part[*nova.Instance]{
			page.Lines("FAULT", faults),
			page.Lines("PROBLEMS", p.problems),
			page.Table("ALLOCATIONS", claimColumns(), claims, func(h *holding) string { return h.by.String() + h.provider.String() }, func(h *holding) place.Place { return place.Provider{ID: h.provider} }),
			page.Table("ACCELERATOR REQUESTS", requestColumns(), requests, func(a *cyborg.ARQ) string { return a.UUID.String() }, func(a *cyborg.ARQ) place.Place { return place.ARQs{Filter: "uuid=" + a.UUID.String()} }),
			page.Table("MIGRATIONS", moveColumns(), moves, func(m *nova.Migration) string { return m.UUID.String() }, func(m *nova.Migration) place.Place { return place.Migrations{Filter: "uuid=" + m.UUID.String()} }),
		},
		Actions: func(i *nova.Instance, at list.At) []action.Action {
			return append(pageActions(env, i, at), panel.FixingConsumer("instance", env, at.Snap, i.UUID, ""))
		},
	}
	if of := env.Cloud.Capabilities().Servers; of != nil && of.Actions != nil {
		p.asks, spec.Parts = of.Actions, append(spec.Parts, page.Lines("ASKED OF NOVA", p.lines))
	}
	s, err := page.New(spec, env, snap, id.String())
	if err != nil || p.asks == nil {
		return s, err
	}
	p.Screen = s
	return p, nil
}

// problems says what the rules found about the instance and its migrations.
func (p *guestPage) problems(i *nova.Instance, a list.Area) []string {
	pass := p.env.Kept().Last()
	found := slices.Clone(pass.OfConsumer(i.UUID))
	for m := range a.Snap.Nova().MigrationsOf(i.UUID) {
		found = append(found, pass.OfConsumer(m.UUID)...)
	}
	var lines []string
	for _, f := range found {
		lines = append(lines, panel.Finding(a.Styles, f, a.Width)...)
	}
	return lines
}

// faults says what went wrong with the instance and with its move.
func faults(i *nova.Instance, a list.Area) []string {
	var lines []string
	if i.Fault != "" {
		lines = append(lines, panel.Fault(a.Styles, a.Width, i.Fault)...)
	}
	for m := range a.Snap.Nova().MigrationsOf(i.UUID) {
		if m.Fault != "" {
			lines = append(lines, panel.Fault(a.Styles, a.Width, string(m.Type)+": "+m.Fault)...)
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

func claimColumns() list.Columns {
	return list.Show("provider:16-60+2~ owner=OWN held=HOLDS:12-60+2 by:11-20+1", "by", list.Cells[*holding]{
		"provider": list.TextCell(themes.Strong, func(h *holding, _ list.At) string { return h.path }),
		"owner": func(l *component.Line, h *holding, _ list.At) {
			panel.OwnerBadge(l, h.owner)
		},
		"held": list.TextCell(themes.Text, func(h *holding, _ list.At) string { return h.held }),
		"by":   list.TextCell(themes.Dim, func(h *holding, _ list.At) string { return h.who }),
	})
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

func requestColumns() list.Columns {
	return list.Bound(kinds.Of(kinds.ARQs), list.Show[*cyborg.ARQ]("asks=PROFILE:10-30+1 state:11 handle:14-30+1 provider:12-50+2~", "provider", nil))
}

// moves returns the migrations of the instance, newest first.
func moves(i *nova.Instance, at list.At) []*nova.Migration {
	return panel.MigrationsOf(at.Snap.Nova(), i.UUID)
}

func moveColumns() list.Columns {
	return list.Bound(kinds.Of(kinds.Migrations), list.Show("type:9-14 status:14-30+1 way=FROM_>_TO:17-50+1 flavors:22-50+2 age=SINCE", "flavors age", list.Cells[*nova.Migration]{
		"status": func(l *component.Line, m *nova.Migration, at list.At) {
			l.Add(panel.MigrationToken(m), panel.ShortStatus(m, at.Now))
		},
	}))
}

func pageActions(env screen.Env, i *nova.Instance, at list.At) []action.Action {
	return slices.Concat(panel.Moving("instance", at.Snap, i.UUID, ""), panel.Ending("instance", env.Cloud.Capabilities(), at.Snap, i.UUID, ""), panel.Asking("instance", place.WhatIf{Instance: i.UUID}, ""))
}
