package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/placement"
)

// RuleOrphan is "orphan allocation".
const RuleOrphan RuleID = "a01"

// orphan finds consumers for instances that are gone. It only applies if Nova's ledger
// has instances, as otherwise that cannot be known.
func orphan() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleOrphan, Title: "orphan allocation", Severity: Warning,
			Why:    "Capacity is held for an instance that does not exist.",
			Advice: "Make sure that no guest runs on the host, then release the allocations.",
		},
		consumer: func(a *auditor, h *holder) {
			isInstance := h.Type() == placement.InstanceConsumer || h.Type() == ""
			if !a.hasNova || !isInstance || h.live() || h.migration != nil || a.stuckOnly(h) {
				return
			}
			state, brief := "Nova knows no such instance", "unknown to Nova"
			if h.instance != nil {
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
