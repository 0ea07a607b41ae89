package provider

import (
	"fmt"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/sections"
)

// The sections of the page.
const (
	head = iota
	inventory
	children
	aggregates
	traits
	holders
	sectionCount
)

// sections returns the sections of the page, without titles.
func (s *Screen) sections() []*sections.Section {
	lines := func(draw func(parts) []string) *sections.Section {
		return &sections.Section{Lines: func(w int) []string {
			return draw(parts{st: s.env.Styles, snap: s.snap, pl: s.snap.Placement(), p: s.p, w: w})
		}}
	}
	all := make([]*sections.Section, sectionCount)
	all[head] = lines(func(d parts) []string { return d.head(panel.Age(s.env.Clock(), s.p.Updated())) })
	all[head].Bare = true
	all[inventory] = lines(func(d parts) []string { return d.inventory(s.found) })
	all[children] = lines(parts.children)
	all[aggregates] = lines(parts.aggregates)
	all[traits] = lines(func(d parts) []string { return panel.Traits(d.st, d.pl, d.p, d.w) })
	all[holders] = &sections.Section{Grid: s.grid, Side: true, Keys: "enter consumer   n allocate   D release"}
	return all
}

// retitle says in the titles how many there are of what the sections list.
func (s *Screen) retitle() {
	pl := s.snap.Placement()
	s.page.Title = panel.ShortName(pl, s.p)
	for i, title := range [sectionCount]string{
		head:       "PROVIDER",
		inventory:  "INVENTORY",
		children:   "CHILDREN " + component.Count(int64(len(pl.Children(s.p)))),
		aggregates: aggregatesTitle(pl, s.p),
		traits:     fmt.Sprintf("TRAITS %d", len(s.p.TraitIDs())),
		holders:    s.holdersTitle(),
	} {
		s.page.Sections[i].Title = title
	}
	s.page.Invalidate()
}

func (s *Screen) holdersTitle() string {
	title := "CONSUMERS " + component.Count(int64(s.src.total))
	if s.src.total > s.src.Len() {
		title += ", " + component.Count(int64(s.src.Len())) + " of them here"
	}
	return title
}

// View implements screen.Screen.
func (s *Screen) View(w, h int) string {
	if s.p == nil {
		return sections.Gone(s.env.Styles, w, h, s.title, s.lost)
	}
	return s.page.View(w, h)
}
