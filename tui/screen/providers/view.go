package providers

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

const (
	smallTo     = 60 // narrower screens have fewer columns, in cells
	summaryRows = 6  // of the pane below the list
)

// View implements screen.Screen.
func (s *Screen) View(w, h int) string {
	lay := normal
	if w < smallTo {
		lay = small
	}
	if lay != s.layout {
		s.layout = lay
		s.setColumns()
	}
	s.split.List, s.split.Box, s.split.Rows = s.drawList, s.box, summaryRows
	s.split.Below, s.split.Beside = nil, nil
	if s.grid.Len() > 0 {
		s.split.Below = s.summary
	}
	if !s.full {
		s.split.Beside = s.detailPane
	}
	return s.line.View(s.env.Styles, w, h, func(w, h int) string { return s.split.View(s.env.Styles, w, h) })
}

// drawList draws the rows, or why there are none.
func (s *Screen) drawList(w, h int) string {
	st := s.env.Styles
	all := component.Count(int64(s.snap.Placement().ProviderCount()))
	switch {
	case s.src == nil:
		return screen.State(st, w, h, style.SeverityNone, screen.LabelLoading, "reading "+all+" providers")
	case s.src.Len() > 0:
		return s.grid.View(w, h)
	case s.snap.Placement().ProviderCount() == 0:
		return screen.State(st, w, h, style.SeverityNone, screen.LabelEmpty, "this cloud has no providers yet")
	}
	filter := ""
	if s.src.wish.expr != "" {
		filter += "  /" + s.src.wish.expr
	}
	if s.src.wish.owner > 0 {
		filter += "  owner:" + ownerName(s.src.wish.owner)
	}
	var parts []string
	for _, l := range s.src.leaves {
		if len(s.src.leaves) > 1 {
			parts = append(parts, l.part+" leaves "+component.Count(int64(l.n)))
		}
	}
	return list.Nothing(st, w, h, "provider", filter, s.snap.Placement().ProviderCount(), parts...)
}

// box is the frame around the list.
func (s *Screen) box() component.Box {
	return list.Box(s.grid, "PROVIDERS", "h l fold   space mark")
}

// summary is the pane below the list.
func (s *Screen) summary(w, h int) string {
	p, ok := s.current()
	if !ok {
		return component.Fit("", w, h)
	}
	st := s.env.Styles
	lines := []string{component.Titled(st, w, panel.ShortName(s.src.snap.Placement(), p), p.ID().String())}
	lines = append(lines, panel.Summary(st, s.src.snap, p, s.findings[p.ID()], w, h-1)...)
	return component.Fit(strings.Join(lines, "\n"), w, h)
}

// detailPane is the pane right of the list.
func (s *Screen) detailPane(w, h int) panel.Pane {
	st := s.env.Styles
	p, ok := s.current()
	if !ok {
		return panel.Pane{Box: component.Box{Title: "PROVIDER"}, Width: w}
	}
	snap := s.src.snap
	pl, now := snap.Placement(), s.env.Clock()
	box := component.Box{Title: panel.ShortName(pl, p), Footer: "enter open   n allocate   c copy uuid"}
	iw, ih := box.Inner(w, h)
	l := component.NewLine(st, iw)
	lines := make([]string, 0, ih+8)
	add := func(more ...string) { lines = append(lines, more...) }
	section := func(title string) { add(l.Reset(iw).String(), component.Rule(st, iw, component.Label{Text: title})) }

	owner := panel.Owner(pl.Owner(p))
	component.OwnerBadge(l, owner).Space(1).Add(owner.Token(), pl.Owner(p).String())
	l.Add(themes.Dim, "   gen ").Add(themes.Text, component.Count(p.Generation()))
	add(l.Add(themes.Faint, "   written "+panel.Age(now, p.Updated())+" ago").String())
	add(l.Reset(iw).Add(themes.Faint, p.ID().String()).String())
	add(l.Reset(iw).Add(themes.Dim, "in ").Add(themes.Text, strings.Join(panel.Path(pl, p), " > ")).String())
	for _, f := range s.findings[p.ID()] {
		add(panel.Finding(st, f, iw))
	}
	section("INVENTORY")
	add(panel.Inventories(st, pl, p, iw)...)
	section(fmt.Sprintf("TRAITS %d", len(p.TraitIDs())))
	traits := panel.Traits(st, pl, p, iw)
	consumers := pl.CountConsumersOf(p)
	// Traits leave a third of the room that is left to the consumers.
	if room := max((ih-len(lines)-2)*2/3, 1); consumers > 0 && len(traits) > room {
		add(traits[:room-1]...)
		add(l.Reset(iw).Add(themes.Dim, fmt.Sprintf("  %s %d more lines", st.Glyphs.More, len(traits)-room+1)).String())
	} else {
		add(traits...)
	}
	section("CONSUMERS " + component.Count(int64(consumers)))
	for c := range pl.ConsumersOf(p) {
		if len(lines) >= ih {
			break
		}
		add(panel.ConsumerLine(l.Reset(iw), snap, c, p, now).String())
	}
	return panel.Pane{Box: box, Width: w, Lines: lines}
}
