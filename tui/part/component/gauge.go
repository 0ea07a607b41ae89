package component

import (
	"math"

	"github.com/placetop/placetop/themes"
)

// Load is how much of something is in use, in units of that thing. Loads of
// several providers may be added up.
type Load struct {
	// Total is the physical amount and Reserved what of it is withheld.
	Total, Reserved int64
	// Capacity is how much may be used: (Total - Reserved) times the ratio. It
	// may be below zero where Total has shrunk under Reserved.
	Capacity int64
	Used     int64
	// Held is what of Used moves hold, until they are confirmed or reverted.
	Held int64
	// Token is the colour of the used part, such as that of the only owner; Blank is that
	// of bars.
	Token themes.Token
}

// Add returns the two loads together, in the colour of both if they have the same.
func (a Load) Add(b Load) Load {
	token := a.Token
	switch {
	case a == Load{}:
		token = b.Token
	case b != Load{} && b.Token != token:
		token = themes.Blank
	}
	return Load{
		Token: token,
		Total: a.Total + b.Total, Reserved: a.Reserved + b.Reserved,
		Capacity: a.Capacity + b.Capacity, Used: a.Used + b.Used, Held: a.Held + b.Held,
	}
}

// Over reports whether more is used than the capacity.
func (a Load) Over() bool { return a.Used > max(a.Capacity, 0) }

// Free returns how much more may be used; it is below zero when over.
func (a Load) Free() int64 { return a.Capacity - a.Used }

// Percent returns how much of the capacity is used, rounded down, so that 100
// means full.
func (a Load) Percent() int {
	if a.Capacity <= 0 {
		if a.Used > 0 {
			return 100
		}
		return 0
	}
	return int(float64(a.Used) / float64(a.Capacity) * 100)
}

// highPercent is from which usage a bar counts as nearly full.
const highPercent = 90

// bar is how a load is divided into cells.
type bar struct {
	eighths  int // eighths of a cell that are used
	cells    int // for the capacity
	withheld int // cells for what is reserved or withheld
	physical int // the cell that shows the physical end, or -1
	over     bool
}

// layout divides w cells for a load.
//
// The axis is the capacity and what is withheld of the total; the withheld end
// gets at least one cell. Any use shows, and the capacity's last eighth stays
// free until all of it is used.
func layout(a Load, w int) bar {
	b := bar{cells: w, physical: -1}
	if w <= 0 {
		return bar{physical: -1}
	}
	capacity := max(a.Capacity, 0)
	if a.Used > capacity {
		b.over = true
		b.eighths = 8 * w
		return b
	}
	withheld := a.Reserved
	if a.Capacity <= a.Total {
		withheld = a.Total - capacity
	}
	if withheld > 0 {
		if capacity == 0 {
			b.withheld = w
		} else {
			// Halves go to the capacity, which is the part that people read.
			part := float64(w) * float64(withheld) / (float64(capacity) + float64(withheld))
			b.withheld = min(max(int(math.Ceil(part-0.5)), 1), w-1)
		}
		b.cells = w - b.withheld
	}
	if capacity == 0 {
		return b
	}
	full := 8 * b.cells
	switch {
	case a.Used >= capacity:
		b.eighths = full
	case a.Used > 0 && full > 0:
		// Halves go to the free part: a bar does not show more use than there is.
		b.eighths = int(math.Ceil(float64(full)*float64(a.Used)/float64(capacity) - 0.5))
		b.eighths = min(max(b.eighths, 1), full-1)
	}
	if phys := a.Total - a.Reserved; phys > 0 && phys < capacity && b.cells >= 3 {
		at := int(float64(b.cells) * float64(phys) / float64(capacity))
		// Not in the first or last cell, which show whether anything is used, and whether
		// there is room.
		b.physical = min(max(at, 1), b.cells-2)
	}
	return b
}

// Bar draws a on the next w cells of l:
//
//	███▒|█▍░░░░░░░░░░░░/
//
// used, the last of it by moves, physical end, over-committed use, free, reserved. What both
// owners claim is hatched.
func Bar(l *Line, w int, a Load) *Line {
	g, steps := &l.st.Glyphs, l.st.Glyphs.Bar
	used := a.Token
	switch {
	case used == themes.OwnerBoth:
		used, steps[8] = themes.BarOver, g.Both
		for e := 1; e < 8; e++ { // there is no part of a hatched cell
			steps[e] = steps[e/4*8]
		}
	case used == themes.Blank && a.Percent() >= highPercent:
		used = themes.BarHigh
	case used == themes.Blank:
		used = themes.BarUsed
	}
	w = min(w, l.Left())
	b := layout(a, w)
	if b.over {
		l.Glyphs(themes.BarOver, steps[8], w-1)
		return l.Glyphs(themes.BarOver, g.Over, 1)
	}
	held := b.eighths/8 - heldCells(a, b) // the first cell held by moves
	// run draws the used part from one cell up to another.
	run := func(from, to int, t themes.Token) {
		full := b.eighths / 8
		if n := min(full, to, held) - from; n > 0 {
			l.Glyphs(t, steps[8], n)
			from += n
		}
		if n := min(full, to) - from; n > 0 {
			l.Glyphs(t, g.Held, n)
			from += n
		}
		if e := b.eighths % 8; e > 0 && from == full && from < to {
			if glyph := steps[max(e, firstEighth(steps, full))]; glyph != steps[0] {
				l.Glyphs(t, glyph, 1)
				from++
			}
		}
		l.Glyphs(themes.BarFree, g.Bar[0], to-from)
	}
	if b.physical < 0 {
		run(0, b.cells, used)
	} else {
		run(0, b.physical, used)
		l.Glyphs(themes.BarPhysical, g.Physical, 1)
		run(b.physical+1, b.cells, themes.BarCommit)
	}
	return l.Glyphs(themes.BarReserved, g.Reserved, b.withheld)
}

// heldCells returns how many of the full cells stand for what moves hold: at least one,
// if there is one.
func heldCells(a Load, b bar) int {
	if a.Held <= 0 || a.Used <= 0 {
		return 0
	}
	full := b.eighths / 8
	return min(max(int(float64(full)*float64(a.Held)/float64(a.Used)+0.5), 1), full)
}

// firstEighth returns the least number of eighths to draw after full whole cells: a set
// without fine steps must show even the first eighth of a bar as something, and otherwise
// rounds it to its own steps.
func firstEighth(steps [9]string, full int) int {
	if full > 0 {
		return 1
	}
	for e := 1; e < 8; e++ {
		if steps[e] != steps[0] {
			return e
		}
	}
	return 8
}
