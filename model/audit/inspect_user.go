package audit

import (
	"context"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
)

// LongestHold returns the longest hold time of rules: how far back Inspect looks.
func LongestHold(rules []*UserRule) time.Duration {
	var longest time.Duration
	for _, r := range rules {
		longest = max(longest, r.For)
	}
	return longest
}

// EventsFor returns InspectOptions.Events for a Snapshot, nil if no rule has a hold
// time: the journal back to the first event older than the longest hold time.
//
// Errors are those of h.
func EventsFor(ctx context.Context, h cloud.Historian, s *cloud.Snapshot, rules []*UserRule, now time.Time) ([]cloud.Event, error) {
	hold := LongestHold(rules)
	var out []cloud.Event
	for next := s.Revision(); hold > 0 && next > 0; {
		page, err := h.Events(ctx, cloud.EventQuery{Until: next})
		if err != nil {
			return nil, err
		}
		for _, ev := range page {
			out = append(out, ev)
			if !ev.At.After(now.Add(-hold)) {
				return out, nil
			}
		}
		if len(page) == 0 {
			break
		}
		next = page[len(page)-1].Revision - 1
	}
	return out, nil
}

// candidate is a row that a rule with a hold time picks now.
type candidate struct {
	rule    int // in the list of rules
	finding Finding
	from    time.Time // since when it must have matched
}

// userFindings returns the findings of the user's rules on s, rule by rule.
func userFindings(s *cloud.Snapshot, o InspectOptions) []Finding {
	found := make([][]Finding, len(o.UserRules))
	var wait []candidate
	for i, r := range o.UserRules {
		for _, f := range r.matches(kinds.At{Snap: s, Now: o.Now}, nil) {
			if r.For == 0 {
				found[i] = append(found[i], f)
				continue
			}
			wait = append(wait, candidate{rule: i, finding: f, from: o.Now.Add(-r.For)})
		}
	}
	for _, c := range lasting(s, wait, o.Events) {
		found[c.rule] = append(found[c.rule], c.finding)
	}
	var out []Finding
	for i, r := range o.UserRules {
		if len(found[i]) >= r.Count {
			out = append(out, found[i]...)
		}
	}
	return out
}

// lasting returns the candidates that have matched for as long as they must. Between two
// changes of the cloud only ages change, so that each is checked at every change, and at
// the beginning of its time. If events are missing it has not matched.
func lasting(s *cloud.Snapshot, wait []candidate, events []cloud.Event) []candidate {
	events = slices.DeleteFunc(slices.Clone(events), func(ev cloud.Event) bool { return ev.Revision > s.Revision() })
	if len(events) > 0 && events[0].Revision != s.Revision() {
		events = nil // there is a gap before s
	}
	began := s.At() // when the current state began
	var out []candidate
	for {
		wait = slices.DeleteFunc(wait, func(c candidate) bool {
			at := began
			if at.Before(c.from) {
				at = c.from
			}
			return len(c.finding.User.Rule.matches(kinds.At{Snap: s, Now: at}, &c.finding)) == 0
		})
		over := func(c candidate) bool { return !began.After(c.from) }
		for _, c := range wait {
			if over(c) {
				out = append(out, c)
			}
		}
		wait = slices.DeleteFunc(wait, over)
		if len(wait) == 0 || len(events) < 2 {
			return out
		}
		before, err := s.Before(events[0])
		if err != nil {
			return out // forgotten, or there is a gap in the events
		}
		s, began, events = before, events[1].At, events[1:]
	}
}
