package whatif

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
)

// copiesFit is how many copies of a query fit. It is made off the event loop.
type copiesFit struct {
	url string
	fit *candidates.Fit
	err error
}

// pack computes how many copies fit, off the event loop, while that is shown. If the cloud
// has changed, work under way may end first.
func (s *Screen) pack(now bool) tea.Cmd {
	if !s.page.Shows(sectionFits) {
		s.packing.Drop()
		return nil
	}
	indexer, snap, url, queries := s.indexer, s.snap, s.url, []candidates.Query{s.query}
	if s.nova != nil && s.asNova() {
		queries = s.nova.queries
	}
	work := func(context.Context) *copiesFit {
		index, asked := indexer.Index(snap.Placement()), make([]*candidates.Question, len(queries))
		for i, q := range queries {
			var err error
			if asked[i], err = index.Ask(q); err != nil {
				return &copiesFit{url: url, err: err}
			}
		}
		return &copiesFit{url: url, fit: candidates.FitOf(asked...)}
	}
	if now {
		return s.packing.Start(s.env.Context, work)
	}
	return s.packing.Follow(s.env.Context, work)
}

// toggleFits goes to the section about how many copies fit, or from there to the one that says
// most about the answer.
func (s *Screen) toggleFits() tea.Cmd {
	to := sectionFits
	if s.page.Focus == to {
		to = s.home()
	}
	s.page.Show(to)
	return s.look()
}

// fitLines draws how many copies fit, and where.
func (s *Screen) fitLines(w int) []string {
	st := s.env.Styles
	p := s.packs
	switch {
	case p == nil:
		return []string{panel.Text(st, w, themes.Dim, " packing copies")}
	case p.err != nil:
		return []string{panel.Text(st, w, themes.Critical, " "+p.err.Error())}
	}
	f := p.fit
	l := component.NewLine(st, w).Space(1).Add(themes.Strong, component.Count(f.Copies)).Add(themes.Text, map[bool]string{true: " copies or more fit", false: " copies fit"}[f.More])
	if p.url != s.url {
		l.Add(themes.Faint, "   of the previous query: packing the new one")
	}
	out := []string{l.String()}
	if len(f.Trees) > 0 {
		out = append(out, component.Titled(st, w, "BY TREE", "one more needs"))
	}
	most := 1
	for _, t := range f.Trees {
		most = max(most, t.Copies)
	}
	for _, t := range f.Trees {
		l.Reset(w).Space(1).Column(min(24, w/3), themes.Strong, t.Anchor.Name()).Space(1)
		if w >= compactFrom {
			drawBar(l, 16, max(16*t.Copies/most, 1))
		}
		l.Number(8, themes.Text, counted(t.Copies, t.More))
		out = append(out, l.Space(2).Add(themes.Dim, t.Words()).String())
	}
	return out
}

// counted formats a count, with a + if there may be more.
func counted(n int, more bool) string {
	if more {
		return component.Count(n) + "+"
	}
	return component.Count(n)
}
