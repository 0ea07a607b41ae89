package ops

import (
	"slices"

	"github.com/placetop/placetop/model/cloud"
)

// PlanAll plans several wishes as one Change, each on the outcome of those before it:
// all or nothing is written. Note describes the whole.
//
// Errors: those of the wishes.
func PlanAll(s *cloud.Snapshot, note string, wishes ...Planner) (Plan, error) {
	again := Planner(func(s *cloud.Snapshot) (Plan, error) {
		c := cloud.Change{Note: note}
		var warnings []string
		on := s
		for _, wish := range wishes {
			p, err := wish.Plan(on)
			if err != nil {
				return Plan{}, err
			}
			c.Ops = append(c.Ops, p.Change.Ops...)
			for _, text := range p.Preview.Warnings {
				if !slices.Contains(p.Preview.ofDiffs, text) { // the preview of the whole has those
					warnings = append(warnings, text)
				}
			}
			on = p.After
		}
		p, err := planOf(s, c)
		p.Preview.Warnings = unionOf(p.Preview.Warnings, warnings)
		return p, err
	})
	return again.Plan(s)
}
