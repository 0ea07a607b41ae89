package audit

import (
	"cmp"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Severity says how bad a finding is.
type Severity uint8

// The severities, mildest first.
const (
	Info     Severity = iota // worth knowing, nothing breaks
	Warning                  // capacity is lost or held for nothing
	Critical                 // something is allocated twice, or no longer exists
)

// String returns "info", "warning" or "critical".
func (s Severity) String() string {
	switch s {
	case Critical:
		return "critical"
	case Warning:
		return "warning"
	default:
		return "info"
	}
}

// Find returns everything that is wrong with s by the Rules: worst first, then by rule
// in the order of Rules, then by subject. Ages are counted to the last change; Inspect
// counts them to a given time. RuleLedger is not checked, as it takes long and Apply
// keeps to it; nor is RuleConflicts, which is not about the Snapshot.
//
// What the Snapshot of a live cloud lacks because it was not read is no finding; Inspect
// says which rules were not judged.
func Find(s *cloud.Snapshot) []Finding {
	found, _ := findings(s, false, &Observations{At: s.At()})
	return found
}

// FindBy is Find for some of the rules.
func FindBy(s *cloud.Snapshot, ids ...RuleID) []Finding {
	a := newAuditor(s)
	a.walk(slices.DeleteFunc(slices.Clone(allRules()), func(r *rule) bool { return !slices.Contains(ids, r.ID) }))
	return a.sorted()
}

// findings applies the rules to s and what was seen; those that take long only if all is
// set.
func findings(s *cloud.Snapshot, all bool, w *Observations) ([]Finding, []UnjudgedRule) {
	a := newAuditor(s)
	a.witness = w
	rules := allRules()
	a.walk(rules)
	for _, r := range rules {
		a.begin(r)
		if r.core != nil && all {
			r.core(a)
		}
		if r.seen != nil {
			r.seen(a, w)
		}
	}
	return a.sorted(), a.notJudged()
}

// walk applies rules to the whole cloud, as far as it was read.
func (a *auditor) walk(rules []*rule) {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r *rule) bool { return !a.may(r) })
	a.walkProviders(rules)
	if slices.ContainsFunc(rules, func(r *rule) bool { return r.consumer != nil || r.suspect != nil || r.instance != nil }) {
		a.walkConsumers(rules)
		a.walkSuspects(rules)
	}
	for _, r := range rules {
		a.askRest(r)
	}
}

// sorted returns what was found in the order of Find.
func (a *auditor) sorted() []Finding {
	order := map[RuleID]int{}
	for i, r := range allRules() {
		order[r.ID] = i
	}
	slices.SortStableFunc(a.findings, func(x, y Finding) int {
		return cmp.Or(
			cmp.Compare(y.Severity, x.Severity), cmp.Compare(order[x.Rule], order[y.Rule]),
			cmp.Compare(x.Subject, y.Subject), cmp.Compare(x.Class, y.Class), x.Provider.Compare(y.Provider),
		)
	})
	return a.findings
}

// auditor is one pass over a cloud.
type auditor struct {
	*survey.View

	hasNova bool            // Nova's ledger is kept: there is an instance in it, or Nova was asked
	serving []placement.Set // for each class that every instance holds, the providers with it
	rootOf  []int32         // number of the root of each provider, by number
	limits  []unitLimit     // of each provider, by number
	hosts   []rootHost      // of each root, by number; see hostOf
	served  map[uint64]bool // whether a root's tree is served by a sharing provider, by the numbers of both

	phantoms *ops.Phantoms
	odd      []*nova.Instance // instances that run and hold nothing, or wait to be confirmed, see walkConsumers
	suspects map[int]bool     // providers, by number, with an allocation that may be refused

	witness  *Observations // what was seen outside the Snapshot, and when
	rule     *Rule         // the current one
	doubts   []string      // why what it finds about its subject may not be so; see doubt
	findings []Finding
	unjudged map[RuleID]*UnjudgedRule
}

func newAuditor(s *cloud.Snapshot) *auditor {
	a := &auditor{
		View: survey.New(s), phantoms: ops.NewPhantoms(s), witness: &Observations{At: s.At()}, hasNova: s.Nova().InstanceCount() > 0 || s.Live() || s.Nova().Config().CopyOf() != "",
		served: map[uint64]bool{}, suspects: map[int]bool{}, unjudged: map[RuleID]*UnjudgedRule{},
	}
	for _, c := range []placement.ResourceClass{placement.VCPU, placement.PCPU, placement.MemoryMB} {
		if id, ok := a.Ledger.ClassID(c); ok {
			a.serving = append(a.serving, a.Ledger.WithClass(id))
		}
	}
	return a
}

// tables allocates what is noted for each provider; not needed if only one subject is
// checked.
func (a *auditor) tables() {
	if n := a.Ledger.NumberBound(); len(a.rootOf) < n {
		a.rootOf, a.limits, a.hosts = make([]int32, n), make([]unitLimit, n), make([]rootHost, n)
	}
}

// begin makes r the current rule, about another subject than before.
func (a *auditor) begin(r *rule) {
	a.rule = &r.Rule
	a.anew()
}

// found notes a finding of the current rule, unless there is doubt about its subject: then
// it is not judged.
func (a *auditor) found(f Finding) {
	if len(a.doubts) > 0 {
		for _, why := range a.doubts {
			a.note(a.rule.ID, why)
		}
		a.unjudged[a.rule.ID].Found++
		return
	}
	f.Rule, f.Severity = a.rule.ID, max(f.Severity, a.rule.Severity) // a finding may be worse than its rule
	a.findings = append(a.findings, f)
}

// askRest applies a rule to everything that is checked after providers and consumers.
func (a *auditor) askRest(r *rule) {
	if r.instance != nil {
		for _, i := range a.odd {
			a.instanceRule(r, i)
		}
	}
	if r.migration != nil {
		for m := range a.Cloud.Nova().Migrations() {
			if m.Status.UnderWay() {
				a.migrationRule(r, m)
			}
		}
	}
	if r.tree != nil {
		for _, t := range a.CardTrees() {
			a.begin(r)
			r.tree(a, t)
		}
	}
	if r.cloud != nil {
		a.begin(r)
		r.cloud(a)
	}
}

// instanceRule applies r to an instance.
func (a *auditor) instanceRule(r *rule, i *nova.Instance) {
	a.begin(r)
	a.unsettled(i.UUID)
	r.instance(a, i)
}

// migrationRule applies r to a migration.
func (a *auditor) migrationRule(r *rule, m *nova.Migration) {
	a.begin(r)
	a.unsettled(m.UUID, m.Instance)
	r.migration(a, m)
}

// walkProviders applies the rules to providers, each provider once.
func (a *auditor) walkProviders(rules []*rule) {
	a.tables()
	rules = slices.DeleteFunc(slices.Clone(rules), func(r *rule) bool { return r.provider == nil })
	for n := range a.Ledger.AllProviders().All() {
		p := a.Ledger.ProviderAt(n)
		a.rootOf[n] = int32(p.RootNumber()) // numbers of providers are far below
		a.limits[n] = limitOf(p)
		for _, r := range rules {
			a.begin(r)
			r.provider(a, p)
		}
	}
}

// walkSuspects applies the rules to the providers that walkConsumers has noted.
func (a *auditor) walkSuspects(rules []*rule) {
	for _, n := range slices.Sorted(maps.Keys(a.suspects)) {
		for _, r := range rules {
			if r.suspect != nil {
				a.begin(r)
				r.suspect(a, a.Ledger.ProviderAt(n))
			}
		}
	}
}
