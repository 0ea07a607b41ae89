package problems

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
)

// part is lines under one label.
type part struct {
	label string
	lines []string
	least int  // how many of them to keep if there is little room
	cut   int  // how many do not fit
	close bool // no blank line above it
	// again draws a text of which only n lines fit, so that it ends with an ellipsis; nil
	// if the lines are not running text.
	again func(n int) []string
}

// paragraph is a running text under a label, of which least lines are kept.
func paragraph(a list.Area, label string, least, indent int, t themes.Token, text string) part {
	return part{label: label, least: least, lines: wrapped(a, indent, t, text), again: func(n int) []string {
		return wrappedIn(a, n, indent, t, text)
	}}
}

// height returns how many lines parts have.
func height(parts []part) int {
	total := 0
	for _, p := range parts {
		total += len(p.lines)
	}
	return total
}

// airy reports whether a blank line goes above p, unless p is the first.
func (p part) airy() bool { return len(p.lines) > 0 && !p.close }

// air returns how many blank lines go between parts.
func air(parts []part) int {
	n := 0
	for _, p := range parts {
		if p.airy() {
			n++
		}
	}
	return max(n-1, 0)
}

// share removes lines from parts until all fit into h: from the end of the part with the
// most to spare, and if none has, down to one line each, or none.
func share(parts []part, h int) {
	total := height(parts)
	for _, most := range []int{math.MaxInt, 1, 0} {
		for total > h {
			at, spare := -1, 0
			for i, p := range parts {
				if left := len(p.lines) - min(p.least, most); left > 0 && left >= spare {
					at, spare = i, left
				}
			}
			if at < 0 {
				break
			}
			parts[at].lines = parts[at].lines[:len(parts[at].lines)-1]
			parts[at].cut++
			total--
		}
	}
}

// draw puts the label left of the lines, if there is room. Cut text ends with an
// ellipsis.
func (p part) draw(a list.Area) []string {
	lines := p.lines
	if p.cut > 0 && p.again != nil && len(lines) > 0 {
		lines = p.again(len(lines))
	}
	more := ""
	if p.cut > 0 && p.again == nil {
		more = fmt.Sprintf("%s %d more", a.Styles.Glyphs.More, p.cut)
	}
	if p.label == "" || a.Width < narrowFrom {
		if more != "" && len(lines) > 1 {
			lines = append(slices.Clone(lines[:len(lines)-1]), a.Line().Space(1).Add(themes.Faint, more).String())
		}
		return lines
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		head := component.NewLine(a.Styles, labelWidth).Space(1)
		switch {
		case i == 0 && more != "" && len(lines) == 1:
			head.Add(themes.Title, p.label+" "+a.Styles.Glyphs.More)
		case i == 0:
			head.Add(themes.Title, p.label)
		case i == len(lines)-1:
			head.Add(themes.Faint, more)
		}
		out[i] = head.String() + line
	}
	return out
}

// wrapped breaks a text into lines, indented.
func wrapped(a list.Area, indent int, t themes.Token, text string) []string {
	return wrappedIn(a, math.MaxInt, indent, t, text)
}

// wrappedIn breaks a text into at most n indented lines; the last one has all the rest,
// cut with an ellipsis.
func wrappedIn(a list.Area, n, indent int, t themes.Token, text string) []string {
	var out []string
	parts := component.Wrap(a.Styles, text, a.Width-indent-1)
	for i, part := range parts {
		l := a.Line().Space(indent)
		if i == n-1 && i < len(parts)-1 {
			out = append(out, l.Column(l.Left()-1, t, strings.Join(parts[i:], " ")).String())
			break
		}
		out = append(out, l.Add(t, part).String())
	}
	return out
}
