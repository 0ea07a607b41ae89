package audit

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// RuleBrokenMove is "broken move".
const RuleBrokenMove RuleID = "a08"

// brokenMove finds moves that can be neither confirmed nor reverted as they are: while an
// instance waits to be confirmed, and only then, both it and its migration must hold a
// claim.
func brokenMove() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleBrokenMove, Title: "broken move", Severity: Critical,
			Also:   "stuck resize migration failed halfway broken",
			Why:    "The instance and its migration do not hold what a confirm or a revert needs.",
			Advice: "Finish or undo the move: :unfinished lists one that stopped halfway, :migrations one that waits to be confirmed or reverted. Heal what the instance then lacks.",
		},
		reads: []cloud.Part{cloud.Instances, cloud.Migrations},
		instance: func(a *auditor, i *nova.Instance) {
			if i.VMState != nova.Resized || i.TaskState == nova.ResizeReverting { // whose migration is told as over first
				return
			}
			for m := range a.migrationsOf(i.UUID) {
				if m.Status.UnderWay() {
					return // reported for the migration
				}
			}
			a.broken(i.UUID, i.Name, "waits to be confirmed or reverted, and no migration of it is under way", "resized, without a migration")
		},
		migration: func(a *auditor, m *nova.Migration) {
			i, ok := a.Cloud.Nova().Instance(m.Instance)
			if !ok || !i.Live() || m.Type == nova.LiveMigration || m.Type == nova.Evacuation {
				return
			}
			if text, brief := a.brokenState(i, m); text != "" {
				a.broken(i.UUID, i.Name, text, brief)
			}
		},
		people: "only people know where the guest is: `:unfinished`, `:migrations`",
	}
}

func (a *auditor) broken(id placement.ConsumerID, name, text, brief string) {
	f := Finding{Consumer: id, Subject: name, Text: text, Brief: brief, Seen: a.witness}
	if c, ok := a.Ledger.Consumer(id); ok {
		_, f.Provider = a.holds(c)
	}
	a.found(f)
}
