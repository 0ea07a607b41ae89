package audit

import (
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Origins finds the events that caused findings: for each, the newest event before
// which it was not there. It goes back through the journal once for all of them, step
// by step.
type Origins struct {
	ledger *placement.Snapshot // on which the findings still hold
	at     *cloud.Snapshot     // the cloud before what was undone
	events []cloud.Event       // still to be undone, the newest first
	passed []cloud.Event       // skipped since, as they concern none of the findings
	open   []origin
}

// origin is a finding whose cause is not known yet, with what it may depend on.
type origin struct {
	Finding
	all   bool  // anything
	trees []int // roots of the trees of the providers that it names, by number
}

// NewOrigins returns Origins for findings on s. The events are those of the journal up
// to the revision of s or later, newest first, without gaps; see cloud.EventQuery.
func NewOrigins(s *cloud.Snapshot, found []Finding, events []cloud.Event) *Origins {
	o := &Origins{ledger: s.Placement(), at: s, events: events}
	for len(o.events) > 0 && o.events[0].Revision > s.Revision() {
		o.events = o.events[1:]
	}
	ofCloud := map[RuleID]bool{}
	for _, r := range allRules() {
		ofCloud[r.ID] = r.tree != nil || r.cloud != nil || r.core != nil || r.seen != nil
	}
	for _, f := range found {
		open := origin{Finding: f, all: ofCloud[f.Rule]}
		for _, id := range append([]placement.ProviderID{f.Provider}, f.Others...) {
			if p, ok := o.ledger.Provider(id); ok {
				open.trees = append(open.trees, p.RootNumber())
			}
		}
		o.open = append(o.open, open)
	}
	return o
}

// Open returns the findings whose origin is not found yet. Once Back has gone over all
// events, these are older than the events, or the journal no longer has what an event
// changed.
func (o *Origins) Open() []Finding {
	var out []Finding
	for _, f := range o.open {
		out = append(out, f.Finding)
	}
	return out
}

// Back goes back over one event, and returns it with the findings that it caused. It
// returns false when there is nothing more to find out.
func (o *Origins) Back() (ev cloud.Event, begun []Finding, ok bool) {
	if len(o.open) == 0 || len(o.events) == 0 {
		return cloud.Event{}, nil, false
	}
	ev, o.events = o.events[0], o.events[1:]
	o.passed = append(o.passed, ev)
	touched := o.touchedBy(ev)
	if ev.Omitted == 0 && !slices.ContainsFunc(o.open, touched.concerns) {
		return ev, nil, true
	}
	before, err := o.at.Before(o.passed...)
	if err != nil { // forgotten, or there is a gap in the events
		o.events = nil
		return cloud.Event{}, nil, false
	}
	o.at, o.passed = before, nil
	then := newAuditor(before)
	o.open = slices.DeleteFunc(o.open, func(f origin) bool {
		if !touched.concerns(f) {
			return false
		}
		if _, stands := then.standing(f.Finding); stands {
			return false
		}
		begun = append(begun, f.Finding)
		return true
	})
	return ev, begun, true
}

// touched is what an event may have changed of what findings depend on.
type touched struct {
	something bool // anything at all
	all       bool // something that any finding may depend on
	consumers map[placement.ConsumerID]bool
	trees     map[int]bool // by number of the root
}

// concerns reports whether a finding may depend on something that was touched.
func (t *touched) concerns(f origin) bool {
	return t.something && (f.all || t.all || t.consumers[f.Consumer] || slices.ContainsFunc(f.trees, func(n int) bool { return t.trees[n] }))
}

// touchedBy returns what an event may have changed.
func (o *Origins) touchedBy(ev cloud.Event) *touched {
	t := &touched{something: len(ev.Changes) > 0, consumers: map[placement.ConsumerID]bool{}, trees: map[int]bool{}}
	of := func(id placement.ProviderID) {
		if p, ok := o.ledger.Provider(id); ok {
			t.trees[p.RootNumber()] = true
		}
	}
	for _, ch := range ev.Changes {
		switch ch.Kind() {
		case placement.KindProvider, placement.KindProviderTraits:
			of(placement.ProviderID(ch.Key()))
			for _, r := range []versioned.Record{ch.Before, ch.After} { // it may have been moved or removed
				if p, ok := r.(*placement.ProviderRecord); ok && p.Parent != nil {
					of(*p.Parent)
				}
			}
		case placement.KindConsumer:
			t.consumers[placement.ConsumerID(ch.Key())] = true
			for _, r := range []versioned.Record{ch.Before, ch.After} {
				if held, ok := r.(*placement.ConsumerRecord); ok {
					for id := range held.Allocations {
						of(id)
					}
				}
			}
		case placement.KindClass, placement.KindTrait, cyborg.KindDeviceProfile, operator.KindAcknowledgement, operator.KindMute:
		default:
			t.all = true
			return t
		}
	}
	return t
}
