package panel

import (
	"strings"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// Holdings returns what c holds, provider by provider, as lines of w cells; where
// there are more than h, the last says how many providers are left out. c must be
// a consumer of s.
func Holdings(st *style.Styles, s *placement.Snapshot, c *placement.Consumer, w, h int) []string {
	var lines []string
	var last *placement.ResourceProvider
	left := 0
	l := component.NewLine(st, w)
	for held := range s.Allocations(c) {
		if held.Provider == last {
			continue
		}
		last = held.Provider
		if len(lines) >= h {
			left++
			continue
		}
		l.Reset(w).Space(1)
		OwnerBadge(l, s.Owner(held.Provider)).Space(1)
		path := strings.Join(Path(s, held.Provider), " > ")
		l.Column(min(max(w/3, 20), 60), themes.Text, path).Space(2)
		lines = append(lines, l.Add(themes.Strong, Held(s, c, held.Provider)).String())
	}
	if left > 0 && h > 0 {
		lines[h-1] = l.Reset(w).Space(1).Add(themes.Dim, st.Glyphs.More+" "+component.Plural(left+1, "more provider")).String()
	}
	return lines
}
