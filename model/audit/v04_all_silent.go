package audit

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
)

// RuleAllSilent is "no compute reports".
const RuleAllSilent RuleID = "v04"

// allSilent finds that none of the computes that may get instances reports any more. That
// is a single finding, and in a copy of a cloud it shows how old the copy is.
// notRefreshed finds those that fell silent while others still report.
func allSilent() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleAllSilent, Title: "no compute reports", Severity: Warning,
			Also:   "down dead silent unreachable all",
			Why:    "All hosts count as down: nothing can be booted, moved or confirmed.",
			Advice: "Check whether nova-compute runs and reaches this cloud; for a copy, this only says how old it is.",
		},
		reads: []cloud.Part{cloud.Services},
		cloud: func(a *auditor) {
			a.lacks(cloud.Services)
			last, hosts, ok := lastOfAll(a.Cloud.Nova())
			if !ok || a.age(last.LastSeenUp) <= silentAfter(last) {
				return
			}
			a.found(Finding{
				Subject: nova.Compute, Seen: a.witness,
				Text: fmt.Sprintf("no nova-compute has reported since %s, %s: nothing can be booted",
					last.SeenAt().UTC().Format(time.DateTime), words.Count(hosts, "host")),
				Brief: "since " + last.SeenAt().UTC().Format("Jan 2 15:04"),
			})
		},
		people: "services can only be started on their hosts",
	}
}
