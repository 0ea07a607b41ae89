package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleUnheldTrait is "trait without a provider".
const RuleUnheldTrait RuleID = "d01"

// unheldTrait finds traits that flavors ask for but no provider has.
func unheldTrait() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleUnheldTrait, Title: "trait without a provider", Severity: Warning,
			Also:   "unknown trait typo flavor trait no valid host",
			Why:    "No instance of these flavors can be placed anywhere.",
			Advice: "Add the trait to the providers that have what it stands for, or remove it from the flavors.",
		},
		reads: []cloud.Part{cloud.Flavors},
		cloud: func(a *auditor) {
			askers := map[placement.Trait][]string{}
			for f := range survey.NewestFlavors(a.Cloud.Nova()) {
				for _, t := range a.traitsAsked(f) {
					if !slices.Contains(askers[t], f.Name) {
						askers[t] = append(askers[t], f.Name)
					}
				}
			}
			for t, names := range askers {
				slices.Sort(names)
				a.found(Finding{
					Subject: string(t),
					Text:    fmt.Sprintf("no provider has it, and %s it: %s", asks(len(names)), strings.Join(names, ", ")),
					Brief:   "for " + words.First(names, 1),
				})
			}
		},
		people: "only people know which trait is meant, or which device is still to come",
	}
}

func asks(n int) string {
	if n == 1 {
		return "1 flavor asks for"
	}
	return fmt.Sprintf("%d flavors ask for", n)
}

// traitsAsked returns the traits that a flavor, or its device profile, requires but no
// provider has. Owner traits are left out: which services exist does not depend on
// flavors.
func (a *auditor) traitsAsked(f *nova.Flavor) []placement.Trait {
	spec, err := ops.RequestSpecOf(a.Cloud, new(nova.Instance), f)
	if err != nil {
		return nil
	}
	r, err := a.Cloud.Nova().Ask(spec, nova.AskOptions{Gate: nova.GateHeldClosed})
	if err != nil {
		return nil
	}
	var out []placement.Trait
	for _, g := range r.Query.Groups {
		for _, any := range g.Required {
			if !slices.ContainsFunc(any.Names, a.anybodyHas) {
				out = append(out, any.Names...)
			}
		}
	}
	return slices.DeleteFunc(out, placement.Trait.IsOwner)
}

func (a *auditor) anybodyHas(t placement.Trait) bool { return a.Ledger.Having(t).Len() > 0 }
