package audit_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
)

// TestClockAhead has a report from the future count as worse than an old one: its service
// runs, and Nova places nothing there.
//
// Source: nova/servicegroup/drivers/db.py, is_up.
func TestClockAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Services(73, 73, 73).
		Record(&nova.Service{Host: "s0", Binary: nova.Compute, Version: 73, LastSeenUp: modeltest.Noon().Add(2 * time.Hour).UnixMilli()}).
		Record(&nova.Service{Host: "s1", Binary: nova.Compute, Version: 73, LastSeenUp: 1_000_000})
	later(w, time.Second)
	got := map[string]audit.Severity{}
	for _, f := range audit.Find(w.Snapshot) {
		if f.Rule == audit.RuleNotRefreshed {
			got[f.Subject] = audit.RuleOf(f).Severity
		}
	}
	must.Match(t, map[string]audit.Severity{"s0": audit.Warning, "s1": audit.Info}, got)
}

func TestG03(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"g03 an upgraded one that is silent", func(w *world) {
				w.Services(73, 73).Record(&nova.Service{Host: "s0", Binary: nova.Compute, Version: 73, LastSeenUp: 1_000_000})
			},
			[]string{"g03 s0"},
			nil,
		},
		{
			// Nova counts a report from the future as silence, as with a clock that was set back.
			"g03 one whose clock is two hours ahead", func(w *world) {
				w.Services(73, 73).Record(&nova.Service{Host: "s0", Binary: nova.Compute, Version: 73, LastSeenUp: modeltest.Noon().Add(2 * time.Hour).UnixMilli()})
				later(w, time.Second)
			},
			[]string{"g03 s0"},
			nil,
		},
	})
}
