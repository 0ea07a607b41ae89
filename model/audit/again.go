package audit

import (
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// StandsOn returns f as it is on s, which may be another Snapshot than the one it was
// found on, and false if it is not there. It checks only the rule and the subject of
// f, where the rule allows that.
func (f Finding) StandsOn(s *cloud.Snapshot) (Finding, bool) {
	return newAuditor(s).standing(f)
}

// Gone returns why f, which does not stand on s, is not there: a *FixedError, or an
// *UnjudgedError if that cannot be known.
func (f Finding) Gone(s *cloud.Snapshot) error {
	a := newAuditor(s)
	a.standing(f)
	r := ruleOf(f.Rule)
	if u := a.unjudged[f.Rule]; u != nil && (u.Found > 0 || !a.may(r)) {
		return &UnjudgedError{Finding: f, Why: strings.Join(u.Why, "; ")}
	}
	return &FixedError{Finding: f}
}

// standing is StandsOn for the Snapshot of an auditor that has not walked over it. It may
// be called for any number of findings.
func (a *auditor) standing(f Finding) (Finding, bool) {
	r := ruleOf(f.Rule)
	if r == nil {
		return Finding{}, false
	}
	a.witness, a.findings = f.asked(a.Cloud), nil
	clear(a.unjudged)
	a.again(r, f)
	for _, g := range a.findings {
		if g.Same(f) {
			return g, true
		}
	}
	return Finding{}, false
}

// asked returns what was seen when f was found; rules that only look at the Snapshot
// ignore it.
func (f Finding) asked(s *cloud.Snapshot) *Observations {
	if f.Seen != nil {
		return f.Seen
	}
	return &Observations{At: s.At()}
}

// again applies r to the subject of f, or to the whole cloud if r cannot be applied to
// less.
func (a *auditor) again(r *rule, f Finding) {
	if !a.may(r) {
		return
	}
	a.begin(r)
	switch {
	case r.seen != nil:
		r.seen(a, a.witness)
	case r.core != nil:
		r.core(a)
	case r.about != nil:
		r.about(a, f)
	case r.cloud != nil:
		r.cloud(a)
	case r.instance != nil || r.migration != nil:
		a.instanceAgain(r, f.Consumer)
	case r.consumer != nil:
		a.consumerAgain(r, f.Consumer)
	default:
		p, ok := a.Ledger.Provider(f.Provider)
		switch {
		case !ok:
		case r.tree != nil:
			if t, ok := a.CardTreeOf(p); ok {
				r.tree(a, t)
			}
		case r.provider != nil:
			r.provider(a, p)
		default:
			r.suspect(a, p)
		}
	}
}

// instanceAgain applies r to one instance and its migrations in progress.
func (a *auditor) instanceAgain(r *rule, id placement.ConsumerID) {
	i, ok := a.Cloud.Nova().Instance(id)
	if ok && r.instance != nil && i.Live() {
		a.instanceRule(r, i)
	}
	for m := range a.Cloud.Nova().MigrationsOf(id) {
		if r.migration != nil && m.Status.UnderWay() {
			a.migrationRule(r, m)
		}
	}
}

// consumerAgain applies r to one consumer.
func (a *auditor) consumerAgain(r *rule, id placement.ConsumerID) {
	c, ok := a.Ledger.Consumer(id)
	if !ok {
		return
	}
	a.tables()
	for n := range c.ProviderNumbers() {
		a.rootOf[n] = int32(a.Ledger.ProviderAt(n).RootNumber()) // numbers of providers are far below
	}
	instance, _ := a.Cloud.Nova().Instance(id)
	lone, split := a.spread(c)
	h := a.holder(c, instance, lone, split)
	a.ask([]*rule{r}, h)
}
