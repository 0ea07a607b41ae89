package problems

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
)

// row is a rule with its findings, or one of the findings.
type row struct {
	pass  *keeper.Pass
	id    string
	rule  audit.Rule
	one   bool
	place int                      // its rank by severity, which is its number
	head  int                      // the number of its rule; -1 for a rule
	found []audit.AnnotatedFinding // of a rule: the shown ones, open ones first; of a finding: itself
	open  int                      // how many of them are open
	ways  []way                    // what can be done about its first finding, not tried
	asked bool                     // ways is known
}

// rowsOf returns the rules with findings, each followed by its findings. With quiet it
// includes acknowledged and muted ones.
func rowsOf(pass *keeper.Pass, quiet bool, known *plans) []*row {
	by := map[audit.RuleID][]audit.AnnotatedFinding{}
	lists := [][]audit.AnnotatedFinding{pass.Report.Open}
	if quiet {
		lists = append(lists, pass.Report.Acknowledged, pass.Report.Muted)
	}
	var order []audit.RuleID
	open := map[audit.RuleID]int{}
	for n, found := range lists {
		for _, f := range found {
			if by[f.Rule] == nil {
				order = append(order, f.Rule)
			}
			by[f.Rule] = append(by[f.Rule], f)
			if n == 0 {
				open[f.Rule]++
			}
		}
	}
	var out []*row
	for _, id := range order {
		rule := audit.RuleOf(by[id][0].Finding)
		head := len(out)
		out = append(out, &row{pass: pass, id: string(id), rule: rule, place: head, head: -1, found: by[id], open: open[id]})
		for n, f := range by[id] {
			one := &row{pass: pass, id: f.ID(), rule: audit.RuleOf(f.Finding), one: true, place: len(out), head: head, found: by[id][n : n+1 : n+1]}
			if n < open[id] {
				one.open = 1
			}
			one.ways, one.asked = known.of(f.Finding)
			out = append(out, one)
		}
		out[head].ways, out[head].asked = out[head+1].ways, out[head+1].asked
	}
	return out
}

// first returns the finding of the row, for a rule the first one.
func (r *row) first() audit.AnnotatedFinding { return r.found[0] }

// text is what a filter without a field searches: what is shown, and on a line of its own other
// words for it.
func (r *row) text() string {
	words := []string{string(r.rule.ID), r.rule.Title}
	if r.one {
		words = append(words, r.first().Subject, r.first().Text)
	}
	return strings.Join(words, " ") + "\n" + r.rule.Also
}

// state is whether operators have acknowledged or muted it.
type state uint8

const (
	open         state = iota // not yet
	acknowledged              // acknowledged
	muted                     // its rule is muted
)

// String returns the word for s.
func (s state) String() string { return [...]string{"open", "acknowledged", "muted"}[s] }

// stateOf returns the state of a finding.
func stateOf(n audit.AnnotatedFinding) state {
	switch {
	case n.Mute != nil:
		return muted
	case n.Acknowledgement != nil && n.Lapse == audit.InForce:
		return acknowledged
	}
	return open
}

// state returns the state of the row: for a rule, that of its first finding, which is
// open if any is.
func (r *row) state() state { return stateOf(r.first()) }

// owner returns the owner of a finding's provider; a host, a consumer or a service has
// none.
func (r *row) owner(at list.At) placement.Owner {
	if p, ok := at.Snap.Placement().Provider(r.first().Provider); ok {
		return at.Snap.Placement().Owner(p)
	}
	return placement.OwnedByNone
}

// host returns the host of a finding: the root of its provider, or the host of its
// service.
func (r *row) host(at list.At) string {
	f := r.first()
	if f.Service != "" {
		return f.Service
	}
	if p, ok := at.Snap.Placement().Provider(f.Provider); ok {
		return at.Snap.Placement().Root(p).Name()
	}
	if i, ok := at.Snap.Nova().Instance(f.Consumer); ok {
		return i.Host
	}
	return ""
}

// project returns the project of the consumer of a finding.
func (r *row) project(at list.At) string {
	if c, ok := at.Snap.Placement().Consumer(r.first().Consumer); ok {
		return c.Project()
	}
	if i, ok := at.Snap.Nova().Instance(r.first().Consumer); ok {
		return i.Project
	}
	return ""
}

// subject returns what a row is about: for a rule with several findings the first one,
// and the number of the others.
func (r *row) subject(at list.At) string {
	name := panel.FindingSubject(at.Snap, r.first().Finding)
	if n := len(r.found) - 1; n > 0 {
		name += " and " + component.Plural(n, "other")
	}
	return name
}

// isAbout reports whether a row is what a place names: a rule, or a rule and a subject.
func isAbout(at place.Problems) func(*row) bool {
	return func(r *row) bool {
		if r.rule.ID != at.Rule {
			return false
		}
		if !r.one {
			return at.Subject == ""
		}
		f := r.first()
		names := []string{f.Subject, f.Service, f.Key()}
		if !f.Provider.IsZero() {
			names = append(names, f.Provider.String())
		}
		if !f.Consumer.IsZero() {
			names = append(names, f.Consumer.String())
		}
		return at.Subject != "" && slices.Contains(names, at.Subject)
	}
}
