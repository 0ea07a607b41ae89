package whatif

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// missTitle is the title of the misses: of all, or of those that a stage removed.
func (s *Screen) missTitle() string {
	if s.stage < 0 {
		return "NEAREST MISSES"
	}
	return "LOST TO " + s.ans.why.Stages[s.stage].Condition.Words()
}

// test is a column of the matrix: a condition, as in the tests of a verdict.
type test struct {
	at     int
	of     candidates.Condition
	weight float64 // how much of the obstacles it explains: near misses count more
}

// testsOf returns the columns in the order of the checks.
func testsOf(misses []miss) []test {
	if len(misses) == 0 {
		return nil
	}
	var all []test
	for i, t := range misses[0].verdict.Tests {
		col := test{at: i, of: t.Condition}
		for n, m := range misses {
			if i < len(m.verdict.Tests) && !m.verdict.Tests[i].Pass {
				col.weight += 1 / float64(n+1)
			}
		}
		said := t.Condition.Criterion == candidates.CriterionInventory || t.Condition.Criterion == candidates.CriterionUnits
		if col.weight > 0 || !said { // what is free says those, too
			all = append(all, col)
		}
	}
	return all
}

// Widths of the other columns of the matrix with the gaps between them, in cells: what they
// take before the heads of the tests grow.
const missOthers = 34 + 3 + 5 + 30 + 4

// headRoom returns how long the heads of the tests may be in a matrix of w cells.
func headRoom(tests []test, w int) int {
	room := missColumn - 1
	for n := room + 1; n <= mostHead; n++ {
		all := missOthers
		for _, t := range tests {
			all += max(missColumn-1, len(headOf(t.of, n))) + 1
		}
		if all > w {
			break
		}
		room = n
	}
	return room
}

// mostHead is how long the head of a test is at most.
const mostHead = 40

// missColumns are the columns of the matrix, w cells wide. Without enough room the smallest
// obstacles are left out first.
func missColumns(tests []test, w int) []component.Column {
	columns := []component.Column{{Key: "provider", Title: "PROVIDER", Min: 24, Max: 34, Flex: 1, KeepEnds: true}, {Key: "owner", Title: "OWN", Min: 3}}
	room := headRoom(tests, w)
	for _, t := range tests {
		head := headOf(t.of, room)
		c := component.Column{Key: t.of.Words(), Title: head, Min: max(missColumn-1, len(head)), Priority: 1}
		for _, other := range tests {
			if other.weight > t.weight || other.weight == t.weight && other.at < t.at {
				c.Priority++
			}
		}
		columns = append(columns, c)
	}
	return append(columns, component.Column{Key: "fails", Title: "FAILS", Min: 5},
		component.Column{Key: "why", Title: "FIRST OF ALL", Min: 14, Flex: 3, Priority: len(tests) + 1})
}

// missColumn is the width of a column of the matrix in cells.
const missColumn = 9

// headOf returns a name of a condition in at most n letters.
func headOf(c candidates.Condition, n int) string {
	trait, class := "", string(c.Class)
	if len(class) > n {
		class = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(class, "CUSTOM_"), "_MB"), "_GB")
	}
	if len(c.Traits) > 0 {
		if trait = string(c.Traits[0]); len(trait) >= n {
			trait = lastWord(trait)
		}
	}
	switch c.Criterion {
	case candidates.CriterionMemberOf:
		return "agg"
	case candidates.CriterionForbiddenAggregate:
		return "not agg"
	case candidates.CriterionInTree:
		return "tree"
	case candidates.CriterionInventory:
		return head("has "+class, n)
	case candidates.CriterionCapacity:
		return head(class, n)
	case candidates.CriterionUnits:
		return "unit"
	case candidates.CriterionForbiddenTrait:
		return head("!"+trait, n)
	case candidates.CriterionRequiredTrait:
		return head(trait, n)
	case candidates.CriterionRootRequired:
		return "root"
	case candidates.CriterionRootForbidden:
		return "!root"
	case candidates.CriterionSameSubtree:
		return "subtree"
	default:
		return head(string(c.Criterion), n)
	}
}

// head returns the first n letters.
func head(s string, n int) string { return s[:max(min(len(s), n), 0)] }

// lastWord returns the most telling part of a trait: its last word, with those before it
// if it is short.
func lastWord(s string) string {
	for i := len(s) - 3; i > 0; i-- {
		if s[i-1] == '_' {
			return s[i:]
		}
	}
	return s
}

// missSource is the near misses, test by test.
func (s *Screen) missSource() component.Rows {
	s.tests = testsOf(s.near)
	misses, tests, pl := s.near, s.tests, s.ans.snap.Placement()
	return component.Rows{N: len(misses), Name: func(row int) string { return misses[row].Provider.ID().String() }, Draw: func(l *component.Line, row, col int) {
		switch m := misses[row]; {
		case col == 0:
			l.Add(themes.Strong, displayName(pl, m.Provider))
		case col == 1:
			panel.OwnerBadge(l, pl.Owner(m.Provider))
		case col-2 < len(tests):
			if at := tests[col-2].at; at < len(m.verdict.Tests) {
				drawTest(l, m.verdict.Tests[at])
			}
		case col-2 == len(tests):
			l.Add(themes.Text, fmt.Sprint(len(m.Reasons)))
		default:
			l.Add(themes.Dim, m.Reasons[0].Words())
		}
	}}
}

// noMisses says why there are no misses.
func (s *Screen) noMisses() string {
	if s.stage >= 0 {
		return "none of the nearest misses fails this; esc shows all of them"
	}
	return "none: every tree has a candidate, or none comes close"
}

// displayName returns the path of a provider in its tree.
func displayName(pl *placement.Snapshot, p *placement.ResourceProvider) string {
	return strings.Join(panel.Path(pl, p), "/")
}

// drawTest draws whether a test was passed, with the number that decided it, or that it
// was not made.
func drawTest(l *component.Line, t candidates.Test) {
	if t.Moot {
		l.Add(themes.Faint, "-")
		return
	}
	sev := style.SeverityCritical
	if t.Pass {
		sev = style.SeverityOK
	}
	l.Mark(sev)
	if n, ok := numberOf(t); ok {
		token := themes.Dim
		if !t.Pass {
			token = themes.Critical
		}
		l.Add(token, panel.Brief(n, missColumn-2))
	}
}

// numberOf returns the number that a test is about: what is free, or the limit that
// refuses.
func numberOf(t candidates.Test) (int64, bool) {
	if t.Has == (placement.InventoryUsage{}) {
		return 0, false
	}
	switch rule := t.Condition.Criterion; {
	case rule == candidates.CriterionCapacity:
		return t.Has.Free(), true
	case rule != candidates.CriterionUnits || t.Pass:
		return 0, false
	case t.Refusal == placement.BelowMinUnit:
		return t.Has.MinUnit, true
	case t.Refusal == placement.OffStep:
		return t.Has.StepSize, true
	}
	return t.Has.MaxUnit, true
}

// brief draws the explained provider in a sentence.
func (s *Screen) brief(w int) []string {
	v, ok := s.told()
	if !ok {
		return []string{panel.Text(s.env.Styles, w, themes.Dim, " no provider came close: none has what is asked for")}
	}
	out := component.Paragraph(s.env.Styles, w, 1, themes.Text, v.Words())
	if passed := passedWords(v); passed != "" {
		out = append(out, component.Paragraph(s.env.Styles, w, 1, themes.Dim, passed)...)
	}
	return out
}

// passedWords says which tests were passed, with what is free.
func passedWords(v candidates.Verdict) string {
	var parts []string
	for _, t := range v.Tests {
		switch {
		case !t.Pass, t.Moot:
		case t.Condition.Criterion == candidates.CriterionCapacity:
			parts = append(parts, fmt.Sprintf("%s %s free of %s", t.Condition.Class, component.Count(t.Has.Free()), component.Count(t.Has.Capacity())))
		case t.Condition.Criterion == candidates.CriterionInventory, t.Condition.Criterion == candidates.CriterionUnits:
		default:
			parts = append(parts, t.Condition.Words())
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "in order: " + strings.Join(parts, "; ")
}

// wordLines draws the explained provider, test by test.
func (s *Screen) wordLines(w int) []string {
	v, ok := s.told()
	if !ok {
		return s.brief(w)
	}
	st := s.env.Styles
	out := component.Paragraph(st, w, 1, themes.Strong, v.Words())
	for _, t := range v.Tests {
		if t.Moot {
			continue
		}
		l := component.NewLine(st, w).Space(1)
		if t.Pass {
			l.Mark(style.SeverityOK).Space(1).Add(themes.Dim, t.Condition.Words())
		} else {
			l.Mark(style.SeverityCritical).Space(1).Add(themes.Text, t.Condition.Words())
		}
		if t.Provider != nil && t.Provider != v.Provider {
			l.Add(themes.Faint, "  asked of "+displayName(s.ans.snap.Placement(), t.Provider))
		}
		switch {
		case !t.Pass:
			l.Add(themes.Critical, "  "+t.Words())
		case t.Condition.Criterion == candidates.CriterionCapacity:
			l.Add(themes.Dim, fmt.Sprintf("  %s free of %s", component.Count(t.Has.Free()), component.Count(t.Has.Capacity())))
		}
		out = append(out, l.String())
	}
	ways := s.ans.why.Ways[:min(len(s.ans.why.Ways), 1)]
	if v.InAnswer {
		ways = nil // there is no obstacle
	}
	for _, way := range ways {
		out = append(out, component.NewLine(st, w).Space(3).Add(themes.Dim, fmt.Sprintf("way out: %s gives %s", way.Words(), way.Counted())).String())
	}
	return out
}
