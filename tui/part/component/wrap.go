package component

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

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
