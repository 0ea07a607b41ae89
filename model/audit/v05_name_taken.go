package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleNameTaken is "name taken".
const RuleNameTaken RuleID = "v05"

// nameTaken finds computes that cannot create their provider, as another one has its
// name: it is left from before the host was reinstalled or renamed.
//
// Source: Nova bug 1817833; nova/scheduler/client/report.py, _create_resource_provider.
func nameTaken() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleNameTaken, Title: "name taken", Severity: Warning,
			Also:   "renamed already exists duplicate stale provider uuid compute does not start reinstalled reinstall rebuilt resourceprovidercreationfailed",
			Why:    "Its nova-compute cannot report what the host has: no instance lands there.",
			Advice: "Delete the old provider if nothing is held on it; otherwise rename it, let nova-compute create its own, and move the allocations there.",
		},
		reads: []cloud.Part{cloud.Hypervisors},
		cloud: func(a *auditor) {
			for node := range a.Cloud.Nova().ComputeNodes() {
				if _, ok := a.Ledger.Provider(node.UUID); ok {
					continue
				}
				twin, ok := a.Ledger.ProviderByName(node.Hostname)
				if !ok {
					continue
				}
				a.found(Finding{
					Provider: twin.ID(), Service: node.Host, Subject: twin.Name(),
					Text:  fmt.Sprintf("compute node %s is now %s; the provider %s is still %s, and %s", node.Hostname, node.UUID, twin.Name(), twin.ID(), holdersText(a.Ledger, twin)),
					Brief: holdersText(a.Ledger, twin),
				})
			}
		},
		fixes: nameTakenFixes,
	}
}

// holdersText says how many consumers hold something in a tree.
func holdersText(s *placement.Snapshot, root *placement.ResourceProvider) string {
	switch n := holding(s, root); n {
	case 0:
		return "nothing is held on it"
	case 1:
		return "one consumer holds some of it"
	default:
		return words.Count(n, "consumer") + " hold some of it"
	}
}

// holding counts the consumers that hold something in a tree.
func holding(s *placement.Snapshot, root *placement.ResourceProvider) int {
	all := map[placement.ConsumerID]bool{}
	for p := range s.Within(root) {
		for c := range s.ConsumersOf(p) {
			all[c.ID()] = true
		}
	}
	return len(all)
}

// nameTakenFixes free the name.
func nameTakenFixes(s *cloud.Snapshot, f Finding) []Fix {
	p, ok := s.Placement().Provider(f.Provider)
	if !ok {
		return nil
	}
	old := p.Name() + "-" + p.ID().String()[:8]
	rename := Fix{
		Name: "rename", Title: fmt.Sprintf("rename the old provider to %s, so that nova-compute creates its own", old),
		plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanUpdateProvider(s, f.Provider, old, false, placement.ProviderID{})
		},
	}
	if holding(s.Placement(), p) > 0 {
		return choices(rename)
	}
	return choices(Fix{
		Name: "delete", Title: "delete the old provider and everything below it, as nothing is held there",
		plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteProvider(s, f.Provider, true) },
	}, rename)
}
