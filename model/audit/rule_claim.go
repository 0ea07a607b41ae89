package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// unheld finds instances that run on a host and hold nothing.
func unheld() rule {
	return rule{
		Rule: Rule{
			ID: RuleUnheld, Title: "instance without allocations", Severity: Warning,
			Why:    "It runs on capacity that Placement believes to be free.",
			Advice: "Heal the allocations of the instance from its flavor.",
		},
		instance: func(a *auditor, i *nova.Instance) {
			rightly := i.Host == "" || i.VMState == nova.Building || i.VMState == nova.ShelvedOffloaded
			if _, holds := a.Ledger.Consumer(i.UUID); holds || rightly || i.VMState == nova.Resized {
				return
			}
			for m := range a.Cloud.Nova().MigrationsOf(i.UUID) {
				if _, holds := a.Ledger.Consumer(m.UUID); holds && m.Status.HoldsClaim() {
					return // its claim is parked on the migration; see brokenMove
				}
			}
			a.found(Finding{
				Consumer: i.UUID, Subject: i.Name,
				Text: fmt.Sprintf("%s (%s) is %s on %s and holds nothing", i.Name, nova.FlavorName(i.Flavor), i.VMState, i.Host),
			})
		},
		fixes: healFixes,
	}
}

// splitClaim finds instances and migrations that hold something of several hosts
// at once: what an evacuation leaves, or an edit by hand.
func splitClaim() rule {
	return rule{
		Rule: Rule{
			ID: RuleSplitClaim, Title: "split claim", Severity: Warning,
			Why:    "An instance runs on one host, and what it holds of the others is lost to everybody.",
			Advice: "Keep what is held in the tree of the host on which the instance runs.",
		},
		consumer: func(a *auditor, h *holder) {
			if !h.split || h.instance == nil && h.Type() != placement.InstanceConsumer && h.Type() != "" && !h.isMigration() {
				return
			}
			where, first := a.holds(h.Consumer)
			a.found(Finding{
				Provider: first, Consumer: h.ID(), Subject: h.name(), Seen: a.witness,
				Text: fmt.Sprintf("holds of %s at once: %s", strings.Join(a.heldRoots(h.Consumer), " and "), where),
			})
		},
		fixes: keepTreeFixes,
	}
}

// offHost finds instances that hold what they hold on other hosts than the one on
// which they run, be that one of which Placement has no compute node. What is between two states of
// rest is left out: a claim goes ahead of its instance.
//
// Source: nova/compute/resource_tracker.py, _remove_deleted_instances_allocations,
// which keeps such a claim, and warns.
func offHost() rule {
	return rule{
		Rule: Rule{
			ID: RuleOffHost, Title: "claim off its host", Severity: Warning,
			Why:    "It runs on capacity that Placement believes to be free, and keeps that of a host on which it does not run.",
			Advice: "Claim on the host of the instance what its flavor asks for, and release the rest.",
		},
		consumer: func(a *auditor, h *holder) {
			if !h.live() || h.instance.VMState == nova.Building || !a.offHost(h.Consumer, h.instance) || a.stuckOnly(h) || a.Cloud.Nova().UnderWay(h.ID()) {
				return
			}
			text := "runs on %s, holds nothing there, and %s"
			if _, known := a.HostProvider(h.instance.Host); !known {
				if !a.hasNodes() {
					return // of no host is it known where it is
				}
				text = "runs on %s, of which Placement has no compute node, and holds %s"
			}
			where, first := a.holds(h.Consumer)
			a.found(Finding{
				Provider: first, Consumer: h.ID(), Subject: h.name(), Text: fmt.Sprintf(text, h.instance.Host, where),
			})
		},
		fixes: comeHomeFixes,
	}
}

// hasNodes reports whether Nova knows of compute nodes.
func (a *auditor) hasNodes() bool {
	for range a.Cloud.Nova().ComputeNodes() {
		return true
	}
	return false
}

// heldRoots returns the names of the roots in whose trees c holds something, pools
// included, sorted.
func (a *auditor) heldRoots(c *placement.Consumer) []string {
	var names []string
	for n := range c.ProviderNumbers() {
		names = append(names, a.Ledger.ProviderAt(a.Ledger.ProviderAt(n).RootNumber()).Name())
	}
	slices.Sort(names)
	return slices.Compact(names)
}
