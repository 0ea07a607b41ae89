package component

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/style"
)

// Wrap breaks text at spaces into lines of at most w cells. A word that is wider
// stands on its own line.
func Wrap(st *style.Styles, text string, w int) []string {
	var lines []string
	line := ""
	for _, word := range strings.SplitAfter(text, " ") {
		if line != "" && Width(st, line+strings.TrimRight(word, " ")) > w {
			lines = append(lines, strings.TrimRight(line, " "))
			line = ""
		}
		line += word
	}
	return append(lines, strings.TrimRight(line, " "))
}

// Break is Wrap for what must be shown whole but has no spaces, such as a path: it is
// broken wherever the line ends.
func Break(st *style.Styles, text string, w int) []string {
	return strings.Split(ansi.Hardwrap(Sanitize(st, text), max(w, 1), true), "\n")
}

// Paragraph draws a text on lines of w cells, from column at on; first draws what is left of
// the text on the first one.
func Paragraph(st *style.Styles, w, at int, t themes.Token, text string, first ...func(*Line)) []string {
	var out []string
	for i, part := range Wrap(st, text, max(w-at, 1)) {
		l := NewLine(st, w)
		if i == 0 && len(first) > 0 {
			first[0](l)
		}
		out = append(out, l.To(at).Add(t, part).String())
	}
	return out
}

// Marked is Paragraph with the sign of a severity in column at, before the text.
func Marked(st *style.Styles, w, at int, v style.Severity, t themes.Token, text string) []string {
	return Paragraph(st, w, at+2, t, text, func(l *Line) { l.To(at).Mark(v) })
}
