package candidates

import "github.com/placetop/placetop/model/placement"

// Part is what one provider gives to one group.
type Part struct {
	Suffix   string // of the group; "" for the un-suffixed one
	Provider *placement.ResourceProvider
	Class    placement.ResourceClass
	Amount   int64 // units of Class
}

// Parts returns candidate i group by group, in the order of the query: what Uses
// sums up by provider. Groups that ask for no resources have no part.
func (r *Result) Parts(i int) []Part {
	var out []Part
	for k, slot := range r.of(i) {
		n := &r.plan.needs[k]
		for _, u := range n.uses {
			out = append(out, Part{
				Suffix: r.plan.q.Groups[n.group].Suffix, Provider: r.plan.x.provider(slot),
				Class: r.plan.x.snap.ClassName(u.class), Amount: u.amount,
			})
		}
	}
	return out
}
