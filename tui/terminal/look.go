package terminal

import (
	"math"
	"strings"
)

// look is the style of a cell: its colours and attributes. The zero value is the
// terminal's default. Colours are the parameters that set them, as in "31" and
// "48;2;10;20;30".
type look struct {
	fg, bg string
	attrs  attrs
}

// attrs is a set of attributes: bit n is the one that parameter n of a style sequence
// sets.
type attrs uint16

const (
	attrBold      attrs = 1 << 1
	attrDim       attrs = 1 << 2
	attrUnderline attrs = 1 << 4
	attrReverse   attrs = 1 << 7
	attrStrike    attrs = 1 << 9

	// attrSeen are those that show on a blank cell.
	attrSeen = attrUnderline | attrReverse | attrStrike
)

// blank returns the part of the look that shows on blank cells.
func (l look) blank() look {
	if l.attrs&attrSeen != 0 {
		return l
	}
	return look{bg: l.bg}
}

// lookID is the number of a look in a differ; 0 is the terminal's default.
type lookID uint16

// mostLooks is the most looks to distinguish. A palette has a few dozen.
const mostLooks = 1 << 12

// looks are the looks so far, so that cells can be compared as numbers.
type looks struct {
	list  []look
	blank []lookID // the look of a blank cell in it
	ids   map[look]lookID
}

// reset forgets all looks but the default.
func (l *looks) reset() {
	l.list, l.blank = append(l.list[:0], look{}), append(l.blank[:0], 0)
	l.ids = map[look]lookID{{}: 0}
}

// id returns the number of a look.
func (l *looks) id(of look) lookID {
	id, ok := l.ids[of]
	if ok {
		return id
	}
	of.fg, of.bg = strings.Clone(of.fg), strings.Clone(of.bg) // must not share the memory of the frame
	id = lookID(len(l.list))
	l.ids[of] = id
	l.list, l.blank = append(l.list, of), append(l.blank, id)
	if blank := of.blank(); blank != of {
		l.blank[id] = l.id(blank)
	}
	return id
}

// with returns the look after a style sequence with these parameters; false if one of
// them is unknown.
func (l *looks) with(from lookID, params string) (lookID, bool) {
	next, ok := l.list[from].with(params)
	if !ok || len(l.list) > math.MaxUint16-2 {
		return from, false
	}
	return l.id(next), true
}

// with returns the look after a style sequence with these parameters; false if one of
// them is unknown.
func (l look) with(params string) (look, bool) {
	for more := true; more; {
		p := params
		var param string
		param, params, more = strings.Cut(params, ";")
		switch n := number(param); {
		case n == 0:
			l = look{}
		case n >= 1 && n <= 9 && n != 6:
			l.attrs |= 1 << n
		case n == 22:
			l.attrs &^= attrBold | attrDim
		case n >= 23 && n <= 29 && n != 26:
			l.attrs &^= 1 << (n - 20)
		case n >= 30 && n <= 37, n >= 90 && n <= 97:
			l.fg = param
		case n == 39:
			l.fg = ""
		case n >= 40 && n <= 47, n >= 100 && n <= 107:
			l.bg = param
		case n == 49:
			l.bg = ""
		case n == 38 || n == 48:
			size := colorLen(p)
			if size == 0 {
				return l, false
			}
			if n == 38 {
				l.fg = p[:size]
			} else {
				l.bg = p[:size]
			}
			more = size < len(p)
			if more {
				params = p[size+1:]
			}
		default:
			return l, false
		}
	}
	return l, true
}

// number parses a parameter of at most three digits, an empty one as 0; it returns -1 for
// anything else.
func number(s string) int {
	if len(s) > 3 {
		return -1
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = 10*n + int(s[i]-'0')
	}
	return n
}

// colorLen returns the length of the parameters of a 256 or true colour at the start of
// params, or 0 if there is none.
func colorLen(params string) int {
	var count int
	switch {
	case strings.HasPrefix(params[2:], ";5;"):
		count = 3
	case strings.HasPrefix(params[2:], ";2;"):
		count = 5
	default:
		return 0
	}
	at := 0
	for i := range count {
		field, _, more := strings.Cut(params[at:], ";")
		if field == "" || number(field) < 0 || !more && i < count-1 {
			return 0
		}
		at += len(field) + 1
	}
	return at - 1
}

// appendLook appends what turns one look into another, in as few bytes as possible: from
// the current one, or from the default.
func appendLook(dst []byte, from, to look) []byte {
	switch to {
	case from:
		return dst
	case look{}:
		return append(dst, seqReset...)
	}
	dst = appendChange(append(dst, "\x1b["...), from, to)
	dst[len(dst)-1] = 'm'
	return dst
}

// appendChange appends the parameters that turn one look into another, each followed by a
// semicolon.
func appendChange(dst []byte, from, to look) []byte {
	lost, won := from.attrs&^to.attrs, to.attrs&^from.attrs
	if lost&(attrBold|attrDim) != 0 {
		dst = append(dst, "22;"...)
		won |= to.attrs & (attrBold | attrDim)
		lost &^= attrBold | attrDim
	}
	for n := byte(1); n <= 9; n++ {
		if lost&(1<<n) != 0 {
			dst = append(dst, '2', '0'+n, ';')
		}
		if won&(1<<n) != 0 {
			dst = append(dst, '0'+n, ';')
		}
	}
	for _, color := range [2]struct{ from, to, none string }{{from.fg, to.fg, "39"}, {from.bg, to.bg, "49"}} {
		if color.from == color.to {
			continue
		}
		if color.to == "" {
			color.to = color.none
		}
		dst = append(append(dst, color.to...), ';')
	}
	return dst
}
