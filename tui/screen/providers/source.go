package providers

import (
	"strconv"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// The columns of the list.
const (
	colName = iota
	colOwner
	colBar
	colUsed
	colFree
	colGen
	colTraits
	colAggs
	colConsumers
	colUUID
)

// layout says how much room the columns have.
type layout uint8

const (
	small  layout = iota // 40 columns: name, owner, bar, numbers
	normal               // what 80 columns hold
	wide                 // all there is
)

// columns returns the columns for a class.
func columns(class placement.ResourceClass, lay layout) []component.Column {
	cols := []component.Column{
		{Key: "name", Title: "NAME", Min: 24, Max: 44, Flex: 3},
		{Key: "owner", Title: "OWN", Min: 3, Priority: 1},
		{Key: "used%", Title: string(class), Min: 8, Max: 28, Flex: 2},
		{Key: "used", Title: "used/cap", Min: 9, Max: 15, Flex: 1, Align: component.AlignRight, NoSort: true},
		{Key: "free", Title: "FREE", Min: 6, Align: component.AlignRight, Priority: 4},
		{Key: "gen", Title: "GEN", Min: 5, Align: component.AlignRight, Priority: 3},
		{Key: "traits", Title: "TRAITS", Min: 6, Align: component.AlignRight, Priority: 5, NoSort: true},
		{Key: "aggs", Title: "AGGS", Min: 4, Align: component.AlignRight, Priority: 6, NoSort: true},
		{Key: "consumers", Title: "CONS", Min: 6, Align: component.AlignRight, Priority: 7, NoSort: true},
		{Key: "uuid", Title: "UUID", Min: 36, Priority: 8, NoSort: true},
	}
	switch lay {
	case small:
		cols = cols[:colUsed+1]
		cols[colName].Min, cols[colBar].Min, cols[colUsed].Min = 10, 5, 7
		cols[colOwner].Priority = 0
	case normal:
		cols = cols[:colTraits+1]
	case wide:
	}
	return cols
}

// source is a list as a grid shows it. Rows stay while only claims change: then
// snap is newer than that of the list, of the same Shape.
type source struct {
	*listing
	snap     *cloud.Snapshot
	unit     component.Unit
	findings map[placement.ProviderID][]audit.Finding
	version  uint64

	cells map[uint32]cell // of snap and findings, for rows that were drawn
}

// cell is what takes a walk over a tree to know.
type cell struct {
	load component.Load
	has  bool // some inventory of the class
	sev  style.Severity
	fold component.Fold
}

// mostCells bounds how many cells are remembered: far more than fit on a screen.
const mostCells = 4096

func newSource(l *listing, snap *cloud.Snapshot, found map[placement.ProviderID][]audit.Finding, version uint64) *source {
	return &source{listing: l, snap: snap, unit: panel.Unit(l.wish.class), findings: found, version: version, cells: map[uint32]cell{}}
}

// touch takes newer values and findings for the same rows.
func (s *source) touch(snap *cloud.Snapshot, found map[placement.ProviderID][]audit.Finding, version uint64) {
	s.snap, s.findings, s.version = snap, found, version
	clear(s.cells)
}

// Len implements component.Source.
func (s *source) Len() int { return len(s.rows) }

// ID implements component.Source.
func (s *source) ID(r int) string {
	id := s.provider(r).ID()
	return string(id[:])
}

// Version implements component.Source.
func (s *source) Version() uint64 { return s.version }

// Find implements component.Finder.
func (s *source) Find(id string) int {
	var key placement.ProviderID
	if copy(key[:], id) != len(id) {
		return -1
	}
	p, ok := s.snap.Placement().Provider(key)
	if !ok {
		return -1
	}
	if p.Number() >= len(s.at) {
		return -1
	}
	return int(s.at[p.Number()]) - 1
}

// Severity implements component.Severities: the worst of the provider, or of
// what is folded away below it.
func (s *source) Severity(r int) style.Severity { return s.cell(r).sev }

// provider returns the provider of a row, as it is in snap.
func (s *source) provider(r int) *placement.ResourceProvider {
	return s.snap.Placement().ProviderAt(int(s.rows[r].number))
}

// cell returns what a row shows of its tree: in a tree the bar is the sum of all
// below.
func (s *source) cell(r int) cell {
	rw := s.rows[r]
	if c, ok := s.cells[rw.number]; ok && c.fold == rw.fold {
		return c
	}
	pl, p := s.snap.Placement(), s.provider(r)
	c := cell{fold: rw.fold, sev: panel.Worst(s.findings[p.ID()])}
	if s.wish.tree && len(s.ix.children(rw.number)) > 0 {
		b := builder{listing: s.listing, s: pl}
		c.load, c.has = b.load(rw.number, true)
		if rw.fold == component.FoldClosed {
			c.sev = max(c.sev, s.worstBelow(pl, rw.number))
		}
	} else if iu, ok := p.Inventory(s.class); ok {
		c.load, c.has = panel.Load(pl, p, iu), true
	}
	if len(s.cells) >= mostCells {
		clear(s.cells)
	}
	s.cells[rw.number] = c
	return c
}

func (s *source) worstBelow(pl *placement.Snapshot, number uint32) style.Severity {
	worst := style.SeverityNone
	for _, k := range s.ix.children(number) {
		worst = max(worst, panel.Worst(s.findings[pl.ProviderAt(int(k)).ID()]), s.worstBelow(pl, k))
	}
	return worst
}

// Cell implements component.Source.
func (s *source) Cell(l *component.Line, r, col int) {
	p := s.provider(r)
	t := themes.Text
	if s.rows[r].dim {
		t = themes.Faint
	}
	var buf [48]byte
	switch col {
	case colName:
		s.name(l, r, p, t)
	case colOwner:
		component.OwnerBadge(l, panel.Owner(s.snap.Placement().Owner(p)))
	case colBar:
		if c := s.cell(r); c.has {
			component.Bar(l, l.Left(), c.load)
		}
	case colUsed:
		c := s.cell(r)
		switch {
		case !c.has:
			l.Add(themes.Faint, "-")
			return
		case c.load.Over():
			t = themes.Critical
		}
		l.AddBytes(t, component.AppendUsed(buf[:0], c.load, s.unit))
	case colFree:
		if c := s.cell(r); c.has {
			if c.load.Free() < 0 {
				t = themes.Critical
			}
			l.AddBytes(t, component.AppendAmount(buf[:0], c.load.Free(), s.unit))
		}
	case colGen:
		l.AddBytes(themes.Dim, strconv.AppendInt(buf[:0], p.Generation(), 10))
	case colTraits:
		l.AddBytes(themes.Dim, strconv.AppendInt(buf[:0], int64(len(p.TraitIDs())), 10))
	case colAggs:
		l.AddBytes(themes.Dim, strconv.AppendInt(buf[:0], int64(len(p.Aggregates())), 10))
	case colConsumers:
		l.AddBytes(themes.Dim, component.AppendCount(buf[:0], int64(s.snap.Placement().CountConsumersOf(p))))
	case colUUID:
		l.Add(themes.Faint, uuid.UUID(p.ID()).String())
	}
}

func (s *source) name(l *component.Line, r int, p *placement.ResourceProvider, t themes.Token) {
	if !s.wish.tree {
		l.Add(t, p.Name())
		return
	}
	rw := s.rows[r]
	component.Branch(l, int(rw.depth), rw.last, rw.fold)
	if rw.depth == 0 && t == themes.Text {
		t = themes.Strong
	}
	name := panel.ShortName(s.snap.Placement(), p)
	if rw.below == 0 {
		l.Add(t, name)
		return
	}
	var buf [32]byte
	below := append(buf[:0], "  ("...)
	below = append(strconv.AppendInt(below, int64(rw.below), 10), " below)"...)
	if room := l.Left() - len(below); component.Width(l.Styles(), name) <= room {
		l.Add(t, name).AddBytes(themes.Faint, below)
	} else {
		l.Add(t, name)
	}
}
