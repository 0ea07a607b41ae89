package problems

import (
	"context"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/keeper"
)

// plans are the fixes of the findings of a pass. In a large cloud finding them takes
// longer than drawing the rows, as each is tried on a copy: the rows come first.
type plans struct {
	pass *keeper.Pass
	ways map[string][]way // by their ids
}

// mostAsked is for how many findings of a rule fixes are computed; for the others that is
// done when the cursor reaches them.
const mostAsked = 30

// quickPlans is up to how many providers the rows wait for the fixes, so that rows do not
// change on screen.
const quickPlans = 500

// plansOf computes the fixes of the findings of a pass. It stops early when ctx ends.
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

// of returns the fixes of a finding; false if they were not computed.
func (p *plans) of(f audit.Finding) (ways []way, asked bool) {
	if p == nil {
		return nil, false
	}
	ways, asked = p.ways[f.ID()]
	return ways, asked
}
