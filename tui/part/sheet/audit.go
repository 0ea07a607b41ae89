package sheet

import (
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// Consequences returns which problems are gone in after, and which are new, by the
// clock of what is before. At 10,000 hosts it takes some 50 ms.
func Consequences(before, after *cloud.Snapshot) (clears, brings []audit.Finding) {
	return audit.Consequences(before, after, before.At())
}

// ConsequenceChecks says which problems a change clears and which it brings.
func ConsequenceChecks(clears, brings []audit.Finding) []Check {
	var out []Check
	for _, f := range clears {
		out = append(out, Check{style.SeverityOK, "clears " + f.String()})
	}
	for _, f := range brings {
		out = append(out, Check{panel.Severity(f.Severity), "brings " + f.String()})
	}
	return out
}

// CheckList returns what was asked before a course begins.
func CheckList(checks []ops.Check) []Check {
	out := make([]Check, len(checks))
	for i, c := range checks {
		switch {
		case c.Refusal != nil:
			out[i] = Check{style.SeverityCritical, c.Refusal.Error()}
		case c.Warning:
			out[i] = Check{style.SeverityWarn, c.Text}
		default:
			out[i] = Check{style.SeverityOK, c.Text}
		}
	}
	return out
}
