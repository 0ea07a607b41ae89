package rest

import (
	"math/bits"

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

// numbers is a set of provider numbers, 64 in a word.
type numbers []uint64

func allOf(set placement.Set) numbers {
	n := make(numbers, set.Words())
	for i := range n {
		n[i] = set.Word(i)
	}
	return n
}

// count returns the size of the set.
func (n numbers) count() (all int) {
	for _, word := range n {
		all += bits.OnesCount64(word)
	}
	return all
}

// keep keeps only those of n that are in one of sets.
func (n numbers) keep(sets ...placement.Set) {
	for i := range n {
		any := uint64(0)
		for _, s := range sets {
			any |= s.Word(i)
		}
		n[i] &= any
	}
}

// and keeps only those of n that are in other.
func (n numbers) and(other numbers) {
	for i := range n {
		n[i] &= other[i]
	}
}

// drop removes those of set from n.
func (n numbers) drop(set placement.Set) {
	for i := range n {
		n[i] &^= set.Word(i)
	}
}

// only keeps only those of n for which keep returns true.
func (n numbers) only(s *placement.Snapshot, keep func(*placement.ResourceProvider) bool) {
	for i, word := range n {
		for ; word != 0; word &= word - 1 {
			bit := word & -word
			if !keep(s.ProviderAt(64*i + bits.TrailingZeros64(word))) {
				n[i] &^= bit
			}
		}
	}
}

func (n numbers) empty() bool {
	for _, word := range n {
		if word != 0 {
			return false
		}
	}
	return true
}

// find returns the providers that match q. Once none is left the rest of the query is not
// checked, as in the service.
//
// Source: placement/objects/resource_provider.py, _get_all_by_filters_from_db.
func (q *providerFilter) find(s *placement.Snapshot) (numbers, *fault) {
	n := allOf(s.AllProviders())
	if name := q.query.last("name"); name != "" {
		p, ok := s.ProviderByName(name)
		n.just(p, ok)
	}
	if id := q.query.last("uuid"); id != "" {
		p, ok := providerOf(s, id)
		n.just(p, ok)
	}
	if id := q.query.last("in_tree"); id != "" {
		p, ok := providerOf(s, id)
		if !ok {
			return nil, nil
		}
		tree := make(numbers, len(n))
		for p := range s.Within(s.Root(p)) {
			tree[p.Number()/64] |= 1 << (p.Number() % 64)
		}
		n.and(tree)
	}
	for _, step := range []func(*placement.Snapshot, numbers) (bool, *fault){q.byTraits, q.byAggregates, q.byResources} {
		if more, f := step(s, n); f != nil || !more {
			return nil, f
		}
	}
	return n, nil
}

// just keeps only p, if n has it and ok is true.
func (n numbers) just(p *placement.ResourceProvider, ok bool) {
	for i := range n {
		if ok && p.Number()/64 == i {
			n[i] &= 1 << (p.Number() % 64)
		} else {
			n[i] = 0
		}
	}
}

// byTraits keeps only those of n with matching traits. It reports whether any provider at
// all has them.
func (q *providerFilter) byTraits(s *placement.Snapshot, n numbers) (bool, *fault) {
	with := func(name placement.Trait) (placement.Set, *fault) {
		id, ok := s.TraitID(name)
		if !ok {
			return placement.Set{}, badRequest("Invalid trait(s) in \"required\" parameter: No such trait(s): %s.", name)
		}
		return s.WithTrait(id), nil
	}
	have := allOf(s.AllProviders())
	for _, term := range q.terms.Required {
		var sets []placement.Set
		for _, name := range term.Names {
			set, f := with(name)
			if f != nil {
				return false, f
			}
			sets = append(sets, set)
		}
		have.keep(sets...)
	}
	if len(q.terms.Required) > 0 && have.empty() {
		return false, nil
	}
	n.and(have)
	for _, term := range q.terms.Forbidden {
		set, f := with(term.Name)
		if f != nil {
			return false, f
		}
		n.drop(set)
	}
	return true, nil
}

// byAggregates keeps only those of n in matching aggregates. It reports whether any
// provider at all is in them.
func (q *providerFilter) byAggregates(s *placement.Snapshot, n numbers) (bool, *fault) {
	in := func(text candidates.AggregateText) placement.Set {
		id, ok := text.ID()
		if !ok {
			return placement.Set{}
		}
		return s.InAggregate(id)
	}
	have := allOf(s.AllProviders())
	for _, term := range q.terms.MemberOf {
		var sets []placement.Set
		for _, id := range term.IDs {
			sets = append(sets, in(id))
		}
		have.keep(sets...)
	}
	if len(q.terms.MemberOf) > 0 && have.empty() {
		return false, nil
	}
	n.and(have)
	for _, term := range q.terms.ForbiddenAggregates {
		n.drop(in(term.ID))
	}
	return true, nil
}

// byResources keeps only those of n with room for the resources.
func (q *providerFilter) byResources(s *placement.Snapshot, n numbers) (bool, *fault) {
	for _, a := range q.terms.Resources {
		class, ok := s.ClassID(a.Class)
		if !ok {
			return false, badRequest("Invalid resource class in resources parameter: No such resource class %s.", a.Class)
		}
		n.keep(s.WithClass(class))
		n.only(s, func(p *placement.ResourceProvider) bool {
			has, _ := p.Inventory(class)
			return has.Fits(has.Used, a.Amount) == ""
		})
	}
	return true, nil
}
