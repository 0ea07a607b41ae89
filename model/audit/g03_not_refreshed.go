package audit

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
)

// RuleNotRefreshed is "not refreshed".
const RuleNotRefreshed RuleID = "g03"

// notRefreshed finds computes that no longer report while others do, and services whose
// clock is ahead: Nova does not count their reports.
func notRefreshed() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleNotRefreshed, Title: "not refreshed", Severity: Info,
			Also:   "stale outdated resource tracker update_available_resource",
			Why:    "What Placement knows about this host is as old as its last report.",
			Advice: "Check whether nova-compute runs and the clock of its host is right; disable or delete the service if the host is gone.",
		},
		reads: []cloud.Part{cloud.Services},
		cloud: func(a *auditor) {
			told := map[*nova.Service]bool{} // by deadService, if it matters
			for svc, dead := range a.holdingGate() {
				told[svc] = dead != ""
			}
			newest := a.newestReport()
			for svc := range a.Cloud.Nova().Services() {
				if by := a.ahead(svc).Round(time.Second); by > 0 && !svc.ForcedDown {
					a.found(Finding{
						Service: svc.Host, Subject: svc.Host, Seen: a.witness, Severity: Warning, // nothing is placed there, though it runs
						Text:  fmt.Sprintf("%s last reported at %s, %s ahead of this clock, and counts as down: one of the two clocks is wrong", svc.Binary, svc.SeenAt().Format(time.DateTime), by),
						Brief: fmt.Sprintf("clock %s ahead", by),
					})
					continue
				}
				age := newest.Sub(svc.SeenAt())
				if svc.Binary != nova.Compute || svc.LastSeenUp == 0 || svc.ForcedDown || age <= silentAfter(svc) || told[svc] {
					continue
				}
				a.found(Finding{
					Service: svc.Host, Subject: svc.Host,
					Text:  fmt.Sprintf("nova-compute was last heard from at %s, %s before the newest report", svc.SeenAt().Format(time.DateTime), age.Round(time.Second)),
					Brief: fmt.Sprintf("%s behind the newest", age.Round(time.Second)),
				})
			}
		},
		people: "a service can only be started on its host",
	}
}
