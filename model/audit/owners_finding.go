package audit

import (
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/placement"
)

// OwnerRules returns the rules about whose accelerators are, and about who keeps
// the owner filter from being applied, in the order of Rules.
func OwnerRules() []RuleID {
	return []RuleID{
		RuleBothOwners, RuleCardTwice, RuleWrongOwner, RuleVGPUTwice, RuleNoOwner, RuleMixedHost,
		RuleComputeNoOwner, RuleNoAccelerators, RuleDeadService, RuleOldService,
	}
}

// AboutOwners returns the findings of OwnerRules, in the same order.
func AboutOwners(found []Finding) []Finding {
	rules := OwnerRules()
	var out []Finding
	for _, f := range found {
		if slices.Contains(rules, f.Rule) {
			out = append(out, f)
		}
	}
	return out
}

// ByRoot groups findings by the roots of the trees they concern: of their provider and
// the Others, or of the host of a service. Each finding is once in a group; those
// about no tree are left out.
func ByRoot(s *cloud.Snapshot, found []Finding) map[placement.ProviderID][]Finding {
	a := survey.New(s)
	out := map[placement.ProviderID][]Finding{}
	for _, f := range found {
		var roots []placement.ProviderID
		add := func(p *placement.ResourceProvider, ok bool) {
			if !ok {
				return
			}
			if root := a.Ledger.Root(p).ID(); !slices.Contains(roots, root) {
				roots = append(roots, root)
				out[root] = append(out[root], f)
			}
		}
		add(a.Ledger.Provider(f.Provider))
		for _, id := range f.Others {
			add(a.Ledger.Provider(id))
		}
		if f.Service != "" {
			add(a.HostProvider(f.Service))
		}
	}
	return out
}
