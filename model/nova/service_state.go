package nova

import "time"

// ServiceDownTime is [DEFAULT]service_down_time: a service that reports as often as
// [DEFAULT]report_interval says, and has not for longer, is taken to be down. See
// Service.DownTime.
//
// Source: nova/conf/service.py.
const ServiceDownTime = 60 * time.Second

// ServiceState says whether a service is up.
type ServiceState string

// The states.
const (
	ServiceUp      ServiceState = "up"
	ServiceDown    ServiceState = "down"    // silent for its DownTime, or forced down
	ServiceUnheard ServiceState = "unknown" // it never reported, so it is unknown
)

// DownTime returns how long the service may be silent before it counts as down:
// ServiceDownTime, or for one that reports less often than upstream two of its
// intervals more, so that one report may be late or lost.
func (s *Service) DownTime() time.Duration {
	return ServiceDownTime + 2*time.Duration(s.ReportInterval)*time.Millisecond
}

// Silent reports whether the service has not reported for its DownTime at time now. A
// report from that far ahead is no better: one of the two clocks is wrong.
//
// Source: nova/servicegroup/drivers/db.py, is_up.
func (s *Service) Silent(now time.Time) bool {
	if s.Told != "" {
		return s.Told != ServiceUp
	}
	return now.Sub(s.SeenAt()).Abs() > s.DownTime()
}

// Ahead returns how far the last report is in the future at time now, if that is as bad as
// silence, else 0.
func (s *Service) Ahead(now time.Time) time.Duration {
	if by := s.SeenAt().Sub(now); by > s.DownTime() {
		return by
	}
	return 0
}

// Up reports whether Nova considers the service up at time now.
//
// Source: nova/servicegroup/drivers/db.py, is_up.
func (s *Service) Up(now time.Time) bool { return !s.ForcedDown && !s.Silent(now) }

// State returns whether the service is up at time now. One that never reported, as in
// a cloud without running services, is not known to be down unless it is forced down.
func (s *Service) State(now time.Time) ServiceState {
	switch {
	case s.Up(now):
		return ServiceUp
	case s.LastSeenUp == 0 && !s.ForcedDown && s.Told == "":
		return ServiceUnheard
	default:
		return ServiceDown
	}
}
