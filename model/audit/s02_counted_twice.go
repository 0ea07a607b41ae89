package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleCountedTwice is "disk counted twice".
const RuleCountedTwice RuleID = "s02"

// countedTwice finds hosts that report the disk of a pool that shares with them as their
// own.
//
// Source: Nova bug 1784020; nova/virt/libvirt/driver.py, update_provider_tree.
func countedTwice() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleCountedTwice, Title: "disk counted twice", Severity: Warning,
			Also:   "shared storage ceph nfs counted twice disk double local_gb",
			Why:    "The pool's disk counts once more for every such host, and is given out as often.",
			Advice: "Remove DISK_GB from the host, or take the host out of the pool's aggregate.",
		},
		reads: []cloud.Part{cloud.Hypervisors},
		provider: func(a *auditor, host *placement.ResourceProvider) {
			pool, twice := a.phantoms.DiskTwice(host)
			if !twice {
				return
			}
			node, known := a.Cloud.Nova().ComputeNode(host.ID())
			if !known {
				a.lacks(cloud.Hypervisors)
			}
			if known && node.SharesDisk() {
				a.lacks(cloud.Instances, cloud.Migrations) // they say what is held for volumes
			}
			own, _ := a.Ledger.InventoryOf(host, placement.DiskGB)
			shared, _ := a.Ledger.InventoryOf(pool, placement.DiskGB)
			a.found(Finding{
				Provider: host.ID(), Class: placement.DiskGB, Subject: host.Name(), Others: []placement.ProviderID{pool.ID()},
				Text:  fmt.Sprintf("has DISK_GB %d of its own, and shares the %d of %s", own.Total, shared.Total, pool.Name()),
				Brief: "its own, and that of " + pool.Name(),
			})
		},
		fixes: diskFixes,
	}
}

// diskFixes stop the disk of a pool from being counted on a host too.
func diskFixes(s *cloud.Snapshot, f Finding) []Fix {
	out := choices(unusedInventoryFixes(s, f)...)
	if len(f.Others) == 0 {
		return out
	}
	pool, ok := s.Placement().Provider(f.Others[0])
	if !ok {
		return out
	}
	return append(out, choices(Fix{
		Name: "unlink", Title: fmt.Sprintf("take %s out of the aggregates of %s", f.Subject, pool.Name()),
		plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			pool, err := s.Placement().FindProvider(f.Others[0])
			if err != nil {
				return ops.Plan{}, err
			}
			return ops.PlanAggregates(s, f.Provider, nil, pool.Aggregates())
		},
	})...)
}
