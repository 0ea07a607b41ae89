package exchange

import (
	"fmt"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned/object"
)

func service(row *nova.Service) (*objects.Service, error) {
	o := objects.NewService()
	err := object.Fill(o, object.Values{
		"host": row.Host, "binary": row.Binary, "report_count": row.ReportCount, "disabled": row.Disabled,
		"disabled_reason": text(row.DisabledReason), "last_seen_up": moment(row.LastSeenUp), "forced_down": row.ForcedDown,
		"version": row.Version, "created_at": moment(row.Created),
	})
	o.ResetAllChanges()
	return o, err
}

// serviceRow returns the row of a service. A new one must state its version if others of
// its binary do: without one it would count as the oldest. The error is then
// *nova.ServiceTooOldError.
//
// Source: nova/objects/service.py, _check_minimum_version.
func serviceRow(s *nova.Snapshot, o *objects.Service) (*nova.Service, error) {
	if err := needs(o, "host", "binary"); err != nil {
		return nil, err
	}
	was, ok := s.Service(o.Host.Get(), o.Binary.Get())
	if !ok {
		was = &nova.Service{}
	}
	version, says := o.ServiceVersion.Lookup()
	if err := nova.CheckServiceVersion(version); err != nil {
		return nil, err
	}
	if says {
		if err := s.CheckNotBack(was, int(version)); err != nil {
			return nil, err
		}
	}
	if n := o.ReportCount.Get(); n < 0 {
		return nil, &placement.InvalidError{Field: "Service.report_count", Value: fmt.Sprint(n), Why: "must not be negative"}
	}
	row := was.Edit(func(row *nova.Service) {
		take(&row.Host, &o.Host)
		take(&row.Binary, &o.Binary)
		take(&row.ReportCount, &o.ReportCount)
		take(&row.Disabled, &o.Disabled)
		take(&row.DisabledReason, &o.DisabledReason)
		take(&row.ForcedDown, &o.ForcedDown)
		takeTime(&row.LastSeenUp, &o.LastSeenUp)
		takeTime(&row.Created, &o.CreatedAt)
		if says {
			row.Version = int(version)
		}
	})
	if lowest := s.MinimumVersion(row.Binary); !ok && row.Version == 0 && lowest > 0 {
		return nil, &nova.ServiceTooOldError{Service: row, Minimum: lowest}
	}
	return row, row.Validate()
}
