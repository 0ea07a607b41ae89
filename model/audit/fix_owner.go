package audit

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// traitsPlan plans to add a trait to a provider and to remove another, either of
// which may be empty.
func traitsPlan(id placement.ProviderID, add, remove placement.Trait) func(*cloud.Snapshot) (ops.Plan, error) {
	list := func(t placement.Trait) []placement.Trait {
		if t == "" {
			return nil
		}
		return []placement.Trait{t}
	}
	return func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanTraits(s, id, list(add), list(remove)) }
}

// drainFixes offers to drain the accelerators of a provider that are in use.
func drainFixes(s *cloud.Snapshot, id placement.ProviderID) []Fix {
	p, ok := s.Placement().Provider(id)
	if !ok {
		return nil
	}
	accelerators := survey.AcceleratorClasses(s.Placement())
	iu, ok := accelerators.Any(p)
	if !ok || iu.Used == 0 || iu.Reserved == iu.Total {
		return nil
	}
	return []Fix{drainFix(p.ID(), p.Name(), s.Placement().ClassName(iu.Class))}
}

// perOwner returns a fix for each owner that the provider of f may get, with the more
// likely one first; the second says why that is more likely.
func perOwner(s *cloud.Snapshot, f Finding) []Fix {
	p, ok := s.Placement().Provider(f.Provider)
	if !ok || isCompute(s, p) && s.Placement().Owner(p) == placement.OwnedByNone {
		return nil // on the root of a compute OWNER_NOVA says which nova-compute runs there, and only that can
	}
	var out []Fix
	likely, why := survey.LikelyOwners(s, p)
	for n, owner := range likely {
		x := giveFix(s, p, owner)
		if n > 0 {
			x.Unlikely = why
		}
		out = append(out, x)
	}
	return out
}

// isCompute reports whether p is the root of a compute node.
func isCompute(s *cloud.Snapshot, p *placement.ResourceProvider) bool {
	_, is := s.Nova().ComputeNode(p.ID())
	return p.IsRoot() && (is || slices.Contains(s.Placement().TraitsOf(p), placement.ComputeNode))
}

// giveFix gives a provider to one owner, and takes it from the other: a card is handed
// over; for any other provider only the traits change.
func giveFix(s *cloud.Snapshot, p *placement.ResourceProvider, owner placement.Owner) Fix {
	add, remove := owner.Trait(), otherOwner(owner).Trait()
	before := s.Placement().Owner(p)
	if before == placement.OwnedByNone {
		remove = ""
	}
	title := fmt.Sprintf("give %s to %s: add %s", p.Name(), owner, add)
	if before == placement.OwnedByBoth {
		title, add = fmt.Sprintf("give %s to %s: remove %s", p.Name(), owner, remove), ""
	}
	out := Fix{Name: owner.String(), Title: title, plan: traitsPlan(p.ID(), add, remove)}
	h := ops.Handover{Provider: p.ID(), To: owner}
	if stage, err := h.Stage(s); err == nil {
		out.plan = h.PlanGive
		if stage.Opens() {
			out.Title += fmt.Sprintf(", and stop reserving its %s", stage.Classes[0])
		}
	}
	return out
}

// numbered makes the names of fixes unique.
func numbered(fixes []Fix) []Fix {
	seen := map[string]int{}
	for i, x := range fixes {
		if seen[x.Name]++; seen[x.Name] > 1 {
			fixes[i].Name = fmt.Sprintf("%s-%d", x.Name, seen[x.Name])
		}
	}
	return fixes
}
