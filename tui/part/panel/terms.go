package panel

import (
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// TermLines draws the terms of a query on lines of w cells, each with where it comes
// from: those of each group, then those that are asked of the root of the tree.
func TermLines(st *style.Styles, w int, q candidates.Query) []string {
	var lines []string
	width := min(max(w/2, 20), 56)
	head := func(name string) { lines = append(lines, Text(st, w, themes.Strong, " "+name)) }
	add := func(term, origin string) {
		l := component.NewLine(st, w).Space(3).Column(width-3, themes.Text, term).Space(1)
		lines = append(lines, l.Add(themes.Dim, origin).String())
	}
	for _, g := range q.Groups {
		name := "un-suffixed group"
		if g.Suffix != "" {
			name = "group " + g.Suffix
		}
		head(name)
		groupTerms(g, add)
	}
	if !q.Root.Empty() {
		head("root of the tree")
	}
	for _, t := range q.Root.Required {
		add(string(t.Name), t.Origin)
	}
	for _, t := range q.Root.Forbidden {
		add("!"+string(t.Name), t.Origin)
	}
	if !q.Anchors.Empty() {
		head("host")
		add(q.Anchors.Name, q.Anchors.Origin)
	}
	return lines
}

// groupTerms calls add with each term of a group, as the API writes it, and its origin.
func groupTerms(g candidates.Group, add func(term, origin string)) {
	for _, r := range g.Resources {
		add(string(r.Class)+"="+component.Count(r.Amount), r.Origin)
	}
	for _, t := range g.Required {
		names := make([]string, len(t.Names))
		for i, n := range t.Names {
			names[i] = string(n)
		}
		add(strings.Join(names, " or "), t.Origin)
	}
	for _, t := range g.Forbidden {
		add("!"+string(t.Name), t.Origin)
	}
	for _, m := range g.MemberOf {
		ids := make([]string, len(m.IDs))
		for i, id := range m.IDs {
			ids[i] = string(id)
		}
		add("in aggregate "+strings.Join(ids, " or "), m.Origin)
	}
	for _, agg := range g.ForbiddenAggregates {
		add("not in aggregate "+string(agg.ID), agg.Origin)
	}
	if g.InTree != "" {
		add("in tree of "+string(g.InTree), g.InTreeOrigin)
	}
}
