package consumers

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/panel"
	"github.com/placetop/placetop/tui/style"
)

// summaryFrom is from how many rows on the lines about one consumer show.
const summaryFrom = 16

// View implements screen.Screen.
func (s *Screen) View(w, h int) string {
	if s.prompt == nil || h < 2 {
		return s.body(w, h)
	}
	if s.fault == nil || h < 3 {
		return component.Stack(s.body(w, h-1), s.prompt.View(w))
	}
	return component.Stack(s.body(w, h-2), s.prompt.View(w), panel.Text(s.env.Styles, w, themes.Critical, " "+s.faultText()))
}

func (s *Screen) body(w, h int) string {
	st := s.env.Styles
	all := component.Count(int64(s.snap.Placement().ConsumerCount()))
	switch {
	case s.src == nil:
		return screen.State(st, w, h, style.SeverityNone, screen.LabelLoading, "reading "+all+" consumers")
	case s.src.Len() == 0 && len(s.src.all) == 0:
		return screen.State(st, w, h, style.SeverityNone, screen.LabelEmpty, "nothing holds anything", "try: n makes the first allocation")
	case s.src.Len() == 0:
		return screen.State(st, w, h, style.SeverityNone, screen.LabelEmpty, "no consumer matches  /"+s.src.wish.expr, "try: esc clears the filter ("+all+" without it)")
	}
	c, ok := s.current()
	if h < summaryFrom || !ok {
		return s.grid.View(w, h)
	}
	// The lines of each consumer get the same room, so that the list does not
	// move when the cursor does.
	n := min(max(h/4, 5), 8)
	return component.Stack(s.grid.View(w, h-n), component.Fit(strings.Join(s.summary(c, w, n), "\n"), w, n))
}

// summary is what one consumer holds, provider by provider, in at most h lines.
func (s *Screen) summary(c *placement.Consumer, w, h int) []string {
	st, snap := s.env.Styles, s.src.snap
	pl := snap.Placement()
	name, uuid := panel.ConsumerName(snap, c.ID()), c.ID().String()
	if name == uuid {
		uuid = "" // who has no name is called by it
	}
	lines := []string{component.Titled(st, w, name, uuid)}
	who := component.NewLine(st, w).Space(1).Add(themes.Dim, "project ").Add(themes.Text, c.Project()).Add(themes.Dim, "   user ").Add(themes.Text, c.User())
	who.Add(themes.Dim, "   gen ").Add(themes.Text, component.Count(c.Generation()))
	if i, ok := snap.Nova().Instance(c.ID()); ok {
		who.Add(themes.Dim, "   flavor ").Add(themes.Text, i.Flavor).Add(themes.Dim, "   ").Add(themes.Text, string(i.VMState))
	}
	lines = append(lines, who.String())
	for _, f := range s.src.found[c.ID()] {
		lines = append(lines, panel.Finding(st, f, w))
	}
	var last *placement.ResourceProvider
	left := 0
	for a := range pl.Allocations(c) {
		if a.Provider == last {
			continue
		}
		last = a.Provider
		if len(lines) >= h {
			left++
			continue
		}
		l := component.NewLine(st, w).Space(1)
		component.OwnerBadge(l, panel.Owner(pl.Owner(a.Provider))).Space(1)
		path := strings.Join(panel.Path(pl, a.Provider), " > ")
		l.Cell(min(max(w/3, 20), 60)).Add(themes.Text, path).EndCell(component.AlignLeft).Space(2)
		lines = append(lines, l.Add(themes.Strong, panel.Held(pl, c, a.Provider)).String())
	}
	if left > 0 {
		more := fmt.Sprintf(" %s %s more providers", st.Glyphs.More, component.Count(int64(left+1)))
		lines[h-1] = panel.Text(st, w, themes.Dim, more)
	}
	return lines
}
