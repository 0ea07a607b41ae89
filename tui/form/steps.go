package form

import (
	"strconv"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/style"
)

// The sizes at which pages change their layout, in cells.
const (
	compactWidth = 60  // narrower has no columns side by side
	wideWidth    = 120 // from here on there is room for a second pane
)

// drawSteps draws the steps of a form with the one that it is at, counted from 0:
//
//	1 what ✓   2 where ✓   3 preview
func drawSteps(st *style.Styles, w int, names []string, at int) string {
	l := component.NewLine(st, w)
	gap := 3
	if w < compactWidth {
		gap = 1
	}
	for i, name := range names {
		if i > 0 {
			l.Space(gap)
		} else {
			l.Space(1)
		}
		t := themes.Faint
		switch {
		case i < at:
			t = themes.Dim
		case i == at:
			t = themes.Title
		}
		l.Add(t, strconv.Itoa(i+1)+" ").Add(t, name)
		if i < at {
			component.SeverityMark(l.Space(1), style.SeverityOK)
		}
	}
	return l.String()
}

// drawHints draws the keys of a page with an input, which the footer leaves out
// while keys are text.
func drawHints(st *style.Styles, w int, hints ...string) string {
	return component.Keys(component.NewLine(st, w).Space(1), hints...).String()
}

// fieldHints draws the keys of a page with fields: narrow ones get shorter words,
// and how to leave comes before what there is no room for.
func fieldHints(st *style.Styles, w int) string {
	if w < compactWidth {
		return drawHints(st, w, "enter", "next", "esc", "cancel", "tab", "complete", "shift+tab", "back")
	}
	return drawHints(st, w, "enter", "next", "tab", "complete, next", "shift+tab", "back", "esc", "cancel")
}

// page puts head above body and foot below it, on exactly h lines: the body gets
// what they leave, and when there is no room for all, foot goes first, then head.
func page(w, h int, head, foot string, body func(w, h int) string) string {
	above, below := lineCount(head), lineCount(foot)
	if h-above-below < 3 {
		foot, below = "", 0
	}
	if h-above < 2 {
		head, above = "", 0
	}
	return component.Fit(component.Stack(head, component.Fit(body(w, h-above-below), w, h-above-below), foot), w, h)
}

func lineCount(s string) int {
	if s == "" {
		return 0
	}
	return 1 + strings.Count(s, "\n")
}
