package candidates

import "github.com/placetop/placetop/model/placement"

// Part is what one provider gives to one group.
type Part struct {
	Suffix   string // of the group; "" for the un-suffixed one
	Provider *placement.ResourceProvider
	Class    placement.ResourceClass
	Amount   int64 // units of Class
}

// Parts returns candidate i group by group, in the order of the query: Uses has the
// sums of these by provider. Groups that ask for no resources have no part.
func (r *Result) Parts(i int) []Part {
	var out []Part
	for n, slot := range r.of(i) {
		out = r.plan.parts(out, n, slot)
	}
	return out
}

// parts appends what slot gives for need n.
func (p *plan) parts(out []Part, n int, slot int32) []Part {
	for _, u := range p.needs[n].uses {
		out = append(out, Part{
			Suffix: p.q.Groups[p.needs[n].group].Suffix, Provider: p.x.provider(slot), Class: p.x.snap.ClassName(u.class), Amount: u.amount,
		})
	}
	return out
}
