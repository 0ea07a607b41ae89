package terminal

import "slices"

// stretch is a part of a row that is written in one look.
type stretch struct {
	y, x, end int
	look      lookID
	kind      stretchKind
	erase     bool // the row is blank from its end on
	rest      *row // the row to write from x on
	group     int
}

type stretchKind uint8

const (
	textStretch  stretchKind = iota // characters, with blanks between them
	blankStretch                    // only blanks, in any look that does not show on them
	eraseStretch                    // no cells; the row is blank from x on
	restStretch                     // all of a row from x on, in its own looks
)

const (
	// mostBridged is the most unchanged cells that are rewritten, because that is no
	// longer than going around them.
	mostBridged = 4
)

// row appends the runs that turn the old row at y into the new one.
func (d *differ) row(y int, old, now *row) {
	sure := d.width // up to where cells are known
	if old.rest != "" {
		sure = len(old.cells)
	}
	if now.rest != "" {
		sure = min(sure, len(now.cells))
	}
	blanks := d.width // from where the row is blank
	if now.rest == "" {
		for blanks = len(now.cells); blanks > 0 && now.cells[blanks-1] == blankCell; blanks-- {
		}
	}
	first := len(d.runs)
	for x := 0; x < sure; x++ {
		c := now.at(x)
		if old.at(x) == c {
			continue
		}
		if x >= blanks && d.width-x > len(seqEraseLine) {
			d.erase(first, y, x, blanks)
			return // the rest is blank
		}
		d.cell(first, y, x, c, now)
	}
	if sure < d.width && !sameFrom(old, now, sure) {
		look := now.look
		if sure < len(now.cells) {
			look = now.cells[sure].look
		}
		d.runs = append(d.runs, stretch{y: y, x: sure, end: sure, look: look, kind: restStretch, rest: now})
	}
}

// cell adds a cell to the last run of the row, whose runs begin with first, or starts
// another.
func (d *differ) cell(first, y, x int, c cell, now *row) {
	if len(d.runs) > first {
		last := &d.runs[len(d.runs)-1]
		if x-last.end <= mostBridged && d.bridges(last, now.cells, x) && d.takes(last, c) {
			last.end = x + 1
			return
		}
	}
	r := stretch{y: y, x: x, end: x + 1, look: c.look}
	if c.char == ' ' {
		r.kind = blankStretch
	}
	d.runs = append(d.runs, r)
}

// bridges reports whether the cells between a run and column x can be written in the look
// of the run, with one byte each.
func (d *differ) bridges(last *stretch, cells []cell, x int) bool {
	for i := last.end; i < x; i++ {
		c := blankCell
		if i < len(cells) {
			c = cells[i]
		}
		if c.char >= 0x80 || !d.wears(last, c) {
			return false
		}
	}
	return true
}

// wears reports whether a cell looks right in the look of a run.
func (d *differ) wears(r *stretch, c cell) bool {
	if c.char == ' ' {
		return d.looks.blank[r.look] == c.look
	}
	return r.kind == textStretch && r.look == c.look
}

// takes reports whether a run can take a cell. A run of only blanks takes the look of the
// first character, if that does not show on them.
func (d *differ) takes(r *stretch, c cell) bool {
	if r.kind == blankStretch && c.char != ' ' && d.looks.blank[c.look] == r.look {
		r.kind, r.look = textStretch, c.look
		return true
	}
	return d.wears(r, c)
}

// erase clears the row from column x on, if it is blank from blanks on: with the run
// before, if that reaches so far and its look does not show.
func (d *differ) erase(first, y, x, blanks int) {
	if len(d.runs) > first {
		last := &d.runs[len(d.runs)-1]
		if last.end >= blanks && last.end <= x && d.looks.blank[last.look] == 0 {
			last.erase = true
			return
		}
	}
	d.runs = append(d.runs, stretch{y: y, x: x, end: x, kind: eraseStretch})
}

// sameFrom reports whether two rows are equal from column x on.
func sameFrom(a, b *row, x int) bool {
	return a.rest == b.rest && a.look == b.look && a.width == b.width &&
		slices.Equal(a.cells[min(x, len(a.cells)):], b.cells[min(x, len(b.cells)):])
}

// group is the runs of one look.
type group struct {
	look lookID
	done bool // it is in the order already
}

// byLook returns an order of the runs by look, in which each look follows the one from
// which the change is shortest.
func (d *differ) byLook() []int {
	d.groups = d.groups[:0]
	for i := range d.runs {
		if r := &d.runs[i]; r.kind == textStretch || r.kind == restStretch {
			r.group = d.group(r.look)
		}
	}
	for i := range d.runs {
		if r := &d.runs[i]; r.kind == blankStretch || r.kind == eraseStretch {
			r.group = d.groupOn(r.look)
		}
	}
	d.order = d.order[:0]
	var worn lookID
	for range d.groups {
		n := d.nearest(worn)
		d.groups[n].done, worn = true, d.groups[n].look
		for i := range d.runs {
			if d.runs[i].group == n {
				d.order = append(d.order, i)
			}
		}
	}
	return d.order
}

// group returns the group of a look, and makes it if there is none.
func (d *differ) group(of lookID) int {
	for i := range d.groups {
		if d.groups[i].look == of {
			return i
		}
	}
	d.groups = append(d.groups, group{look: of})
	return len(d.groups) - 1
}

// groupOn returns the first group whose look is the same as this one on blank cells.
func (d *differ) groupOn(blank lookID) int {
	for i := range d.groups {
		if d.looks.blank[d.groups[i].look] == blank {
			return i
		}
	}
	return d.group(blank)
}

// nearest returns the group outside the order with the shortest change.
func (d *differ) nearest(worn lookID) int {
	best, least := -1, 0
	for i, g := range d.groups {
		if g.done {
			continue
		}
		d.scratch = appendLook(d.scratch[:0], d.looks.list[worn], d.looks.list[g.look])
		if n := len(d.scratch); best < 0 || n < least {
			best, least = i, n
		}
	}
	return best
}
