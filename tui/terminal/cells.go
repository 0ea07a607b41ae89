package terminal

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// cell is one character that takes one cell, with its look.
type cell struct {
	char rune
	look lookID
}

// blankCell is an empty cell.
var blankCell = cell{char: ' '} //nolint:gochecknoglobals // a constant

// row is a line of a frame, split into cells as far as all terminals agree on what takes
// one cell. The rest is kept as text, to be written as a whole.
type row struct {
	line  string // the line it was made from
	cells []cell
	rest  string // from the first character that may be wider, or join the one before
	look  lookID // in force at the start of rest
	width int    // width of all, in cells
}

// at returns the cell at column x; beyond the last one all is blank.
func (r *row) at(x int) cell {
	if x < len(r.cells) {
		return r.cells[x]
	}
	return blankCell
}

// parse splits a line into cells, using buf. What is beyond width is cut off.
func (l *looks) parse(line string, width int, buf []cell) row {
	r := row{line: line, cells: buf[:0]}
	var now, before lookID
	last := 0 // where the last cell begins; before is the look in force there
	i := 0
	for i < len(line) && len(r.cells) < width {
		if line[i] == esc {
			n := sgrLen(line[i:])
			if n == 0 {
				break
			}
			next, ok := l.with(now, line[i+2:i+n-1])
			if !ok {
				break
			}
			now = next
			i += n
			continue
		}
		char, n := narrow(line[i:])
		if n == 0 {
			break
		}
		c := cell{char: char, look: now}
		if char == ' ' {
			c.look = l.blank[now]
		}
		r.cells = append(r.cells, c)
		last, before, i = i, now, i+n
	}
	r.width = len(r.cells)
	switch {
	case i == len(line) || onlyStyles(line[i:]):
		return r
	case len(r.cells) > 0 && !startsCell(line[i:]):
		// The uncertain character may join the one before it.
		r.look = before
		r.cells = r.cells[:len(r.cells)-1]
		i = last
	default:
		r.look = now
	}
	r.rest = line[i:]
	if len(r.cells)+ansi.StringWidth(r.rest) > width {
		r.rest = ansi.Truncate(r.rest, width-len(r.cells), "")
	}
	r.width = len(r.cells) + ansi.StringWidth(r.rest)
	return r
}

// onlyStyles reports whether s contains only style sequences.
func onlyStyles(s string) bool {
	for s != "" {
		n := sgrLen(s)
		if n == 0 {
			return false
		}
		s = s[n:]
	}
	return true
}

// startsCell reports whether s starts a new cell: nothing in it joins the character
// before.
func startsCell(s string) bool {
	if s == "" {
		return true
	}
	_, n := narrow(s)
	return n > 0
}

// sgrLen returns the length of the style sequence at the start of s, or 0.
func sgrLen(s string) int {
	if len(s) < 3 || s[0] != esc || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}

// narrow returns the first character of s and its length if it takes one cell on every
// terminal that is set up for these glyphs, else a length of 0.
func narrow(s string) (rune, int) {
	c := s[0]
	if c < utf8.RuneSelf {
		if c >= ' ' && c != 0x7f {
			return rune(c), 1
		}
		return 0, 0
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r >= 0xa1 && r < 0x300 && r != 0xad, // Latin
		r >= 0x2010 && r <= 0x2027,                               // dashes, bullet, ellipsis
		r >= 0x2190 && r <= 0x2193,                               // arrows
		r >= 0x2500 && r <= 0x25ff && r != 0x25fd && r != 0x25fe, // lines, blocks, shapes
		r >= 0x2800 && r <= 0x28ff,                               // braille
		r == 0x2297, r == 0x22ee, r == 0x2713, r == 0x2717, r == 0x2b21, r == 0x2b22:
		return r, size
	default:
		return 0, 0
	}
}
