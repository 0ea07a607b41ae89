package allocations

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// releaseWord is what must be typed before a release that may hurt.
const releaseWord = "release"

// NewRelease returns the page that releases what a consumer holds: all of it, or
// where from is not the zero id what it holds on that provider.
//
// One key is enough for an orphan on one provider. Where a live instance stands
// behind the consumer, or more than one provider is touched, a word must be typed.
func NewRelease(env screen.Env, snap *cloud.Snapshot, consumer placement.ConsumerID, from placement.ProviderID) *confirm.Page {
	return confirm.New(env, snap, confirm.Spec{
		Title: "release " + panel.ConsumerName(snap, consumer),
		Verb:  "release",
		Plan:  func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanRelease(s, consumer, from) },
		Word: func(s *cloud.Snapshot, shown ops.Preview) string {
			i, ok := s.Nova().Instance(consumer)
			if ok && i.VMState != nova.Deleted || releasedFrom(shown) > 1 {
				return releaseWord
			}
			return ""
		},
	})
}

// releasedFrom returns on how many providers a change releases something.
func releasedFrom(p ops.Preview) int {
	n := 0
	for _, d := range p.Providers {
		for _, c := range d.Classes {
			if c.UsedAfter < c.UsedBefore {
				n++
				break
			}
		}
	}
	return n
}

// OpenRelease makes the screen of a place.
func OpenRelease(env screen.Env, at place.Release) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	if _, ok := snap.Placement().Consumer(at.Consumer); !ok {
		return nil, &placement.NotFoundError{What: "consumer", Name: at.Consumer.String()}
	}
	return NewRelease(env, snap, at.Consumer, at.From), nil
}
