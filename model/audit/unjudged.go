package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/placement"
)

// UnjudgedRule is a rule that could not be judged, or not about everything: what is not in a
// list is only gone if the list was whole, and was read together with what it is compared
// with.
type UnjudgedRule struct {
	Rule RuleID
	Why  []string // "servers: 403 Forbidden"; at least one
	// Found counts what the rule would find if what was not read did not exist. None of it
	// is a finding.
	Found int
}

// Text says why the rule is not judged, in a line.
func (u UnjudgedRule) Text() string {
	text := strings.Join(u.Why, "; ")
	if u.Found > 0 {
		return words.Count(u.Found, "possible problem") + " not judged: " + text
	}
	return text
}

// UnjudgedText says how many of a number of rules were not judged, or not about
// everything, and why; "" if all were: "14 of 38 rules not judged: servers: 403 Forbidden".
func UnjudgedText(unjudged []UnjudgedRule, rules int) string {
	if len(unjudged) == 0 {
		return ""
	}
	var why []string
	for _, u := range unjudged {
		for _, w := range u.Why {
			if !slices.Contains(why, w) {
				why = append(why, w)
			}
		}
	}
	return fmt.Sprintf("%d of %s not judged, or not about everything: %s", len(unjudged), words.Count(rules, "rule"), strings.Join(why, "; "))
}

// UnjudgedError reports that a rule cannot be judged about the subject of a Finding any
// more. It matches placement.ErrUnavailable.
type UnjudgedError struct {
	Finding Finding
	Why     string
}

func (e *UnjudgedError) Error() string {
	return fmt.Sprintf("%s: %s cannot be judged now: %s", e.Finding.Subject, e.Finding.Rule, e.Why)
}

// Unwrap returns placement.ErrUnavailable.
func (*UnjudgedError) Unwrap() error { return placement.ErrUnavailable }

// gap returns why a part of the cloud lacks something that may exist all the same, with
// the name of the part; "" if it does not.
func (a *auditor) gap(p cloud.Part) string { return gapText(p, a.Cloud.Gap(p)) }

func gapText(p cloud.Part, why string) string {
	if why == "" {
		return ""
	}
	return string(p) + ": " + why
}

// may reports whether a rule can be applied: all that it reads, and all of Placement, was
// read, and at the same time. If it was not, or only some of it, the rule is noted as not
// judged.
func (a *auditor) may(r *rule) bool {
	can := true
	for _, p := range slices.Concat(cloud.PlacementParts(), r.reads) {
		if read := a.Cloud.Reading(p); read.Gap() != "" {
			a.note(r.ID, gapText(p, read.Gap()))
			can = can && read.Why == ""
		}
	}
	return can
}

// note notes why a rule is not judged.
func (a *auditor) note(id RuleID, why string) {
	u := a.unjudged[id]
	if u == nil {
		u = &UnjudgedRule{Rule: id}
		a.unjudged[id] = u
	}
	if !slices.Contains(u.Why, why) {
		u.Why = append(u.Why, why)
	}
}

// anew begins another subject of the current rule: doubts about the one before end.
func (a *auditor) anew() { a.doubts = a.doubts[:0] }

// doubt notes why what the current rule finds about its subject may not be so. Then it is
// no finding; see found.
func (a *auditor) doubt(why string) {
	if why != "" && !slices.Contains(a.doubts, why) {
		a.doubts = append(a.doubts, why)
	}
}

// lacks notes that something that the current rule looked for is not in a part of the
// cloud. Rules look things up with the methods below, which call it: so whatever a rule
// concludes, it cannot rest on what was not read.
func (a *auditor) lacks(parts ...cloud.Part) {
	for _, p := range parts {
		a.doubt(a.gap(p))
	}
}

// lacksHolders is lacks for migrations that are not over.
func (a *auditor) lacksHolders() {
	a.doubt(gapText(cloud.Migrations, a.Cloud.Reading(cloud.Migrations).GapOfHolders()))
}

// unsettled notes that the parts of the cloud may not agree about a consumer: see
// cloud.Snapshot.Moving.
func (a *auditor) unsettled(ids ...placement.ConsumerID) {
	if slices.ContainsFunc(ids, a.Cloud.Moving) {
		a.doubt("it changed while the cloud was read, or a list has it twice")
	}
}

// notJudged returns the rules that were not judged, in the order of Rules.
func (a *auditor) notJudged() []UnjudgedRule {
	var out []UnjudgedRule
	for _, r := range allRules() {
		if u := a.unjudged[r.ID]; u != nil {
			slices.Sort(u.Why)
			out = append(out, *u)
		}
	}
	return out
}
