package audit_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

func findings(s *cloud.Snapshot) []string {
	var out []string
	for _, f := range audit.Find(s) {
		out = append(out, string(f.Rule)+" "+f.Subject)
	}
	return out
}

// ruleCase is a cloud with exactly one trouble, or with what only looks like it.
type ruleCase struct {
	name  string
	make  func(*world)
	want  []string // "rule subject"
	fixes []string // of the first finding; "name*" only prepares, "name?" is a choice
}

// cloudWith makes a cloud with trouble, and ends the test unless its findings are those
// wanted.
func cloudWith(t *testing.T, trouble func(*world), want []string) *world {
	t.Helper()
	w := newWorld(t)
	trouble(w)
	if d := gocmp.Diff(want, findings(w.Snapshot)); d != "" {
		t.Fatalf("findings (-want +got):\n%s", d)
	}
	checkAbsence(t, w.Snapshot)
	return w
}

// testRule checks the findings of each case, and tries all fixes of the first one.
func testRule(t *testing.T, cases []ruleCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := cloudWith(t, tc.make, tc.want)
			must.Match(t, audit.Find(w.Snapshot), audit.FindAll(w.Snapshot))
			for _, f := range audit.Find(w.Snapshot) {
				if again, stands := f.StandsOn(w.Snapshot); !stands || !gocmp.Equal(again, f) {
					t.Errorf("asked again of its subject: %t\n%s", stands, gocmp.Diff(f, again))
				}
			}
			if len(tc.want) > 0 {
				tryFixes(t, w, audit.Find(w.Snapshot)[0], tc.fixes)
			}
		})
	}
}

// findCase is a ruleCase whose fixes are not tried.
type findCase struct {
	name string
	make func(*world)
	want []string // "rule subject"
}

// testFinds checks the findings of each case.
func testFinds(t *testing.T, cases []findCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := cloudWith(t, tc.make, tc.want)
			for _, f := range audit.Find(w.Snapshot) {
				if f.Text == "" || f.Provider.IsZero() && f.Consumer.IsZero() && f.Service == "" {
					t.Errorf("finding without text or subject: %+v", f)
				}
			}
		})
	}
}

// odd returns an inventory of 10, changed by edit.
func odd(edit func(*placement.Inventory)) placement.Inventory {
	inv := placement.NewInventory(10)
	edit(&inv)
	return inv
}

// drained returns an inventory of one unit that is reserved.
func drained() placement.Inventory {
	return odd(func(i *placement.Inventory) { i.Total, i.Reserved, i.MaxUnit = 1, 1, 1 })
}

// tryFixes applies each fix of f to the cloud of w: the finding is then gone, all others
// stay, and the fix is refused a second time. Want names the fixes: with * those that
// prepare another, with ? those that are choices, with ! those that have to wait.
func tryFixes(t *testing.T, w *world, f audit.Finding, want []string) {
	t.Helper()
	var names []string
	for _, x := range audit.Fixes(w.Snapshot, f) {
		name := x.Name
		if x.Prepares {
			name += "*"
		}
		if x.Choice {
			name += "?"
		}
		next, err := fixed(w.Snapshot, x)
		if errors.Is(err, placement.ErrState) {
			names = append(names, name+"!")
			continue
		}
		names = append(names, name)
		if err != nil || x.Title == "" {
			t.Errorf("%s (%q): %v", x.Name, x.Title, err)
			continue
		}
		for _, fault := range worse(w.Snapshot, next) {
			t.Errorf("%s: %s", x.Name, fault)
		}
		was, is := findings(w.Snapshot), findings(next)
		_, stands := f.StandsOn(next)
		if stands != x.Prepares {
			t.Errorf("%s: stands after it: %t; findings: %q", x.Name, stands, is)
		}
		for _, n := range is {
			renamed := f.Rule == audit.RuleNameTaken && strings.HasPrefix(n, string(audit.RuleOrphanProvider)) // it frees the name, and is still there
			if !slices.Contains(was, n) && !x.Prepares && !renamed {
				t.Errorf("%s brings %s", x.Name, n)
			}
		}
		var gone *audit.FixedError
		if _, err := x.Preview(next, next.At()); !x.Prepares && (!errors.As(err, &gone) || !errors.Is(err, placement.ErrNotFound)) {
			t.Errorf("%s, once more: %v, want that there is nothing left to fix", x.Name, err)
		}
	}
	must.Match(t, want, names)
}

// worse returns the cards of Cyborg's whose records agree less than before.
func worse(before, after *cloud.Snapshot) (out []string) {
	was := map[placement.ProviderID]int64{}
	for _, a := range modeltest.CardAccounts(before) {
		was[a.Provider.ID()] = a.Faults()
	}
	for _, a := range modeltest.CardAccounts(after) {
		if a.Faults() > was[a.Provider.ID()] {
			out = append(out, fmt.Sprintf("the account of %s does not agree: %+v", a.Provider.Name(), a))
		}
	}
	return out
}

// fixed returns the cloud after a fix, which must do what its preview says.
func fixed(s *cloud.Snapshot, x audit.Fix) (*cloud.Snapshot, error) {
	preview, err := x.Preview(s, s.At())
	switch {
	case err != nil:
		return nil, err
	case preview.Empty():
		return nil, errors.New("it does nothing")
	}
	if c := x.Course(); c != nil {
		if _, err := x.Plan(s); !errors.Is(err, placement.ErrUnsupported) {
			return nil, fmt.Errorf("as one change: %w", err)
		}
		r, err := ops.Rehearse(s, c, s.At())
		return r.Final, err
	}
	plan, err := x.Plan(s)
	if err != nil || plan.Change.Note == "" {
		return nil, fmt.Errorf("note %q: %w", plan.Change.Note, err)
	}
	next, _, err := s.Apply(plan.Change)
	return next, err
}
