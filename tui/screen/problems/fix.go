package problems

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// fixing is the key that repairs the marked findings, or the one under the cursor.
func (s *Screen) fixing(h list.Here[*row]) action.Action {
	key := action.Action{ID: "problems.fix", Keys: "F", Title: "fix plan", Help: "what can be done about the problem, or all marked ones; with a preview", Priority: 90, Disabled: h.Nothing}
	env, snap := s.env, s.snap
	search := func() tea.Cmd {
		found, why := marked(h) // now, as the search may end after further keys
		s.unfixed, s.toFix = s.made.Load(), found
		return func() tea.Msg {
			if why != "" {
				return screen.Warning(why)
			}
			return fix(env, snap, found)
		}
	}
	if screen.Small(snap) {
		key.Request = func() tea.Msg { return search()() }
	} else {
		key.Run = search
	}
	return key
}

// fix opens what repairs findings of one rule: the preview of the only fix, a choice of
// several, or a page for several findings.
func fix(env screen.Env, snap *cloud.Snapshot, found []audit.AnnotatedFinding) tea.Msg {
	for _, f := range found {
		if f.Rule != found[0].Rule {
			return screen.Warning(fmt.Sprintf("problems of %s and %s are marked: mark those of one rule", found[0].Rule, f.Rule))
		}
	}
	if len(found) > 1 {
		return openBatch(env, snap, found)
	}
	return openFix(env, snap, found[0])
}

// openFix opens what repairs one finding.
func openFix(env screen.Env, snap *cloud.Snapshot, f audit.AnnotatedFinding) tea.Msg {
	now, stands := f.StandsOn(snap)
	if !stands {
		return screen.ToastMsg{Severity: style.SeverityOK, Text: (&audit.FixedError{Finding: f.Finding}).Error()}
	}
	switch ways := waysFor(snap, now); {
	case len(ways) == 0:
		return onlyPeople(env, string(f.Rule)+" "+panel.FindingSubject(snap, now), now.Text, audit.NoFix(snap, now), byHand(snap, now)...)
	case len(ways) == 1:
		return screen.PushMsg{Screen: newFixPage(env, snap, now, ways[0].Fix)}
	default:
		return screen.PushMsg{Screen: newChoice(env, snap, now)}
	}
}

// newFixPage returns the page that shows what a fix does, and does it: in one write, or
// step by step.
func newFixPage(env screen.Env, snap *cloud.Snapshot, f audit.Finding, x audit.Fix) *confirm.Page {
	spec := confirm.Spec{
		Title: "fix " + string(f.Rule) + " " + panel.FindingSubject(snap, f), Verb: "apply", Plan: x.Plan,
		Says: x.Title,
		Done: func(w confirm.WriteResult) tea.Cmd {
			w.Note = string(f.Rule) + " of " + panel.FindingSubject(snap, f) + " is gone"
			if x.Prepares {
				w.Note = x.Title
			}
			return outcomeOf(x, w)
		},
		Word: wordFor(func() string { return x.Name }),
	}
	if c := x.Course(); c != nil {
		spec.Plan, spec.Make = nil, func() confirm.Courses {
			return confirm.Courses{Run: c, Needed: func(s *cloud.Snapshot, _ ops.Task) (bool, error) { return stillThere(s, f) }}
		}
	}
	return confirm.New(env, snap, spec)
}

// outcomeOf closes the page of a written fix, runs the rule again, and says whether the
// finding is fixed.
func outcomeOf(x audit.Fix, w confirm.WriteResult) tea.Cmd {
	if err := x.Outcome(w.Snap); err != nil {
		toast := screen.ToastMsg{Severity: style.SeverityCritical, Text: err.Error()}
		return tea.Sequence(screen.Send(toast), screen.Send(screen.PopMsg{}))
	}
	return w.Finish(screen.PopMsg{})
}

// wordFor asks for the name of a fix that leaves a live instance without allocations.
func wordFor(name func() string) func(*cloud.Snapshot, ops.Preview) string {
	return func(s *cloud.Snapshot, shown ops.Preview) string {
		if takesAll(s, shown) {
			return name()
		}
		return ""
	}
}

// takesAll reports whether a change leaves a live instance without allocations.
func takesAll(s *cloud.Snapshot, p ops.Preview) bool {
	for _, d := range p.Consumers {
		if i, ok := s.Nova().Instance(d.Consumer); ok && i.Live() && len(d.Before) > 0 && len(d.After) == 0 {
			return true
		}
	}
	return false
}

// openBatch opens the page that repairs several findings of a rule.
func openBatch(env screen.Env, snap *cloud.Snapshot, found []audit.AnnotatedFinding) tea.Msg {
	names, standing := fixNames(snap, found)
	switch {
	case standing == 0:
		return screen.ToastMsg{Severity: style.SeverityOK, Text: fmt.Sprintf("none of the %d problems of %s is still there", len(found), found[0].Rule)}
	case len(names) == 0:
		rule := audit.RuleOf(found[0].Finding)
		return onlyPeople(env, string(rule.ID), rule.Title, rule.Advice)
	}
	return screen.PushMsg{Screen: newBatch(env, snap, found, names)}
}

// onlyPeople opens the page that says why a problem has no fix, or what people can do:
// that may be longer than a line.
func onlyPeople(env screen.Env, of, wrong, why string, where ...screen.Choice) tea.Msg {
	lines := []string{wrong, "only people can help"}
	if why != "" {
		lines[1] += ": " + why
	}
	return screen.PushMsg{Screen: screen.NewPage(env.Styles, "fix "+of, style.SeverityInfo, "BY HAND", lines, where...)}
}

// byHand returns the keys that lead to where people can do something about a finding.
func byHand(snap *cloud.Snapshot, f audit.Finding) []screen.Choice {
	choice := func(key, title string, to place.Place) screen.Choice {
		return screen.Choice{Key: key, Title: title, To: to}
	}
	open := choice("enter", "open "+panel.FindingSubject(snap, f), subjectPlace(snap, f))
	switch f.Rule {
	case audit.RuleUnheldTrait:
		return []screen.Choice{
			choice("enter", "flavors that ask for it, to edit one", subjectPlace(snap, f)),
			choice("p", "providers, to add it to one or to all that are marked", place.Providers{}),
		}
	case audit.RuleIsolatedPool:
		return []screen.Choice{open, choice("p", "let the hosts of a host aggregate use it", place.Pool{ID: f.Provider})}
	case audit.RuleBrokenMove, audit.RuleWaitingMove:
		return []screen.Choice{open, choice("p", "moves: confirm, revert or finish one", place.Migrations{})}
	default:
		return []screen.Choice{open}
	}
}

// fixNames returns the names of the fixes of findings in order, the most likely first,
// and how many of the findings still exist on snap.
func fixNames(snap *cloud.Snapshot, found []audit.AnnotatedFinding) (names []string, standing int) {
	seen := map[string]bool{}
	for _, f := range found {
		now, stands := f.StandsOn(snap)
		if !stands {
			continue
		}
		standing++
		for _, x := range audit.Fixes(snap, now) {
			if !seen[x.Name] {
				seen[x.Name] = true
				names = append(names, x.Name)
			}
		}
	}
	return names, standing
}
