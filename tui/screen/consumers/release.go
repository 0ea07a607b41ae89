package consumers

import (
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// releaseWord is what must be typed before a dangerous release.
const releaseWord = "release"

// NewRelease returns the page that releases what consumers hold: all of it, or,
// if from is not the zero id, what they hold on that provider.
//
// One key is enough for an orphan on one provider. If a consumer is a live instance, or
// there are several consumers or providers, a word must be typed.
func NewRelease(env screen.Env, snap *cloud.Snapshot, from placement.ProviderID, consumers ...placement.ConsumerID) *confirm.Page {
	title := "release " + panel.ConsumerName(snap, consumers[0])
	if len(consumers) > 1 {
		title = "release " + component.Plural(len(consumers), "allocation")
	}
	only := "" // the only host to release from, "" for all
	plan := func(only string) ops.Planner {
		return func(s *cloud.Snapshot) (ops.Plan, error) {
			if only == "" {
				return planRelease(s, title, from, consumers)
			}
			host, ok := s.Placement().ProviderByName(only)
			if !ok { // and not everything else that it holds
				return ops.Plan{}, &placement.NotFoundError{What: "resource provider", Name: only}
			}
			return ops.PlanDropHost(s, consumers[0], host.ID())
		}
	}
	return confirm.New(env, snap, confirm.Spec{
		Title: title,
		Verb:  "release",
		Plan:  plan(only),
		Keys: func() []confirm.Key {
			if len(consumers) > 1 || !from.IsZero() {
				return nil
			}
			return oneHost(env.Cloud.Snapshot(), consumers[0], only, func(next string) ops.Planner {
				only = next
				return plan(next)
			})
		},
		Word: func(s *cloud.Snapshot, shown ops.Preview) string {
			alive := func(id placement.ConsumerID) bool {
				i, ok := s.Nova().Instance(id)
				return ok && i.VMState != nova.Deleted
			}
			if len(consumers) > 1 || alive(consumers[0]) || releasedFrom(shown) > 1 {
				return releaseWord
			}
			return ""
		},
	})
}

// oneHost is the key that restricts a release to one of several hosts of a consumer: each
// in turn, the one that an instance runs on last, and then all again. Only is the host to
// which it is restricted, "" for none.
func oneHost(s *cloud.Snapshot, consumer placement.ConsumerID, only string, set func(host string) ops.Planner) []confirm.Key {
	names := []string{""}
	for _, host := range ops.HostsHeld(s, consumer) {
		names = append(names, host.Name())
	}
	if i, ok := s.Nova().Instance(consumer); ok {
		if at := slices.Index(names, i.Host); at > 0 {
			names = append(slices.Delete(names, at, at+1), i.Host)
		}
	}
	if len(names) < 3 {
		return nil
	}
	next := names[(slices.Index(names, only)+1)%len(names)]
	k := confirm.Key{Key: "x", Title: "only on " + next, Help: "it holds several hosts: release what it holds on one of them", Set: func() ops.Planner { return set(next) }}
	if next == "" {
		k.Title = "on all hosts"
	}
	return []confirm.Key{k}
}

// planRelease plans to release what consumers hold: consumers that hold nothing any more
// are skipped, unless all do.
func planRelease(s *cloud.Snapshot, note string, from placement.ProviderID, consumers []placement.ConsumerID) (ops.Plan, error) {
	if len(consumers) == 1 {
		return ops.PlanRelease(s, consumers[0], from)
	}
	var each []ops.Planner
	for _, id := range consumers {
		if _, ok := s.Placement().Consumer(id); ok {
			each = append(each, func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanRelease(s, id, from) })
		}
	}
	if len(each) == 0 {
		return ops.PlanRelease(s, consumers[0], from) // returns why
	}
	return ops.PlanAll(s, note, each...)
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
	return NewRelease(env, snap, at.From, append([]placement.ConsumerID{at.Consumer}, place.IDs[placement.ConsumerID](at.Others)...)...), nil
}
