package problems

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
)

// row is a rule with what it found, or one of its findings.
type row struct {
	pass  *keeper.Pass
	id    string
	rule  audit.Rule
	one   bool
	place int           // where it stands by how bad it is
	found []audit.Noted // of a rule: those that are shown, those to be looked at first; of a finding: itself
	open  int           // how many of them are to be looked at
	ways  []way         // what can be done about its first finding, not tried
	asked bool          // whether ways is known
}

// rowsOf returns the rules with what they found, each with its findings after it.
// With quiet those are there too that operators have acknowledged or muted.
func rowsOf(pass *keeper.Pass, quiet bool, known *plans) []row {
	by := map[audit.RuleID][]audit.Noted{}
	lists := [][]audit.Noted{pass.Report.Open}
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
	var out []row
	for _, id := range order {
		rule := audit.RuleOf(by[id][0].Finding)
		head := len(out)
		out = append(out, row{pass: pass, id: string(id), rule: rule, place: head, found: by[id], open: open[id]})
		for n, f := range by[id] {
			one := row{pass: pass, id: f.ID(), rule: rule, one: true, place: len(out), found: by[id][n : n+1 : n+1]}
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

// under returns the id of the rule that a finding stands under.
func (r row) under() string {
	if r.one {
		return string(r.rule.ID)
	}
	return ""
}

// first returns the finding of the row, of a rule the first one.
func (r row) first() audit.Noted { return r.found[0] }

// text is what a filter without a field looks at.
func (r row) text() string {
	words := []string{string(r.rule.ID), r.rule.Title}
	if r.one {
		words = append(words, r.first().Subject, r.first().Text)
	}
	return strings.Join(words, " ")
}

// state is how operators have taken it.
type state uint8

const (
	open         state = iota // to be looked at
	acknowledged              // known
	muted                     // of a rule that nobody wants to hear of
)

// String returns the word for s.
func (s state) String() string { return [...]string{"open", "acknowledged", "muted"}[s] }

// stateOf returns how operators have taken a finding.
func stateOf(n audit.Noted) state {
	switch {
	case n.Mute != nil:
		return muted
	case n.Acknowledgement != nil && n.Lapse == audit.InForce:
		return acknowledged
	}
	return open
}

// state returns that of the row: of a rule, that of its first finding, which is
// open where any is.
func (r row) state() state { return stateOf(r.first()) }

// owner returns whose the provider of a finding is; of a host, a consumer or a
// service it is that of nobody.
func (r row) owner(at list.At) placement.Owner {
	if p, ok := at.Snap.Placement().Provider(r.first().Provider); ok {
		return at.Snap.Placement().Owner(p)
	}
	return placement.OwnedByNone
}

// host returns the host that a finding is about: the root of its provider, or the
// host of its service.
func (r row) host(at list.At) string {
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
func (r row) project(at list.At) string {
	if c, ok := at.Snap.Placement().Consumer(r.first().Consumer); ok {
		return c.Project()
	}
	if i, ok := at.Snap.Nova().Instance(r.first().Consumer); ok {
		return i.Project
	}
	return ""
}

// subject returns what a row is about: of a rule with several findings the first
// one, and how many there are besides.
func (r row) subject(at list.At) string {
	name := panel.FindingSubject(at.Snap, r.first().Finding)
	if n := len(r.found) - 1; n > 0 {
		name += " and " + panel.Plural(n, "other")
	}
	return name
}

// isAbout reports whether a row is what a place names: a rule, or a rule and a subject.
func isAbout(at place.Problems) func(row) bool {
	return func(r row) bool {
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
