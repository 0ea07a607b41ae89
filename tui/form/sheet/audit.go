package sheet

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/ops/audit"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/screen/panel"
	"github.com/placetop/placetop/tui/style"
)

// Consequences returns which problems are gone in after, and which are new. At
// 10,000 hosts it takes some 50 ms.
func Consequences(before, after *cloud.Snapshot) (clears, brings []audit.Finding) {
	type name struct {
		rule     audit.RuleID
		provider placement.ProviderID
		consumer placement.ConsumerID
		class    placement.ResourceClass
	}
	key := func(f audit.Finding) name { return name{f.Rule, f.Provider, f.Consumer, f.Class} }
	missing := func(from, in []audit.Finding) (out []audit.Finding) {
		has := make(map[name]bool, len(in))
		for _, f := range in {
			has[key(f)] = true
		}
		for _, f := range from {
			if !has[key(f)] {
				out = append(out, f)
			}
		}
		return out
	}
	was, is := audit.Find(before), audit.Find(after)
	return missing(was, is), missing(is, was)
}

// ConsequenceChecks says which problems a change clears and which it brings.
func ConsequenceChecks(clears, brings []audit.Finding) []Check {
	var out []Check
	for _, f := range clears {
		out = append(out, Check{style.SeverityOK, fmt.Sprintf("clears %s %s", f.Rule, f.Text)})
	}
	for _, f := range brings {
		out = append(out, Check{panel.Severity(f.Severity), fmt.Sprintf("brings %s %s", f.Rule, f.Text)})
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
