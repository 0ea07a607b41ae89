package handover

import (
	"context"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// card is a row: a card of a host.
type card struct {
	*placement.ResourceProvider
	stage ops.HandoverStage
	class placement.InventoryUsage // of the first class of accelerators
}

// short returns the name of the card on its host.
func (c *card) short(at list.At) string {
	return panel.ShortName(at.Snap.Placement(), c.ResourceProvider)
}

// path is short after the name of the host.
func (c *card) path(at list.At) string {
	return at.Snap.Placement().Root(c.ResourceProvider).Name() + "/" + c.short(at)
}

// cardsOf returns the cards of a host, in tree order; of all hosts for the zero id.
func cardsOf(ctx context.Context, s *cloud.Snapshot, of placement.ProviderID) []*card {
	var out []*card
	add := func(p *placement.ResourceProvider) {
		stage, err := ops.Handover{Provider: p.ID(), To: other(s, p)}.Stage(s)
		if err != nil {
			return // it is not a card
		}
		number, _ := s.Placement().ClassID(stage.Classes[0])
		iu, _ := p.Inventory(number)
		out = append(out, &card{p, stage, iu})
	}
	if root, ok := s.Placement().Provider(of); ok {
		for _, p := range s.Placement().Tree(root) {
			add(p)
		}
	}
	if !of.IsZero() {
		return out
	}
	for p := range s.Placement().Providers() {
		if ctx.Err() != nil {
			break
		}
		add(p)
	}
	return out
}

// newCards returns the list of the cards of a host, of all hosts if root is nil, for
// choosing the one to hand over.
func newCards(env screen.Env, snap *cloud.Snapshot, root *placement.ResourceProvider, filter string) screen.Screen {
	crumb, of, name, empty := "cards", placement.ProviderID{}, (*card).path, "no host has cards"
	if root != nil {
		crumb, of, name, empty = "cards of "+root.Name(), root.ID(), (*card).short, "this host has no cards"
	}
	return list.New(list.Spec[*card]{
		Name: "cards", Crumb: crumb, Thing: "card",
		Rows: func(ctx context.Context, s *cloud.Snapshot) []*card { return cardsOf(ctx, s, of) },
		ID:   func(c *card) string { return c.ID().String() },
		Text: func(c *card) string { return c.Name() },
		Columns: list.Show("card:16-40+3~ owner=OWN class:5-24+1 bar=:8-30+2 used=USED/CAP:9> holders=LEAVE>", "bar holders", list.Cells[*card]{
			"card": list.TextCell(themes.Strong, name),
			"owner": func(l *component.Line, c *card, at list.At) {
				panel.OwnerBadge(l, at.Snap.Placement().Owner(c.ResourceProvider))
			},
			"class": func(l *component.Line, c *card, _ list.At) {
				l.Add(themes.Text, string(c.stage.Classes[0]))
			},
			"bar": func(l *component.Line, c *card, at list.At) {
				component.Bar(l, l.Left(), panel.Load(at.Snap.Placement(), c.ResourceProvider, c.class))
			},
			"used": func(l *component.Line, c *card, at list.At) {
				l.AddBytes(themes.Text, component.AppendUsed(nil, panel.Load(at.Snap.Placement(), c.ResourceProvider, c.class), panel.Unit(c.stage.Classes[0])))
			},
			"holders": list.CountCell(themes.Text, func(c *card, _ list.At) int64 {
				return int64(len(c.stage.Holders))
			}),
		}),
		Fields: []list.Field[*card]{
			list.TextField("owner", func(c *card, at list.At) string { return at.Snap.Placement().Owner(c.ResourceProvider).String() }),
			list.TextField("class", func(c *card, _ list.At) string { return string(c.stage.Classes[0]) }),
		},
		FilterHelp: "name, owner=nova class=VGPU",
		Actions: func(h list.Here[*card]) []action.Action {
			enter := action.Action{ID: "cards.hand", Keys: "enter m", Title: "hand over", Help: "the steps until the other owner has it", Priority: 95}
			return []action.Action{h.Leads(enter, func(c *card) place.Place { return place.Handover{Provider: c.ID()} })}
		},
		Title: func(c *card, at list.At) (title, note string) {
			return strings.Join(panel.Path(at.Snap.Placement(), c.ResourceProvider), " > "), c.ID().String()
		},
		Detail: holders,
		Empty:  []string{empty},
	}, env, snap, filter)
}

// holders lists the consumers that must leave a card before the handover.
func holders(c *card, a list.Area) []string {
	var lines []string
	for i, holder := range c.stage.Holders {
		if len(lines) == a.Height-1 && i < len(c.stage.Holders)-1 {
			return append(lines, a.More(len(c.stage.Holders)-i, "holder"))
		}
		lines = append(lines, a.Line().Space(1).Add(themes.Text, panel.ConsumerName(a.Snap, holder.ID())).Space(2).
			Add(themes.Dim, panel.Held(a.Snap.Placement(), holder, c.ResourceProvider)).String())
	}
	if len(lines) == 0 {
		lines = append(lines, a.Line().Space(1).Add(themes.Dim, "nobody has to leave it").String())
	}
	return lines
}
