package audit

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleOrphanProvider is "provider without a compute".
const RuleOrphanProvider RuleID = "v06"

// orphanProvider finds the providers of compute nodes that Nova no longer has: the
// compute service was deleted while something was held on its host, so that Placement
// refused to delete the provider with it.
//
// Source: Nova bugs 1829479 and 1817833; nova/api/openstack/compute/services.py, delete.
func orphanProvider() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleOrphanProvider, Title: "provider without a compute", Severity: Warning,
			Also:   "stale provider removed decommissioned host leftover",
			Why:    "Its capacity counts everywhere, and no instance can be placed on it.",
			Advice: "If no other Nova has it, have what is still held on it released or moved, then delete it with all below it: D in :providers.",
		},
		reads: []cloud.Part{cloud.Hypervisors},
		provider: func(a *auditor, p *placement.ResourceProvider) {
			if !p.IsRoot() {
				return
			}
			if why, orphan := a.phantoms.Orphan(p); orphan && why.Rule == ops.OrphanProvider {
				held := holdersText(a.Ledger, p)
				a.found(Finding{Provider: p.ID(), Subject: p.Name(), Text: why.Words + ": " + held, Brief: held})
			}
		},
		people: "only people know whether the host comes back: `D` in `:providers`",
	}
}
