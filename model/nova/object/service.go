package object

import (
	"fmt"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func service(row *nova.Service) *Envelope[Service] {
	return New(Service{
		Persistent: Persistent{CreatedAt: moment(row.Created)},
		Host:       Value(&row.Host), Binary: Value(&row.Binary), ReportCount: Value(row.ReportCount), Disabled: Value(row.Disabled),
		DisabledReason: OrNull(row.DisabledReason), LastSeenUp: moment(row.LastSeenUp), ForcedDown: Value(row.ForcedDown),
		ServiceVersion: Value(int64(row.Version)),
	})
}

// serviceRow returns the row of a service. A new one must state its version if others of
// its binary do: without one it would count as the oldest. The error is then
// *nova.ServiceTooOldError.
//
// Source: nova/objects/service.py, _check_minimum_version.
func serviceRow(s *nova.Snapshot, sent *Envelope[Service]) (*nova.Service, error) {
	if err := needs(sent, "host", "binary"); err != nil {
		return nil, err
	}
	o := sent.Data
	was, ok := s.Service(*o.Host.V, *o.Binary.V)
	if !ok {
		was = &nova.Service{}
	}
	if err := nova.CheckServiceVersion(o.ServiceVersion.V); err != nil {
		return nil, err
	}
	if o.ServiceVersion.Set {
		if err := s.CheckNotBack(was, int(o.ServiceVersion.V)); err != nil {
			return nil, err
		}
	}
	if n := o.ReportCount.V; n < 0 {
		return nil, &placement.InvalidError{Field: "Service.report_count", Value: fmt.Sprint(n), Why: "must not be negative"}
	}
	row := was.Edit(func(row *nova.Service) {
		takeText(&row.Host, o.Host)
		takeText(&row.Binary, o.Binary)
		take(&row.ReportCount, o.ReportCount)
		take(&row.Disabled, o.Disabled)
		takeText(&row.DisabledReason, o.DisabledReason)
		take(&row.ForcedDown, o.ForcedDown)
		takeTime(&row.LastSeenUp, o.LastSeenUp)
		takeTime(&row.Created, o.CreatedAt)
		if o.ServiceVersion.Set {
			row.Version = int(o.ServiceVersion.V)
		}
	})
	if lowest := s.MinimumVersion(row.Binary); !ok && row.Version == 0 && lowest > 0 {
		return nil, &nova.ServiceTooOldError{Service: row, Minimum: lowest}
	}
	return row, row.Validate()
}
