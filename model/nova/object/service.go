package object

import (
	"fmt"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func serviceColumns(s *nova.Service) []column {
	return []column{
		{"host", &s.Host},
		{"binary", &s.Binary},
		{"report_count", &s.ReportCount},
		{"disabled", &s.Disabled},
		{"disabled_reason", (*orNull)(&s.DisabledReason)},
		{"last_seen_up", (*millis)(&s.LastSeenUp)},
		{"forced_down", &s.ForcedDown},
		{"version", &s.Version},
		{"created_at", (*millis)(&s.Created)},
	}
}

// serviceRow returns the row of a service. A new one must state its version if others of
// its binary do: without one it would count as the oldest. The error is then
// *nova.ServiceTooOldError.
//
// Source: nova/objects/service.py, _check_minimum_version.
func serviceRow(s *nova.Snapshot, sent *Object) (*nova.Service, error) {
	if err := needs(sent, "host", "binary"); err != nil {
		return nil, err
	}
	row, ok := s.Service(get[string](sent, "host"), get[string](sent, "binary"))
	if !ok {
		row = &nova.Service{}
	}
	version := get[int64](sent, "version")
	if err := nova.CheckServiceVersion(version); err != nil {
		return nil, err
	}
	if sent.Data["version"] != nil {
		if err := s.CheckNotBack(row, int(version)); err != nil {
			return nil, err
		}
	}
	if n := get[int64](sent, "report_count"); n < 0 {
		return nil, &placement.InvalidError{Field: "Service.report_count", Value: fmt.Sprint(n), Why: "must not be negative"}
	}
	row = row.Edit(func(*nova.Service) {})
	if err := take(sent, serviceColumns(row)); err != nil {
		return nil, err
	}
	if lowest := s.MinimumVersion(row.Binary); !ok && row.Version == 0 && lowest > 0 {
		return nil, &nova.ServiceTooOldError{Service: row, Minimum: lowest}
	}
	return row, row.Validate()
}
