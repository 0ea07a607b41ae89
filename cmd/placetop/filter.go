package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/placement"
)

// filters pick things from a list. The zero value picks all; several must all
// hold.
type filters struct {
	class      []string
	trait      []string
	owner      string
	aggregate  string
	inTree     string
	provider   string
	project    string
	typ        string
	host       string
	associated bool
	all        bool
	limit      int // 0 for no limit
}

// The names of the filters, as their flags have them.
const (
	byClass      = "class"
	byTrait      = "trait"
	byOwner      = "owner"
	byAggregate  = "aggregate"
	inTree       = "in-tree"
	byProvider   = "provider"
	byProject    = "project"
	byType       = "type"
	byHost       = "host"
	byAssociated = "associated"
	byAll        = "all"
	byLimit      = "limit"
)

// providerFilters are the filters that pick providers.
func providerFilters() []string { return []string{byClass, byTrait, byOwner, byAggregate, inTree} }

// filterFlags gives cmd the flags of the named filters. limit is the limit that
// stands where the user gives none; 0 for no limit.
func (p *program) filterFlags(cmd *cobra.Command, f *filters, names []string, limit int) {
	flags := cmd.Flags()
	for _, name := range names {
		var words func(f finder) []string
		switch name {
		case byClass:
			flags.StringSliceVar(&f.class, name, nil, "only those with this resource `CLASS`; all of several")
			words = classNames
		case byTrait:
			flags.StringSliceVar(&f.trait, name, nil, "only those with this `TRAIT`; all of several")
			words = usedTraits
		case byOwner:
			flags.StringVar(&f.owner, name, "", "only those of `OWNER`: nova, cyborg, both or none")
			words = func(finder) []string { return []string{"nova", "cyborg", "both", "none"} }
		case byAggregate:
			flags.StringVar(&f.aggregate, name, "", "only those in the aggregate `UUID`")
			words = aggregateNames
		case inTree:
			flags.StringVar(&f.inTree, name, "", "only those in the tree of `PROVIDER`")
			words = providerNames
		case byProvider:
			flags.StringVar(&f.provider, name, "", "only those on `PROVIDER`")
			words = providerNames
		case byProject:
			flags.StringVar(&f.project, name, "", "only those of the project `ID`")
			words = projectNames
		case byType:
			flags.StringVar(&f.typ, name, "", "only those of consumers of `TYPE`; unknown for those without one")
			words = typeNames
		case byHost:
			flags.StringVar(&f.host, name, "", "only those of `HOST`")
			words = hostNames
		case byAll:
			flags.BoolVar(&f.all, name, false, "those that were deleted or replaced too")
		case byAssociated:
			flags.BoolVar(&f.associated, name, false, "only those that a provider has")
		case byLimit:
			usage := "at most `N`; 0 for all"
			if limit > 0 {
				usage += fmt.Sprintf(" (default %d)", limit)
			}
			flags.IntVar(&f.limit, name, limit, usage)
		}
		if words != nil {
			// The flag was defined on the lines above.
			_ = cmd.RegisterFlagCompletionFunc(name, p.complete(func(f finder, _ []string) []string { return words(f) }))
		}
	}
}

// providers returns the test whether a provider is picked.
func (f filters) providers(s finder) (func(*placement.ResourceProvider) bool, error) {
	var tests []func(*placement.ResourceProvider) bool
	for _, name := range f.class {
		id, err := s.class(name)
		if err != nil {
			return nil, err
		}
		tests = append(tests, func(p *placement.ResourceProvider) bool { _, ok := p.Inventory(id); return ok })
	}
	for _, name := range f.trait {
		id, err := s.trait(name)
		if err != nil {
			return nil, err
		}
		tests = append(tests, func(p *placement.ResourceProvider) bool { return p.HasTrait(id) })
	}
	if f.owner != "" {
		owner, err := placement.ParseOwner(f.owner)
		if err != nil {
			return nil, err
		}
		tests = append(tests, func(p *placement.ResourceProvider) bool { return s.Placement().Owner(p) == owner })
	}
	if f.aggregate != "" {
		id, err := s.aggregate(f.aggregate)
		if err != nil {
			return nil, err
		}
		tests = append(tests, func(p *placement.ResourceProvider) bool { return p.InAggregate(id) })
	}
	if f.inTree != "" {
		p, err := s.provider(f.inTree)
		if err != nil {
			return nil, err
		}
		root := p.RootNumber()
		tests = append(tests, func(p *placement.ResourceProvider) bool { return p.RootNumber() == root })
	}
	if f.provider != "" {
		only, err := s.provider(f.provider)
		if err != nil {
			return nil, err
		}
		tests = append(tests, func(p *placement.ResourceProvider) bool { return p == only })
	}
	return func(p *placement.ResourceProvider) bool {
		return !slices.ContainsFunc(tests, func(holds func(*placement.ResourceProvider) bool) bool { return !holds(p) })
	}, nil
}

// consumer reports whether a consumer is picked by its project and its type.
func (f filters) consumer(c *placement.Consumer) bool {
	return (f.project == "" || c.Project() == f.project) && (f.typ == "" || c.Type().String() == f.typ)
}
