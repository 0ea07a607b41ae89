package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// RuleOrphan is "orphan allocation".
const RuleOrphan RuleID = "a01"

// orphan finds consumers for instances that are gone. It only applies if Nova's ledger
// has instances, as otherwise that cannot be known.
//
// Source: nova/cmd/manage.py, audit: a consumer is an orphan if it is neither an instance
// nor a migration in progress.
func orphan() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleOrphan, Title: "orphan allocation", Severity: Warning,
			Also:   "orphaned leak leaked stale deleted terminated ghost left behind instance is gone purge nova-manage placement audit",
			Why:    "Capacity is held for an instance that does not exist.",
			Advice: "Make sure that no guest runs on the host, then release the allocations.",
		},
		reads: []cloud.Part{cloud.Instances, cloud.Migrations},
		consumer: func(a *auditor, h *holder) {
			isInstance := h.Type() == placement.InstanceConsumer || h.Type() == ""
			if !a.hasNova || !isInstance || h.live() || h.migration() != nil || a.stuckOnly(h) {
				return
			}
			state, brief := "Nova knows no such instance", "unknown to Nova"
			if h.is != nil {
				state, brief = "the instance is deleted", "deleted"
			}
			where, first := a.holds(h.Consumer)
			a.found(Finding{
				Provider: first, Consumer: h.ID(), Subject: h.name(),
				Text:  fmt.Sprintf("%s; project %s holds %s", state, h.Project(), where),
				Brief: brief + ", on " + a.firstRoot(h.Consumer),
			})
		},
		fixes: releaseFixes,
	}
}
