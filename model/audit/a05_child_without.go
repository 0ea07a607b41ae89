package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// RuleChildWithout is "nothing held on root".
const RuleChildWithout RuleID = "a05"

// childWithout finds consumers with devices of a compute node on which they hold neither
// CPU nor memory: the rest of a claim of which part was lost. Migrations are exempt, as
// one may rightly be trimmed to a stuck device.
func childWithout() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleChildWithout, Title: "nothing held on root", Severity: Warning,
			Also:   "nested partial child held without root",
			Why:    "The instance runs on CPU and memory that Placement believes are free.",
			Advice: "Heal the instance from its flavor, or release what it holds if it is gone.",
		},
		reads: []cloud.Part{cloud.Instances, cloud.Migrations},
		consumer: func(a *auditor, h *holder) {
			if h.lone < 0 || h.Type() == placement.MigrationConsumer || h.migration() != nil || a.stuckOnly(h) {
				return
			}
			h.instance()
			p := a.Ledger.ProviderAt(h.lone)
			where, _ := a.holds(h.Consumer)
			a.found(Finding{
				Provider: p.ID(), Consumer: h.ID(), Subject: h.name(),
				Text:  fmt.Sprintf("holds %s, and nothing on %s", where, a.Ledger.Root(p).Name()),
				Brief: "nothing on " + a.Ledger.Root(p).Name(),
			})
		},
		people: "heal it from its flavor",
	}
}
