package terminal

import (
	"slices"
	"strings"
)

const (
	seqReset     = "\x1b[m"
	seqClear     = "\x1b[2J"
	seqEraseLine = "\x1b[K"
	seqSyncOn    = "\x1b[?2026h"
	seqSyncOff   = "\x1b[?2026l"
)

// differ writes the difference between what a terminal shows and the next frame. It
// remembers what is on the terminal, and reuses its memory; the zero value is ready, and
// draws all of its first frame.
type differ struct {
	// vt100 is as in ScreenOptions.
	vt100 bool

	looks         looks
	width, height int
	shown         []row // what is on the terminal
	fresh         []row // the changed rows of the next frame
	same          []bool
	lines         []string
	runs          []stretch
	order         []int
	groups        []group
	stay          []int // how many cells of each row differ without scrolling
	tries         [2][]byte
	scratch       []byte
}

// append appends to dst what makes the terminal show text, the lines of a frame that each
// begin in the default style. Lines beyond the height are left out, missing ones are empty.
// If all is set, or the size has changed, it redraws everything. It appends nothing if
// nothing differs.
func (d *differ) append(dst []byte, text string, width, height int, all bool) []byte {
	if all || width != d.width || height != d.height || len(d.looks.list) == 0 || len(d.looks.list) > mostLooks {
		d.clear(width, height)
		dst = append(dst, seqReset...)
		dst = append(dst, seqClear...)
	}
	d.cut(text)
	changed := 0
	for y, line := range d.lines {
		if d.same[y] = line == d.shown[y].line; !d.same[y] {
			d.fresh[y] = d.looks.parse(line, width, d.fresh[y].cells)
			changed++
		}
	}
	if changed == 0 {
		return dst
	}
	best := d.draw(d.tries[0][:0], scroll{})
	d.tries[0] = best
	if s := d.scrolled(changed); s.by != 0 {
		d.tries[1] = d.draw(d.tries[1][:0], s)
		if len(d.tries[1]) < len(best) {
			best = d.tries[1]
		}
	}
	for y := range d.shown {
		if !d.same[y] {
			d.shown[y], d.fresh[y] = d.fresh[y], d.shown[y]
		}
	}
	return append(dst, best...)
}

// clear starts again with an empty screen.
func (d *differ) clear(width, height int) {
	d.looks.reset()
	d.width, d.height = width, height
	d.shown, d.fresh = make([]row, height), make([]row, height)
	d.same = make([]bool, height)
}

// cut splits text into as many lines as there are rows.
func (d *differ) cut(text string) {
	lines, more := d.lines[:0], true
	for more && len(lines) < d.height {
		var line string
		line, text, more = strings.Cut(text, "\n")
		lines = append(lines, line)
	}
	for len(lines) < d.height {
		lines = append(lines, "")
	}
	d.lines = lines
}

// next returns a row of the next frame.
func (d *differ) next(y int) *row {
	if d.same[y] {
		return &d.shown[y]
	}
	return &d.fresh[y]
}

// draw appends what turns one frame into the other, after rows were scrolled: in screen
// order, or look by look, whichever is shorter. If colours have long sequences it is
// shorter to go over the screen once for each.
func (d *differ) draw(dst []byte, s scroll) []byte {
	d.runs = d.runs[:0]
	for y := range d.height {
		if now, old := d.next(y), s.old(d.shown, y); now != old && now.line != old.line {
			d.row(y, old, now)
		}
	}
	dst = s.append(dst)
	start := len(dst)
	dst = d.write(dst, nil)
	inOrder := len(dst) - start
	dst = d.write(dst, d.byLook())
	if len(dst)-start-inOrder < inOrder {
		return slices.Delete(dst, start, start+inOrder)
	}
	return dst[:start+inOrder]
}

// write appends the runs in an order; nil means screen order.
func (d *differ) write(dst []byte, order []int) []byte {
	p := pen{dst: dst, d: d, row: -1, column: -1}
	for i := range d.runs {
		if order != nil {
			i = order[i]
		}
		p.run(&d.runs[i])
	}
	p.wear(0)
	return p.dst
}
