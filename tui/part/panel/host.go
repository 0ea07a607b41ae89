package panel

import (
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// HostTrouble says in a word why nothing new lands on the host of a root: "disabled",
// "down" or both; "" where it may.
func HostTrouble(s *cloud.Snapshot, root *placement.ResourceProvider, now time.Time) string {
	host := ops.HostOf(s, root)
	svc, ok := s.Nova().Service(host, nova.Compute)
	if !ok {
		return ""
	}
	down := ops.HostDown(s, host, now)
	switch {
	case svc.Disabled && down:
		return "disabled, down"
	case svc.Disabled:
		return "disabled"
	case down:
		return "down"
	}
	return ""
}

// HostLines says that nothing new lands on the host of a provider, and why; none where it
// may.
func HostLines(st *style.Styles, s *cloud.Snapshot, p *placement.ResourceProvider, now time.Time, w int) []string {
	root := s.Placement().Root(p)
	trouble := HostTrouble(s, root, now)
	if trouble == "" {
		return nil
	}
	l := component.NewLine(st, w)
	l.Mark(style.SeverityWarn).Space(1)
	l.Add(themes.Warn, "nova-compute is "+trouble)
	svc, _ := s.Nova().Service(ops.HostOf(s, root), nova.Compute)
	if svc.Disabled && svc.DisabledReason != "" {
		l.Add(themes.Text, ": "+svc.DisabledReason)
	}
	return []string{l.Add(themes.Dim, "   nothing new lands here").String()}
}
