package component

import (
	"bytes"
	"hash/maphash"
	"slices"
)

// lights are the cells of a grid that are lit for a moment, because they have changed.
type lights struct {
	seed   maphash.Seed
	layout []placed // of the last drawn rows
	rows   map[string]*litRow
	before map[string]*litRow // those of the View before, while rows are drawn
	spare  map[string]*litRow // reused for the next rows
	wanted bool               // light what has changed since the last View
	isNew  func(id string) bool
	any    bool // a cell is lit

	version uint64 // of the source when rows were last drawn
	same    bool   // it still has that version
}

// litRow is how a row was last drawn: the content of its cells, and which of them are
// lit, as one bit for each place in the layout.
type litRow struct {
	sums       []uint64
	now, older uint64
}

// Light lights the cells that the next View draws differently from the last, until two
// calls of Dim. A row is lit as a whole where isNew says that its id is new; isNew may be
// nil.
func (g *Grid) Light(isNew func(id string) bool) {
	g.lights.wanted, g.lights.isNew, g.dirty = true, isNew, true
}

// Dim turns off cells that have been lit for a while, and reports whether others are
// still lit.
func (g *Grid) Dim() bool {
	if !g.lights.any {
		return false
	}
	g.lights.any = false
	for _, r := range g.lights.rows {
		g.dirty = g.dirty || r.older != 0
		r.older, r.now = r.now, 0
		g.lights.any = g.lights.any || r.older != 0
	}
	return g.lights.any
}

// begin prepares to draw the rows.
func (l *lights) begin(layout []placed, version uint64) {
	l.same, l.version = l.version == version, version
	if !slices.Equal(l.layout, layout) {
		l.layout, l.rows, l.wanted = append(l.layout[:0], layout...), nil, false
	}
	if l.rows == nil {
		l.seed, l.rows, l.spare = maphash.MakeSeed(), map[string]*litRow{}, map[string]*litRow{}
	}
	l.before, l.rows = l.rows, l.spare
}

// row returns the state of a row that is being drawn.
func (l *lights) row(id string) *litRow {
	r := l.before[id]
	if r == nil {
		r = &litRow{sums: make([]uint64, 0, len(l.layout))}
		if l.wanted && l.isNew != nil && l.isNew(id) {
			r.now, l.any = ^uint64(0), true
		}
	}
	l.rows[id] = r
	return r
}

// cell notes what the cell at a place in the layout was drawn as, and reports whether it
// is lit.
func (l *lights) cell(r *litRow, place int, drawn []byte) bool {
	if l.same && !l.wanted && place < len(r.sums) {
		return (r.now|r.older)&(1<<place) != 0 // it is unchanged
	}
	sum := l.sum(drawn)
	if place == len(r.sums) {
		r.sums = append(r.sums, sum)
	}
	if l.wanted && r.sums[place] != sum {
		r.now |= 1 << place
		l.any = true
	}
	r.sums[place] = sum
	return (r.now|r.older)&(1<<place) != 0
}

// end notes that all rows are drawn.
func (l *lights) end() {
	clear(l.before)
	l.wanted, l.isNew, l.spare, l.before = false, nil, l.before, nil
}

// sum returns a hash of a drawn text, without its colours.
func (l *lights) sum(drawn []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	for len(drawn) > 0 {
		esc := bytes.IndexByte(drawn, '\x1b')
		if esc < 0 {
			_, _ = h.Write(drawn) // never fails
			break
		}
		_, _ = h.Write(drawn[:esc])
		end := bytes.IndexByte(drawn[esc:], 'm')
		if end < 0 {
			break
		}
		drawn = drawn[esc+end+1:]
	}
	return h.Sum64()
}
