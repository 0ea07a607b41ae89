package candidates

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// ExplainOptions says how much to explain.
type ExplainOptions struct {
	Misses int // how many of the nearest misses at most; 0 for 100, below 0 for none
	Ways   int // how many ways out at most; 0 for 8, below 0 for none
	// Name returns what people call the aggregate or the tree with a uuid. Conditions
	// and causes then have the name instead, for reading only: a query needs the uuid.
	// nil leaves the uuids.
	Name func(uuid string) string
}

// Explanation says why an answer is what it is: which condition removed which trees,
// which providers came near, and what would have to change. Everything in it is data;
// Words makes sentences of it. Any goroutine may read it.
type Explanation struct {
	Query      Query
	Trees      int     // of the whole cloud
	Providers  int     // of the whole cloud
	Candidates int     // without the limit
	More       bool    // there may be more than Candidates: MostCounted were counted, or not everything was tried
	Stages     []Stage // the funnel, in the order in which Placement asks
	Misses     []Miss  // providers of trees without a candidate, those that fail least first
	Ways       []Way

	Verdicts
}

// Explain says why the query gets its answer.
func (k *Question) Explain(o ExplainOptions) *Explanation {
	if o.Misses == 0 {
		o.Misses = 100
	}
	if o.Ways == 0 {
		o.Ways = 8
	}
	e := &Explanation{Verdicts: k.Verdicts(o.Name)}
	s := e.study
	e.Query, e.Trees, e.Providers = s.q, s.x.isRoot.count(), s.x.len()
	var alive bitmap
	e.Stages, alive = s.funnel()
	for _, st := range e.Stages {
		for i, c := range st.Causes {
			if o.Name != nil && c.Aggregate != "" {
				st.Causes[i].Aggregate = AggregateText(o.Name(string(c.Aggregate)))
			}
		}
	}
	e.Candidates, e.More = k.Count()
	if st, ok := s.limitStage(e.Candidates); ok {
		e.Stages = append(e.Stages, st)
	}
	if o.Misses > 0 {
		e.Misses = s.misses(alive, o.Misses)
	}
	if o.Ways > 0 {
		e.Ways = s.ways(o.Ways, e.Candidates)
	}
	return e
}

// limitStage returns the stage for the limit of the query, and false if that leaves out
// no candidate.
func (s *study) limitStage(all int) (Stage, bool) {
	if s.q.Limit == 0 || s.q.Limit >= all {
		return Stage{}, false
	}
	seen := s.x.bitmap()
	for _, root := range s.search(Options{}).anchors {
		seen.set(root)
	}
	st := Stage{Condition: Condition{Criterion: CriterionLimit, Amount: int64(s.q.Limit)}, Trees: seen.count()}
	st.LostTrees = max(s.servedTrees()-st.Trees, 0)
	return st, true
}

// First returns the stage at which the last tree was lost, and false if some tree
// is left.
func (e *Explanation) First() (Stage, bool) {
	for _, st := range e.Stages {
		if st.Trees == 0 && st.Condition.Criterion != CriterionLimit {
			return st, true
		}
	}
	return Stage{}, false
}

// Words returns the explanation as lines of plain text, as for a ticket.
func (e *Explanation) Words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "asked: %s\n", e.Query.Words())
	fmt.Fprintf(&b, "candidates: %s\n", e.Counted())
	fmt.Fprintf(&b, "%6d trees of %d providers\n", e.Trees, e.Providers)
	for _, st := range e.Stages {
		fmt.Fprintf(&b, "%6d left", st.Trees)
		if st.LostTrees > 0 {
			fmt.Fprintf(&b, ", %d lost", st.LostTrees)
		}
		fmt.Fprintf(&b, ": %s", st.Condition.Words())
		for i, c := range st.Causes {
			b.WriteString([]string{" (", ", "}[min(i, 1)] + c.Words())
		}
		if len(st.Causes) > 0 {
			b.WriteString(")")
		}
		b.WriteString("\n")
	}
	for i, w := range e.Ways {
		fmt.Fprintf(&b, "way out %d: %s gives %s\n", i+1, w.Words(), w.Counted())
	}
	for i, m := range e.Misses {
		if i == 3 {
			break
		}
		fmt.Fprintf(&b, "near: %s: %s\n", m.Provider.Name(), ReasonWords(m.Reasons, m.Provider))
	}
	return b.String()
}

// Counted says how many candidates there are, without the limit: "3", "20000 or more".
func (e *Explanation) Counted() string { return counted(e.Candidates, e.More) }

// counted says how many of something there are.
func counted(n int, more bool) string {
	if more {
		return fmt.Sprintf("%d or more", n)
	}
	return fmt.Sprint(n)
}

// ReasonWords joins reasons; a reason about a provider other than of names it.
func ReasonWords(list []Reason, of *placement.ResourceProvider) string {
	parts := make([]string, len(list))
	for i, r := range list {
		if r.Provider != nil && r.Provider != of && r.Condition.OfGroup() {
			parts[i] = r.Provider.Name() + " "
		}
		parts[i] += r.Words()
	}
	return strings.Join(parts, "; ")
}
