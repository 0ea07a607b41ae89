package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
)

// RuleOffHost is "held on the wrong host".
const RuleOffHost RuleID = "a10"

// offHost finds instances that hold something only on other hosts than the one on which
// they run, even if Placement does not have that one. Instances with an operation in
// progress are left out, as a claim moves before its instance.
//
// Source: nova/compute/resource_tracker.py, _remove_deleted_instances_allocations,
// which keeps such a claim, and warns.
func offHost() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleOffHost, Title: "held on the wrong host", Severity: Warning,
			Also:   "claim off host moved elsewhere stale host claim on another host",
			Why:    "It runs on capacity that Placement believes is free, and holds that of a host it does not run on.",
			Advice: "Heal the instance by force: it then holds on its host what its flavor asks for, and nothing else. If Placement has no compute node for that host, import its object first.",
		},
		reads: []cloud.Part{cloud.Instances, cloud.Migrations, cloud.Hypervisors},
		consumer: func(a *auditor, h *holder) {
			if !h.live() || h.is.Host == "" || h.is.VMState == nova.Building || !a.offHost(h.Consumer, h.is) || a.stuckOnly(h) || !a.atRest(h.ID()) {
				return
			}
			text := "runs on %s, holds nothing there, and %s"
			if _, known := a.hostProvider(h.is.Host); !known {
				if !a.hasNodes() {
					return // the providers of hosts are not known
				}
				text = "runs on %s, which has no compute node in Placement, and holds %s"
			}
			where, first := a.holds(h.Consumer)
			a.found(Finding{
				Provider: first, Consumer: h.ID(), Subject: h.name(), Text: fmt.Sprintf(text, h.is.Host, where),
				Brief: fmt.Sprintf("on %s, not %s", a.firstRoot(h.Consumer), h.is.Host),
			})
		},
		people: "heal it by force",
	}
}

// hasNodes reports whether Nova knows of compute nodes.
func (a *auditor) hasNodes() bool {
	for range a.Cloud.Nova().ComputeNodes() {
		return true
	}
	return false
}
