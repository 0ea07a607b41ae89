package audit

import (
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// wantedTraits returns the traits that must be where a claim on p goes, Origin being
// who wants them: those of p itself, so that the new device is like the old one. Where
// p has the wrong owner it was never what was asked for, and the flavor says what is.
func wantedTraits(s *cloud.Snapshot, consumer placement.ConsumerID, p *placement.ResourceProvider, class placement.ClassID, owner placement.Owner) []candidates.AnyTrait {
	if s.Placement().Owner(p) != owner {
		if wanted, ok := askedTraits(s, consumer, s.Placement().ClassName(class), owner, s.Placement().TraitsOf(s.Placement().Root(p))); ok {
			return wanted
		}
	}
	var out []candidates.AnyTrait
	if p.IsRoot() {
		return nil // what a root has is said of the host, and so of all that is on it
	}
	for _, t := range s.Placement().TraitsOf(p) {
		if t != placement.OwnerNova && t != placement.OwnerCyborg {
			out = append(out, candidates.AnyTrait{Names: []placement.Trait{t}, Origin: p.Name() + " has"})
		}
	}
	return out
}

// askedTraits returns the traits that the flavor of an instance requires of who gives
// it a class of an owner, in a tree whose root has some itself; ok is false for what
// is not an instance with such a flavor.
func askedTraits(
	s *cloud.Snapshot, consumer placement.ConsumerID, class placement.ResourceClass, owner placement.Owner, ofRoot []placement.Trait,
) (wanted []candidates.AnyTrait, ok bool) {
	i, known := s.Nova().Instance(consumer)
	if !known {
		return nil, false
	}
	f, known := s.Nova().Flavor(i.Flavor)
	if !known {
		return nil, false
	}
	spec, err := ops.RequestSpecOf(s, i, f)
	if err != nil {
		return nil, false
	}
	r, err := s.Nova().Ask(spec, nova.AskOptions{Placement: s.Placement()})
	if err != nil {
		return nil, false
	}
	for n, g := range r.Groups {
		if g.Source.Owner() != owner || g.Amounts[class] == 0 {
			continue
		}
		ok = true
		for _, t := range r.Query.Groups[n].Required {
			if g.Suffix == "" && slices.ContainsFunc(t.Names, func(t placement.Trait) bool { return slices.Contains(ofRoot, t) }) {
				continue // any provider of the tree may have it
			}
			t.Origin = "flavor " + f.Name + " asks for"
			wanted = append(wanted, t)
		}
	}
	return wanted, ok
}
