package ops_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
)

// TestNoRuleBreaksOnTheWay audits the cloud after every step of a move between any
// owners, reverted or confirmed: there are no new findings on the way. What a move holds
// while it waits is not a finding.
func TestNoRuleBreaksOnTheWay(t *testing.T) {
	t.Parallel()
	flavors := []string{"plain", "nova", "nova.big", "cyborg", "cyborg.small", "both"}
	for _, from := range flavors {
		for _, to := range append(flavors, "cyborg.two") {
			if from == to {
				continue
			}
			there := move(to)
			back := ops.Move{Migration: vm("m2"), Instance: vm("i"), Flavor: from}
			for name, courses := range map[string][]ops.Task{
				"reverted":           {there, ops.Revert{Migration: there.Migration}},
				"confirmed and back": {there, ops.Confirm{Migration: there.Migration}, back, ops.Confirm{Migration: back.Migration}},
				"confirmed, back reverted": {
					there, ops.Confirm{Migration: there.Migration}, back, ops.Revert{Migration: back.Migration},
				},
			} {
				t.Run(fmt.Sprintf("%s to %s, %s", from, to, name), func(t *testing.T) {
					t.Parallel()
					tr := newMove(t, from)
					before := audit.Find(tr.Snapshot())
					for _, c := range courses {
						tr.audited(t, c, before)
					}
				})
			}
		}
	}
}

// audited runs a course to its end, and compares the findings after each step with those
// before.
func (tr *trip) audited(t *testing.T, c ops.Task, before []audit.Finding) {
	t.Helper()
	for {
		s := tr.Snapshot()
		step, ok, err := c.Next(s, time.Time{})
		must.Succeed(t, err)
		if !ok {
			return
		}
		if err := tr.Apply(t.Context(), step.Change).Err(); err != nil {
			t.Fatalf("%s: %v", step.Title, err)
		}
		for _, text := range brought(tr.Snapshot(), before) {
			t.Errorf("after %q: %s", step.Title, text)
		}
	}
}

// brought returns the findings on s that are not in before.
func brought(s *cloud.Snapshot, before []audit.Finding) []string {
	var out []string
found:
	for _, f := range audit.Find(s) {
		for _, b := range before {
			if f.Same(b) {
				continue found
			}
		}
		out = append(out, fmt.Sprintf("%s %s: %s", f.Rule, f.Subject, f.Text))
	}
	return out
}
