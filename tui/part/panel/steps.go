package panel

import (
	"strconv"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// The sizes at which the layout of pages changes, in cells.
const (
	CompactWidth = 60  // no columns side by side below this
	WideWidth    = 120 // room for a second pane from here on
)

// Steps draws the steps of a form with the one that it is at, counted from 0:
//
//	1 what ✓   2 where ✓   3 preview
//
// If they do not fit, only that one is shown.
func Steps(st *style.Styles, w int, names []string, at int) string {
	l := component.NewLine(st, w)
	gap := 3
	if w < CompactWidth {
		gap = 1
	}
	if need := len(names)*(gap+4) + len(strings.Join(names, "")); need > w {
		return l.Space(1).Add(themes.Title, strconv.Itoa(at+1)+" "+names[at]).Add(themes.Faint, "   of "+strconv.Itoa(len(names))).String()
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
			l.Space(1).Mark(style.SeverityOK)
		}
	}
	return l.String()
}

// Hints draws the keys of a page with an input, which the footer leaves out
// while keys are text.
func Hints(st *style.Styles, w int, hints ...string) string {
	return component.Keys(component.NewLine(st, w).Space(1), hints...).String()
}

// Sheet puts head above body and foot below it, on exactly h lines: the body gets
// what they leave, and when there is no room for all, foot goes first, then head.
func Sheet(w, h int, head, foot string, body func(w, h int) string) string {
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
