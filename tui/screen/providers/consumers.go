package providers

import (
	"cmp"
	"slices"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// mostConsumers is how many consumers the screen lists: a pool may have as many as the
// cloud, and nobody reads more than this here.
const mostConsumers = 1000

type consumer = placement.Consumer

// consumers returns the consumers of the provider, newest first.
func consumers(p *provider, at list.At) []*consumer {
	var all []*consumer
	for one := range at.Snap.Placement().ConsumersOf(p) {
		if len(all) == mostConsumers {
			break
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b *consumer) int {
		return cmp.Or(b.Created().Compare(a.Created()), a.ID().Compare(b.ID()))
	})
	return all
}

// consumersTitle counts the consumers, including those that are not listed.
func consumersTitle(p *provider, at list.At) string {
	n := at.Snap.Placement().CountConsumersOf(p)
	title := "CONSUMERS " + component.Count(n)
	if n > mostConsumers {
		title += ", " + component.Count(mostConsumers) + " of them here"
	}
	return title
}

func (s *Page) columns() list.Columns {
	return list.Bound(kinds.Of(kinds.Consumers), list.Show("name=CONSUMER:14-38+2 type:9 resources=HOLDS:12+3 project:10-24+1 gen:4 age:4", "gen project type age", list.Cells[*consumer]{
		"name": list.TextCell(themes.Strong, func(c *consumer, at list.At) string { return panel.ConsumerName(at.Snap, c.ID()) }),
		"resources": func(l *component.Line, c *consumer, at list.At) {
			if p, ok := at.Snap.Placement().Provider(s.id); ok {
				panel.AddHeld(l, themes.Text, at.Snap.Placement(), c, p)
			}
		},
	}).In(themes.Dim, "type project"))
}

// severity marks consumers with problems. Migrations stand out even without any, because
// what they hold is held twice.
func (s *Page) severity(c *consumer, _ list.At) style.Severity {
	if worst := panel.Worst(s.found.OfConsumer(c.ID())); worst != style.SeverityNone {
		return worst
	}
	if c.Type() == placement.MigrationConsumer {
		return style.SeverityInfo
	}
	return style.SeverityNone
}
