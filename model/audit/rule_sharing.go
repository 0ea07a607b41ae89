package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// isolatedPool finds sharing providers that no compute node can reach.
func isolatedPool() rule {
	return rule{
		Rule: Rule{
			ID: RuleIsolatedPool, Title: "sharing pool isolated", Severity: Info,
			Why:    "No request can ever use what it has.",
			Advice: "Put the compute nodes that may use it into one of its aggregates.",
		},
		cloud: func(a *auditor) {
			pools := a.Ledger.Having(placement.SharesViaAggregate)
			for n := range pools.All() {
				p := a.Ledger.ProviderAt(n)
				if len(p.Inventories()) == 0 || a.reachesAnybody(p, pools) {
					continue
				}
				text := "shares its inventory but is in no aggregate"
				if k := len(p.Aggregates()); k > 0 {
					text = fmt.Sprintf("shares its inventory, but nobody else is in its %s", words.Count(k, "aggregate"))
				}
				a.found(Finding{Provider: p.ID(), Subject: p.Name(), Text: text})
			}
		},
		fixes: poolFixes,
	}
}

// reachesAnybody reports whether a provider of another tree that is no pool itself
// is in an aggregate of p.
func (a *auditor) reachesAnybody(p *placement.ResourceProvider, pools placement.Set) bool {
	for _, agg := range p.Aggregates() {
		for n := range a.Ledger.InAggregate(agg).All() {
			if !pools.Has(n) && a.Ledger.ProviderAt(n).RootNumber() != p.RootNumber() {
				return true
			}
		}
	}
	return false
}

// countedTwice finds hosts that report as their own the disk of a pool that shares
// with them.
//
// Source: Nova bug 1784020; nova/virt/libvirt/driver.py, update_provider_tree.
func countedTwice() rule {
	return rule{
		Rule: Rule{
			ID: RuleCountedTwice, Title: "disk counted twice", Severity: Warning,
			Why:    "The pool's disk counts once more with every such host, and is given out as often.",
			Advice: "Take DISK_GB from the host, or take the host out of the aggregate of the pool.",
		},
		cloud: func(a *auditor) {
			disk, ok := a.Ledger.ClassID(placement.DiskGB)
			if !ok {
				return
			}
			told := map[int]bool{}
			for n := range a.Sharing.All() {
				pool := a.Ledger.ProviderAt(n)
				shared, has := pool.Inventory(disk)
				if !has {
					continue
				}
				for _, agg := range pool.Aggregates() {
					for h := range a.Ledger.InAggregate(agg).All() {
						host := a.Ledger.ProviderAt(h)
						own, has := host.Inventory(disk)
						if !has || told[h] || a.Sharing.Has(h) || !a.sameDisk(host, own.Total, shared.Total) {
							continue
						}
						told[h] = true
						a.found(Finding{
							Provider: host.ID(), Class: placement.DiskGB, Subject: host.Name(), Others: []placement.ProviderID{pool.ID()},
							Text: fmt.Sprintf("has DISK_GB %d of its own, and shares the %d of %s", own.Total, shared.Total, pool.Name()),
						})
					}
				}
			}
		},
		fixes: diskFixes,
	}
}

// sameDisk reports whether the disk of a host is that of a pool: its compute node
// says that it has no other, but for what instances hold there that were booted from
// a volume, or both are about the same size, in GiB.
func (a *auditor) sameDisk(host *placement.ResourceProvider, own, shared int64) bool {
	if node, ok := a.Cloud.Nova().ComputeNode(host.ID()); ok && node.SharesDisk() {
		return own > tracker.World{Placement: a.Ledger, Nova: a.Cloud.Nova()}.LocalDisk(host)
	}
	return max(own, shared)-min(own, shared) <= shared/20
}

// notMirrored finds hosts that are in a host aggregate of Nova's, and not in the
// aggregate of Placement that stands for it.
//
// Source: nova/cmd/manage.py, sync_aggregates.
func notMirrored() rule {
	return rule{
		Rule: Rule{
			ID: RuleNotMirrored, Title: "aggregate not mirrored", Severity: Info,
			Why:    "Requests for its zone, or of its tenants, pass this host over.",
			Advice: "Put the provider into the aggregate, as nova-manage placement sync_aggregates does.",
		},
		cloud: func(a *auditor) {
			for agg := range a.Cloud.Nova().Aggregates() {
				for _, host := range agg.Hosts {
					p, ok := a.HostProvider(host)
					if !ok || p.InAggregate(agg.UUID) {
						continue
					}
					a.found(Finding{
						Provider: p.ID(), Aggregate: agg.UUID, Subject: p.Name(),
						Text: fmt.Sprintf("is in the host aggregate %s, and not in %s", agg.Name, agg.UUID),
					})
				}
			}
		},
		fixes: mirrorFixes,
	}
}
