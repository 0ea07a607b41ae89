package ops

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// excludedPlaces are the places that a course leaves out, as other writers were faster there
// in every try: what it would have claimed in each.
type excludedPlaces []Amounts

// with adds the place that a step claims for a consumer; false if it claims none.
func (l excludedPlaces) with(step Step, consumer placement.ConsumerID) (excludedPlaces, bool) {
	if step.Name != "claim" {
		return l, false
	}
	for _, op := range step.Change.Ops {
		put, ok := op.(placement.ReplaceAllocations)
		if !ok {
			continue
		}
		for _, c := range put.Consumers {
			if c.Consumer == consumer {
				return append(slices.Clone(l), c.Allocations), true
			}
		}
	}
	return l, false
}

// why returns why a place is left out, "" if it is not. The claim may be larger than the
// place: an evacuated instance also keeps what it holds.
func (l excludedPlaces) why(p Place) string {
	for _, lost := range l {
		if within(p.Allocations, lost) {
			return fmt.Sprintf("others wrote to it in each of %d tries", mostConflicts)
		}
	}
	return ""
}

// within reports whether all of a is part of b.
func within(a, b Amounts) bool {
	for id, amounts := range a {
		for class, n := range amounts {
			if b[id][class] != n {
				return false
			}
		}
	}
	return true
}
