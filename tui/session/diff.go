package session

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
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

// appendFrame appends to dst what turns a terminal that shows old into one that
// shows now. Where all is set, or the size differs, it draws everything anew.
// It appends nothing where nothing differs.
func appendFrame(dst []byte, old, now frame, all bool) []byte {
	if old.width != now.width || old.height != now.height || len(old.lines) != len(now.lines) {
		all = true
	}
	if all {
		dst = append(dst, seqReset...)
		dst = append(dst, seqClear...)
	}
	for y, line := range now.lines {
		before := ""
		if !all {
			before = old.lines[y]
			if before == line {
				continue
			}
		}
		dst = appendLine(dst, y, before, line, now.width, all)
	}
	return dst
}

// appendLine appends what turns the line before, at row y, into the line now.
// Where blank is set the row holds nothing yet.
func appendLine(dst []byte, y int, before, now string, width int, blank bool) []byte {
	if ansi.StringWidth(now) > width {
		now = ansi.Truncate(now, width, "")
	}
	if blank {
		text, _ := trimBlank(now)
		if text == "" {
			return dst
		}
		dst = appendMove(dst, y, 0)
		return closeStyle(append(dst, text...), text)
	}
	cut := commonPrefix(before, now)
	rest, oldRest := now[cut.at:], before[cut.at:]
	exact := ansi.StringWidth(before) == ansi.StringWidth(now)
	if exact {
		rest = rest[:len(rest)-commonSuffix(oldRest, rest)]
	}
	dst = appendMove(dst, y, cut.column)
	dst = append(dst, cut.style...)
	if exact && len(rest) < len(now)-cut.at {
		return closeStyle(append(dst, rest...), cut.style+rest)
	}
	text, blanks := trimBlank(rest)
	if cut.style != "" && !endsPlain(text) {
		text, blanks = rest, false // the spaces have a style
	}
	dst = closeStyle(append(dst, text...), cut.style+text)
	if blanks || ansi.StringWidth(now) < width {
		dst = append(dst, seqEraseLine...)
	}
	return dst
}

// appendMove moves the cursor to the row and column, both counted from 0.
func appendMove(dst []byte, row, column int) []byte {
	dst = append(dst, "\x1b["...)
	dst = strconv.AppendInt(dst, int64(row+1), 10)
	if column > 0 {
		dst = append(dst, ';')
		dst = strconv.AppendInt(dst, int64(column+1), 10)
	}
	return append(dst, 'H')
}

// closeStyle resets the style after text, where text may have set one.
func closeStyle(dst []byte, text string) []byte {
	if strings.IndexByte(text, esc) < 0 || endsPlain(text) {
		return dst
	}
	return append(dst, seqReset...)
}

// endsPlain reports whether the last sequence in s is a style reset.
func endsPlain(s string) bool {
	i := strings.LastIndexByte(s, esc)
	return i >= 0 && isReset(s[i:])
}

// isReset reports whether s starts with a style reset.
func isReset(s string) bool {
	return strings.HasPrefix(s, seqReset) || strings.HasPrefix(s, "\x1b[0m")
}

// trimBlank cuts off spaces in the default style from the end of a line, where
// erasing them takes fewer bytes than writing them.
func trimBlank(line string) (text string, trimmed bool) {
	text = strings.TrimRight(line, " ")
	if len(line)-len(text) <= len(seqEraseLine) {
		return line, false
	}
	if strings.IndexByte(text, esc) >= 0 && !endsPlain(text) {
		return line, false
	}
	return text, true
}

// prefix is where two lines part: a byte offset, the cell there, and the style
// sequences that are in force.
type prefix struct {
	at     int
	column int
	style  string
}

// commonPrefix finds how much of the start of two lines can stand. It only goes
// over characters of which every terminal agrees that they take one cell, and
// stops before one that the next character may join.
func commonPrefix(a, b string) prefix {
	var here, before prefix // before: ahead of the last character
	styleFrom := 0          // where the sequences in force start
	plain := true           // no sequence in force
	n := min(len(a), len(b))
	for here.at < n {
		i := here.at
		if b[i] == esc {
			size := sgrLen(b[i:])
			if size == 0 || i+size > n || a[i:i+size] != b[i:i+size] {
				break
			}
			if isReset(b[i:]) {
				plain = true
			} else if plain {
				plain, styleFrom = false, i
			}
			here.at += size
			continue
		}
		size := narrowLen(b[i:])
		if size == 0 || i+size > n || a[i:i+size] != b[i:i+size] {
			break
		}
		before = here
		if !plain {
			before.style = b[styleFrom:i]
		}
		here.at += size
		here.column++
	}
	if !plain {
		here.style = b[styleFrom:here.at]
	}
	if !startsCell(a[here.at:]) || !startsCell(b[here.at:]) {
		here = before
	}
	here.style = onlySGR(here.style)
	return here
}

// onlySGR returns the style sequences in s, without the text.
func onlySGR(s string) string {
	if s == "" {
		return ""
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		if n := sgrLen(s[i:]); n > 0 {
			out.WriteString(s[i : i+n])
			i += n
			continue
		}
		i++
	}
	return out.String()
}

// commonSuffix returns how many bytes at the end of two lines of the same width
// can stand: from a style reset on, or in lines without styles from a character
// that surely starts a cell.
func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	tail := b[len(b)-n:]
	for _, reset := range []string{seqReset, "\x1b[0m"} {
		if i := strings.Index(tail, reset); i >= 0 {
			// The text up to the reset is written again; the reset itself
			// is added by closeStyle.
			return len(tail) - i
		}
	}
	if strings.IndexByte(a, esc) >= 0 || strings.IndexByte(b, esc) >= 0 {
		return 0
	}
	for len(tail) > 0 && (narrowLen(tail) == 0 || tail[0]&0xc0 == 0x80) {
		tail = tail[1:]
	}
	return len(tail)
}

// startsCell reports whether s starts a cell of its own: nothing in it joins
// the character before.
func startsCell(s string) bool {
	return s == "" || s[0] == esc || narrowLen(s) > 0
}

// sgrLen returns the length of the style sequence that s starts with, or 0.
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

// narrowLen returns the length of the character that s starts with, where it
// takes one cell on every terminal that is set up for these glyphs, else 0.
func narrowLen(s string) int {
	c := s[0]
	if c < utf8.RuneSelf {
		if c >= ' ' && c != 0x7f {
			return 1
		}
		return 0
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r >= 0xa1 && r < 0x300 && r != 0xad, // Latin
		r >= 0x2010 && r <= 0x2027,                               // dashes, bullet, ellipsis
		r >= 0x2190 && r <= 0x2193,                               // arrows
		r >= 0x2500 && r <= 0x25ff && r != 0x25fd && r != 0x25fe, // lines, blocks, shapes
		r >= 0x2800 && r <= 0x28ff,                               // braille
		r == 0x2297, r == 0x22ee, r == 0x2713, r == 0x2717, r == 0x2b21, r == 0x2b22:
		return size
	default:
		return 0
	}
}
