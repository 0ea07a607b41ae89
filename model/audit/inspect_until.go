package audit

import (
	"time"

	"github.com/placetop/placetop/model/cloud"
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
	ahead := s.NovasTime(o.Now).Sub(o.Now)
	novas := func(of int64, after time.Duration) { turns(time.UnixMilli(of).Add(after - ahead)) }
	if conflictsMatter(o.Conflicts, o.Now) {
		turns(o.Now.Add(ageStep))
	}
	if last, _, ok := lastOfAll(s.Nova()); ok {
		novas(last.LastSeenUp, silentAfter(last)+time.Millisecond)
	}
	for svc := range s.Nova().Services() {
		if svc.Ahead(s.NovasTime(o.Now)) > 0 {
			novas(svc.LastSeenUp, -svc.DownTime())
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
			novas(last, stuckAfter)
			novas(last, stuckWhileCopied)
			novas(last, longWait)
		}
	}
	if s.Live() {
		for i := range s.Nova().Instances() {
			if last := lastChange(i); i.Host == "" && last != 0 {
				novas(last, stuckWhileCopied)
			}
		}
	}
	return first
}
