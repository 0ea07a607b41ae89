package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// RuleUnlikeFlavor is "flavor mismatch".
const RuleUnlikeFlavor RuleID = "a03"

// unlikeFlavor finds instances and migrations that hold something other than their
// flavor asks for.
func unlikeFlavor() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleUnlikeFlavor, Title: "flavor mismatch", Severity: Warning,
			Also:   "claim unlike allocations wrong amount differs flavor",
			Why:    "Placement believes that more, or less, is free than there is.",
			Advice: "Heal the instance from its flavor, by force if it then holds less.",
		},
		reads: []cloud.Part{cloud.Instances, cloud.Flavors, cloud.Profiles, cloud.Migrations},
		consumer: func(a *auditor, h *holder) {
			if h.mismatch != wrongSum || h.split || h.lone >= 0 || a.stuckOnly(h) || a.betweenFlavors(h) {
				return
			}
			amounts := a.mismatchText(h.Consumer, h.wanted)
			_, first := a.holds(h.Consumer)
			a.found(Finding{
				Provider: first, Consumer: h.ID(), Subject: h.name(),
				Text:  fmt.Sprintf("holds %s as its flavor %s asks for", amounts, h.wanted.Flavor),
				Brief: "holds " + amounts,
			})
		},
		people: "heal it from its flavor",
	}
}

// mismatchText says what c holds of the classes in which w is another amount.
func (a *auditor) mismatchText(c *placement.Consumer, w *survey.Wanted) string {
	held := map[placement.ClassID]int64{}
	for h := range c.Held() {
		held[h.Class] += h.Used
	}
	var parts []string
	for _, want := range w.Classes {
		if held[want.Class] != want.Amount {
			parts = append(parts, fmt.Sprintf("%s %d, not %d", a.Ledger.ClassName(want.Class), held[want.Class], want.Amount))
		}
		delete(held, want.Class)
	}
	for class, amount := range held {
		if a.mustBeWanted(class, w) {
			parts = append(parts, fmt.Sprintf("%s %d, not 0", a.Ledger.ClassName(class), amount))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// betweenFlavors reports whether a consumer may rightly hold what another flavor asks for:
// while a server is moved, the API of a live cloud only names one of its two flavors, and not
// that of a migration.
func (a *auditor) betweenFlavors(h *holder) bool {
	return a.Cloud.Live() && (h.is == nil || !a.atRest(h.ID()) || h.is.VMState == nova.Resized)
}
