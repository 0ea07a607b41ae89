package nova_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
)

func TestServiceState(t *testing.T) {
	t.Parallel()
	down := func(s *nova.Service) { s.ForcedDown = true }
	never := func(s *nova.Service) { s.LastSeenUp = 0 }
	for _, tt := range []struct {
		name   string
		is     *nova.Service
		at     int // seconds after it reported
		silent bool
		want   nova.ServiceState
	}{
		{"one that reported a minute ago", compute("c", 73), 60, false, nova.ServiceUp},
		{"one that reported longer ago", compute("c", 73), 61, true, nova.ServiceDown},
		{"one whose clock is a minute ahead", compute("c", 73), -60, false, nova.ServiceUp},
		{"one whose clock is further ahead", compute("c", 73), -61, true, nova.ServiceDown}, // is_up takes abs(elapsed)
		{"one that reports every minute, three minutes ago", compute("c", 73, func(s *nova.Service) { s.ReportInterval = 60_000 }), 180, false, nova.ServiceUp},
		{"and longer ago", compute("c", 73, func(s *nova.Service) { s.ReportInterval = 60_000 }), 181, true, nova.ServiceDown},
		{"one that is disabled", compute("c", 73, func(s *nova.Service) { s.Disabled = true }), 1, false, nova.ServiceUp},
		{"one that is forced down", compute("c", 73, down), 1, false, nova.ServiceDown},
		{"one that never reported", compute("c", 73, never), 1, true, nova.ServiceUnheard},
		{"one that never reported, and is forced down", compute("c", 73, never, down), 1, true, nova.ServiceDown},
	} {
		now := modeltest.At(tt.at)
		if got := tt.is.State(now); got != tt.want || tt.is.Silent(now) != tt.silent || tt.is.Up(now) != (tt.want == nova.ServiceUp) {
			t.Errorf("%s is %s, silent %t", tt.name, got, tt.is.Silent(now))
		}
	}
}
