package handover

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

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

// cardsOf returns the cards of a host, in tree order.
func cardsOf(s *cloud.Snapshot, root placement.ProviderID) []card {
	p, ok := s.Placement().Provider(root)
	if !ok {
		return nil
	}
	var out []card
	for _, q := range s.Placement().Tree(p) {
		stage, err := ops.Handover{Provider: q.ID(), To: other(s, q)}.Stage(s)
		if err != nil {
			continue // it is not a card
		}
		number, _ := s.Placement().ClassID(stage.Classes[0])
		iu, _ := q.Inventory(number)
		out = append(out, card{q, stage, iu})
	}
	return out
}

// newCards returns the list of the cards of a host, for choosing the one to hand over.
func newCards(env screen.Env, snap *cloud.Snapshot, root *placement.ResourceProvider) screen.Screen {
	return list.New(list.Spec[card]{
		Name: "cards", Crumb: "cards of " + root.Name(), Thing: "card",
		Rows: func(_ context.Context, s *cloud.Snapshot) []card { return cardsOf(s, root.ID()) },
		ID:   func(c card) string { return c.ID().String() },
		Text: func(c card) string { return c.Name() },
		Columns: []list.Column[card]{
			{Column: component.Column{Key: "card", Title: "CARD", Min: 16, Max: 40, Flex: 3}, Cell: list.TextCell(themes.Strong, func(c card, at list.At) string {
				return panel.ShortName(at.Snap.Placement(), c.ResourceProvider)
			})},
			{Column: component.Column{Key: "owner", Title: "OWN", Min: 3}, Cell: func(l *component.Line, c card, at list.At) {
				component.OwnerBadge(l, panel.Owner(at.Snap.Placement().Owner(c.ResourceProvider)))
			}},
			{Column: component.Column{Key: "class", Title: "CLASS", Min: 5, Max: 24, Flex: 1}, Cell: func(l *component.Line, c card, _ list.At) {
				l.Add(themes.Text, string(c.stage.Classes[0]))
			}},
			{Column: component.Column{Key: "bar", Title: "", Min: 8, Max: 30, Flex: 2, Priority: 2}, Cell: func(l *component.Line, c card, at list.At) {
				component.Bar(l, l.Left(), panel.Load(at.Snap.Placement(), c.ResourceProvider, c.class))
			}},
			{Column: component.Column{Key: "used", Title: "USED/CAP", Min: 9, Align: component.AlignRight}, Cell: func(l *component.Line, c card, at list.At) {
				l.AddBytes(themes.Text, component.AppendUsed(nil, panel.Load(at.Snap.Placement(), c.ResourceProvider, c.class), panel.Unit(c.stage.Classes[0])))
			}},
			{Column: component.Column{Key: "holders", Title: "LEAVE", Min: 5, Align: component.AlignRight, Priority: 1}, Cell: list.CountCell(themes.Text, func(c card, _ list.At) int64 {
				return int64(len(c.stage.Holders))
			})},
		},
		Fields: []list.Field[card]{
			list.TextField("owner", func(c card, at list.At) string { return at.Snap.Placement().Owner(c.ResourceProvider).String() }),
			list.TextField("class", func(c card, _ list.At) string { return string(c.stage.Classes[0]) }),
		},
		FilterHelp: "name, owner=nova class=VGPU",
		Actions: func(h list.Here[card]) []action.Action {
			enter := action.Action{ID: "cards.hand", Keys: []string{"enter", "m"}, Title: "hand over", Help: "the steps until the other owner has it", Priority: 95}
			return []action.Action{h.About(enter, func(c card) tea.Msg {
				return screen.Goto{To: place.Handover{Provider: c.ID()}}
			})}
		},
		Title: func(c card, at list.At) (title, note string) {
			return strings.Join(panel.Path(at.Snap.Placement(), c.ResourceProvider), " > "), c.ID().String()
		},
		Detail: holders,
		Empty:  []string{"this host has no cards"},
	}, env, snap, "")
}

// holders lists the consumers that must leave a card before the handover.
func holders(c card, a list.Area) []string {
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
