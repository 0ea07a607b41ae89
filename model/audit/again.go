package audit

import (
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// StandsOn returns f as it stands on s, which may be another Snapshot than the one
// that it was found on, and false where it does not stand there. It asks the one
// rule of f about the one subject of f, where the rule allows that.
func (f Finding) StandsOn(s *cloud.Snapshot) (Finding, bool) {
	if f.User != nil {
		return f.User.standsOn(s, f)
	}
	rules := allRules()
	i := slices.IndexFunc(rules, func(r rule) bool { return r.ID == f.Rule })
	if i < 0 {
		return Finding{}, false
	}
	a := newAuditor(s)
	a.witness = f.asked(s)
	a.again(rules[i], f)
	for _, g := range a.findings {
		if g.Same(f) {
			return g, true
		}
	}
	return Finding{}, false
}

// asked returns what was seen when f was found, which rules that look at the Snapshot
// alone do not mind.
func (f Finding) asked(s *cloud.Snapshot) *Witness {
	if f.Seen != nil {
		return f.Seen
	}
	return &Witness{At: s.At()}
}

// again asks r about the subject of f; a rule about the whole cloud, about all of
// it.
func (a *auditor) again(r rule, f Finding) {
	a.rule = &r.Rule
	switch {
	case r.seen != nil:
		r.seen(a, a.witness)
	case r.core != nil:
		r.core(a)
	case r.cloud != nil:
		a.walkProviders([]rule{r})
		r.cloud(a)
	case r.instance != nil || r.migration != nil:
		a.instanceAgain(r, f.Consumer)
	case r.consumer != nil:
		a.consumerAgain(r, f.Consumer)
	default:
		p, ok := a.Ledger.Provider(f.Provider)
		switch {
		case !ok:
		case r.provider != nil:
			r.provider(a, p)
		default:
			r.suspect(a, p)
		}
	}
}

// instanceAgain asks r about one instance and its migrations under way.
func (a *auditor) instanceAgain(r rule, id placement.ConsumerID) {
	i, ok := a.Cloud.Nova().Instance(id)
	if ok && r.instance != nil && i.Live() {
		r.instance(a, i)
	}
	for m := range a.Cloud.Nova().MigrationsOf(id) {
		if r.migration != nil && m.Status.UnderWay() {
			r.migration(a, m)
		}
	}
}

// consumerAgain asks r about one consumer.
func (a *auditor) consumerAgain(r rule, id placement.ConsumerID) {
	c, ok := a.Ledger.Consumer(id)
	if !ok {
		return
	}
	a.tables()
	for n := range c.ProviderNumbers() {
		a.rootOf[n] = int32(a.Ledger.ProviderAt(n).RootNumber()) //nolint:gosec // numbers of providers are far below
	}
	instance, _ := a.Cloud.Nova().Instance(id)
	lone, split := a.spread(c)
	r.consumer(a, a.holder(c, instance, lone, split))
}

// Since returns the event that brought f about: the newest before which it did not
// stand. The events are those of the journal up to the revision of s, on which f
// stands, the newest first, without gaps; see cloud.EventQuery. It returns false
// where the finding is older than the events, or where the journal has forgotten
// what an event changed.
func Since(s *cloud.Snapshot, f Finding, events []cloud.Event) (cloud.Event, bool) {
	tree := treeOf(s, f)
	for _, ev := range events {
		if ev.Revision > s.Revision() {
			continue
		}
		before, err := s.Before(ev)
		if err != nil {
			return cloud.Event{}, false // forgotten, or the events have a gap
		}
		if slices.ContainsFunc(ev.Changes, func(c versioned.Change) bool { return tree.concerns(c) }) {
			if _, stands := f.StandsOn(before); !stands {
				return ev, true
			}
		}
		s = before
	}
	return cloud.Event{}, false
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
