package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
	"github.com/placetop/placetop/storage"
)

// userRules returns the user's own rules, and says which are left out, and why.
func (p *program) userRules() []*audit.UserRule {
	for _, fault := range p.settings.Faults {
		p.say("warning: a rule is left out: %v", fault)
	}
	return p.settings.Rules
}

// inspection is a request to inspect a cloud.
type inspection struct {
	rules []*audit.UserRule // the user's
	all   bool              // slow rules too
}

// inspect runs the rules on a cloud, that of the store or one made from it.
func (p *program) inspect(ctx context.Context, store storage.Store, i inspection, s *cloud.Snapshot) (audit.Report, error) {
	now := p.now()
	events, err := audit.EventsFor(ctx, store, store.Snapshot(), i.rules, now)
	if err != nil {
		return audit.Report{}, err
	}
	return audit.Inspect(s, audit.InspectOptions{Now: now, All: i.all, UserRules: i.rules, Events: events, Conflicts: store.Conflicts()}), nil
}

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
			return &placement.NotFoundError{What: "provider, instance, host or flavor", Name: name}
		}
	}
	return nil
}

// openSubjects returns the names that findings are about, for completion.
func (p *program) openSubjects(f finder) []string {
	var out []string
	for _, n := range audit.Inspect(f.Snapshot, audit.InspectOptions{Now: p.now(), UserRules: p.settings.Rules}).Open {
		if !slices.Contains(out, n.Subject) {
			out = append(out, n.Subject)
		}
	}
	return out
}

// findRule returns the rule with an id, the user's or a built-in one.
func findRule(rules []*audit.UserRule, id string) (audit.Rule, error) {
	if r, ok := audit.RuleByID(audit.RuleID(id)); ok {
		return r, nil
	}
	var ids []string
	for _, r := range audit.Rules() {
		ids = append(ids, string(r.ID))
	}
	for _, r := range rules {
		if string(r.ID) == id {
			return r.Rule, nil
		}
		ids = append(ids, string(r.ID))
	}
	sorted.Ascending(ids)
	return audit.Rule{}, usageErrorf("the rules are "+strings.Join(ids, " "), "no rule %q", id)
}

// ruleWords returns the rules for completion.
func (p *program) ruleWords() []string {
	var out []string
	for _, r := range audit.Rules() {
		out = append(out, cobra.CompletionWithDesc(string(r.ID), r.Title))
	}
	for _, r := range p.settings.Rules {
		out = append(out, cobra.CompletionWithDesc(string(r.ID), r.Title))
	}
	return out
}

// completeRule completes the id of a rule, and then the words for that rule.
func (p *program) completeRule(words func(f finder, rule string) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0:
			return p.ruleWords(), cobra.ShellCompDirectiveNoFileComp
		case len(args) > 1 || words == nil:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return p.complete(func(f finder, _ []string) []string { return words(f, args[0]) })(cmd, args, typed)
	}
}
