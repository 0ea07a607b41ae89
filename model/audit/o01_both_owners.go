package audit

import (
	"strings"

	"github.com/placetop/placetop/model/cloud"
)

// RuleBothOwners is "both owners".
const RuleBothOwners RuleID = "o01"

// bothOwners finds providers with the owner traits of both services.
func bothOwners() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleBothOwners, Title: "both owners", Severity: Critical,
			Also:   "both owners double ownership conflict shared gpu",
			Why:    "Requests of both Nova and Cyborg land here, and the second one fails on the host.",
			Advice: "Decide who owns it and remove the other OWNER_ trait.",
		},
		cloud: func(a *auditor) {
			for n := range a.Nova.All() {
				if !a.Cyborg.Has(n) {
					continue
				}
				p := a.Ledger.ProviderAt(n)
				a.found(Finding{Provider: p.ID(), Subject: p.Name(), Text: "has OWNER_NOVA and OWNER_CYBORG" + a.usageOf(p), Brief: strings.TrimPrefix(a.usageOf(p), ", ")})
			}
		},
		fixes: oneOwnerFixes,
	}
}

// oneOwnerFixes decide whose a provider with two owners is.
func oneOwnerFixes(s *cloud.Snapshot, f Finding) []Fix {
	return choices(append(perOwner(s, f), drainFixes(s, f.Provider)...)...)
}
