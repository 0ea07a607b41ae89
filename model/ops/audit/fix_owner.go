package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// ownerTraits returns the trait of each service that owns cards, under the name of the
// fix that gives a card to it.
func ownerTraits() map[string]placement.Trait {
	return map[string]placement.Trait{"nova": placement.OwnerNova, "cyborg": placement.OwnerCyborg}
}

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

// oneOwnerFixes decide whose a provider with two owners is.
func oneOwnerFixes(s *cloud.Snapshot, f Finding) []Fix {
	ways := perOwner(s, f, func(p *placement.ResourceProvider, keep string) Fix {
		drop := placement.OwnerNova
		if keep == "nova" {
			drop = placement.OwnerCyborg
		}
		return Fix{
			Name: keep, Title: fmt.Sprintf("give %s to %s: remove %s", p.Name(), keep, drop), plan: traitsPlan(f.Provider, "", drop),
		}
	})
	return choices(append(ways, drainFixes(s, f.Provider)...)...)
}

// drainFixes offers to drain the accelerators of a provider that are in use.
func drainFixes(s *cloud.Snapshot, id placement.ProviderID) []Fix {
	p, ok := s.Placement().Provider(id)
	if !ok {
		return nil
	}
	accelerators := acceleratorClasses(s.Placement())
	iu, ok := accelerators.any(p)
	if !ok || iu.Used == 0 || iu.Reserved == iu.Total {
		return nil
	}
	return []Fix{drainFix(p.ID(), p.Name(), s.Placement().ClassName(iu.Class))}
}

// ownerFixes say whose a provider without owner is.
func ownerFixes(s *cloud.Snapshot, f Finding) []Fix {
	return choices(perOwner(s, f, func(p *placement.ResourceProvider, owner string) Fix {
		t := ownerTraits()[owner]
		return Fix{
			Name: owner, Title: fmt.Sprintf("give %s to %s: add %s", p.Name(), owner, t), plan: traitsPlan(f.Provider, t, ""),
		}
	})...)
}

// perOwner returns a fix for each owner that the provider of f may get, that for the
// likelier first: why it is speaks against the second. What the provider was drained
// for is decided by it.
func perOwner(s *cloud.Snapshot, f Finding, fix func(p *placement.ResourceProvider, owner string) Fix) []Fix {
	p, ok := s.Placement().Provider(f.Provider)
	if !ok {
		return nil
	}
	var out []Fix
	likely, why := likelyOwners(s, p)
	for n, owner := range likely {
		x := fix(p, owner)
		if n > 0 {
			x.Unlikely = why
		}
		out = append(out, thenUndrain(s, p, x))
	}
	return out
}

// likelyOwners returns both owners, the likelier first: that of the service that
// has reported the provider, by what it keeps of it and how it names it. It says so
// where that is plain, "" where it is not.
func likelyOwners(s *cloud.Snapshot, p *placement.ResourceProvider) (owners []string, why string) {
	rest := strings.TrimPrefix(p.Name(), s.Placement().Root(p).Name())
	_, reported := s.Cyborg().DeployableAt(p.ID())
	managed, _ := s.Placement().TraitID(placement.ComputeManagedPCI)
	switch {
	case reported:
		return []string{"cyborg", "nova"}, "Cyborg keeps a deployable for it"
	case p.IsRoot():
		return []string{"nova", "cyborg"}, "it is a root"
	case p.HasTrait(managed):
		return []string{"nova", "cyborg"}, "it has " + string(placement.ComputeManagedPCI)
	case strings.HasPrefix(rest, "_pci_") || rest != strings.ToLower(rest):
		return []string{"nova", "cyborg"}, "it is named as Nova names cards"
	default:
		return []string{"cyborg", "nova"}, ""
	}
}

// rootTraitFix gives a root a trait that its nova-compute should report.
func rootTraitFix(t placement.Trait) func(*cloud.Snapshot, Finding) []Fix {
	return func(_ *cloud.Snapshot, f Finding) []Fix {
		return []Fix{{Name: "add", Title: fmt.Sprintf("add %s to %s", t, f.Subject), plan: traitsPlan(f.Provider, t, "")}}
	}
}

// oneCardFixes delete all but one provider of a card. Providers with claims stay:
// they are drained first.
func oneCardFixes(s *cloud.Snapshot, f Finding) []Fix {
	var free, drains []Fix
	for _, id := range append([]placement.ProviderID{f.Provider}, f.Others...) {
		p, ok := s.Placement().Provider(id)
		if !ok {
			continue
		}
		if s.Placement().HasConsumers(p) {
			for _, d := range drainFixes(s, id) {
				d.Name += "-" + s.Placement().Owner(p).String()
				drains = append(drains, d)
			}
			continue
		}
		free = append(free, Fix{
			Name:  "delete-" + s.Placement().Owner(p).String(),
			Title: fmt.Sprintf("delete %s (%s), which nobody uses", p.Name(), s.Placement().Owner(p)),
			plan:  func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteProvider(s, id, false) },
		})
	}
	return choices(numbered(append(free, drains...))...)
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

// filterFixes let the owner filter ask every request group.
func filterFixes(_ *cloud.Snapshot, _ Finding) []Fix {
	return choices(Fix{
		Name: "filter", Title: "let the owner filter ask every request group for its owner, in the whole cloud",
		plan: change(func(s *cloud.Snapshot) (cloud.Change, error) {
			c := cloud.Change{Note: "ask every request group for its owner"}
			config := s.Nova().Config().Clone().(*nova.Config)
			config.OwnerFilter = nova.OwnerOnGroups
			config.Off = slices.DeleteFunc(config.Off, func(name string) bool { return name == nova.FilterOwner })
			c.Nova.Put(s.Nova(), config)
			return c, nil
		}),
	})
}
