package walk

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// FullRows is the height of a bar that has room for all it says, in cells.
const FullRows = 4

// The height of a bar that has not, and those of terminals from which on it has them,
// in cells.
const (
	fullFrom  = 20
	shortRows = 2
	shortFrom = 12
)

// Keys are the keys that the bar names, as an action has them.
type Keys struct{ Next, Back string }

// Rows returns how high the bar is on a terminal of height h.
func Rows(h int) int {
	switch {
	case h >= fullFrom:
		return FullRows
	case h >= shortFrom:
		return shortRows
	default:
		return 1
	}
}

// View returns the bar: rows lines of width cells. What happened comes first; what
// comes next has the rest.
func (w *Walk) View(width, rows int, keys Keys) string {
	st := w.env.Styles
	lines := []string{component.Titled(st, width, w.title(), w.figures())}
	token, text := w.text()
	if rows < FullRows {
		lines = append(lines, set(st, width, rows-1, token, text)...)
	} else {
		lines = append(lines, set(st, width, rows-2, token, text)...)
		lines = append(lines, w.hints(width, rows-len(lines), keys)...)
	}
	return component.Fit(strings.Join(lines, "\n"), width, rows)
}

// set breaks text into at most so many lines, the last of which is cut where it is too
// long.
func set(st *style.Styles, width, most int, token themes.Token, text string) []string {
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
func (w *Walk) title() string {
	of := len(w.script.Steps)
	if w.shown < 0 {
		return fmt.Sprintf("DEMO 0/%d %s", of, w.script.Title)
	}
	return fmt.Sprintf("DEMO %d/%d %s", w.shown+1, of, w.script.Steps[w.shown].Title)
}

// figures says how many VGPUs of each owner are in use, and what migrations hold.
func (w *Walk) figures() string {
	words := []string{string(placement.VGPU)}
	for _, sh := range w.shares {
		if sh.Capacity > 0 {
			letter := strings.ToUpper(sh.Owner.String()[:1])
			if sh.Owner == placement.OwnedByNone {
				letter = "-"
			}
			words = append(words, fmt.Sprintf("%s %d/%d", letter, sh.Used, sh.Capacity))
		}
	}
	_, held := demo.UsedOf(w.shares)
	return strings.Join(append(words, fmt.Sprintf("held %d", held)), " ")
}

// text says what happened, or why nothing did.
func (w *Walk) text() (themes.Token, string) {
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

// hints says what the keys do: what the next step is about to do, in at most so many
// lines, and that one may look back.
func (w *Walk) hints(width, most int, keys Keys) []string {
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
		const beside = 18 // what the keys of the first line take
		parts := component.Wrap(st, w.will, width-beside)
		if most == 1 && len(parts) > 0 {
			parts = []string{strings.Join(parts, " ")}
		}
		if len(parts) > 0 {
			left, rest = append(left, component.Seg{Token: themes.Dim, Text: parts[0]}), parts[1:]
		}
	}
	var right []component.Seg
	if w.shown > 0 {
		right = append(key(keys.Back, "back"), component.Seg{Token: themes.Blank, Text: " "})
	}
	out := []string{component.Spread(st, width, left, right)}
	return append(out, set(st, width, most-1, themes.Dim, strings.Join(rest, " "))...)
}
