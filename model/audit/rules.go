package audit

import (
	"slices"
	"sync"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// RuleID is the short name of a rule, such as "a02". "a" is for allocations, "c" for
// the core, "d" for devices, "g" for generations and how new they are, "o" for owners,
// "s" for sharing, "t" and "u" for the totals and units of inventories, "v" for the
// versions of services.
//
// A rule is in the file that starts with its ID, with what can be done about its
// findings and what only it needs; its cases are in the test of the same name. To add
// one, write such a file, and a line in allRules.
type RuleID string

// Rule is what Find looks for.
type Rule struct {
	ID       RuleID
	Title    string // a few words, for lists
	Severity Severity
	Why      string // one sentence: what it leads to
	Advice   string // one sentence: what to do about it
	Also     string // other words by which people look for it, in lower case
}

// rule is a Rule with its tests, at least one, and the fixes for its findings.
type rule struct {
	Rule
	// reads are the parts of a cloud that it reads, besides those of Placement: it is only
	// applied if all of them were read, and at the same time.
	reads     []cloud.Part
	provider  func(a *auditor, p *placement.ResourceProvider) // applied to every provider
	suspect   func(a *auditor, p *placement.ResourceProvider) // applied to providers with an allocation above max_unit, or of an odd amount
	consumer  func(a *auditor, c *holder)                     // applied to consumers, see walkConsumers
	instance  func(a *auditor, i *nova.Instance)              // applied to instances that hold nothing or wait to be confirmed
	migration func(a *auditor, m *nova.Migration)             // applied to migrations in progress
	tree      func(a *auditor, t *survey.CardTree)            // applied to trees with accelerators
	cloud     func(a *auditor)                                // applied once, after all of these
	about     func(a *auditor, f Finding)                     // repeats provider and cloud only for the subject of f; nil if that takes the whole cloud
	core      func(a *auditor)                                // only applied by Inspect with All
	seen      func(a *auditor, w *Observations)               // applied to what is not in the Snapshot
	fixes     func(s *cloud.Snapshot, f Finding) []Fix        // nil if there are none
	people    string                                          // why there are no fixes; "" if there are some
}

// table has the rules once they are made: fixes look up rules, so that a variable with the
// rules as its value would refer to itself.
//
//nolint:gochecknoglobals // nothing else writes it
var table struct {
	once sync.Once
	all  []*rule
}

// allRules returns the table of rules, in the order in which they are listed. It must not
// be changed.
func allRules() []*rule {
	table.once.Do(func() {
		table.all = []*rule{
			ledgerAgrees(), overCapacity(), bothOwners(), cardTwice(), belowUsage(), brokenMove(), ofWrongOwner(), vgpuTwice(), requestWithout(),
			orphan(), unlikeFlavor(), runningWithoutClaim(), childWithout(), leakedMigration(), splitClaim(), offHost(), unheldTrait(), cyborgDrift(), mdevDrift(), stuckDevice(), unanswered(), noOwner(), mixedHost(),
			computeNoOwner(), noAccelerators(), countedTwice(), deadService(), statusTrait(), allSilent(), nameTaken(), orphanProvider(), generationConflicts(),
			isolatedPool(), notMirrored(), waitingMove(), draining(), leftovers(), unlikeOthers(), oldService(), notRefreshed(),
		}
	})
	return table.all
}

// Rules returns what Find looks for, worst first.
func Rules() []Rule {
	all := allRules()
	out := make([]Rule, len(all))
	for i, r := range all {
		out[i] = r.Rule
	}
	return out
}

// RuleByID returns the rule with the given id.
func RuleByID(id RuleID) (Rule, bool) {
	if r := ruleOf(id); r != nil {
		return r.Rule, true
	}
	return Rule{}, false
}

// ruleOf returns the rule with the given id, nil if there is none.
func ruleOf(id RuleID) *rule {
	all := allRules()
	if i := slices.IndexFunc(all, func(r *rule) bool { return r.ID == id }); i >= 0 {
		return all[i]
	}
	return nil
}

// ByHand returns why no fixes are offered for what a rule finds, or what people do instead; ""
// if fixes are offered.
func ByHand(id RuleID) string {
	if r := ruleOf(id); r != nil {
		return r.people
	}
	return ""
}

// RuleOf returns the rule of a finding, with the severity of that finding.
func RuleOf(f Finding) Rule {
	r, _ := RuleByID(f.Rule)
	r.Severity = max(r.Severity, f.Severity)
	return r
}
