package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
)

// RuleMixedHost is "mixed host".
const RuleMixedHost RuleID = "o04"

// mixedHost finds hosts of both services on which a request of Nova's may land on a card
// of Cyborg's, because the owner filter only checks roots, or is off.
func mixedHost() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleMixedHost, Title: "mixed host", Severity: Warning,
			Also:   "mixed nova and cyborg on one host",
			Why:    "A flavor that asks Nova for a VGPU can get one of Cyborg's here, as the owner filter is set.",
			Advice: "Let each flavor ask for its VGPU in a group of its own that requires the owner, such as resources1:VGPU=1 and trait1:OWNER_NOVA=required, or give all cards of a host to one service. Where placetop keeps the cloud, the owner filter can be set to groups instead: every request group then requires its owner.",
		},
		tree: func(a *auditor, t *survey.CardTree) {
			if !a.Mixed(t) {
				return
			}
			if form, _ := a.Cloud.Nova().Config().OwnerInForce(); form == nova.OwnerOnGroups {
				return
			}
			f := Finding{Provider: t.Root.ID(), Subject: t.Root.Name()}
			for _, p := range t.Cyborg {
				f.Others = append(f.Others, p.ID())
			}
			f.Brief = words.Count(len(t.Cyborg), "provider") + " of Cyborg's"
			f.Text = fmt.Sprintf("is Nova's, and has %s below it", f.Brief)
			if basis := a.Cloud.Nova().Config().Basis(nova.OptionOwnerFilter); basis != "" {
				f.Text += "; " + basis
			}
			a.found(f)
		},
		people: "only people know whether to change the flavors or the cloud",
	}
}
