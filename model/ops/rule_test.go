package ops_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

func findings(s *cloud.Snapshot) []string {
	var out []string
	for _, f := range ops.Audit(s) {
		out = append(out, string(f.Rule)+" "+f.Subject)
	}
	return out
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, tc := range ruleCases() {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tc.make(w)
			if d := gocmp.Diff(tc.want, findings(w.Snapshot)); d != "" {
				t.Fatalf("findings (-want +got):\n%s", d)
			}
			if d := gocmp.Diff(ops.Audit(w.Snapshot), ops.AuditAll(w.Snapshot)); d != "" {
				t.Errorf("the rules that take long find more:\n%s", d)
			}
			for _, f := range ops.Audit(w.Snapshot) {
				if again, stands := f.StandsOn(w.Snapshot); !stands || !gocmp.Equal(again, f) {
					t.Errorf("asked again of its subject: %t\n%s", stands, gocmp.Diff(f, again))
				}
			}
			if len(tc.want) > 0 {
				tryFixes(t, w, ops.Audit(w.Snapshot)[0], tc.fixes)
			}
		})
	}
}

// tryFixes applies each fix of f to the cloud of w: the finding is gone then, all
// others stand, and the fix is refused when it is asked for again.
func tryFixes(t *testing.T, w *world, f ops.Finding, want []string) {
	t.Helper()
	var names []string
	for _, x := range ops.Fixes(w.Snapshot, f) {
		name := x.Name
		if x.Prepares {
			name += "*"
		}
		if x.Choice {
			name += "?"
		}
		names = append(names, name)
		plan, err := x.Plan(w.Snapshot)
		if err != nil {
			t.Errorf("%s: %v", x.Name, err)
			continue
		}
		next, _, err := w.Snapshot.Apply(plan.Change)
		if err != nil || plan.Empty() || plan.Change.Note == "" || x.Title == "" {
			t.Errorf("%s (%q, note %q): empty %t, %v", x.Name, x.Title, plan.Change.Note, plan.Empty(), err)
			continue
		}
		was, is := findings(w.Snapshot), findings(next)
		_, stands := f.StandsOn(next)
		if stands != x.Prepares {
			t.Errorf("%s: stands after it: %t; findings: %q", x.Name, stands, is)
		}
		for _, n := range is {
			if !slices.Contains(was, n) && !x.Prepares {
				t.Errorf("%s brings %s", x.Name, n)
			}
		}
		var gone *ops.FixedError
		if _, err := x.Plan(next); !x.Prepares && (!errors.As(err, &gone) || !errors.Is(err, placement.ErrNotFound)) {
			t.Errorf("%s, once more: %v, want that there is nothing left to fix", x.Name, err)
		}
	}
	if d := gocmp.Diff(want, names); d != "" {
		t.Errorf("fixes (-want +got):\n%s", d)
	}
}

// Every rule has a case that finds it. The children without root are those of
// TestAuditRules; no operation makes a ledger disagree with itself.
func TestEveryRuleHasACase(t *testing.T) {
	t.Parallel()
	for _, r := range ops.Rules() {
		told := func(c ruleCase) bool {
			return slices.ContainsFunc(c.want, func(s string) bool { return strings.HasPrefix(s, string(r.ID)) })
		}
		if !slices.ContainsFunc(ruleCases(), told) && !slices.Contains([]ops.RuleID{ops.RuleChildWithout, ops.RuleLedger}, r.ID) {
			t.Errorf("no case finds %s, %s", r.ID, r.Title)
		}
	}
}
