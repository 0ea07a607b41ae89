package whatif

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
)

// queryLines draws the query: a line for each group, as far as there is room for them, and one
// for terms of the whole query.
func (s *Screen) queryLines(w int) []string {
	const most = 5
	tail := s.wholeTerms()
	from, to := window(len(s.query.Groups), s.row(sectionQuery), most-len(tail))
	var out []string
	for i := from; i < to; i++ {
		l := component.NewLine(s.env.Styles, w)
		s.groupMark(l, i)
		s.resources(l, i)
		g := s.query.Groups[i]
		if traits := traitTerms(g); len(traits) > 0 {
			l.Add(themes.Faint, " | ")
			drawTraits(l, traits)
		}
		if where := s.where(g); where != "" {
			l.Add(themes.Faint, " | ").Add(themes.Text, where)
		}
		out = append(out, l.String())
	}
	for _, t := range tail {
		out = append(out, component.NewLine(s.env.Styles, w).Space(2).Add(themes.Dim, t).String())
	}
	return out
}

// groupMark draws the cursor and the suffix of a group.
func (s *Screen) groupMark(l *component.Line, i int) {
	if s.page.Focus == sectionQuery && s.row(sectionQuery) == i {
		l.Glyphs(themes.Gutter, s.env.Styles.Glyphs.RowCursor, 1).Space(1)
	} else {
		l.Space(2)
	}
	l.Add(themes.Accent, cmp.Or(s.query.Groups[i].Suffix, "-")).Space(2)
}

// resources draws the resources of a group; the amount that + and - change is in
// brackets.
func (s *Screen) resources(l *component.Line, i int) {
	gi, ri := s.amountAt(s.cell)
	for j, r := range s.query.Groups[i].Resources {
		if j > 0 {
			l.Space(1)
		}
		text := fmt.Sprintf("%s=%d", r.Class, r.Amount)
		if gi == i && ri == j {
			l.Add(themes.Accent, "["+text+"]")
		} else {
			l.Add(themes.Strong, text)
		}
	}
	if len(s.query.Groups[i].Resources) == 0 {
		l.Add(themes.Faint, "no resources")
	}
}

// traitTerms returns the traits of a group, as the API writes them.
func traitTerms(g candidates.Group) []string {
	var out []string
	for _, t := range g.Required {
		names := make([]string, len(t.Names))
		for i, n := range t.Names {
			names[i] = string(n)
		}
		out = append(out, strings.Join(names, "|"))
	}
	for _, t := range g.Forbidden {
		out = append(out, "!"+string(t.Name))
	}
	return out
}

// drawTraits draws the terms for which there is room in full.
func drawTraits(l *component.Line, terms []string) {
	for i, t := range terms {
		if i > 0 {
			if need := 1 + len(t); l.Left() < need || i < len(terms)-1 && l.Left() < need+2 {
				l.Add(themes.Faint, " "+l.Styles().Glyphs.Ellipsis)
				return
			}
			l.Space(1)
		}
		name, forbidden := strings.CutPrefix(t, "!")
		space, rest := component.SplitTag(name)
		if forbidden {
			l.Add(themes.Critical, "!")
		}
		l.Add(component.TagToken(space, rest), name)
	}
}

// where returns what a group requires of the place of its providers.
func (s *Screen) where(g candidates.Group) string {
	var parts []string
	for _, t := range g.MemberOf {
		ids := make([]string, len(t.IDs))
		for i, id := range t.IDs {
			ids[i] = s.aggregate(id)
		}
		parts = append(parts, "in aggregate "+strings.Join(ids, " or "))
	}
	for _, a := range g.ForbiddenAggregates {
		parts = append(parts, "not in aggregate "+s.aggregate(a.ID))
	}
	if g.InTree != "" {
		name := short(string(g.InTree))
		if id, ok := g.InTree.ID(); ok {
			if p, ok := s.snap.Placement().Provider(id); ok {
				name = panel.ShortName(s.snap.Placement(), p)
			}
		}
		parts = append(parts, "in tree of "+name)
	}
	return strings.Join(parts, ", ")
}

// aggregate returns the name of an aggregate, or the beginning of its uuid.
func (s *Screen) aggregate(of candidates.AggregateText) string {
	id, _ := of.ID()
	return cmp.Or(kinds.Finder{Snapshot: s.snap}.AggregateName(id), short(string(of)))
}

// short returns the beginning of a uuid.
func short(id string) string { return id[:min(len(id), 8)] }

// wholeTerms returns the terms of the whole query.
func (s *Screen) wholeTerms() []string {
	var line []string
	q := s.query
	if q.GroupPolicy != "" {
		line = append(line, "group_policy "+string(q.GroupPolicy))
	}
	for _, t := range q.SameSubtree {
		line = append(line, "same_subtree "+strings.Join(t.Suffixes, ","))
	}
	if !q.Root.Empty() {
		var terms []string
		for _, t := range q.Root.Required {
			terms = append(terms, string(t.Name))
		}
		for _, t := range q.Root.Forbidden {
			terms = append(terms, "!"+string(t.Name))
		}
		line = append(line, "root_required "+strings.Join(terms, " "))
	}
	if q.Limit > 0 {
		line = append(line, fmt.Sprintf("limit %d", q.Limit))
	}
	if len(line) == 0 {
		return nil
	}
	return []string{strings.Join(line, "   ")}
}

// window returns which of n rows to draw on h lines so that the cursor is visible.
func window(n, cursor, h int) (from, to int) {
	h = max(h, 0)
	from = max(min(cursor-h/2, n-h), 0)
	return from, min(from+h, n)
}
