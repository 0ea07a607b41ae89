package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops/audit"
	"github.com/placetop/placetop/storage"
)

// userRules returns the user's own rules, and refuses to go on without those that
// cannot be read.
func (p *program) userRules() ([]*audit.UserRule, error) {
	if len(p.settings.Faults) > 0 {
		return nil, usageErrorf("correct it, or take the rule out", "%w", p.settings.Faults[0])
	}
	return p.settings.Rules, nil
}

// inspection is what a cloud is asked.
type inspection struct {
	rules []*audit.UserRule // of the user
	all   bool              // rules that take long too
}

// inspect asks the rules about a cloud, which is that of the store, or one that was
// made of it.
func (p *program) inspect(ctx context.Context, store storage.Store, i inspection, s *cloud.Snapshot) (audit.Report, error) {
	now := p.now()
	events, err := audit.EventsFor(ctx, store, store.Snapshot(), i.rules, now)
	if err != nil {
		return audit.Report{}, err
	}
	return audit.Inspect(s, audit.InspectOptions{Now: now, All: i.all, UserRules: i.rules, Events: events, Conflicts: store.Conflicts()}), nil
}

// findRule returns the rule of an id, be it one of the user's or not.
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
	slices.Sort(ids)
	return audit.Rule{}, usageErrorf("they are "+strings.Join(ids, " "), "there is no rule %q", id)
}

// ruleWords are the rules for the completion of words.
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

// completeRule completes the id of a rule, and then what words gives for it.
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
