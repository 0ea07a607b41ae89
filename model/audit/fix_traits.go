package audit

import (
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// wantedTraits returns the traits that the new provider of a claim on p must have, with
// their Origin: those of p itself, so that the new device is like the old one. If p has
// the wrong owner, it was not what was asked for, and they are those of the flavor.
func wantedTraits(s *cloud.Snapshot, consumer placement.ConsumerID, p *placement.ResourceProvider, class placement.ClassID, owner placement.Owner) []candidates.AnyTrait {
	if s.Placement().Owner(p) != owner {
		if wanted, ok := askedTraits(s, consumer, s.Placement().ClassName(class), owner, s.Placement().TraitsOf(s.Placement().Root(p))); ok {
			return wanted
		}
	}
	var out []candidates.AnyTrait
	if p.IsRoot() {
		return nil // the traits of a root are about the host, and so apply to everything on it
	}
	for _, t := range s.Placement().TraitsOf(p) {
		if t != placement.OwnerNova && t != placement.OwnerCyborg {
			out = append(out, candidates.AnyTrait{Names: []placement.Trait{t}, Origin: p.Name() + " has"})
		}
	}
	return out
}

// askedTraits returns the traits that the flavor of an instance requires of the provider
// of an owner's class, in a tree whose root has ofRoot; ok is false if the consumer is
// not an instance with such a flavor.
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
				continue // any provider in the tree may have it
			}
			t.Origin = "flavor " + f.Name + " asks for"
			wanted = append(wanted, t)
		}
	}
	return wanted, ok
}
