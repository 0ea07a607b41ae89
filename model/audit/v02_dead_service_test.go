package audit_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
)

// TestDownIsNotDead does not take the record of a compute that is being restarted, or whose
// conductor is, for one of a host that is gone: its deletion would be advised.
func TestDownIsNotDead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		silent time.Duration // how long Nova has not heard from it when it hears from the other
		dead   bool
	}{{2 * time.Minute, false}, {11 * time.Minute, true}} {
		w := newWorld(t).Services(70, 73)
		for svc := range w.Nova().Services() {
			w.Record(svc.Edit(func(s *nova.Service) {
				s.Told, s.LastSeenUp, s.Updated = nova.ServiceUp, 0, modeltest.Noon().UnixMilli()
				if s.Host == "s0" {
					s.Told, s.Updated = nova.ServiceDown, modeltest.Noon().Add(-test.silent).UnixMilli()
					s.LastSeenUp = s.Updated
				}
			}))
		}
		if found := audit.FindBy(w.ReadAs(cloud.NewReadings(nil, nil)), audit.RuleDeadService); len(found) > 0 != test.dead {
			t.Errorf("silent for %s: found %v", test.silent, found)
		}
	}
}

func TestV02(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"v02 a disabled one", func(w *world) {
				w.Services(70, 73).Record(&nova.Service{Host: "s0", Binary: nova.Compute, Version: 70, Disabled: true, LastSeenUp: 1_000_000_000})
			},
			[]string{"v02 s0"},
			nil,
		},
		{
			"v02 one that is silent", func(w *world) {
				w.Services(70, 73).Record(&nova.Service{Host: "s0", Binary: nova.Compute, Version: 70, LastSeenUp: 1_000_000})
			},
			[]string{"v02 s0"},
			nil,
		},
	})
}
