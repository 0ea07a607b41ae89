package ops

import (
	"cmp"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Severity says how bad a finding is.
type Severity uint8

// The severities, mildest first.
const (
	Info     Severity = iota // worth knowing, nothing breaks
	Warning                  // capacity is lost or held for nothing
	Critical                 // something is given out twice, or no longer there to give
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

// RuleID is the short name of a rule, such as "a02".
type RuleID string

// The rules. "a" is for allocations, "o" for owners, "s" for sharing.
const (
	RuleOrphan          RuleID = "a01"
	RuleOverCapacity    RuleID = "a02"
	RuleChildWithout    RuleID = "a05"
	RuleLeakedMigration RuleID = "a06"
	RuleBothOwners      RuleID = "o01"
	RuleNoOwner         RuleID = "o02"
	RuleCardTwice       RuleID = "o03"
	RuleComputeNoOwner  RuleID = "o05"
	RuleIsolatedPool    RuleID = "s01"
)

// Rule is what Audit looks for.
type Rule struct {
	ID       RuleID
	Title    string // a few words, for lists
	Severity Severity
	Why      string // one sentence: what it leads to
	Advice   string // one sentence: what to do about it
}

// Finding is one thing that is wrong: a Rule and its subject, which is a provider
// or a consumer.
type Finding struct {
	Rule     RuleID
	Severity Severity
	Provider placement.ProviderID    // the subject, or where the consumer holds what is wrong; zero where there is no one provider
	Consumer placement.ConsumerID    // the subject of rules about consumers; zero otherwise
	Class    placement.ResourceClass // of rules about one class; empty otherwise
	Others   []placement.ProviderID  // further providers that are part of it
	Subject  string                  // name of the subject: of the provider, of the instance, or the uuid of the consumer
	Text     string                  // what is wrong, with its numbers, in one line
}

// rule is a Rule with its tests, of which it has at least one.
type rule struct {
	Rule
	provider func(a *auditor, p *placement.ResourceProvider) // asked of every provider
	consumer func(a *auditor, c *holder)                     // asked of consumers, see walkConsumers
	cloud    func(a *auditor)                                // asked once, after all providers and consumers
}

// allRules returns the table of rules, in the order in which they are listed.
func allRules() []rule {
	return []rule{
		overCapacity(), bothOwners(), cardTwice(),
		orphan(), childWithout(), leakedMigration(), noOwner(), computeNoOwner(),
		isolatedPool(),
	}
}

// Rules returns what Audit looks for, worst first.
func Rules() []Rule {
	var out []Rule
	for _, r := range allRules() {
		out = append(out, r.Rule)
	}
	return out
}

// RuleByID returns the rule with the given id.
func RuleByID(id RuleID) (Rule, bool) {
	for _, r := range Rules() {
		if r.ID == id {
			return r, true
		}
	}
	return Rule{}, false
}

// Audit returns everything that is wrong with s by the Rules: worst first, then
// by rule in the order of Rules, then by subject.
func Audit(s *cloud.Snapshot) []Finding {
	a := newAuditor(s)
	rules := allRules()
	order := make(map[RuleID]int, len(rules))
	for i, r := range rules {
		order[r.ID] = i
	}
	a.walkProviders(rules)
	a.walkConsumers(rules)
	for i := range rules {
		if rules[i].cloud != nil {
			a.rule = &rules[i].Rule
			rules[i].cloud(a)
		}
	}
	slices.SortStableFunc(a.findings, func(x, y Finding) int {
		return cmp.Or(
			cmp.Compare(y.Severity, x.Severity), cmp.Compare(order[x.Rule], order[y.Rule]),
			cmp.Compare(x.Subject, y.Subject), cmp.Compare(x.Class, y.Class),
		)
	})
	return a.findings
}

// Problem is all findings of one rule.
type Problem struct {
	Rule     Rule
	Findings []Finding // at least one
}

// Problems groups what Audit returned by rule, keeping its order.
func Problems(findings []Finding) []Problem {
	var out []Problem
	for i, f := range findings {
		if i == 0 || f.Rule != findings[i-1].Rule {
			r, _ := RuleByID(f.Rule)
			out = append(out, Problem{Rule: r})
		}
		last := &out[len(out)-1]
		last.Findings = append(last.Findings, f)
	}
	return out
}

// Count returns how many findings there are of each severity.
func Count(findings []Finding) map[Severity]int {
	n := make(map[Severity]int, 3)
	for _, f := range findings {
		n[f.Severity]++
	}
	return n
}

// auditor is one pass over a cloud.
type auditor struct {
	cloud        *cloud.Snapshot
	ledger       *placement.Snapshot
	accelerators classFlags
	nova, cyborg placement.Set // providers with OWNER_NOVA, with OWNER_CYBORG
	oneTime      placement.Set // providers with HW_PCI_ONE_TIME_USE
	hasNova      bool          // Nova's ledger is kept: there is an instance in it

	serving []placement.Set // providers with each of the classes that every instance holds some of
	rootOf  []int32         // number of the root of each provider, by number

	cards []card // what cardTwice has seen

	rule     *Rule // the one that is being asked
	findings []Finding
}

func newAuditor(s *cloud.Snapshot) *auditor {
	a := &auditor{
		cloud: s, ledger: s.Placement(),
		accelerators: acceleratorClasses(s.Placement()),
		hasNova:      s.Nova().InstanceCount() > 0,
		rootOf:       make([]int32, s.Placement().NumberBound()),
	}
	a.nova, a.cyborg = ownerSets(a.ledger)
	a.oneTime = withTrait(a.ledger, placement.HWPCIOneTimeUse)
	for _, c := range []placement.ResourceClass{placement.VCPU, placement.PCPU, placement.MemoryMB} {
		if id, ok := a.ledger.ClassID(c); ok {
			a.serving = append(a.serving, a.ledger.WithClass(id))
		}
	}
	return a
}

// found notes a finding of the rule that is being asked.
func (a *auditor) found(f Finding) {
	f.Rule, f.Severity = a.rule.ID, a.rule.Severity
	a.findings = append(a.findings, f)
}

// walkProviders asks the rules about providers, each provider once.
func (a *auditor) walkProviders(rules []rule) {
	for n := range a.ledger.AllProviders().All() {
		p := a.ledger.ProviderAt(n)
		a.rootOf[n] = int32(p.RootNumber()) //nolint:gosec // numbers of providers are far below
		for i := range rules {
			if rules[i].provider != nil {
				a.rule = &rules[i].Rule
				rules[i].provider(a, p)
			}
		}
	}
}
