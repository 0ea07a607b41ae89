package panel

import (
	"cmp"
	"slices"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Banner is what a page says at the top: the result of a write, or what has changed.
type Banner struct {
	Severity style.Severity
	Label    string // in capitals; "" for no banner
	Lines    []string
}

// Say returns a banner.
func Say(severity style.Severity, label string, lines ...string) Banner {
	return Banner{Severity: severity, Label: label, Lines: lines}
}

// Draw returns the banner as lines of w cells.
func (b Banner) Draw(st *style.Styles, w int) []string {
	if b.Label == "" {
		return nil
	}
	const most = 12 // longer text adds nothing
	var out []string
	for line := range strings.SplitSeq(screen.State(st, w, most, b.Severity, b.Label, b.Lines...), "\n") {
		if strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	return out
}

// Check is one thing that was checked.
type Check struct {
	Severity style.Severity
	Text     string
}

// Checks draws checks, each with its sign, as lines of w cells: what is refused first, then
// warnings, as the last lines may not fit.
func Checks(st *style.Styles, w int, checks ...Check) []string {
	var out []string
	worst := slices.SortedStableFunc(slices.Values(checks), func(a, b Check) int {
		return cmp.Compare(max(b.Severity, style.SeverityInfo), max(a.Severity, style.SeverityInfo))
	})
	for _, c := range worst {
		out = append(out, component.Marked(st, w, 1, c.Severity, themes.Text, c.Text)...)
	}
	return out
}
