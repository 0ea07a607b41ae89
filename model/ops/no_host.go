package ops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/placement"
)

// NoValidHostError reports that there is no place for an instance. It matches
// placement.ErrCapacity.
type NoValidHostError struct {
	Places                              // without any but those in Left
	Explanation *candidates.Explanation // why; nil if there were candidates, and all were left out
	Host        string                  // the only one asked for; "" for any
	HostWhy     string                  // why Host is none
}

func (e *NoValidHostError) Error() string {
	switch {
	case e.Host != "":
		return fmt.Sprintf("no candidate is on %s: %s", e.Host, e.HostWhy)
	case e.Explanation == nil && len(e.Left) > 0:
		return noValidHost + ": " + excludedText(e.Left)
	case e.Explanation == nil:
		return noValidHost
	}
	if why := blockersText(e.Explanation); why != "" {
		return noValidHost + ": " + why
	}
	return noValidHost
}

// noValidHost is the beginning of the fault of an instance for which there was no host,
// in Nova's words.
//
// Source: nova/exception.py, NoValidHost.
const noValidHost = "no valid host was found"

// Unwrap returns placement.ErrCapacity.
func (*NoValidHostError) Unwrap() error { return placement.ErrCapacity }

// mostHostsTold is how many hosts a sentence names.
const mostHostsTold = 4

// excludedText says on which hosts places are left out, and why.
func excludedText(left []Place) string {
	var hosts []string
	for _, p := range left {
		if h := fmt.Sprintf("%s (%s)", p.Host, p.Why); !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return "the only places are on " + words.First(hosts, mostHostsTold)
}

// mostLostTold is how many conditions that removed hosts are listed.
const mostLostTold = 3

// blockersText says which conditions removed all trees, those that removed most first:
// naming only the last would blame it for the full ones. "" if some tree is left.
func blockersText(e *candidates.Explanation) string {
	last, empty := e.First()
	if !empty {
		return ""
	}
	var lost []*candidates.Stage
	for i := range e.Stages {
		if st := &e.Stages[i]; st.LostTrees > 0 && !given(*st) {
			lost = append(lost, st)
		}
	}
	if len(lost) <= 1 {
		if len(lost) == 1 {
			last = *lost[0]
		}
		return fmt.Sprintf("no host meets %q", last.Condition.Words()) + causeWords(": ", last, "")
	}
	slices.SortStableFunc(lost, func(a, b *candidates.Stage) int { return cmp.Compare(b.LostTrees, a.LostTrees) })
	more := ""
	if n := len(lost) - mostLostTold; n > 0 {
		lost, more = lost[:mostLostTold], " and "+words.Count(n, "condition")+" more"
	}
	parts := make([]string, len(lost))
	for i, st := range lost {
		parts[i] = fmt.Sprintf("%q removes %d", st.Condition.Words(), st.LostTrees) + causeWords(" (", *st, ")")
	}
	return "no host meets all: " + strings.Join(parts, ", ") + more
}

// given reports whether what a stage removes was never an option: hosts other than the
// one that was asked for, and what is not a compute host, such as a storage pool, which
// has no VCPU.
func given(st candidates.Stage) bool {
	c := st.Condition
	switch {
	case st.Trees == 0:
		return false
	case c.Criterion == candidates.CriterionAnchor:
		return true
	}
	return c.Criterion == candidates.CriterionInventory && (c.Class == placement.VCPU || c.Class == placement.MemoryMB)
}

func causeWords(before string, st candidates.Stage, after string) string {
	if len(st.Causes) == 0 {
		return ""
	}
	return before + st.Causes[0].Words() + after
}

// nothing says why there is no place at all.
//
// The error is a *NoValidHostError.
func (p *Places) nothing(s *cloud.Snapshot) error {
	none := &NoValidHostError{Places: *p}
	if len(p.Left) == 0 {
		none.Explanation = p.asked.Explain(candidates.ExplainOptions{Name: QueryNames(s)})
	}
	return none
}

// nothingOn says why there is no place on the host that was asked for.
//
// The error is a *NoValidHostError.
func (p *Places) nothingOn(s *cloud.Snapshot, host string) error {
	none := &NoValidHostError{Places: *p, Host: host}
	if i := slices.IndexFunc(p.Left, func(at Place) bool { return at.Host == host }); i >= 0 {
		none.HostWhy = p.Left[i].Why
		return none
	}
	why := p.asked.Explain(candidates.ExplainOptions{Name: QueryNames(s)})
	none.Explanation, none.HostWhy = why, "it is not a compute host"
	for node := range s.Nova().ComputeNodesOf(host) {
		none.HostWhy = excluded(s, why.Verdicts, node).Why((*placement.ResourceProvider).Name)
	}
	return none
}

// takenText says, after a colon, which providers of a picked place no longer have what
// was picked; "" if that is not the reason why it is no place any more.
func takenText(s *cloud.Snapshot, picked Amounts) string {
	var taken []string
	for id, amounts := range picked {
		p, ok := s.Placement().Provider(id)
		if !ok {
			taken = append(taken, id.String()+" is gone")
			continue
		}
		for class, n := range amounts {
			has, ok := s.Placement().InventoryOf(p, class)
			if !ok || !has.HasRoom(has.Used, n) {
				taken = append(taken, fmt.Sprintf("%s has %d %s free at generation %d, and %d were picked", p.Name(), max(has.Free(), 0), class, p.Generation(), n))
			}
		}
	}
	if len(taken) == 0 {
		return ""
	}
	slices.Sort(taken)
	return ": " + strings.Join(taken, ", ")
}

// QueryNames returns a function that gives the name of the host aggregate or provider
// with a uuid, or the uuid if it has none.
func QueryNames(s *cloud.Snapshot) func(id string) string {
	return func(id string) string {
		u, err := uuid.Parse(id)
		if err != nil {
			return id
		}
		if a, ok := s.Nova().Aggregate(placement.AggregateID(u)); ok {
			return a.Name
		}
		if p, ok := s.Placement().Provider(placement.ProviderID(u)); ok {
			return p.Name()
		}
		return id
	}
}
