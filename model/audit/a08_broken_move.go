package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
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
			Why:    "The instance and its migration do not hold what a confirm or a revert needs.",
			Advice: "Give the old claim back to the instance, or finish the move from where it stands.",
		},
		reads: []cloud.Part{cloud.Instances, cloud.Migrations},
		instance: func(a *auditor, i *nova.Instance) {
			if i.VMState != nova.Resized {
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
		fixes: moveFixes,
	}
}

// moveFixes end a move, or return the old claim, which is parked on the migration, to an
// instance that holds nothing.
func moveFixes(s *cloud.Snapshot, f Finding) []Fix {
	return append(putBackFixes(s, f), endMoveFixes(s, f)...)
}

func putBackFixes(s *cloud.Snapshot, f Finding) []Fix {
	if _, held := s.Placement().Consumer(f.Consumer); held {
		return nil
	}
	for m := range s.Nova().MigrationsOf(f.Consumer) {
		if _, parked := s.Placement().Consumer(m.UUID); !parked || !m.Status.UnderWay() {
			continue
		}
		return []Fix{{
			Name: "put-back", Title: fmt.Sprintf("give the old claim on %s back to %s, and fail the %s", m.Source, f.Subject, m.Type),
			plan: change(func(s *cloud.Snapshot) (cloud.Change, error) { return putBack(s, f.Consumer, m.UUID) }),
		}}
	}
	return nil
}

// putBack returns the claim of a migration to its instance, which holds none.
//
// Source: nova/conductor/tasks/migrate.py, revert_allocation_for_migration.
func putBack(s *cloud.Snapshot, instance, migration placement.ConsumerID) (cloud.Change, error) {
	parked, ok := s.Placement().Consumer(migration)
	m, known := s.Nova().Migration(migration)
	i, lives := s.Nova().Instance(instance)
	if !ok || !known || !lives {
		return cloud.Change{}, &placement.NotFoundError{What: "migration", Name: migration.String()}
	}
	back := s.Placement().AsHeld(parked)
	back.Consumer, back.Generation, back.Type = instance, placement.NewConsumer(), placement.InstanceConsumer
	c := cloud.Change{
		Note: fmt.Sprintf("give the old claim of %s back to it", ops.ConsumerName(s, instance)),
		Ops: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{
			{Consumer: migration, Generation: placement.Generation(parked.Generation())}, back,
		}}},
	}
	c.Ops = append(c.Ops, m.To(m.Edit(func(m *nova.Migration) {
		m.Status, m.Fault = nova.Error, "its instance was found without a claim"
	}))...)
	c.Ops = append(c.Ops, i.To(i.Edit(func(i *nova.Instance) {
		i.Host, i.TaskState = m.Source, ""
		if i.VMState == nova.Resized {
			i.VMState = nova.Active
			if m.OldState != "" {
				i.VMState = m.OldState
			}
		}
		if m.OldFlavor != "" {
			i.Flavor = m.OldFlavor
		}
		i.OldFlavor, i.NewFlavor = "", ""
	}))...)
	return c, nil
}

func (a *auditor) broken(id placement.ConsumerID, name, text, brief string) {
	f := Finding{Consumer: id, Subject: name, Text: text, Brief: brief, Seen: a.witness}
	if c, ok := a.Ledger.Consumer(id); ok {
		_, f.Provider = a.holds(c)
	}
	a.found(f)
}
