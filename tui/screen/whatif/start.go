package whatif

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
)

// initialState is the initial state of a screen.
type initialState struct {
	query string               // as URL text
	nova  *asker               // Nova, if the query is its request
	about placement.ProviderID // the provider explained in words first; zero for none
	from  string               // the origin of the query, for the crumb line
	note  string               // why it is not the requested query
}

// begin returns the beginning for a place. If that names nothing, it is an example.
func begin(snap *cloud.Snapshot, indexer *candidates.Indexer, at place.WhatIf) initialState {
	s := snap.Placement()
	var b initialState
	var err error
	switch {
	case at.Query != "":
		f, ok := snap.Nova().FlavorNamed(at.Query)
		if !ok {
			return initialState{query: at.Query}
		}
		b, err = ofFlavor(snap, indexer, f.Ref())
	case !at.Provider.IsZero() && at.Flavor == "":
		b, err = ofProvider(s, at.Provider)
	case !at.Consumer.IsZero():
		b, err = ofConsumer(snap, at.Consumer)
	case !at.Instance.IsZero():
		b, err = ofInstance(snap, indexer, at.Instance)
	case at.Flavor != "":
		b, err = ofFlavor(snap, indexer, at.Flavor)
		b.about = at.Provider
	default:
		return initialState{query: example(s)}
	}
	if err != nil {
		return initialState{query: example(s), note: err.Error() + ": this is an example"}
	}
	return b
}

// example returns a small query that most clouds can answer.
func example(s *placement.Snapshot) string {
	has := func(c placement.ResourceClass) bool { return s.WithClass(panel.ClassID(s, c)).Len() > 0 }
	var g candidates.Group
	if has(placement.VCPU) || !has(placement.MemoryMB) {
		g.Resources = append(g.Resources, candidates.Resource{Class: placement.VCPU, Amount: 1})
	}
	if has(placement.MemoryMB) {
		g.Resources = append(g.Resources, candidates.Resource{Class: placement.MemoryMB, Amount: 1024})
	}
	if classes := panel.ClassesInUse(s); len(classes) > 0 && !has(placement.VCPU) && !has(placement.MemoryMB) {
		g.Resources = []candidates.Resource{{Class: classes[0], Amount: 1}}
	}
	return candidates.Query{Groups: []candidates.Group{g}}.URL()
}

// ofProvider returns the query for the least of each class that a provider gives, in its
// tree. Without inventory it is that of its root, or of the first provider of the tree
// with some.
func ofProvider(s *placement.Snapshot, id placement.ProviderID) (initialState, error) {
	p, err := s.FindProvider(id)
	if err != nil {
		return initialState{}, err
	}
	root := s.Root(p)
	giver := p
	for _, q := range s.Tree(root) {
		if len(giver.Inventories()) == 0 {
			giver = q
		}
	}
	if len(giver.Inventories()) == 0 {
		return initialState{}, fmt.Errorf("%s has no inventory", p.Name())
	}
	g := candidates.Group{InTree: candidates.TextOfProvider(root.ID())}
	for _, iu := range giver.Inventories() {
		g.Resources = append(g.Resources, candidates.Resource{Class: s.ClassName(iu.Class), Amount: least(iu.Inventory)})
	}
	q := candidates.Query{Groups: []candidates.Group{g}}
	return initialState{query: q.URL(), about: id, from: p.Name()}, nil
}

// least returns the smallest amount that min_unit and step_size allow.
func least(inv placement.Inventory) int64 {
	step := max(inv.StepSize, 1)
	return max((max(inv.MinUnit, 1)+step-1)/step*step, 1)
}

// ofConsumer returns what a consumer holds as a query: what roots and pools give in the
// un-suffixed group, what each provider below a root gives in a group of its own.
func ofConsumer(snap *cloud.Snapshot, id placement.ConsumerID) (initialState, error) {
	s := snap.Placement()
	c, ok := s.Consumer(id)
	if !ok {
		return initialState{}, &placement.NotFoundError{What: "consumer", Name: id.String()}
	}
	groups := []candidates.Group{{}}
	nested := map[*placement.ResourceProvider]int{}
	for a := range s.Allocations(c) {
		at := 0
		if !a.Provider.IsRoot() {
			if at = nested[a.Provider]; at == 0 {
				at = len(groups)
				nested[a.Provider] = at
				groups = append(groups, candidates.Group{Suffix: fmt.Sprintf("_%s%d", s.ClassName(a.Class), at)})
			}
		}
		g := &groups[at]
		class := s.ClassName(a.Class)
		if i := slices.IndexFunc(g.Resources, func(r candidates.Resource) bool { return r.Class == class }); i >= 0 {
			g.Resources[i].Amount = min(g.Resources[i].Amount+a.Used, placement.MaxInt)
			continue
		}
		g.Resources = append(g.Resources, candidates.Resource{Class: class, Amount: a.Used})
	}
	for i := range groups {
		slices.SortStableFunc(groups[i].Resources, func(a, b candidates.Resource) int {
			return cmp.Compare(panel.ClassID(s, a.Class), panel.ClassID(s, b.Class))
		})
	}
	if len(groups[0].Resources) == 0 {
		groups = groups[1:]
	}
	q := candidates.Query{Groups: groups}
	if len(nested) > 1 {
		q.GroupPolicy = candidates.PolicyNone
	}
	if err := q.Validate(s); err != nil {
		return initialState{}, fmt.Errorf("what it holds cannot be asked for: %w", err)
	}
	return initialState{query: q.URL(), from: panel.ConsumerName(snap, id)}, nil
}

// ofFlavor returns Nova's request for a new instance with a flavor, including what
// pre-filters add.
func ofFlavor(snap *cloud.Snapshot, indexer *candidates.Indexer, ref string) (initialState, error) {
	return asNova(snap, indexer, "flavor "+ref, func(s *cloud.Snapshot) (nova.RequestSpec, error) {
		f, ok := s.Nova().Flavor(ref)
		if !ok {
			return nova.RequestSpec{}, s.Missing(&placement.NotFoundError{What: "flavor", Name: ref}, cloud.Flavors)
		}
		return ops.RequestSpecOf(s, &nova.Instance{}, f)
	})
}

// ofInstance returns Nova's request for placing an instance again. The explained provider
// is its host.
func ofInstance(snap *cloud.Snapshot, indexer *candidates.Indexer, id placement.ConsumerID) (initialState, error) {
	i, ok := snap.Nova().Instance(id)
	if !ok {
		return initialState{}, snap.Missing(&placement.NotFoundError{What: "instance", Name: id.String()}, cloud.Instances)
	}
	b, err := asNova(snap, indexer, i.Name, func(s *cloud.Snapshot) (nova.RequestSpec, error) {
		i, ok := s.Nova().Instance(id)
		if !ok {
			return nova.RequestSpec{}, s.Missing(&placement.NotFoundError{What: "instance", Name: id.String()}, cloud.Instances)
		}
		f, ok := s.Nova().Flavor(i.Flavor)
		if !ok {
			return nova.RequestSpec{}, s.Missing(&placement.NotFoundError{What: "flavor", Name: i.Flavor}, cloud.PartsOf(nova.KindFlavor)...)
		}
		return ops.RequestSpecOf(s, i, f)
	})
	for node := range snap.Nova().ComputeNodesOf(i.Host) {
		b.about = node.UUID
	}
	return b, err
}

// asNova returns the query that Nova makes of what it wants a place for.
func asNova(snap *cloud.Snapshot, indexer *candidates.Indexer, from string, want func(*cloud.Snapshot) (nova.RequestSpec, error)) (initialState, error) {
	k := &asker{want: want, indexer: indexer}
	if err := k.renew(snap, nova.AskOptions{}); err != nil {
		return initialState{}, err
	}
	return initialState{query: k.url, nova: k, from: from}, nil
}

// parse parses a query, in which aggregates and trees may be named.
func parse(s *cloud.Snapshot, text string) (candidates.Query, *candidates.ParseError) {
	if _, ok := s.Nova().FlavorNamed(text); ok {
		return candidates.Query{}, &candidates.ParseError{Why: "this is a flavor: enter asks for it"}
	}
	q, err := candidates.ParseURL(ops.QueryByNames(s, text), microversion.PlacementNewest, s.Placement())
	if err == nil {
		return q, nil
	}
	var at *candidates.ParseError
	if !errors.As(err, &at) {
		at = &candidates.ParseError{Why: err.Error()}
	}
	return q, at
}
