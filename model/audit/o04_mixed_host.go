package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
)

// RuleMixedHost is "mixed host".
const RuleMixedHost RuleID = "o04"

// mixedHost finds hosts of both services on which a request of Nova's may land on
// a card of Cyborg's, because the owner filter only looks at roots, or is off.
func mixedHost() rule {
	return rule{
		Rule: Rule{
			ID: RuleMixedHost, Title: "mixed host", Severity: Warning,
			Why:    "A flavor that asks Nova for a VGPU may be given one of Cyborg's here, with the owner filter as it is set.",
			Advice: "Let the owner filter ask every request group for its owner, or keep the cards of a host with one service.",
		},
		cloud: func(a *auditor) {
			if form, _ := a.Cloud.Nova().Config().OwnerInForce(); form == nova.OwnerOnGroups {
				return
			}
			for _, t := range a.CardTrees() {
				if !a.Mixed(t) {
					continue
				}
				f := Finding{Provider: t.Root.ID(), Subject: t.Root.Name()}
				for _, p := range t.Cyborg {
					f.Others = append(f.Others, p.ID())
				}
				f.Text = fmt.Sprintf("is Nova's, and has %s of Cyborg's below it", words.Count(len(t.Cyborg), "provider"))
				a.found(f)
			}
		},
		fixes: filterFixes,
	}
}

// filterFixes let the owner filter ask every request group.
func filterFixes(_ *cloud.Snapshot, _ Finding) []Fix {
	return choices(Fix{
		Name: "filter", Title: "let the owner filter ask every request group for its owner, in the whole cloud",
		plan: change(func(*cloud.Snapshot) (cloud.Change, error) {
			c := cloud.Change{Note: "ask every request group for its owner"}
			groups := nova.OwnerOnGroups
			c.Ops = append(c.Ops, nova.Configure{OwnerFilter: &groups, PrefiltersOn: []string{nova.FilterOwner}})
			return c, nil
		}),
	})
}
