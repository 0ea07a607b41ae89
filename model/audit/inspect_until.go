package audit

import (
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
)

// ageStep is after how long the rule about conflicts, which depends on ages, is applied
// again.
const ageStep = time.Minute

// nextTurn returns the first time after now at which the rules may find something else on
// s although nothing is written; the zero time for never.
func nextTurn(s *cloud.Snapshot, o InspectOptions) time.Time {
	var first time.Time
	turns := func(t time.Time) {
		if t.After(o.Now) && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	if conflictsMatter(o.Conflicts, o.Now) {
		turns(o.Now.Add(ageStep))
	}
	if last, _, ok := lastOfAll(s.Nova()); ok {
		turns(last.SeenAt().Add(silentAfter(last) + time.Millisecond))
	}
	for svc := range s.Nova().Services() {
		if svc.Ahead(o.Now) > 0 {
			turns(svc.SeenAt().Add(-svc.DownTime()))
		}
	}
	for a := range s.Operator().Acknowledgements() {
		turns(a.UntilTime())
	}
	for m := range s.Operator().Mutes() {
		turns(m.UntilTime())
	}
	for m := range s.Nova().Migrations() {
		if last := max(m.Created, m.Updated); last != 0 && m.Status.UnderWay() {
			turns(versioned.Time(last).Add(stuckAfter))
			turns(versioned.Time(last).Add(stuckWhileCopied))
			turns(versioned.Time(last).Add(longWait))
		}
	}
	if s.Live() {
		for i := range s.Nova().Instances() {
			if last := lastChange(i); i.Host == "" && last != 0 {
				turns(versioned.Time(last).Add(stuckWhileCopied))
			}
		}
	}
	return first
}
