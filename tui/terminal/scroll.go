package terminal

import "strconv"

const (
	// mostScrolled is the most rows that a list is scrolled by: a step, or one of the
	// mouse wheel. After a page few rows remain.
	mostScrolled = 3

	// leastMoved is how many cells a scroll must get right to be tried.
	leastMoved = 32

	// leastRows is how many rows must differ to look for a scroll.
	leastRows = 4

	seqScrollAll = "\x1b[r"
)

// scroll moves the rows from top to before bottom up by some rows, or down if by is
// negative. The zero value moves nothing.
type scroll struct{ top, bottom, by int }

// emptyRow is the row that scrolling inserts.
var emptyRow row //nolint:gochecknoglobals // a constant

// old returns the row at y after scrolling.
func (s scroll) old(shown []row, y int) *row {
	if s.by == 0 || y < s.top || y >= s.bottom {
		return &shown[y]
	}
	if from := y + s.by; from >= s.top && from < s.bottom {
		return &shown[from]
	}
	return &emptyRow
}

// append appends what scrolls, starting from the default look: margins and a line feed at
// the lower one, or a reverse one at the upper, which a VT100 and every later terminal
// understand.
func (s scroll) append(dst []byte) []byte {
	if s.by == 0 {
		return dst
	}
	dst = append(dst, "\x1b["...)
	dst = strconv.AppendInt(dst, int64(s.top+1), 10)
	dst = append(dst, ';')
	dst = strconv.AppendInt(dst, int64(s.bottom), 10)
	dst = append(dst, "r\x1b["...)
	at, step := s.bottom, "\n"
	if s.by < 0 {
		at, step = s.top+1, "\x1bM"
	}
	dst = strconv.AppendInt(dst, int64(at), 10)
	dst = append(dst, 'H')
	for range max(s.by, -s.by) {
		dst = append(dst, step...)
	}
	return append(dst, seqScrollAll...)
}

// scrolled looks for rows that have moved together, when changed rows differ. It returns
// the scroll after which the most cells are right, or none.
func (d *differ) scrolled(changed int) scroll {
	var best scroll
	if changed < leastRows {
		return best
	}
	d.stay = d.stay[:0]
	for y := range d.height {
		n := 0
		if !d.same[y] {
			n = d.distance(&d.shown[y], &d.fresh[y])
		}
		d.stay = append(d.stay, n)
	}
	most := leastMoved
	for by := -mostScrolled; by <= mostScrolled; by++ {
		if by == 0 {
			continue
		}
		if s, gain := d.moved(by); gain > most {
			best, most = s, gain
		}
	}
	return best
}

// moved returns the rows for which a scroll by so many gets the most additional cells
// right, and their number.
func (d *differ) moved(by int) (scroll, int) {
	var best scroll
	most, gain, top := 0, 0, max(0, -by)
	for y := max(0, -by); y < d.height && y+by < d.height; y++ {
		if gain <= 0 {
			gain, top = 0, y
		}
		// What is worse for single rows may still pay off over all of them.
		gain += d.stay[y] - d.distance(&d.shown[y+by], d.next(y))
		if gain > most {
			best, most = scroll{top: min(top, top+by), bottom: max(y+1, y+1+by), by: by}, gain
		}
	}
	return best, most
}

// distance returns how many cells differ between two rows.
func (d *differ) distance(a, b *row) int {
	if a == b || a.line == b.line {
		return 0
	}
	n := 0
	for x := range max(len(a.cells), len(b.cells)) {
		if a.at(x) != b.at(x) {
			n++
		}
	}
	if a.rest != b.rest {
		n += max(a.width-len(a.cells), b.width-len(b.cells))
	}
	return n
}
