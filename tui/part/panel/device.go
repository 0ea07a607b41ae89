package panel

import (
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/themes"
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
