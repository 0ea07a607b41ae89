package audit

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/nova"
)

// silentAfter is how long a service may be silent before the audit reports it. It is
// longer than Nova's own limit for a service that is up, so that a restart is not a
// finding.
func silentAfter(svc *nova.Service) time.Duration { return svc.DownTime() + 9*nova.ServiceDownTime }

// holdingGate yields the computes that keep the gate of the owner filter closed while
// others are upgraded, and why they seem dead, "" if they do not.
func (a *auditor) holdingGate() func(yield func(*nova.Service, string) bool) {
	return func(yield func(*nova.Service, string) bool) {
		gate := a.Cloud.Nova().Gate()
		if !slices.ContainsFunc(gate.Cells, func(c nova.GateCell) bool { return c.Max >= gate.Need }) {
			return
		}
		newest := a.newestReport()
		for _, h := range gate.Holds {
			if !yield(h.Service, deadBecause(h.Service, newest)) {
				return
			}
		}
	}
}

// newestReport returns when any service last reported; the zero time if none ever did. As
// records may be old, a service only counts as silent in comparison with the others. One
// whose clock is ahead says nothing about the others.
func (a *auditor) newestReport() time.Time {
	newest := int64(0)
	for svc := range a.Cloud.Nova().Services() {
		if a.ahead(svc) == 0 {
			newest = max(newest, lastReport(svc))
		}
	}
	return time.UnixMilli(newest)
}

// lastReport returns when a service last reported, in Unix milliseconds; 0 for never. Nova tells
// of one that is up only when its record was last written.
func lastReport(svc *nova.Service) int64 {
	if svc.Told == nova.ServiceUp {
		return svc.Updated
	}
	return svc.LastSeenUp
}

// ahead returns how far the last report of a service is in the future, 0 if it is not, or
// if the time is not known.
func (a *auditor) ahead(svc *nova.Service) time.Duration {
	if a.witness == nil || a.witness.At.IsZero() {
		return 0
	}
	return svc.Ahead(a.Cloud.NovasTime(a.witness.At))
}

// deadBecause says why a service seems dead: it had long been silent when any service
// last reported, or it is disabled.
func deadBecause(svc *nova.Service, newest time.Time) string {
	switch {
	case svc.LastSeenUp > 0 && newest.Sub(svc.SeenAt()) > silentAfter(svc):
		return "it was last heard from at " + svc.SeenAt().Format(time.DateTime)
	case svc.LastSeenUp == 0 && svc.Told == nova.ServiceDown:
		return "it is down, and nobody knows since when"
	case svc.Disabled:
		return "it is disabled"
	default:
		return ""
	}
}

func (a *auditor) gateText(svc *nova.Service) string {
	text := fmt.Sprintf("nova-compute is %s, below %d", svc.Release(), nova.VersionOwnerNova)
	if svc.Judged {
		text = "nova-compute is " + svc.Release()
	}
	if svc.Cell != "" {
		text += " in " + svc.Cell
	}
	return text
}

// versionBrief is gateText in a few words.
func versionBrief(svc *nova.Service) string {
	if svc.Judged {
		return fmt.Sprintf("before %d", nova.VersionOwnerNova)
	}
	return fmt.Sprintf("nova-compute %d, below %d", svc.Version, nova.VersionOwnerNova)
}

// lastOfAll returns the last compute to report, of those that may get instances, and how
// many these are; false if there are none, or if one has never reported, as that does not
// count as down.
func lastOfAll(n *nova.Snapshot) (last *nova.Service, hosts int, ok bool) {
	for svc := range n.Services() {
		switch {
		case svc.Binary != nova.Compute || svc.ForcedDown || svc.Disabled:
			continue
		case svc.LastSeenUp == 0:
			return nil, 0, false
		case last == nil || last.SeenAt().Add(silentAfter(last)).Before(svc.SeenAt().Add(silentAfter(svc))):
			last = svc
		}
		hosts++
	}
	return last, hosts, last != nil
}
