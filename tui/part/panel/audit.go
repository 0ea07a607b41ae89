package panel

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/style"
)

// Consequences returns which problems end in after, and which begin, by the clock of
// before. At 10,000 hosts it takes about 50 ms.
func Consequences(before, after *cloud.Snapshot) (clears, brings []audit.Finding) {
	return audit.Consequences(before, after, before.At())
}

// mostAlike is how many findings of one rule are listed one by one.
const mostAlike = 3

// ConsequenceChecks says which problems a change clears, one by one, and which it causes:
// many of one rule in one line, so that they do not push what is written off the page.
func ConsequenceChecks(clears, brings []audit.Finding) []Check {
	var out []Check
	for _, f := range clears {
		out = append(out, Check{style.SeverityOK, "clears " + f.String()})
	}
	for len(brings) > 0 {
		names := []string{}
		for _, f := range brings {
			if f.Rule != brings[0].Rule || f.Severity != brings[0].Severity {
				break
			}
			names = append(names, f.Subject)
		}
		n := len(names)
		text := brings[0].Raised()
		if n > mostAlike {
			text = fmt.Sprintf("would raise %s %s, %d times: %s and %d more", brings[0].Rule, audit.RuleOf(brings[0]).Title, n, strings.Join(names[:mostAlike], ", "), n-mostAlike)
		} else {
			n = 1
		}
		out = append(out, Check{Severity(brings[0].Severity), text})
		brings = brings[n:]
	}
	return out
}

// CheckList returns what is checked before a course begins.
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
