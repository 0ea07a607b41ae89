// Package consumers is the screen of who holds what, where and since when.
package consumers

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// New returns the screen over a Snapshot, narrowed by a filter. One that cannot
// be read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[consumer]{
		Name: "consumers", Thing: "consumer",
		Rows:       func(ctx context.Context, snap *cloud.Snapshot) []consumer { return consumers(ctx, env, snap) },
		Count:      func(snap *cloud.Snapshot) int { return snap.Placement().ConsumerCount() },
		ID:         func(c consumer) string { id := c.ID(); return string(id[:]) },
		Text:       func(c consumer) string { return c.name },
		Columns:    columns(),
		Orders:     orders(),
		Fields:     fields(),
		FilterHelp: "name, project=ml-* type=INSTANCE class=VGPU where:cmp-001",
		Severity:   func(c consumer, _ list.At) style.Severity { return panel.Worst(c.found) },
		Actions: func(h list.Here[consumer]) []action.Action {
			var id placement.ConsumerID
			if h.Nothing == "" {
				id = h.Row.ID()
			}
			return append(actions(h), panel.FixingConsumer("consumers", env, h.Snap, id, h.Nothing))
		},
		Title:  title,
		Detail: detail,
		Empty:  []string{"nothing holds anything", "try: n makes the first allocation"},
	}, env, snap, filter)
}

func columns() []list.Column[consumer] {
	right := component.AlignRight
	return []list.Column[consumer]{
		{Column: component.Column{Key: "consumer", Title: "CONSUMER", Min: 14, Max: 38, Flex: 2}, Cell: list.TextCell(themes.Strong, consumer.called)},
		{Column: component.Column{Key: "type", Title: "TYPE", Min: 9, Priority: 4}, Cell: list.TextCell(themes.Dim, consumer.kind)},
		{Column: component.Column{Key: "project", Title: "PROJECT", Min: 8, Max: 20, Flex: 1, Priority: 3}, Cell: list.TextCell(themes.Text, consumer.project)},
		{Column: component.Column{Key: "holds", Title: "HOLDS", Min: 14, Flex: 3, Max: 56}, Cell: func(l *component.Line, c consumer, at list.At) {
			var buf [96]byte
			l.AddBytes(themes.Text, panel.AppendHeld(buf[:0], at.Snap.Placement(), c.Consumer, nil))
		}},
		{Column: component.Column{Key: "owner", Title: "OWN", Min: 3, Priority: 1}, Cell: func(l *component.Line, c consumer, at list.At) {
			component.OwnerBadge(l, panel.Owner(kinds.ConsumerOwner(at.Snap.Placement(), c.Consumer)))
		}},
		{Column: component.Column{Key: "where", Title: "WHERE", Min: 18, Max: 36, Flex: 3, Priority: 2}, Cell: list.TextCell(themes.Text, consumer.where)},
		{Column: component.Column{Key: "gen", Title: "GEN", Min: 3, Align: right, Priority: 6}, Cell: list.CountCell(themes.Dim, consumer.generation)},
		{Column: component.Column{Key: "age", Title: "AGE", Min: 4, Align: right, Priority: 5}, Cell: list.TextCell(themes.Faint, func(c consumer, at list.At) string {
			return panel.Age(at.Now, c.Created())
		})},
	}
}

func orders() []list.Order[consumer] {
	return []list.Order[consumer]{
		{Name: "age", Column: "age", Key: func(c consumer, _ list.At) list.Key {
			return list.Key{Number: -float64(c.Created().UnixMilli())} // the newest first
		}},
		{Name: "name", Column: "consumer", Key: func(c consumer, _ list.At) list.Key { return list.Key{Text: c.name} }},
		{Name: "project", Column: "project", Key: func(c consumer, at list.At) list.Key { return list.Key{Text: c.project(at)} }},
		{Name: "type", Column: "type", Key: func(c consumer, at list.At) list.Key { return list.Key{Text: c.kind(at)} }},
	}
}

func fields() []list.Field[consumer] {
	return list.Fields(kinds.Consumers, func(c consumer) kinds.Row { return c.Consumer }, list.WordsField("problem", func(c consumer, _ list.At, words []string) []string {
		for _, f := range c.found {
			words = append(words, string(f.Rule))
		}
		return words
	}))
}

func actions(h list.Here[consumer]) []action.Action {
	about := ""
	var id placement.ConsumerID
	if h.Nothing == "" {
		id = h.Row.ID()
		about = "consumer:" + id.String()
	}
	return slices.Concat([]action.Action{
		h.About(action.Action{ID: "consumers.open", Keys: []string{"enter"}, Title: "provider", Help: "go to the provider where the consumer is: its card, or its host", Priority: 90}, func(c consumer) tea.Msg {
			return screen.Goto{Kind: screen.Provider, Arg: c.home(h.At)}
		}),
		h.About(action.Action{ID: "consumers.release", Keys: []string{"D"}, Title: "release...", Help: "release all that the consumer holds, with a preview", Priority: 80, Writes: true}, func(c consumer) tea.Msg {
			return screen.Goto{Kind: screen.Release, Arg: c.ID().String()}
		}),
		{ID: "consumers.allocate", Keys: []string{"n"}, Title: "new allocation", Help: "make an allocation", Priority: 70, Writes: true, Run: func() tea.Cmd {
			return screen.Send(screen.Goto{Kind: screen.Allocate})
		}},
		h.About(action.Action{ID: "consumers.copy", Keys: []string{"c"}, Title: "copy uuid", Help: "copy the uuid"}, func(c consumer) tea.Msg {
			return screen.CopyMsg{What: "uuid of " + c.name, Text: c.ID().String()}
		}),
	}, panel.Moving("consumers", h.Snap, id, h.Nothing), panel.Asking("consumers", about, h.Nothing))
}
