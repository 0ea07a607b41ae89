package problems

import (
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/ops"
)

// findingFixes is what can be done about a finding.
type findingFixes struct {
	pass *keeper.Pass
	id   string // of its row
	ways []way
	none string // why there is no way, "" if there is one
}

// way is a fix with what is known of it before it is taken.
type way struct {
	audit.Fix
	number  int         // among the fixes of its finding, from 1
	does    ops.Preview // its effect; empty if not tried, or refused
	refused error       // why it cannot be done now; nil if it can
}

// waysFor returns what can be done about an existing finding on s, without trying it.
func waysFor(s *cloud.Snapshot, f audit.Finding) []way {
	var out []way
	for i, x := range audit.Fixes(s, f) {
		out = append(out, way{Fix: x, number: i + 1})
	}
	return out
}

// waysOf returns what can be done about an existing finding on s, each tried on a copy at
// the given time.
func waysOf(s *cloud.Snapshot, f audit.Finding, now time.Time) []way {
	out := waysFor(s, f)
	for i, w := range out {
		out[i].does, out[i].refused = w.Preview(s, now)
	}
	return out
}

// newFindingFixes gathers what can be done about a finding of a pass.
func newFindingFixes(of *keeper.Pass, f audit.AnnotatedFinding, now time.Time) *findingFixes {
	d := &findingFixes{pass: of, id: f.ID(), ways: waysOf(of.Of, f.Finding, now)}
	if len(d.ways) == 0 {
		d.none = audit.NoFix(of.Of, f.Finding)
	}
	return d
}

// standing returns all findings of a pass.
func standing(pass *keeper.Pass) []audit.Finding {
	var out []audit.Finding
	for _, some := range [][]audit.AnnotatedFinding{pass.Report.Open, pass.Report.Acknowledged, pass.Report.Muted} {
		out = append(out, audit.Findings(some)...)
	}
	return out
}
