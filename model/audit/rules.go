package audit

import (
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
// one, write such a file, a line in allRules, and a row of the README.
type RuleID string

// Rule is what Find looks for.
type Rule struct {
	ID       RuleID
	Title    string // a few words, for lists
	Severity Severity
	Why      string // one sentence: what it leads to
	Advice   string // one sentence: what to do about it
}

// rule is a Rule with its tests, of which it has at least one, and what can be
// done about its findings.
type rule struct {
	Rule
	provider  func(a *auditor, p *placement.ResourceProvider) // asked of every provider
	suspect   func(a *auditor, p *placement.ResourceProvider) // asked of providers of which a consumer holds more than max_unit, or an odd amount
	consumer  func(a *auditor, c *holder)                     // asked of consumers, see walkConsumers
	instance  func(a *auditor, i *nova.Instance)              // asked of instances that hold nothing or wait to be confirmed
	migration func(a *auditor, m *nova.Migration)             // asked of migrations under way
	tree      func(a *auditor, t *survey.CardTree)            // asked of trees with accelerators
	cloud     func(a *auditor)                                // asked once, after all of these
	about     func(a *auditor, f Finding)                     // asks again what provider and cloud have found, about the subject of f alone; nil where nothing less than all tells
	core      func(a *auditor)                                // asked by Inspect with All only
	seen      func(a *auditor, w *Witness)                    // asked about what is not in the Snapshot
	fixes     func(s *cloud.Snapshot, f Finding) []Fix        // nil where only people can help
	people    string                                          // why only people can help; "" where there are fixes
}

// allRules returns the table of rules, in the order in which they are listed.
func allRules() []rule {
	return []rule{
		ledgerAgrees(), overCapacity(), bothOwners(), cardTwice(), belowUsage(), brokenMove(), ofWrongOwner(), vgpuTwice(),
		orphan(), unlikeFlavor(), unheld(), childWithout(), leakedMigration(), splitClaim(), offHost(), unheldTrait(), cyborgDrift(), mdevDrift(), stuckDevice(), unanswered(), noOwner(), mixedHost(),
		computeNoOwner(), noAccelerators(), countedTwice(), deadService(), statusTrait(), allSilent(), nameTaken(), generationConflicts(),
		isolatedPool(), notMirrored(), waitingMove(), draining(), leftovers(), unlikeOthers(), oldService(), notRefreshed(),
	}
}

// Rules returns what Find looks for, worst first.
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
