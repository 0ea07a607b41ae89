package component

import "slices"

// fit is the width that the rows of a grid need. Columns are laid out by their minimum
// and their share until a cell is cut; from then on room goes first where it makes most
// cells whole.
type fit struct {
	of    []need // by column
	asked bool
}

// need is the width that the cells of a column need.
type need struct {
	widths []int // of each cell in view, and the title, sorted; nil if not yet known
	drawn  int   // the most that any took
	cut    bool  // one was cut
}

// most returns the width that the widest cell needs.
func (n *need) most() int {
	if len(n.widths) == 0 {
		return 0
	}
	return n.widths[len(n.widths)-1]
}

// mostNeed is the largest width of a cell that is measured. A cell that is not cut and
// takes all of that takes whatever there is, as a bar does.
const mostNeed = 200

// took notes the width that a cell took.
func (f *fit) took(l *Line, col int) {
	n := &f.of[col]
	n.drawn = max(n.drawn, l.pos-l.cellStart)
	n.cut = n.cut || l.cut || l.inner
}

// lay lays the columns out for rows not seen before, up to last.
func (g *Grid) lay(last, w int) {
	g.fit = fit{of: make([]need, len(g.cols))}
	g.place(w)
	if g.pan > 0 {
		return
	}
	probe := g.scratch()
	for _, p := range g.layout {
		for i := g.top; i < last; i++ {
			g.src.Cell(probe.Reset(p.width), i, p.col)
			g.fit.took(probe, p.col)
		}
	}
	g.refit(last, w)
}

// refit measures the rows in view if a cell was cut that seemed to have enough room, and
// reports whether the widths of columns changed.
func (g *Grid) refit(last, w int) bool {
	f := &g.fit
	if g.pan > 0 || !slices.ContainsFunc(g.layout, func(p placed) bool { return f.of[p.col].cut && f.of[p.col].most() <= p.width }) {
		return false
	}
	probe := g.scratch()
	for at, p := range g.layout {
		n := &f.of[p.col]
		n.widths = append(n.widths[:0], n.most(), g.titleWidth(p.col))
		for i := g.top; i < last; i++ {
			g.src.Cell(probe.Reset(mostNeed), i, p.col)
			width := probe.pos
			switch {
			case n.cut:
			case width == mostNeed:
				width = g.cols[p.col].Min
			default: // a cell that takes less than it could is content
				width = min(width, n.drawn)
			}
			if least := max(g.cols[p.col].Min, 1); width > least {
				if _, more := g.runsOver(i, at); width <= least+more {
					width = least // it has the room of the columns after it
				}
			}
			n.widths = append(n.widths, width)
		}
		slices.Sort(n.widths)
		n.drawn, n.cut = 0, false
	}
	f.asked = true
	before := slices.Clone(g.layout)
	g.place(w)
	return !slices.Equal(before, g.layout)
}

// Least returns the least width in cells at which the grid shows all columns that it
// shows at w.
func (g *Grid) Least(w int) int {
	least := g.gutter() - columnGap
	for _, p := range g.keep(w) {
		least += p.width + columnGap
	}
	return least
}

// Wants returns the width in cells at which no cell in sight would be cut, 0 if none
// is.
func (g *Grid) Wants() int {
	if !g.fit.asked {
		return 0
	}
	w := g.gutter() - columnGap
	for _, p := range g.layout {
		w += max(p.width, g.fit.of[p.col].most()) + columnGap
	}
	return w
}

// Cuts reports whether a cell that was in sight at the last View is cut there, and does not
// continue below its row.
func (g *Grid) Cuts() bool { return g.cuts }

// titleWidth returns the width that the title of a column needs.
func (g *Grid) titleWidth(col int) int {
	w := Width(g.st, g.cols[col].Title)
	if col == g.sortCol {
		w += 2
	}
	return w
}

// start returns the width of a column before room is shared out.
func (g *Grid) start(col int) int {
	least := max(g.cols[col].Min, 1)
	if g.fit.asked && !g.cols[col].Keep {
		return min(least, g.fit.of[col].most())
	}
	return least
}

// leastLending is the least width of a column that gives up room, in cells: a uuid or an age
// needs what it has.
const leastLending = 12

// borrow takes room from the columns that are cut anyway, for what tells rows apart: at most
// a quarter of what each has. It returns how much, not more than need.
func (g *Grid) borrow(need int) (got int) {
	for i, p := range g.layout {
		if c := g.cols[p.col]; need > got && c.Flex > 0 && !c.Whole && p.width >= leastLending && g.fit.of[p.col].most() > p.width {
			less := min(p.width/4, need-got)
			g.layout[i].width -= less
			got += less
		}
	}
	return got
}

// fill gives columns the width that they need while there is room to spare: step by step
// what makes most cells whole for each cell of width, counting those of a column that may
// grow more as often. It returns the rest.
func (g *Grid) fill(spare int) int {
	if !g.fit.asked {
		return spare
	}
	for i, p := range g.layout {
		if g.cols[p.col].Whole {
			need := max(g.fit.of[p.col].most()-p.width, 0)
			lent := g.borrow(need - spare)
			add := max(min(need, spare+lent), min(1-p.width, 0))
			g.layout[i].width += add
			spare += lent - add
		}
	}
	for spare > 0 {
		at, cost, best := -1, 0, 0.0
		for i, p := range g.layout {
			widths := g.fit.of[p.col].widths
			from, _ := slices.BinarySearch(widths, p.width+1)
			counts := float64(max(g.cols[p.col].Flex, 1))
			for k := from; k < len(widths) && widths[k]-p.width <= spare; k++ {
				if gain := counts * float64(k+1-from) / float64(widths[k]-p.width); gain > best {
					at, cost, best = i, widths[k]-p.width, gain
				}
			}
		}
		if at < 0 {
			break
		}
		g.layout[at].width += cost
		spare -= cost
	}
	for i, p := range g.layout { // the rest makes no cell whole, but shows more of one
		add := max(min(max(g.fit.of[p.col].most()-p.width, 0), spare), min(1-p.width, 0))
		g.layout[i].width += add
		spare -= add
	}
	return spare
}
