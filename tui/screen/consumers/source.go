package consumers

import (
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/screen/panel"
	"github.com/placetop/placetop/tui/style"
)

// The columns of the list.
const (
	colConsumer = iota
	colType
	colProject
	colHolds
	colOwner
	colWhere
	colGen
	colAge
)

func columns() []component.Column {
	return []component.Column{
		{Key: "consumer", Title: "CONSUMER", Min: 14, Max: 38, Flex: 2},
		{Key: "type", Title: "TYPE", Min: 9, Priority: 4},
		{Key: "project", Title: "PROJECT", Min: 8, Max: 20, Flex: 1, Priority: 3},
		{Key: "holds", Title: "HOLDS", Min: 14, Flex: 3, Max: 56, NoSort: true},
		{Key: "owner", Title: "OWN", Min: 3, Priority: 1, NoSort: true},
		{Key: "where", Title: "WHERE", Min: 18, Max: 36, Flex: 3, Priority: 2, NoSort: true},
		{Key: "gen", Title: "GEN", Min: 3, Align: component.AlignRight, Priority: 6, NoSort: true},
		{Key: "age", Title: "AGE", Min: 4, Align: component.AlignRight, Priority: 5},
	}
}

// source is a list as a grid shows it. Rows are read from the Snapshot of the
// list, which may be older than the newest.
type source struct {
	*list
	clock   func() time.Time
	version uint64
}

// Len implements component.Source.
func (s *source) Len() int { return len(s.rows) }

// ID implements component.Source.
func (s *source) ID(r int) string {
	id := s.consumer(r).ID()
	return string(id[:])
}

// Find implements component.Finder.
func (s *source) Find(id string) int {
	var key placement.ConsumerID
	if copy(key[:], id) != len(id) {
		return -1
	}
	at, ok := slices.BinarySearchFunc(s.all, key, func(c *placement.Consumer, key placement.ConsumerID) int {
		return c.ID().Compare(key)
	})
	if !ok {
		return -1
	}
	return slices.Index(s.rows, int32(at)) //nolint:gosec // as the rows
}

// Version implements component.Source.
func (s *source) Version() uint64 { return s.version }

// Severity implements component.Severities.
func (s *source) Severity(r int) style.Severity { return panel.Worst(s.found[s.consumer(r).ID()]) }

func (s *source) consumer(r int) *placement.Consumer { return s.all[s.rows[r]] }

// Cell implements component.Source.
func (s *source) Cell(l *component.Line, r, col int) {
	c := s.consumer(r)
	pl := s.snap.Placement()
	var buf [96]byte
	switch col {
	case colConsumer:
		l.Add(themes.Strong, s.names[s.rows[r]])
	case colType:
		l.Add(themes.Dim, c.Type().String())
	case colProject:
		l.Add(themes.Text, c.Project())
	case colHolds:
		l.AddBytes(themes.Text, panel.AppendHeld(buf[:0], pl, c, nil))
	case colOwner:
		component.OwnerBadge(l, panel.Owner(ownerOf(pl, c)))
	case colWhere:
		l.Add(themes.Text, home(pl, c))
	case colGen:
		l.AddBytes(themes.Dim, component.AppendCount(buf[:0], c.Generation()))
	case colAge:
		l.Add(themes.Faint, panel.Age(s.clock(), c.Created()))
	}
}

// ownerOf says whose accelerators a consumer uses, or whose its host is where it
// uses none.
func ownerOf(pl *placement.Snapshot, c *placement.Consumer) placement.Owner {
	var seen [4]bool
	below := false
	for a := range pl.Allocations(c) {
		if o := pl.Owner(a.Provider); !a.Provider.IsRoot() && o != placement.OwnedByNone {
			seen[o] = true
			below = true
		}
	}
	if !below {
		for a := range pl.Allocations(c) {
			if !pl.Shares(a.Provider) && a.Provider.IsRoot() {
				return pl.Owner(a.Provider)
			}
		}
		return placement.OwnedByNone
	}
	switch {
	case seen[placement.OwnedByBoth], seen[placement.OwnedByNova] && seen[placement.OwnedByCyborg]:
		return placement.OwnedByBoth
	case seen[placement.OwnedByNova]:
		return placement.OwnedByNova
	}
	return placement.OwnedByCyborg
}

// mostHomes is how many hosts of a consumer are named; nearly all have one, and
// those that move have two.
const mostHomes = 3

// home names where a consumer is: host and card, or all hosts.
func home(pl *placement.Snapshot, c *placement.Consumer) string {
	var roots []string
	var card *placement.ResourceProvider
	for a := range pl.Allocations(c) {
		if pl.Shares(a.Provider) {
			continue
		}
		if root := pl.Root(a.Provider).Name(); !slices.Contains(roots, root) {
			if len(roots) == mostHomes {
				return strings.Join(roots, " + ") + " + more"
			}
			roots = append(roots, root)
		}
		if !a.Provider.IsRoot() && (card == nil || pl.Owner(card) == placement.OwnedByNone) {
			card = a.Provider
		}
	}
	switch {
	case len(roots) == 0:
		return "-"
	case len(roots) > 1:
		return strings.Join(roots, " + ")
	case card != nil:
		return roots[0] + "/" + panel.ShortName(pl, card)
	}
	return roots[0]
}
