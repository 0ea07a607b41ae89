package rest

import (
	"cmp"
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// providerFilter is the filter of a list of providers.
type providerFilter struct {
	query params
	terms candidates.Group
}

// readProviderFilter reads the query of a list of providers.
//
// Source: placement/handlers/resource_provider.py, list_resource_providers.
func (r *request) readProviderFilter() (q providerFilter, f *fault) {
	if q.query, f = r.checkQuery(r.checkProvidersQuery); f != nil {
		return q, f
	}
	var err error
	if q.terms, err = candidates.ParseProviderTerms(r.URL.RawQuery, r.version); err != nil {
		return q, badQuery(err)
	}
	return q, nil
}

// selection is the providers that a filter has left so far, in the order of their numbers.
type selection struct {
	s    *placement.Snapshot
	left []*placement.ResourceProvider
}

// only keeps those for which keep returns true.
func (n *selection) only(keep func(*placement.ResourceProvider) bool) {
	n.left = slices.DeleteFunc(n.left, func(p *placement.ResourceProvider) bool { return !keep(p) })
}

// in keeps those that are in one set of each term. It reports whether any provider at all is.
func (n *selection) in(terms [][]placement.Set) bool {
	has := func(p *placement.ResourceProvider) bool {
		return !slices.ContainsFunc(terms, func(sets []placement.Set) bool {
			return !slices.ContainsFunc(sets, func(s placement.Set) bool { return s.Has(p.Number()) })
		})
	}
	n.only(has)
	return len(terms) == 0 || len(n.left) > 0 || slices.ContainsFunc(allProviders(n.s), has)
}

func allProviders(s *placement.Snapshot) []*placement.ResourceProvider {
	out := make([]*placement.ResourceProvider, 0, s.ProviderCount())
	for number := range s.AllProviders().All() {
		out = append(out, s.ProviderAt(number))
	}
	return out
}

// drop removes those in a set.
func (n *selection) drop(set placement.Set) {
	n.only(func(p *placement.ResourceProvider) bool { return !set.Has(p.Number()) })
}

// find returns the providers that match q. Once no provider at all is left the rest of the
// query is not checked, as in the service.
//
// Source: placement/objects/resource_provider.py, _get_all_by_filters_from_db.
func (q *providerFilter) find(s *placement.Snapshot) ([]*placement.ResourceProvider, *fault) {
	n := selection{s: s}
	name, id, tree := q.query.last("name"), q.query.last("uuid"), q.query.last("in_tree")
	byName, _ := s.ProviderByName(name)
	byID, _ := providerOf(s, id)
	switch within, ok := providerOf(s, tree); {
	case tree != "" && !ok:
		return nil, nil
	case tree != "":
		n.left = slices.SortedFunc(s.Within(s.Root(within)), func(a, b *placement.ResourceProvider) int { return cmp.Compare(a.Number(), b.Number()) })
	default:
		n.left = allProviders(s)
	}
	n.only(func(p *placement.ResourceProvider) bool {
		return (name == "" || p == byName) && (id == "" || p == byID)
	})
	for _, step := range []func(*placement.Snapshot, *selection) (bool, *fault){q.byTraits, q.byAggregates, q.byResources} {
		if more, f := step(s, &n); f != nil || !more {
			return nil, f
		}
	}
	return n.left, nil
}

// byTraits keeps only providers with matching traits. It reports whether any provider at
// all has them.
func (q *providerFilter) byTraits(s *placement.Snapshot, n *selection) (bool, *fault) {
	with := func(names ...placement.Trait) (sets []placement.Set, _ *fault) {
		for _, name := range names {
			id, ok := s.TraitID(name)
			if !ok {
				return nil, badRequest("Invalid trait(s) in \"required\" parameter: No such trait(s): %s.", name)
			}
			sets = append(sets, s.WithTrait(id))
		}
		return sets, nil
	}
	var terms [][]placement.Set
	for _, term := range q.terms.Required {
		sets, f := with(term.Names...)
		if f != nil {
			return false, f
		}
		terms = append(terms, sets)
	}
	if !n.in(terms) {
		return false, nil
	}
	for _, term := range q.terms.Forbidden {
		sets, f := with(term.Name)
		if f != nil {
			return false, f
		}
		n.drop(sets[0])
	}
	return true, nil
}

// byAggregates keeps only providers in matching aggregates. It reports whether any provider
// at all is in them.
func (q *providerFilter) byAggregates(s *placement.Snapshot, n *selection) (bool, *fault) {
	in := func(text candidates.AggregateText) placement.Set {
		id, ok := text.ID()
		if !ok {
			return placement.Set{}
		}
		return s.InAggregate(id)
	}
	var terms [][]placement.Set
	for _, term := range q.terms.MemberOf {
		var sets []placement.Set
		for _, id := range term.IDs {
			sets = append(sets, in(id))
		}
		terms = append(terms, sets)
	}
	if !n.in(terms) {
		return false, nil
	}
	for _, term := range q.terms.ForbiddenAggregates {
		n.drop(in(term.ID))
	}
	return true, nil
}

// byResources keeps only providers with room for the resources.
func (q *providerFilter) byResources(s *placement.Snapshot, n *selection) (bool, *fault) {
	for _, a := range q.terms.Resources {
		class, ok := s.ClassID(a.Class)
		if !ok {
			return false, badRequest("Invalid resource class in resources parameter: No such resource class %s.", a.Class)
		}
		n.only(func(p *placement.ResourceProvider) bool {
			has, ok := p.Inventory(class)
			return ok && has.Fits(has.Used, a.Amount) == ""
		})
	}
	return true, nil
}
