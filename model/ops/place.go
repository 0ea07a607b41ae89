package ops

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// lostPlaces are the places that a course leaves out, as others wrote there before in
// every try: what it would have claimed of each.
type lostPlaces []Amounts

// with adds the place that a step claims for a consumer; false where it claims none.
func (l lostPlaces) with(step Step, consumer placement.ConsumerID) (lostPlaces, bool) {
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

// why returns why a place is left out, "" where it is not. What is claimed may be more
// than the place gives: an evacuated instance keeps what it holds besides.
func (l lostPlaces) why(p Place) string {
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
