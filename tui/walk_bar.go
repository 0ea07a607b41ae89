package tui

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// The height of the bar without room for all of its text, and the heights of terminals
// from which there is more, in cells.
const (
	shortRows = 2
	shortFrom = 12
	fullFrom  = 20
)

// The most lines for what happened, and for what comes next.
const (
	mostText = 4
	mostNext = 4
)

// walkKeys are the keys that the bar names, as an action has them.
type walkKeys struct{ Next, Back string }

// fullBar reports whether a terminal of height h has room for all that the bar says.
func fullBar(h int) bool { return h >= fullFrom }

// Rows returns how high the bar is on a terminal of width and height: with room for all
// that it says, where there is.
func (w *walk) Rows(width, h int) int {
	switch {
	case fullBar(h):
		return len(w.lines(width, h, walkKeys{}))
	case h >= shortFrom:
		return shortRows
	default:
		return 1
	}
}

// View returns the bar: rows lines of width cells, on a terminal of height h. What
// happened comes first; what comes next has the rest.
func (w *walk) View(width, rows, h int, keys walkKeys) string {
	lines := w.lines(width, h, keys)
	if !fullBar(h) {
		token, text := w.text()
		lines = append(lines[:1], setText(w.env.Styles, width, rows-1, token, text)...)
	}
	return component.Fit(strings.Join(lines, "\n"), width, rows)
}

// lines returns the complete text of the bar.
func (w *walk) lines(width, h int, keys walkKeys) []string {
	st := w.env.Styles
	title := w.title()
	lines := []string{component.Titled(st, width, title, w.figures(width-component.Width(st, title)-7))}
	token, text := w.text()
	lines = append(lines, setText(st, width, mostText, token, text)...)
	lines = append(lines, w.hints(width, keys)...)
	return lines[:min(len(lines), max(h/2, fullRows))]
}

// fullRows is how high the bar may be on any terminal that has room for all of it.
const fullRows = 4

// setText breaks text into at most so many lines, and cuts the last one if it is too long.
func setText(st *style.Styles, width, most int, token themes.Token, text string) []string {
	var out []string
	for rest := component.Wrap(st, text, width-2); len(rest) > 0 && len(out) < most; rest = rest[1:] {
		line := rest[0]
		if len(out) == most-1 {
			line = strings.Join(rest, " ")
		}
		out = append(out, component.NewLine(st, width).Space(1).Add(token, line).String())
	}
	return out
}

// title says which step is shown.
func (w *walk) title() string {
	of := len(w.script.Steps)
	if w.shown < 0 {
		return fmt.Sprintf("DEMO 0/%d %s", of, w.script.Title)
	}
	return fmt.Sprintf("DEMO %d/%d %s", w.shown+1, of, w.script.Steps[w.shown].Title)
}

// figures says how many VGPUs of each owner are in use, and what migrations hold, in a
// limited number of cells: if they do not fit, without the class, and then without unused
// ones.
func (w *walk) figures(room int) string {
	held := int64(0)
	for _, sh := range w.shares {
		held += sh.Held
	}
	say := func(class, idle bool) string {
		var words []string
		if class {
			words = append(words, string(placement.VGPU))
		}
		for _, sh := range w.shares {
			if sh.Capacity > 0 && (idle || sh.Used > 0) {
				letter := strings.ToUpper(sh.Owner.String()[:1])
				if sh.Owner == placement.OwnedByNone {
					letter = "-"
				}
				words = append(words, fmt.Sprintf("%s %d/%d", letter, sh.Used, sh.Capacity))
			}
		}
		return strings.Join(append(words, fmt.Sprintf("held %d", held)), " ")
	}
	for _, text := range []string{say(true, true), say(false, true)} {
		if len(text) <= room {
			return text
		}
	}
	return say(false, false)
}

// text says what happened, or why nothing did.
func (w *walk) text() (themes.Token, string) {
	switch {
	case w.busy:
		return themes.Info, "writing"
	case w.fault != nil:
		return themes.Critical, fmt.Sprintf("step %d, %s: %v", w.next+1, w.script.Steps[w.next].Title, w.fault)
	case w.shown < 0:
		return themes.Text, fmt.Sprintf("%d steps, each on the screen where it is to be seen. What they write is written to this cloud.", len(w.script.Steps))
	default:
		return themes.Text, w.did[w.shown]
	}
}

// hints says what the keys do: what the next step will do, in a limited number of lines,
// and how to look back.
func (w *walk) hints(width int, keys walkKeys) []string {
	st := w.env.Styles
	key := func(k, what string) []component.Seg {
		return []component.Seg{{Token: themes.Key, Text: action.KeyLabel(k)}, {Token: themes.Blank, Text: " "}, {Token: themes.KeyHint, Text: what}}
	}
	left := []component.Seg{{Token: themes.Blank, Text: " "}}
	rest := []string(nil)
	switch {
	case w.shown < w.next-1 && w.fault == nil:
		left = append(left, key(keys.Next, fmt.Sprintf("to step %d", w.shown+2))...)
	case w.fault != nil:
		left = append(left, key(keys.Next, "tries again")...)
	case w.Over():
		left = append(left, component.Seg{Token: themes.KeyHint, Text: "that was all: :demo stop closes this bar"})
	default:
		left = append(left, key(keys.Next, "next: ")...)
		const beside = 18 // width of the keys in the first line
		parts := component.Wrap(st, w.will, width-beside)
		if len(parts) > 0 {
			left, rest = append(left, component.Seg{Token: themes.Dim, Text: parts[0]}), parts[1:]
		}
	}
	var right []component.Seg
	if w.shown > 0 {
		right = append(key(keys.Back, "back"), component.Seg{Token: themes.Blank, Text: " "})
	}
	out := []string{component.Spread(st, width, left, right)}
	return append(out, setText(st, width, mostNext-1, themes.Dim, strings.Join(rest, " "))...)
}
