package audit

import (
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Origins finds the events that brought findings about: of each the newest event before
// which it did not stand. It goes back through the journal once for all of them, a step at
// a time.
type Origins struct {
	at     *cloud.Snapshot // the cloud before what was undone
	events []cloud.Event   // still to be gone back over, the newest first
	passed []cloud.Event   // those gone back over since, which concern none of them
	open   []origin
}

// origin is a finding of which it is not known what brought it about.
type origin struct {
	Finding
	concern
}

// NewOrigins returns what finds the origins of findings that stand on s. The events are
// those of the journal up to the revision of s or later, the newest first, without gaps;
// see cloud.EventQuery.
func NewOrigins(s *cloud.Snapshot, found []Finding, events []cloud.Event) *Origins {
	o := &Origins{at: s, events: events}
	for len(o.events) > 0 && o.events[0].Revision > s.Revision() {
		o.events = o.events[1:]
	}
	for _, f := range found {
		o.open = append(o.open, origin{f, treeOf(s, f)})
	}
	return o
}

// Open returns the findings whose origin was not found yet. Once Back has gone over all
// events they are older than these, or the journal has forgotten what an event changed.
func (o *Origins) Open() []Finding {
	var out []Finding
	for _, f := range o.open {
		out = append(out, f.Finding)
	}
	return out
}

// Back goes back over one event, and returns it with the findings that it brought about.
// It returns false where there is nothing more to find out.
func (o *Origins) Back() (ev cloud.Event, begun []Finding, ok bool) {
	if len(o.open) == 0 || len(o.events) == 0 {
		return cloud.Event{}, nil, false
	}
	ev, o.events = o.events[0], o.events[1:]
	o.passed = append(o.passed, ev)
	concerned := func(f origin) bool { return slices.ContainsFunc(ev.Changes, f.concerns) }
	if ev.Omitted == 0 && !slices.ContainsFunc(o.open, concerned) {
		return ev, nil, true
	}
	before, err := o.at.Before(o.passed...)
	if err != nil { // forgotten, or the events have a gap
		o.events = nil
		return cloud.Event{}, nil, false
	}
	o.at, o.passed = before, nil
	o.open = slices.DeleteFunc(o.open, func(f origin) bool {
		if !concerned(f) {
			return false
		}
		if _, stands := f.StandsOn(before); stands {
			return false
		}
		begun = append(begun, f.Finding)
		return true
	})
	return ev, begun, true
}

// concern is what a finding may depend on.
type concern struct {
	all      bool // anything
	consumer placement.ConsumerID
	ledger   *placement.Snapshot
	roots    map[int]bool // of trees of the ledger, by number
}

// treeOf returns what f may depend on: of rules about one provider or consumer,
// the trees of the providers that are named; of rules about the cloud, all.
func treeOf(s *cloud.Snapshot, f Finding) concern {
	c := concern{consumer: f.Consumer, ledger: s.Placement(), roots: map[int]bool{}}
	c.all = f.User != nil && f.Provider.IsZero() && f.Consumer.IsZero()
	for _, r := range allRules() {
		if r.ID == f.Rule && (r.cloud != nil || r.core != nil || r.seen != nil) {
			c.all = true
		}
	}
	for _, id := range append([]placement.ProviderID{f.Provider}, f.Others...) {
		if p, ok := s.Placement().Provider(id); ok {
			c.roots[p.RootNumber()] = true
		}
	}
	return c
}

// has reports whether a provider is of one of the trees.
func (c concern) has(id placement.ProviderID) bool {
	p, ok := c.ledger.Provider(id)
	return ok && c.roots[p.RootNumber()]
}

// concerns reports whether what c depends on may have been changed by ch.
func (c concern) concerns(ch versioned.Change) bool {
	if c.all {
		return true
	}
	switch ch.Kind() {
	case placement.KindClass, placement.KindTrait:
		return false
	case placement.KindProvider, placement.KindProviderTraits:
		return c.has(placement.ProviderID(ch.Key()))
	case placement.KindConsumer:
		return placement.ConsumerID(ch.Key()) == c.consumer || c.holds(ch.Before) || c.holds(ch.After)
	case cyborg.KindDeviceProfile, operator.KindAcknowledgement, operator.KindMute:
		return false
	default:
		return true
	}
}

// holds reports whether r is a consumer with something on one of the providers.
func (c concern) holds(r versioned.Record) bool {
	held, ok := r.(*placement.ConsumerRecord)
	if !ok {
		return false
	}
	for id := range held.Allocations {
		if c.has(id) {
			return true
		}
	}
	return false
}
