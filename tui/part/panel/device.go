package panel

import (
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// ARQSeverity returns how the state of an accelerator request is drawn.
func ARQSeverity(a *cyborg.ARQ) style.Severity {
	switch a.State {
	case cyborg.ARQBindFailed, cyborg.ARQUnbindFailed:
		return style.SeverityCritical
	case cyborg.ARQBindStarted, cyborg.ARQDeleting:
		return style.SeverityInfo
	default:
		return style.SeverityNone
	}
}

// ARQToken returns the colour of the state of an accelerator request.
func ARQToken(a *cyborg.ARQ) themes.Token { return orText(ARQSeverity(a)) }

// ARQProfile names the group of a device profile that an accelerator request is
// for: "t4-1", or "t4-pair 1" for another group than the first.
func ARQProfile(a *cyborg.ARQ) string {
	if a.Group == 0 {
		return a.Profile
	}
	return a.Profile + " " + component.Count(a.Group)
}

// ARQHandle returns the unit that an accelerator request got, "-" for none.
func ARQHandle(s *cyborg.Snapshot, a *cyborg.ARQ) string {
	if a.AttachHandle == uuid.Nil {
		return "-"
	}
	if h, ok := s.AttachHandle(a.AttachHandle); ok && h.Unit() != "" {
		return h.Unit()
	}
	return a.AttachHandle.String()
}

// ARQInstance returns the instance that an accelerator request is for, also where
// a migration keeps it meanwhile; nil where there is none.
func ARQInstance(s *cloud.Snapshot, a *cyborg.ARQ) *nova.Instance {
	id := a.Instance
	if m, ok := s.Nova().Migration(id); ok {
		id = m.Instance
	}
	i, _ := s.Nova().Instance(id)
	return i
}

// ProviderName returns the name of a provider, "-" for none, the uuid where s does
// not know it.
func ProviderName(s *placement.Snapshot, id placement.ProviderID) string {
	if id.IsZero() {
		return "-"
	}
	if p, ok := s.Provider(id); ok {
		return p.Name()
	}
	return id.String()
}
