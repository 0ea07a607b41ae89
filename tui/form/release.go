package form

import (
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// releaseWord is what must be typed before a release that may hurt.
const releaseWord = "release"

// NewRelease returns the page that releases what a consumer holds: all of it, or
// where from is not the zero id what it holds on that provider.
//
// One key is enough for an orphan on one provider. Where a live instance stands
// behind the consumer, or more than one provider is touched, a word must be typed.
func NewRelease(env screen.Env, snap *cloud.Snapshot, consumer placement.ConsumerID, from placement.ProviderID) *Preview {
	return NewPreview(env, snap, Write{
		Title: "release " + panel.ConsumerName(snap, consumer),
		Verb:  "release",
		Plan:  func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanRelease(s, consumer, from) },
		Word: func(s *cloud.Snapshot, plan ops.Plan) string {
			i, ok := s.Nova().Instance(consumer)
			if ok && i.VMState != nova.Deleted || releasedFrom(plan.Preview) > 1 {
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

// OpenRelease makes the screen of kind screen.Release: arg is the uuid of a
// consumer, or consumer@provider.
func OpenRelease(env screen.Env, arg string) (screen.Screen, error) {
	who, where, part := strings.Cut(arg, "@")
	consumer, err := placement.ParseConsumerID(who)
	if err != nil {
		return nil, err
	}
	var from placement.ProviderID
	if part {
		if from, err = placement.ParseProviderID(where); err != nil {
			return nil, err
		}
	}
	snap := env.Cloud.Snapshot()
	if _, ok := snap.Placement().Consumer(consumer); !ok {
		return nil, &placement.NotFoundError{What: "consumer", Name: who}
	}
	return NewRelease(env, snap, consumer, from), nil
}
