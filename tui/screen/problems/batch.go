package problems

import (
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// fixOf is the task of a fix of one of several findings, if it is a single Change: planned
// when its turn comes, and nothing once the finding is no longer there: so it comes to its
// end, which a Plan in ops.Each would not.
type fixOf struct {
	finding audit.Finding
	name    string
}

// About implements ops.Task.
func (t fixOf) About() ops.Description {
	return ops.Description{Name: "fix", Subject: t.finding.Subject}
}

// Next implements ops.Task.
func (t fixOf) Next(s *cloud.Snapshot, at time.Time) (ops.Step, bool, error) {
	if stands, err := stillThere(s, t.finding); err != nil || !stands {
		return ops.Step{}, false, err
	}
	now, _ := t.finding.StandsOn(s)
	x, err := audit.FixNamed(s, now, t.name)
	if err != nil {
		return ops.Step{}, false, err
	}
	plan, err := x.Plan(s)
	if err != nil {
		return ops.Step{}, false, err
	}
	return plan.Next(s, at)
}

// stillThere reports whether a finding is still there.
//
// Errors: *audit.UnjudgedError if that is not known.
func stillThere(s *cloud.Snapshot, f audit.Finding) (bool, error) {
	if _, stands := f.StandsOn(s); stands {
		return true, nil
	}
	if gone := f.Gone(s); !errors.As(gone, new(*audit.FixedError)) {
		return false, gone
	}
	return false, nil
}

// Failed implements ops.Task.
func (fixOf) Failed(*cloud.Snapshot, time.Time, ops.Step, error) (cloud.Change, error) {
	return cloud.Change{}, nil
}

// newBatch returns the page that applies one fix, at first the first of names, to several
// findings of a rule, one after the other.
func newBatch(env screen.Env, snap *cloud.Snapshot, found []audit.AnnotatedFinding, names []string) *confirm.Page {
	name, what := 0, component.Plural(len(found), "problem")
	title := func(what string) string { return fmt.Sprintf("fix %s of %s", found[0].Rule, what) }
	some := func(n int) string { return title(component.Count(n) + " of " + what) }
	spec := confirm.Spec{
		Title: title(what), Verb: "apply", Partly: true, Some: some,
		Make: func() confirm.Courses {
			run := make(ops.Each, len(found))
			courses := map[ops.Description]audit.Finding{} // of those that do not ask whether they are needed
			for i, f := range found {
				run[i] = fixOf{f.Finding, names[name]}
				if x, err := audit.FixNamed(snap, f.Finding, names[name]); err == nil && x.Course() != nil {
					run[i] = x.Course()
					courses[run[i].About()] = f.Finding
				}
			}
			return confirm.Courses{Run: run, Needed: func(s *cloud.Snapshot, t ops.Task) (bool, error) {
				if f, ok := courses[t.About()]; ok {
					return stillThere(s, f)
				}
				return true, nil
			}}
		},
		Word: wordFor(func() string { return names[name] }),
		Done: func(w confirm.WriteResult) tea.Cmd {
			if n := len(w.Taken); n < len(found) { // the others are gone meanwhile
				w.Note = some(n)
			}
			return outcomeOfAll(found, names[name], w)
		},
	}
	if len(names) > 1 {
		spec.Keys = func() []confirm.Key {
			next := (name + 1) % len(names)
			return []confirm.Key{{Key: "tab", Title: names[next] + " instead", Help: "apply the next possible fix", Set: func() ops.Planner {
				name = next
				return nil
			}}}
		}
	}
	return confirm.New(env, snap, spec)
}

// outcomeOfAll closes the page of a fix of several findings, runs the rule again, and says
// which of them it has not fixed.
func outcomeOfAll(found []audit.AnnotatedFinding, name string, w confirm.WriteResult) tea.Cmd {
	var stay []error
	for _, f := range found {
		now, stands := f.StandsOn(w.Snap)
		if !stands {
			continue
		}
		x, err := audit.FixNamed(w.Snap, now, name)
		if err == nil {
			err = x.Outcome(w.Snap)
		}
		if err != nil {
			stay = append(stay, err)
		}
	}
	if len(stay) == 0 {
		return w.Finish(screen.PopMsg{})
	}
	toast := screen.ToastMsg{Severity: style.SeverityCritical, Text: fmt.Sprintf("%d of %s not fixed: %v", len(stay), component.Plural(len(found), "problem"), stay[0])}
	return tea.Sequence(screen.Send(toast), screen.Send(screen.PopMsg{}))
}
