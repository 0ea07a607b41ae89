package kinds

import (
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// Pick selects things by what they have. The zero value selects all that still exist;
// several conditions must all hold.
type Pick struct {
	Class, Trait                                            []string
	Owner, Aggregate, InTree, Provider, Project, Type, Host string
	Associated                                              bool // that a provider has
	All                                                     bool // also what was deleted or replaced
}

// The names in Kind.Flags, one for each field of a Pick.
const (
	ByClass      = "class"
	ByTrait      = "trait"
	ByOwner      = "owner"
	ByAggregate  = "aggregate"
	InTree       = "in-tree"
	ByProvider   = "provider"
	ByProject    = "project"
	ByType       = "type"
	ByHost       = "host"
	ByAssociated = "associated"
	ByAll        = "all"
)

// byProviders returns the flags that pick providers.
func byProviders() []string { return []string{ByClass, ByTrait, ByOwner, ByAggregate, InTree} }

// hold is what a row is about: a class of a provider, or all of it if class is "".
type hold struct {
	provider *placement.ResourceProvider
	class    placement.ResourceClass
	shared   bool // the class is that of a pool that serves the provider
}

// picks returns a function that reports whether a row is picked.
func (k *Kind) picks(at At, p Pick) (func(Row) bool, error) {
	var tests []func(Row) bool
	provider, err := p.provider(Finder{at.Snap})
	if err != nil {
		return nil, err
	}
	if provider != nil {
		tests = append(tests, func(row Row) bool {
			found := false
			k.holds(at, row, func(h hold) bool {
				found = provider(h) && (h.class == "" || len(p.Class) == 0 || slices.Contains(p.Class, string(h.class)))
				return !found
			})
			return found
		})
	}
	for name, want := range map[string]string{ByProject: p.Project, ByType: p.Type, ByHost: p.Host} {
		if want == "" {
			continue
		}
		get := k.Field(name).Get(at)
		tests = append(tests, func(row Row) bool {
			v := get(row)
			return v.text == want || slices.Contains(v.words, want)
		})
	}
	if p.Associated {
		get := k.Field("provider_count").Get(at)
		tests = append(tests, func(row Row) bool { return get(row).Int() > 0 })
	}
	return func(row Row) bool {
		return !slices.ContainsFunc(tests, func(holds func(Row) bool) bool { return !holds(row) })
	}, nil
}

// provider returns a function that reports whether a provider is picked; nil if all are.
func (p Pick) provider(f Finder) (func(hold) bool, error) {
	var tests []func(hold) bool
	is := func(test func(*placement.ResourceProvider) bool) {
		tests = append(tests, func(h hold) bool { return test(h.provider) })
	}
	for _, name := range p.Class {
		id, err := f.Class(name)
		if err != nil {
			return nil, err
		}
		// A host that has the class only through a pool is picked only by the row about
		// that share.
		tests = append(tests, func(h hold) bool { _, ok := h.provider.Inventory(id); return ok || h.shared })
	}
	for _, name := range p.Trait {
		id, err := f.Trait(name)
		if err != nil {
			return nil, err
		}
		is(func(rp *placement.ResourceProvider) bool { return rp.HasTrait(id) })
	}
	if p.Owner != "" {
		owner, err := placement.ParseOwner(p.Owner)
		if err != nil {
			return nil, err
		}
		is(func(rp *placement.ResourceProvider) bool { return f.Placement().Owner(rp) == owner })
	}
	if p.Aggregate != "" {
		id, err := f.Aggregate(p.Aggregate)
		if err != nil {
			return nil, err
		}
		is(func(rp *placement.ResourceProvider) bool { return rp.InAggregate(id) })
	}
	if p.InTree != "" {
		top, err := f.Provider(p.InTree)
		if err != nil {
			return nil, err
		}
		is(func(rp *placement.ResourceProvider) bool { return rp.RootNumber() == top.RootNumber() })
	}
	if p.Provider != "" {
		only, err := f.Provider(p.Provider)
		if err != nil {
			return nil, err
		}
		is(func(rp *placement.ResourceProvider) bool { return rp == only })
	}
	if len(tests) == 0 {
		return nil, nil
	}
	return func(h hold) bool {
		return !slices.ContainsFunc(tests, func(holds func(hold) bool) bool { return !holds(h) })
	}, nil
}
