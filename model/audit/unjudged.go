package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
)

// needs returns, by rule, the parts of a cloud without which the rule finds nothing, or
// less. The other rules only need Placement.
func needs() map[RuleID][]cloud.Part {
	return map[RuleID][]cloud.Part{
		RuleOrphan: {cloud.Instances, cloud.Migrations}, RuleUnlikeFlavor: {cloud.Instances, cloud.Flavors}, RuleUnheld: {cloud.Instances},
		RuleLeakedMigration: {cloud.Migrations}, RuleBrokenMove: {cloud.Instances, cloud.Migrations}, RuleWaitingMove: {cloud.Migrations},
		RuleOffHost: {cloud.Instances, cloud.Hypervisors}, RuleUnheldTrait: {cloud.Flavors}, RuleWrongOwner: {cloud.Instances, cloud.Flavors},
		RuleCyborgDrift: {cloud.Deployables, cloud.ARQs}, RuleStuckDevice: {cloud.ARQs}, RuleUnanswered: {cloud.ARQs},
		RuleNotMirrored: {cloud.HostAggregates}, RuleIsolatedPool: {cloud.HostAggregates},
		RuleOrphanProvider: {cloud.Hypervisors}, RuleComputeNoOwner: {cloud.Hypervisors}, RuleNoAccelerators: {cloud.Hypervisors},
		RuleOldService: {cloud.Services}, RuleDeadService: {cloud.Services}, RuleStatusTrait: {cloud.Services}, RuleAllSilent: {cloud.Services},
	}
}

// Unjudged returns the rules that cannot be judged, or not wholly, where parts of a cloud
// were not read, in order; that they find nothing says nothing.
func Unjudged(unread []cloud.Reading) []RuleID {
	if len(unread) == 0 {
		return nil
	}
	var out []RuleID
	all := needs()
	for _, r := range Rules() {
		if slices.ContainsFunc(all[r.ID], func(p cloud.Part) bool {
			return slices.ContainsFunc(unread, func(u cloud.Reading) bool { return u.Part == p })
		}) {
			out = append(out, r.ID)
		}
	}
	return out
}

// UnjudgedText says how many rules could not be judged, and why, "" if all were: "14
// of 36 rules cannot be judged: servers, services were not read".
func UnjudgedText(unread []cloud.Reading) string {
	rules := Unjudged(unread)
	if len(rules) == 0 {
		return ""
	}
	parts := make([]string, len(unread))
	for i, p := range unread {
		parts[i] = string(p.Part)
	}
	return fmt.Sprintf("%d of %s cannot be judged: not read: %s", len(rules), words.Count(len(Rules()), "rule"), strings.Join(parts, ", "))
}
