package audit

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/nova"
)

// silentAfter is how long a service may be silent before the audit asks why. It is
// longer than what Nova allows a service that is up, so that a restart is no
// finding.
func silentAfter(svc *nova.Service) time.Duration { return svc.DownTime() + 9*nova.ServiceDownTime }

// oldService finds computes that keep the owner filter off for the whole cloud.
func oldService() rule {
	return rule{
		Rule: Rule{
			ID: RuleOldService, Title: "old compute", Severity: Info,
			Why:    "Until it is upgraded, no request asks for an owner, in the whole cloud.",
			Advice: "Upgrade nova-compute on this host.",
		},
		cloud: func(a *auditor) {
			for svc, dead := range a.holdingGate() {
				if dead == "" {
					a.found(Finding{Service: svc.Host, Subject: svc.Host, Text: a.gateText(svc)})
				}
			}
		},
	}
}

// deadService finds records of computes that are no more and still keep the owner
// filter off.
func deadService() rule {
	return rule{
		Rule: Rule{
			ID: RuleDeadService, Title: "dead service record", Severity: Warning,
			Why:    "A record that nobody upgrades any more keeps every request from asking for an owner.",
			Advice: "Delete the record of the service if the host is gone, or force it down.",
		},
		cloud: func(a *auditor) {
			for svc, dead := range a.holdingGate() {
				if dead != "" {
					a.found(Finding{Service: svc.Host, Subject: svc.Host, Text: a.gateText(svc) + ", and " + dead})
				}
			}
		},
		fixes: serviceFixes,
	}
}

// holdingGate yields the computes that keep the gate of the owner filter closed
// while others are upgraded, and why they seem dead, "" for those that do not.
func (a *auditor) holdingGate() func(yield func(*nova.Service, string) bool) {
	return func(yield func(*nova.Service, string) bool) {
		gate := a.Cloud.Nova().Gate()
		if !slices.ContainsFunc(gate.Cells, func(c nova.GateCell) bool { return c.Max >= gate.Need }) {
			return
		}
		newest := newestReport(a.Cloud.Nova())
		for _, h := range gate.Holds {
			if !yield(h.Service, deadBecause(h.Service, newest)) {
				return
			}
		}
	}
}

// newestReport returns when any service last reported; the zero time where none
// ever did. Records may be old: a service is silent where others are not.
func newestReport(n *nova.Snapshot) time.Time {
	newest := int64(0)
	for svc := range n.Services() {
		newest = max(newest, svc.LastSeenUp)
	}
	return time.UnixMilli(newest)
}

// deadBecause says why a service seems dead: it was silent for long when any
// service last reported, or it is disabled.
func deadBecause(svc *nova.Service, newest time.Time) string {
	switch {
	case svc.LastSeenUp > 0 && newest.Sub(svc.SeenAt()) > silentAfter(svc):
		return "it was last heard of at " + svc.SeenAt().Format(time.DateTime)
	case svc.Disabled:
		return "it is disabled"
	default:
		return ""
	}
}

func (a *auditor) gateText(svc *nova.Service) string {
	text := fmt.Sprintf("nova-compute is %s, below %d", nova.ReleaseOf(svc.Version), nova.VersionOwnerNova)
	if svc.Cell != "" {
		text += " in " + svc.Cell
	}
	return text
}

// notRefreshed finds computes that report no more while others do.
func notRefreshed() rule {
	return rule{
		Rule: Rule{
			ID: RuleNotRefreshed, Title: "not refreshed", Severity: Info,
			Why:    "What Placement knows of this host is as old as its last report.",
			Advice: "See whether nova-compute runs; disable or delete the service if the host is gone.",
		},
		cloud: func(a *auditor) {
			told := map[*nova.Service]bool{} // by deadService, where it matters
			for svc, dead := range a.holdingGate() {
				told[svc] = dead != ""
			}
			newest := newestReport(a.Cloud.Nova())
			for svc := range a.Cloud.Nova().Services() {
				age := newest.Sub(svc.SeenAt())
				if svc.Binary != nova.Compute || svc.LastSeenUp == 0 || svc.ForcedDown || age <= silentAfter(svc) || told[svc] {
					continue
				}
				a.found(Finding{
					Service: svc.Host, Subject: svc.Host,
					Text: fmt.Sprintf("nova-compute was last heard of at %s, %s before the newest report", svc.SeenAt().Format(time.DateTime), age.Round(time.Second)),
				})
			}
		},
	}
}
