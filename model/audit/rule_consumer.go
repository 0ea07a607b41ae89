package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// orphan finds consumers that stand for instances that are no more. It asks only
// where Nova's ledger is kept: without one, nobody knows.
func orphan() rule {
	return rule{
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
			state := "Nova knows no such instance"
			if h.instance != nil {
				state = "the instance is deleted"
			}
			where, first := a.holds(h.Consumer)
			a.found(Finding{
				Provider: first, Consumer: h.ID(), Subject: h.name(),
				Text: fmt.Sprintf("%s; project %s holds %s", state, h.Project(), where),
			})
		},
		fixes: releaseFixes,
	}
}

// leakedMigration finds migrations that still hold the old claim of their
// instance though they are over: one in error as long as its host is not cleaned. What
// stands for a device that does not let go is stuckDevice's.
//
// Source: nova/cmd/manage.py, audit, for which a migration in error is none in progress.
func leakedMigration() rule {
	return rule{
		Rule: Rule{
			ID: RuleLeakedMigration, Title: "leaked migration", Severity: Warning,
			Why:    "The old claim of an instance that has long moved is still held on its source.",
			Advice: "Make sure that nothing of the guest is left on its source, then release the allocations of the migration.",
		},
		consumer: func(a *auditor, h *holder) {
			isMigration := h.Type() == placement.MigrationConsumer || h.migration != nil
			if !a.hasNova || !isMigration || h.instance != nil || h.migration != nil && h.migration.Status.UnderWay() || a.stuckOnly(h) {
				return
			}
			state := "Nova knows no such migration"
			if m := h.migration; m != nil {
				state = fmt.Sprintf("%s of %s is %s", m.Type, a.instanceName(m.Instance), m.Status)
			}
			where, first := a.holds(h.Consumer)
			a.found(Finding{
				Provider: first, Consumer: h.ID(), Subject: h.ID().String(),
				Text: state + " but holds " + where,
			})
		},
		fixes: releaseFixes,
	}
}

// childWithout finds consumers with devices of a compute node of which they hold
// neither CPU nor memory: what is left when part of a claim got lost. Migrations
// are exempt, as one may rightly be trimmed to a device that is stuck.
func childWithout() rule {
	return rule{
		Rule: Rule{
			ID: RuleChildWithout, Title: "child held without root", Severity: Warning,
			Why:    "The instance runs on CPU and memory that Placement believes to be free.",
			Advice: "Heal the allocations of the instance, or release them if it is gone.",
		},
		consumer: func(a *auditor, h *holder) {
			if h.lone < 0 || h.Type() == placement.MigrationConsumer || h.migration != nil || a.stuckOnly(h) {
				return
			}
			p := a.Ledger.ProviderAt(h.lone)
			where, _ := a.holds(h.Consumer)
			a.found(Finding{
				Provider: p.ID(), Consumer: h.ID(), Subject: h.name(),
				Text: fmt.Sprintf("holds %s, and nothing on %s", where, a.Ledger.Root(p).Name()),
			})
		},
		fixes: healFixes,
	}
}

// stuckOnly reports whether a consumer holds nothing but what stands for devices that do
// not let go, which rightly stays.
func (a *auditor) stuckOnly(h *holder) bool { return ops.HoldsStuckOnly(a.Cloud, h.Consumer) }

// holds says what a consumer holds and where, as ops.ClaimLine does, with the first
// of the providers.
func (a *auditor) holds(c *placement.Consumer) (string, placement.ProviderID) {
	var first placement.ProviderID
	for al := range a.Ledger.Allocations(c) {
		first = al.Provider.ID()
		break
	}
	return ops.ClaimLine(a.Ledger, c), first
}

// instanceName returns the name of an instance, or its uuid where Nova knows
// none.
func (a *auditor) instanceName(id placement.ConsumerID) string {
	if i, ok := a.Cloud.Nova().Instance(id); ok {
		return i.Name
	}
	return "instance " + id.String()
}
