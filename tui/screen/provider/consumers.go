package provider

import (
	"cmp"
	"slices"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// mostConsumers is how many consumers the screen lists: a pool may have as many
// as the cloud, and more than this nobody reads here.
const mostConsumers = 1000

// consumers is the grid's source: who holds something of the provider, the newest
// first. It is good for the Snapshot it was made of.
type consumers struct {
	snap    *cloud.Snapshot
	p       *placement.ResourceProvider
	all     []*placement.Consumer
	total   int // all is the first of so many
	found   map[placement.ConsumerID][]audit.Finding
	clock   func() time.Time
	version uint64
}

func newConsumers(snap *cloud.Snapshot, p *placement.ResourceProvider, clock func() time.Time) *consumers {
	c := &consumers{snap: snap, p: p, clock: clock, total: snap.Placement().CountConsumersOf(p)}
	for one := range snap.Placement().ConsumersOf(p) {
		if len(c.all) == mostConsumers {
			break
		}
		c.all = append(c.all, one)
	}
	slices.SortStableFunc(c.all, func(a, b *placement.Consumer) int {
		return cmp.Or(b.Created().Compare(a.Created()), a.ID().Compare(b.ID()))
	})
	return c
}

func columns() []component.Column {
	return []component.Column{
		{Key: "consumer", Title: "CONSUMER", Min: 14, Max: 38, Flex: 2, NoSort: true},
		{Key: "type", Title: "TYPE", Min: 9, Priority: 2, NoSort: true},
		{Key: "holds", Title: "HOLDS", Min: 12, Flex: 3, NoSort: true},
		{Key: "project", Title: "PROJECT", Min: 10, Max: 24, Flex: 1, Priority: 3, NoSort: true},
		{Key: "gen", Title: "GEN", Min: 4, Align: component.AlignRight, Priority: 4, NoSort: true},
		{Key: "age", Title: "AGE", Min: 4, Align: component.AlignRight, Priority: 1, NoSort: true},
	}
}

// Len implements component.Source.
func (c *consumers) Len() int { return len(c.all) }

// ID implements component.Source.
func (c *consumers) ID(r int) string {
	id := c.all[r].ID()
	return string(id[:])
}

// Version implements component.Source.
func (c *consumers) Version() uint64 { return c.version }

// Severity implements component.Severities. Migrations stand out where nothing is
// wrong with them, too, since what they hold is held twice.
func (c *consumers) Severity(r int) style.Severity {
	one := c.all[r]
	if worst := panel.Worst(c.found[one.ID()]); worst != style.SeverityNone {
		return worst
	}
	if one.Type() == placement.MigrationConsumer {
		return style.SeverityInfo
	}
	return style.SeverityNone
}

// Cell implements component.Source.
func (c *consumers) Cell(l *component.Line, r, col int) {
	one := c.all[r]
	var buf [96]byte
	switch col {
	case 0:
		l.Add(themes.Strong, panel.ConsumerName(c.snap, one.ID()))
	case 1:
		l.Add(themes.Dim, one.Type().String())
	case 2:
		l.AddBytes(themes.Text, panel.AppendHeld(buf[:0], c.snap.Placement(), one, c.p))
	case 3:
		l.Add(themes.Dim, one.Project())
	case 4:
		l.AddBytes(themes.Dim, component.AppendCount(buf[:0], one.Generation()))
	case 5:
		l.Add(themes.Faint, panel.Age(c.clock(), one.Created()))
	}
}
