package terminal

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// pen is where a terminal writes next, and in which look. The look is kept from one run
// to the next, and reset at the end of the frame.
type pen struct {
	d      *differ
	dst    []byte
	row    int // -1 if unknown
	column int // -1 if unknown: beyond the last column terminals differ
	look   lookID
}

// run writes a run.
func (p *pen) run(r *stretch) {
	p.to(r.y, r.x)
	switch r.kind {
	case eraseStretch:
		p.plain(r.look)
	case restStretch:
		p.rest(r.rest, r.x)
		return
	case blankStretch:
		p.plain(r.look)
		p.cells(p.d.next(r.y), r.x, r.end)
	case textStretch:
		p.wear(r.look)
		p.cells(p.d.next(r.y), r.x, r.end)
	}
	if r.erase || r.kind == eraseStretch {
		p.dst = append(p.dst, seqEraseLine...)
	}
}

// plain switches to a look in which blank cells look so, unless the current one already
// is.
func (p *pen) plain(blank lookID) {
	if p.d.looks.blank[p.look] != blank {
		p.wear(blank)
	}
}

// wear switches to a look.
func (p *pen) wear(l lookID) {
	p.dst = appendLook(p.dst, p.d.looks.list[p.look], p.d.looks.list[l])
	p.look = l
}

// cells writes the cells of a row up to a column, in the current look. Only repeated
// blanks are abbreviated. Repeating other characters (REP) would save about 5 % of the
// bytes at 80x24, but terminals that have it, including tmux, get it wrong beyond ASCII.
func (p *pen) cells(r *row, from, to int) {
	for x := from; x < to; {
		c := r.at(x).char
		n := 1
		for x+n < to && r.at(x+n).char == c {
			n++
		}
		x += n
		if c == ' ' && n > clearCost(n, x < to) && !p.d.vt100 && p.d.looks.blank[p.look] == 0 {
			p.dst = append(p.dst, "\x1b["...)
			p.dst = strconv.AppendInt(p.dst, int64(n), 10)
			p.dst = append(p.dst, 'X')
			if x < to {
				p.step(n, 'C')
			} else {
				p.column -= n // it stays where it is
			}
		} else {
			for range n {
				p.dst = utf8.AppendRune(p.dst, c)
			}
		}
		p.column += n
	}
	p.edge()
}

// clearCost returns how many bytes it takes to clear n cells, and to go over them if more
// follows.
func clearCost(n int, more bool) int {
	cost := len("\x1b[1X")
	if n > 9 {
		cost++
	}
	if more {
		cost *= 2
	}
	return cost
}

// edge forgets the column if it is beyond the last one.
func (p *pen) edge() {
	if p.column >= p.d.width {
		p.column = -1
	}
}

// rest writes all of a row from column x on, over blanks. Terminals disagree on how wide
// some characters are. So after those, what follows a gap, or is part of a frame, is put
// into its column, and the blanks before it are left as they are: of a name that a terminal
// draws wider nothing is overwritten there.
func (p *pen) rest(r *row, x int) {
	p.plain(0)
	p.dst = append(p.dst, seqEraseLine...)
	for ; x < len(r.cells); x++ {
		p.wear(r.cells[x].look)
		p.dst = utf8.AppendRune(p.dst, r.cells[x].char)
	}
	p.wear(r.look)
	y, look, known := p.row, r.look, true
	sure, gap := true, 0 // whether the column is x, and how many blanks are before it
	skipped := false     // whether these are not written
	for rest := r.rest; rest != ""; {
		if n := sgrLen(rest); n > 0 {
			next, ok := p.d.looks.with(look, rest[2:n-1])
			look, known = next, known && ok
			p.dst = append(p.dst, rest[:n]...)
			rest = rest[n:]
			continue
		}
		cluster, w := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		char, n := narrow(rest)
		if blanks := len(rest) - len(strings.TrimLeft(rest, " ")); blanks > 1 && !sure && known && p.d.looks.blank[look] == 0 {
			rest, x, skipped = rest[blanks:], x+blanks, true
			continue
		}
		frame := n == len(cluster) && char >= 0x2500
		if skipped || !sure && cluster != " " && (gap > 1 || frame) {
			p.name(y, x)
			sure, skipped = true, false
		}
		if gap++; cluster != " " {
			gap, sure = 0, sure && n == len(cluster)
		}
		n = max(len(cluster), 1)
		p.dst = append(p.dst, rest[:n]...)
		rest, x = rest[n:], x+w
	}
	if strings.IndexByte(r.rest, esc) >= 0 {
		p.dst = append(p.dst, seqReset...)
		p.look = 0
	}
	p.row, p.column = -1, -1
}

// to goes to a place by the shortest way: relative to the current place, from the start
// of its row or one below, or by absolute position.
func (p *pen) to(y, x int) {
	if y == p.row && x == p.column {
		return
	}
	start := len(p.dst)
	p.name(y, x)
	named := len(p.dst) - start
	if p.row >= 0 && y >= p.row && y-p.row < named {
		p.walk(y-p.row, x)
		if len(p.dst)-start-named < named {
			p.dst = append(p.dst[:start], p.dst[start+named:]...)
		} else {
			p.dst = p.dst[:start+named]
		}
	}
	p.row, p.column = y, x
}

// name goes to a place by its absolute position.
func (p *pen) name(y, x int) {
	p.dst = append(p.dst, "\x1b["...)
	if y > 0 {
		p.dst = strconv.AppendInt(p.dst, int64(y+1), 10)
	}
	if x > 0 {
		p.dst = append(p.dst, ';')
		p.dst = strconv.AppendInt(p.dst, int64(x+1), 10)
	}
	p.dst = append(p.dst, 'H')
}

// walk goes down some rows, without a line feed on the last row, and to column x.
func (p *pen) walk(down, x int) {
	for range down {
		p.dst = append(p.dst, '\n')
	}
	switch back := p.column - x; {
	case p.column < 0, back > x && back > len("\x1b[10D"), x == 0 && back > 1:
		p.dst = append(p.dst, '\r')
		p.step(x, 'C')
	case back < 0:
		p.step(-back, 'C')
	case back <= len("\x1b[4D"):
		for range back {
			p.dst = append(p.dst, '\b')
		}
	default:
		p.step(back, 'D')
	}
}

// step writes a movement by n, nothing for 0.
func (p *pen) step(n int, final byte) {
	if n == 0 {
		return
	}
	p.dst = append(p.dst, "\x1b["...)
	if n > 1 {
		p.dst = strconv.AppendInt(p.dst, int64(n), 10)
	}
	p.dst = append(p.dst, final)
}
