package audit

import "github.com/placetop/placetop/model/placement"

// mayRefuse reports whether some allocation of an inventory may be refused by its limits,
// judging by the sum.
func mayRefuse(iu placement.InventoryUsage) bool {
	return iu.Used > 0 && (iu.Used > iu.MaxUnit || iu.MinUnit > 1 || iu.StepSize > 1)
}

// unitLimit says which allocations of a provider may be refused: those of one
// class above an amount, or any. Most are not, so that a walk over all allocations
// need not look at their providers.
type unitLimit struct {
	class placement.ClassID
	most  int32 // units of class up to which nothing is refused; 0 if nothing may be refused
	any   bool  // any allocation may be refused
}

// limitOf returns the limit of p.
func limitOf(p *placement.ResourceProvider) unitLimit {
	var l unitLimit
	for _, iu := range p.Inventories() {
		switch {
		case !mayRefuse(iu):
		case l.most > 0 || iu.MinUnit > 1 || iu.StepSize > 1:
			l.any = true
		default:
			l.class, l.most = iu.Class, int32(min(iu.MaxUnit, placement.MaxInt)) // within MaxInt
		}
	}
	return l
}

// refuses reports whether an allocation may be refused.
func (l unitLimit) refuses(h placement.NumberedAllocation) bool {
	return l.any || l.most > 0 && h.Class == l.class && h.Used > int64(l.most)
}
