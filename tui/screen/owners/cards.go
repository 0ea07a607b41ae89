package owners

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
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
	root  string                   // the name of its host
	name  string                   // its own there
	class placement.InventoryUsage // of the first class of accelerators
	found []audit.Finding          // about it

	device   *cyborg.Device // that Cyborg has of it; nil for none
	requests int            // that have some of it
}

// status returns the status of the device that Cyborg has of the card, "" for none.
func (c *card) status(list.At) string {
	if c.device == nil {
		return ""
	}
	return string(c.device.Status)
}

// short returns the name of the card on its host.
func (c *card) short(list.At) string { return c.name }

// path is short after the name of the host.
func (c *card) path(list.At) string { return c.root + "/" + c.name }

// cardsOf returns the cards of a host, in tree order; of all hosts for the zero id.
func cardsOf(ctx context.Context, env screen.Env, s *cloud.Snapshot, of placement.ProviderID) []*card {
	var out []*card
	pass := env.Inspect(s)
	add := func(p *placement.ResourceProvider) {
		stage, err := ops.Handover{Provider: p.ID(), To: other(s, p)}.Stage(s)
		if err != nil {
			return // it is not a card
		}
		number, _ := s.Placement().ClassID(stage.Classes[0])
		iu, _ := p.Inventory(number)
		c := &card{ResourceProvider: p, root: s.Placement().Root(p).Name(), name: panel.ShortName(s.Placement(), p), stage: stage, class: iu, found: pass.OfProvider(p.ID())}
		if d, ok := s.Cyborg().DeployableAt(p.ID()); ok {
			c.device, _ = s.Cyborg().Device(d.Device)
		}
		for range s.Cyborg().ARQsAt(p.ID()) {
			c.requests++
		}
		out = append(out, c)
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
		Rows: func(ctx context.Context, s *cloud.Snapshot) []*card { return cardsOf(ctx, env, s, of) },
		ID:   func(c *card) string { return c.ID().String() },
		Text: func(c *card) string { return c.Name() + " " + c.path(list.At{}) },
		Columns: list.Show("card:20-40+3~ owner=OWN class:5-24+1 bar=:6-30+2 used=USED/CAP:8> holders=HELD_BY:7> requests=REQS:4> status:11 rule:4", "bar class requests holders status", list.Cells[*card]{
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
				l.Add(themes.Text, component.Used(panel.Load(at.Snap.Placement(), c.ResourceProvider, c.class), panel.Unit(c.stage.Classes[0])))
			},
			"holders": list.CountCell(themes.Text, func(c *card, at list.At) int64 {
				return int64(at.Snap.Placement().CountConsumersOf(c.ResourceProvider))
			}),
			"requests": list.TextCell(themes.Text, func(c *card, _ list.At) string {
				if c.device == nil { // of Nova's cards Cyborg knows no requests
					return ""
				}
				return component.Count(c.requests)
			}),
			"status": list.TextCell(themes.Dim, (*card).status),
			"rule": func(l *component.Line, c *card, _ list.At) {
				if worst, ok := c.worst(); ok {
					l.Add(panel.Severity(worst.Severity).Token(), string(worst.Rule))
				}
			},
		}),
		Found: func(c *card) []audit.Finding { return c.found },
		Fields: []*kinds.Field{
			kinds.TextField("owner", func(c *card, at list.At) string { return at.Snap.Placement().Owner(c.ResourceProvider).String() }),
			kinds.TextField("class", func(c *card, _ list.At) string { return string(c.stage.Classes[0]) }),
			kinds.TextField("status", (*card).status),
			kinds.NumberField("requests", component.UnitCount, func(c *card, _ list.At) (float64, bool) {
				return float64(c.requests), c.device != nil
			}),
		},
		FilterHelp: "name, owner=nova class=VGPU status=maintaining problem:o03",
		Actions:    func(h list.Here[*card]) []action.Action { return cardActions(env, h) },
		Title: func(c *card, at list.At) (title, note string) {
			return strings.Join(panel.Path(at.Snap.Placement(), c.ResourceProvider), " > "), c.ID().String()
		},
		Detail: holders,
		Empty:  []string{empty},
	}, env, snap, filter)
}

// worst returns the worst of what is wrong with a card.
func (c *card) worst() (audit.Finding, bool) {
	if len(c.found) == 0 {
		return audit.Finding{}, false
	}
	return slices.MaxFunc(c.found, func(a, b audit.Finding) int { return cmp.Compare(a.Severity, b.Severity) }), true
}

// cardActions are the keys of a card.
func cardActions(env screen.Env, h list.Here[*card]) []action.Action {
	enter := action.Action{ID: "cards.hand", Keys: "enter m", Title: "hand over", Help: "the steps until the other owner has it", Priority: 95}
	device := h.Leads(action.Action{ID: "cards.device", Keys: "i", Title: "device", Help: "its device in Cyborg: units, and who holds each", Priority: 60}, func(c *card) place.Place { return place.Device{ID: c.device.UUID} })
	requests := h.Leads(action.Action{ID: "cards.arqs", Keys: "u", Title: "requests", Help: "the accelerator requests on its host", Priority: 50}, func(c *card) place.Place { return place.ARQs{Filter: filter.Is("host", c.device.Hostname)} })
	var id placement.ProviderID
	if h.Nothing == "" {
		id = h.Row.ID()
		if h.Row.device == nil {
			device.Disabled = "Cyborg does not know this card"
			requests.Disabled = device.Disabled
		}
	}
	return []action.Action{
		h.Leads(enter, func(c *card) place.Place { return place.Handover{Provider: c.ID()} }),
		device, requests, panel.FixingProvider("cards", env, h.Snap, id, h.Nothing), h.List.OwnerKey("cards", 40),
	}
}

// holders lists the consumers that must leave a card before the handover.
func holders(c *card, a list.Area) []string {
	var lines []string
	for _, f := range c.found {
		lines = append(lines, panel.FindingOn(a.Styles, a.Snap, c.ResourceProvider, f, a.Width)...)
	}
	for i, holder := range c.stage.Holders {
		if len(lines) == a.Height-1 && i < len(c.stage.Holders)-1 {
			return append(lines, a.More(len(c.stage.Holders)-i, "holder"))
		}
		lines = append(lines, a.Line().Space(1).Add(themes.Text, panel.ConsumerName(a.Snap, holder.ID())).Space(2).
			Add(themes.Dim, panel.Held(a.Snap.Placement(), holder, c.ResourceProvider)).String())
	}
	if len(c.stage.Holders) == 0 {
		lines = append(lines, a.Line().Space(1).Add(themes.Dim, "nobody has to leave it").String())
	}
	return lines
}
