package terminal

import (
	"slices"
	"strconv"
	"strings"
)

const (
	seqReset     = "\x1b[m"
	seqClear     = "\x1b[2J"
	seqEraseLine = "\x1b[K"
	seqSyncOn    = "\x1b[?2026h"
	seqSyncOff   = "\x1b[?2026l"
)

// frame is a screen full of text: height lines of width cells. Each line starts
// in the terminal's default style, whatever the line before ended in.
type frame struct {
	text   string
	lines  []string
	width  int
	height int
}

// newFrame cuts text into lines, using buf. Lines beyond the height are left
// out, missing ones are empty.
func newFrame(text string, width, height int, buf []string) frame {
	lines := buf[:0]
	rest := text
	for more := true; more && len(lines) < height; {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		lines = append(lines, line)
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return frame{text: text, lines: lines, width: width, height: height}
}

// differ writes the difference between two frames. It keeps the memory it needs for
// that; the zero value is ready.
type differ struct {
	old, now []cell
	pen      pen
}

// pen is where a terminal writes next, and how that would look. What it wears stays
// from one line to the next, and is taken off at the end of the frame.
type pen struct {
	dst    []byte
	row    int
	column int // -1 for somewhere else
	look   look
}

// append appends to dst what turns a terminal that shows old into one that shows
// now. Where all is set, or the size differs, it draws everything anew. It appends
// nothing where nothing differs.
func (d *differ) append(dst []byte, old, now frame, all bool) []byte {
	if old.width != now.width || old.height != now.height || len(old.lines) != len(now.lines) {
		all = true
	}
	if all {
		dst = append(dst, seqReset...)
		dst = append(dst, seqClear...)
	}
	d.pen = pen{dst: dst}
	for y, line := range now.lines {
		before := ""
		if !all {
			before = old.lines[y]
		}
		if before != line {
			d.line(y, before, line, now.width)
		}
	}
	d.pen.wear(look{})
	return d.pen.dst
}

// line turns the line before, at row y, into the line now. Only the runs of cells
// that differ are written.
func (d *differ) line(y int, before, now string, width int) {
	old, r := parse(before, width, d.old), parse(now, width, d.now)
	d.old, d.now = old.cells, r.cells
	d.pen.row, d.pen.column = y, -1
	sure := width // up to where cells can be told apart
	if old.rest != "" || r.rest != "" {
		sure = width
		if old.rest != "" {
			sure = len(old.cells)
		}
		if r.rest != "" {
			sure = min(sure, len(r.cells))
		}
	}
	blanks := width // from where on the line is blank
	if r.rest == "" {
		for blanks = len(r.cells); blanks > 0 && r.cells[blanks-1] == blankCell; blanks-- {
		}
	}
	for x := 0; x < sure; x++ {
		now := r.at(x)
		if old.at(x) == now {
			continue
		}
		if x >= blanks && width-x > len(seqEraseLine) {
			if d.pen.column < blanks {
				d.pen.to(r.cells, x)
			}
			d.pen.erase()
			return // all of the rest is blank
		}
		d.pen.to(r.cells, x)
		if n := cleared(old, r, x, sure); n >= leastCleared {
			d.pen.clear(n)
			x += n - 1
			continue
		}
		d.pen.write(now)
	}
	if sure < width && !sameFrom(old, r, sure) {
		d.rest(r, sure, width)
	}
}

// leastCleared is from how many blank cells on it is shorter to say so than to write
// them, with the step over them.
const leastCleared = 10

// cleared returns how many cells from x on are blank now, up to the last one that was
// not before.
func cleared(old, now row, x, end int) int {
	n := 0
	for i := x; i < end && now.at(i) == blankCell; i++ {
		if old.at(i) != blankCell {
			n = i - x + 1
		}
	}
	return n
}

// sameFrom reports whether two lines are the same from column x on.
func sameFrom(a, b row, x int) bool {
	return a.rest == b.rest && a.look == b.look && a.width == b.width &&
		slices.Equal(a.cells[min(x, len(a.cells)):], b.cells[min(x, len(b.cells)):])
}

// rest writes all of a line from column x on.
func (d *differ) rest(r row, x, width int) {
	d.pen.to(r.cells, x)
	for ; x < len(r.cells); x++ {
		d.pen.write(r.cells[x])
	}
	d.pen.wear(r.look)
	d.pen.dst = append(d.pen.dst, r.rest...)
	if strings.IndexByte(r.rest, esc) >= 0 {
		d.pen.dst = append(d.pen.dst, seqReset...)
		d.pen.look = look{}
	}
	if r.width < width {
		d.pen.erase()
	}
}

// mostBridged is how many cells that can stand are written again at most, where that
// is shorter than going around them.
const mostBridged = 8

// to goes to column x of the row: by writing the cells between again, by a step, or
// by naming the place, whichever is the shortest.
func (p *pen) to(cells []cell, x int) {
	if p.column == x {
		return
	}
	if p.column < 0 || x < p.column {
		p.dst = append(p.dst, "\x1b["...)
		p.dst = strconv.AppendInt(p.dst, int64(p.row+1), 10)
		if x > 0 {
			p.dst = append(p.dst, ';')
			p.dst = strconv.AppendInt(p.dst, int64(x+1), 10)
		}
		p.dst = append(p.dst, 'H')
		p.column = x
		return
	}
	from, worn, start := p.column, p.look, len(p.dst)
	after := worn
	if x < len(cells) {
		after = cells[x].look
	}
	p.forward(x - from)
	around := len(appendLook(p.dst, worn, after)) - start
	if x-from > mostBridged || x > len(cells) {
		return
	}
	p.dst = p.dst[:start]
	p.column = from
	for _, c := range cells[from:x] {
		p.write(c)
	}
	if len(appendLook(p.dst, p.look, after))-start > around {
		p.dst, p.look = p.dst[:start], worn
		p.column = from
		p.forward(x - from)
	}
}

// forward goes n cells to the right.
func (p *pen) forward(n int) {
	p.dst = append(p.dst, "\x1b["...)
	if n > 1 {
		p.dst = strconv.AppendInt(p.dst, int64(n), 10)
	}
	p.dst = append(p.dst, 'C')
	p.column += n
}

// wear has what is written next look so.
func (p *pen) wear(l look) {
	p.dst = appendLook(p.dst, p.look, l)
	p.look = l
}

// write writes a cell. On a blank one that which does not show stays as it is: the
// next cell may want it.
func (p *pen) write(c cell) {
	if c.text != " " || p.look.blank() != c.look {
		p.wear(c.look)
	}
	p.dst = append(p.dst, c.text...)
	p.column++
}

// plain takes off what would show on a blank cell.
func (p *pen) plain() {
	if p.look.blank() != (look{}) {
		p.wear(look{})
	}
}

// clear makes n cells blank and stays where it is.
func (p *pen) clear(n int) {
	p.plain()
	p.dst = append(p.dst, "\x1b["...)
	p.dst = strconv.AppendInt(p.dst, int64(n), 10)
	p.dst = append(p.dst, 'X')
}

// erase makes the rest of the row blank.
func (p *pen) erase() {
	p.plain()
	p.dst = append(p.dst, seqEraseLine...)
}
