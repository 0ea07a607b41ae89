package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// TestStatusOfADownTwin does not judge a service of which there are several records, none of
// them up: any of them may be the one that counts.
func TestStatusOfADownTwin(t *testing.T) {
	t.Parallel()
	for state, want := range map[nova.ServiceState]int{nova.ServiceUp: 1, nova.ServiceDown: 0} {
		w := newWorld(t)
		w.Node("h").Record(&nova.ComputeNode{UUID: rp("h"), Host: "h", Hostname: "h"}).Compute("h", 73, func(s *nova.Service) { s.Disabled, s.Told = true, state })
		s := w.ReadAs(cloud.NewReadings([]cloud.Reading{{Part: cloud.Services, Cut: "there are several records of one service of h"}}, nil))
		if found := audit.FindBy(s, audit.RuleStatusTrait); len(found) != want {
			t.Errorf("%s: %v", state, found)
		}
	}
}

func TestV03(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"v03 a disabled compute that requests find", func(w *world) {
				w.Node("h").Compute("h", 73, func(s *nova.Service) { s.Disabled = true })
			},
			[]string{"v03 h"},
			[]string{"trait"},
		},
		{
			"v03 an enabled compute that no request finds", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 1}, placement.ComputeNode, placement.ComputeStatusDisabled).Compute("h", 73)
			},
			[]string{"v03 h"},
			[]string{"trait"},
		},
		{
			"v03 not a disabled compute that has the trait", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 1}, placement.ComputeNode, placement.ComputeStatusDisabled).
					Compute("h", 73, func(s *nova.Service) { s.Disabled = true })
			},
			nil, nil,
		},
	})
}
