package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// subjects refuses names that nothing has, since no finding can be about them: a mistyped
// name would look as if nothing were wrong with it.
func (f finder) subjects(names []string) error {
	for _, name := range names {
		_, provider := f.Provider(name)
		_, consumer := f.Consumer(name)
		_, instance := f.Instance(name)
		_, host := f.Services(name)
		_, flavor := f.Flavor(name)
		if provider != nil && consumer != nil && instance != nil && host != nil && flavor != nil {
			return f.Missing(&placement.NotFoundError{What: "provider, instance, host or flavor", Name: name},
				cloud.Providers, cloud.Instances, cloud.Services, cloud.Flavors)
		}
	}
	return nil
}

// openSubjects returns the names that findings are about, those of one rule if that is
// named before, for completion.
func (p *program) openSubjects(f finder, args []string) []string {
	var out []string
	for _, n := range audit.Inspect(f.Snapshot, audit.InspectOptions{Now: p.now()}).Open {
		if (len(args) == 0 || string(n.Rule) == args[0]) && !slices.Contains(out, n.Subject) {
			out = append(out, n.Subject)
		}
	}
	return out
}

// findRule returns the rule with an id.
func findRule(id string) (audit.Rule, error) {
	if r, ok := audit.RuleByID(audit.RuleID(id)); ok {
		return r, nil
	}
	var ids []string
	for _, r := range audit.Rules() {
		ids = append(ids, string(r.ID))
	}
	slices.Sort(ids)
	return audit.Rule{}, usageErrorf("the rules are "+strings.Join(ids, " "), "no rule %q", id)
}

// ruleWords returns the rules for completion.
func ruleWords() []string {
	var out []string
	for _, r := range audit.Rules() {
		out = append(out, cobra.CompletionWithDesc(string(r.ID), r.Title))
	}
	return out
}
