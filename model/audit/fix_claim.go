package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// releaseFixes release what an obsolete consumer holds, and its accelerators. Only an
// operator knows whether the host of a migration that did not succeed is cleaned up: the
// guest may still run there; and whose it is that was never Nova's, or is of another project by now. Of a server that exists
// a live cloud lets nothing be released: see notDeleted.
func releaseFixes(s *cloud.Snapshot, f Finding) []Fix {
	if notDeleted(s, f) != "" {
		return nil
	}
	m, is := s.Nova().Migration(f.Consumer)
	c, holds := s.Placement().Consumer(f.Consumer)
	i, known := s.Nova().Instance(f.Consumer)
	others := s.Live() && holds && known && i.Project != c.Project() // made again since the server was deleted
	return []Fix{{
		Name: "release", Title: "release all that " + f.Subject + " holds",
		Choice: is && (m.Status == nova.Error || m.Status == nova.Failed || m.Status == nova.Cancelled) || holds && neverNovas(s, c) || others,
		plan:   change(func(s *cloud.Snapshot) (cloud.Change, error) { return ops.ReleaseExceptStuck(s, f.Consumer, nil) }),
	}}
}

// notDeleted says why what a server of a live cloud holds has no fix that could not be built, or
// got no host; "" for any other.
func notDeleted(s *cloud.Snapshot, f Finding) string {
	if i, ok := s.Nova().Instance(f.Consumer); !s.Live() || !ok || !i.Live() || i.Offloaded() {
		return ""
	}
	return "nobody can use it until it is deleted: have Nova delete it, which releases what it holds"
}

// comeHomeFixes make an instance hold on its host what its flavor asks for, and nothing
// on other hosts, if that is unambiguous.
func comeHomeFixes(s *cloud.Snapshot, f Finding) []Fix {
	home := func(s *cloud.Snapshot) (cloud.Change, error) { return ops.HealChange(s, f.Consumer, true) }
	i, ok := s.Nova().Instance(f.Consumer)
	if !ok {
		return nil
	}
	if _, err := ops.Decider(home).Plan(s); err != nil {
		return nil
	}
	return []Fix{{
		Name: "heal", Title: fmt.Sprintf("allocate on %s what the flavor of %s asks for, and release the rest", i.Host, f.Subject),
		plan: change(home),
	}}
}

// healFixes make an instance hold what its flavor asks for, if that is unambiguous
// according to ops.PlanHeal.
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
// Errors: placement.ErrNotFound if there is no such instance; placement.ErrInvalid, with
// the reason, if it cannot be healed.
func healPlan(s *cloud.Snapshot, id placement.ConsumerID) (ops.Plan, error) {
	heals, err := ops.PlanHeal(s, ops.HealOptions{Instance: id})
	if err != nil {
		return ops.Plan{}, err
	}
	if h := heals[0]; h.Outcome != ops.HealClaim {
		return ops.Plan{}, placement.Invalid("instance", h.Instance.Name, fmt.Sprintf("%s: %s", h.Outcome, h.Why))
	}
	return heals[0].Plan, nil
}
