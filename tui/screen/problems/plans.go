package problems

import (
	"context"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/keeper"
)

// plans are the fixes of what a pass found. In a large cloud it takes longer to find them than
// to draw the rows, as each is tried on a copy: the rows are there before.
type plans struct {
	pass *keeper.Pass
	ways map[string][]way // by their ids
}

// mostAsked is how many findings of a rule are asked for their fixes; the others are asked when
// the cursor is on them.
const mostAsked = 30

// quickPlans is up to how many providers the rows wait for the fixes, so that nothing in them
// changes under somebody's eyes.
const quickPlans = 500

// plansOf asks for the fixes of what a pass found. It stops early when ctx ends.
func plansOf(ctx context.Context, pass *keeper.Pass) *plans {
	p := &plans{pass: pass, ways: map[string][]way{}}
	asked := map[audit.RuleID]int{}
	for _, f := range standing(pass) {
		if asked[f.Rule]++; asked[f.Rule] <= mostAsked && ctx.Err() == nil {
			p.ways[f.ID()] = waysFor(pass.Of, f)
		}
	}
	return p
}

// of returns the fixes of a finding, and false where they were not asked for.
func (p *plans) of(f audit.Finding) (ways []way, asked bool) {
	if p == nil {
		return nil, false
	}
	ways, asked = p.ways[f.ID()]
	return ways, asked
}
