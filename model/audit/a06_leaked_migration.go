package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// RuleLeakedMigration is "leaked migration".
const RuleLeakedMigration RuleID = "a06"

// leakedMigration finds migrations that are over but still hold the old claim of their
// instance; one in status error may do so until its host is cleaned up. Units of a stuck
// device are left to stuckDevice.
//
// Source: nova/cmd/manage.py, audit, for which a migration in status error is not in
// progress.
func leakedMigration() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleLeakedMigration, Title: "leaked migration", Severity: Warning,
			Also:   "orphaned leak leaked stale old failed migration allocations double doubled resize confirmed",
			Why:    "The old allocations of an instance that moved long ago are still held on its source.",
			Advice: "Make sure that nothing of the guest is left on its source, then release the allocations of the migration.",
		},
		reads: []cloud.Part{cloud.Instances, cloud.Migrations},
		consumer: func(a *auditor, h *holder) {
			if !a.hasNova || !h.isMigration() || h.migration() != nil && h.moves.Status.UnderWay() || a.stuckOnly(h) {
				return
			}
			state, brief := "Nova knows no such migration", "unknown to Nova"
			if m := h.moves; m != nil {
				i, ok := a.Cloud.Nova().Instance(m.Instance)
				if !ok {
					a.lacks(cloud.Instances)
				} else if i.TaskState != "" || i.VMState == nova.Resized {
					return // a revert is told as over before its source has the instance back
				}
				brief = string(m.Status)
				state = fmt.Sprintf("%s of %s is %s", m.Type, a.instanceName(m.Instance), m.Status)
			}
			where, first := a.holds(h.Consumer)
			a.found(Finding{
				Provider: first, Consumer: h.ID(), Subject: h.ID().String(),
				Text:  state + " but holds " + where,
				Brief: brief + ", on " + a.firstRoot(h.Consumer),
			})
		},
		fixes: releaseFixes,
	}
}

// instanceName returns the name of an instance, or its uuid if Nova does not know it.
func (a *auditor) instanceName(id placement.ConsumerID) string {
	if i, ok := a.Cloud.Nova().Instance(id); ok {
		return i.Name
	}
	return "instance " + id.String()
}
