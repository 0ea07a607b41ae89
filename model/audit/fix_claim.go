package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// releaseFixes release what a consumer holds that stands for nothing any more, and its
// accelerators. That the host of a migration in error is cleaned only people know.
func releaseFixes(s *cloud.Snapshot, f Finding) []Fix {
	m, is := s.Nova().Migration(f.Consumer)
	return []Fix{{
		Name: "release", Title: "release all that " + f.Subject + " holds", Choice: is && m.Status == nova.Error,
		plan: change(func(s *cloud.Snapshot) (cloud.Change, error) { return ops.LetGo(s, f.Consumer, nil) }),
	}}
}

// comeHomeFixes make an instance hold on its host what its flavor asks for, and
// nothing of other hosts, where that is plain.
func comeHomeFixes(s *cloud.Snapshot, f Finding) []Fix {
	home := func(s *cloud.Snapshot) (cloud.Change, error) { return ops.HealChange(s, f.Consumer, true) }
	i, ok := s.Nova().Instance(f.Consumer)
	if !ok {
		return nil
	}
	if _, err := ops.Planner(home).Plan(s); err != nil {
		return nil
	}
	return []Fix{{
		Name: "heal", Title: fmt.Sprintf("claim on %s what the flavor of %s asks for, release the rest", i.Host, f.Subject),
		plan: change(home),
	}}
}

// endMoveFixes end the moves of an instance that wait for somebody to confirm or
// revert them, or are stuck on the way, where either would come to its end.
func endMoveFixes(s *cloud.Snapshot, f Finding) []Fix {
	var out []Fix
	offer := func(x Fix) {
		x.Choice = true
		after, ok := x.ends(s, f)
		if !ok {
			return
		}
		_, stands := f.StandsOn(after)
		if _, holds := after.Placement().Consumer(f.Consumer); holds && !stands {
			out = append(out, x)
		}
	}
	for m := range s.Nova().MigrationsOf(f.Consumer) {
		if !m.Status.UnderWay() {
			continue
		}
		if finish, undo := ops.Resume(s, m); finish != nil {
			offer(Fix{Name: "finish", Title: fmt.Sprintf("finish the %s of %s, which is %s", m.Type, f.Subject, m.Status), course: finish})
			if undo != nil {
				offer(Fix{Name: "undo", Title: fmt.Sprintf("undo the %s: %s gets its place on %s back", m.Type, f.Subject, m.Source), course: undo})
			}
			continue
		}
		offer(Fix{Name: "confirm", Title: fmt.Sprintf("confirm the %s: %s stays on %s", m.Type, f.Subject, m.Dest), course: ops.Confirm{Migration: m.UUID}})
		offer(Fix{
			Name: "revert", Title: fmt.Sprintf("revert the %s: %s gets its place on %s back", m.Type, f.Subject, m.Source),
			course: ops.Revert{Migration: m.UUID, Why: "it was found half-way"},
		})
	}
	return numbered(out)
}

// moveFixes end a move, or give the old claim, which stands parked on the
// migration, back to an instance that holds nothing.
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

// putBack swaps the claim of a migration back to its instance, which holds none.
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
		Placement: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{
			{Consumer: migration, Generation: placement.Generation(parked.Generation())}, back,
		}}},
	}
	c.Nova.Put(s.Nova(), m.Edit(func(m *nova.Migration) {
		m.Status, m.Fault = nova.Error, "its instance was found without a claim"
	}))
	c.Nova.Put(s.Nova(), i.Edit(func(i *nova.Instance) {
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
	}))
	return c, nil
}

// healFixes make an instance hold what its flavor asks for, where that is plain.
func healFixes(s *cloud.Snapshot, f Finding) []Fix {
	if _, err := healPlan(s, f.Consumer); err != nil {
		return nil
	}
	return []Fix{{
		Name: "heal", Title: "set what " + f.Subject + " holds to what its flavor asks for",
		plan: func(s *cloud.Snapshot) (ops.Plan, error) { return healPlan(s, f.Consumer) },
	}}
}

// healPlan returns the plan that heals one instance.
//
// Errors: placement.ErrNotFound where there is no such instance;
// placement.ErrInvalid, with the reason, where it cannot be healed.
func healPlan(s *cloud.Snapshot, id placement.ConsumerID) (ops.Plan, error) {
	heals, err := ops.PlanHeal(s, ops.HealOptions{Instance: id, Force: true})
	if err != nil {
		return ops.Plan{}, err
	}
	if h := heals[0]; h.Outcome != ops.HealClaim {
		return ops.Plan{}, &placement.InvalidError{Field: "instance", Value: h.Instance.Name, Why: fmt.Sprintf("%s: %s", h.Outcome, h.Why)}
	}
	return heals[0].Plan, nil
}

// rightOwnerFixes move a claim to a device of the owner that the flavor asks: of the
// same host, or with the instance to another.
func rightOwnerFixes(s *cloud.Snapshot, f Finding) []Fix {
	p, iu, err := inventoryOf(s, f.Provider, f.Class)
	c, ok := s.Placement().Consumer(f.Consumer)
	if err != nil || !ok || attached(s, f.Consumer, p) != nil {
		return nil
	}
	right := otherOwner(s.Placement().Owner(p))
	for class, amount := range s.Placement().UsedBy(c, p) {
		if class != iu.Class {
			continue
		}
		if q, ok := taker(s, f.Consumer, p, class, amount, right); ok {
			return choices(Fix{
				Name: "move", Title: fmt.Sprintf("move the claim of %s %d of %s to %s, which is %s's; the guest gets no device by that", f.Class, amount, f.Subject, q.Name(), right),
				plan: func(s *cloud.Snapshot) (ops.Plan, error) {
					return PlanMoveClaim(s, f.Consumer, f.Class, f.Provider, q.ID(), right)
				},
			})
		}
	}
	return elsewhereFixes(s, f, f.Consumer)
}
