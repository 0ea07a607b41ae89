package insight

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// mostPlaces is how many candidates of a query are looked at, at least the first of
// each tree beside: some queries have more than anybody can count.
const mostPlaces = 20_000

// places are the candidates for a query.
type places struct {
	roots []*placement.ResourceProvider // of the trees with a candidate, by name
	count int                           // candidates
	more  bool                          // there are more than were looked at
	of    map[string]placesOf           // by providers and classes
	cards map[placement.ProviderID]bool // providers that some candidate takes something from
}

// placesOf are the candidates that take the same from the same providers.
type placesOf struct {
	root  *placement.ResourceProvider
	cards []*placement.ResourceProvider
	count int
}

// places returns the candidates for q.
func (k *asking) places(q candidates.Query) (*places, error) {
	key := q.URL()
	if known, ok := k.known[key]; ok {
		return known, nil
	}
	// Each tree gives one candidate, in the order of their names, before the first
	// gives its second: no tree is left out.
	r, err := k.index.Search(q, candidates.Options{Most: max(k.cloud.Placement().RootSet().Len(), mostPlaces)})
	if err != nil {
		return nil, err
	}
	out := &places{
		count: r.Len(), more: r.Truncated || len(r.GaveUp) > 0,
		of: make(map[string]placesOf, r.Len()), cards: map[placement.ProviderID]bool{},
	}
	var uses []candidates.Use
	for i := range r.Len() {
		root := r.Anchor(i)
		if i == len(out.roots) && (i == 0 || root.Name() > out.roots[i-1].Name()) {
			out.roots = append(out.roots, root)
		}
		uses = r.AppendUses(uses[:0], i)
		out.add(root, uses)
	}
	k.known[key] = out
	return out, nil
}

// add counts one candidate in.
func (p *places) add(root *placement.ResourceProvider, uses []candidates.Use) {
	var room [256]byte
	name := room[:0]
	for _, u := range uses {
		id := u.Provider.ID()
		name = binary.AppendVarint(append(name, id[:]...), int64(u.Class))
		p.cards[id] = true
	}
	of := p.of[string(name)]
	if of.count == 0 {
		of.root = root
		for _, u := range uses {
			of.cards = append(of.cards, u.Provider)
		}
	}
	of.count++
	p.of[string(name)] = of
}

// lostPlaces is what one answer has and a later one has not.
type lostPlaces struct {
	roots []*placement.ResourceProvider // without any candidate, by name
	cards []*placement.ResourceProvider // below other roots, and in no candidate, by name
	count int                           // candidates
}

// less returns what p has and then has not.
func (p *places) less(then *places) lostPlaces {
	var out lostPlaces
	stays := make(map[placement.ProviderID]bool, len(then.roots))
	for _, root := range then.roots {
		stays[root.ID()] = true
	}
	for _, root := range p.roots {
		if !stays[root.ID()] {
			out.roots = append(out.roots, root)
		}
	}
	seen := map[placement.ProviderID]bool{}
	for name, of := range p.of {
		gone := of.count - then.of[name].count
		if gone <= 0 {
			continue
		}
		out.count += gone
		if !stays[of.root.ID()] {
			continue
		}
		for _, card := range of.cards {
			if !then.cards[card.ID()] && !seen[card.ID()] {
				seen[card.ID()] = true
				out.cards = append(out.cards, card)
			}
		}
	}
	slices.SortFunc(out.cards, func(x, y *placement.ResourceProvider) int { return cmp.Compare(x.Name(), y.Name()) })
	return out
}
