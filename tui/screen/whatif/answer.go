package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
)

// mostCandidates is how many candidates a screen lists; a query may have more.
const mostCandidates = 5000

// answer is the model's answer to a query on one Snapshot. It is made off the event loop,
// and immutable.
type answer struct {
	url   string
	query candidates.Query
	snap  *cloud.Snapshot
	took  time.Duration
	err   error

	asks   *candidates.Question
	found  *candidates.Result
	why    *candidates.Explanation
	kinds  []kind // of candidates, tree by tree
	misses []miss
	about  candidates.Verdict // on the provider that the screen was opened about
	told   bool               // there is one
	hidden string             // what the limit of the query hides, "" for nothing
}

// kind is candidates of one tree that differ only in which of several equal providers
// they take from.
type kind struct {
	root    *placement.ResourceProvider
	which   []int  // candidates, in the order of the answer
	phantom string // why they take capacity that no guest can have, "" if they do not
}

// miss is a provider that comes near, with what was required of it.
type miss struct {
	candidates.Miss
	verdict candidates.Verdict
}

// ask runs q on a Snapshot: the candidates, and why other providers are not.
func ask(clock func() time.Time, indexer *candidates.Indexer, snap *cloud.Snapshot, q candidates.Query, about placement.ProviderID) *answer {
	began := clock()
	a := &answer{url: q.URL(), query: q, snap: snap}
	if a.asks, a.err = indexer.Index(snap.Placement()).Ask(q); a.err != nil {
		return a
	}
	a.found = a.asks.Search(candidates.Options{Most: mostCandidates})
	a.why = a.asks.Explain(candidates.ExplainOptions{Name: ops.QueryNames(snap)})
	a.kinds = kindsOf(a.found, ops.NewPhantoms(snap))
	a.hidden = a.hides()
	if p, ok := snap.Placement().Provider(about); ok {
		a.about, a.told = a.why.Provider(p), true
	}
	for _, m := range a.why.Misses {
		a.misses = append(a.misses, miss{m, a.why.Provider(m.Provider)})
	}
	a.took = clock().Sub(began)
	return a
}

// hides says which hosts never come up, because a wide tree uses up the limit: by default
// Placement returns all candidates of one tree before those of the next. Here each tree
// gives one in turn.
//
// Source: placement/conf/placement.py, allocation_candidates_generation_strategy.
func (a *answer) hides() string {
	limit := a.query.Limit
	if limit == 0 || a.found.Len() < limit {
		return ""
	}
	reached, all := anchors(a.asks.Search(candidates.Options{Most: limit, DepthFirst: true})), anchors(a.found)
	if reached == all {
		return ""
	}
	for _, st := range a.why.Stages {
		if st.Condition.Criterion == candidates.CriterionLimit {
			all = st.Trees + st.LostTrees
		}
	}
	return fmt.Sprintf("limit %s: Placement goes tree by tree and reaches %s of %s trees; this list takes one of each in turn",
		component.Count(limit), component.Count(reached), component.Count(all))
}

// anchors counts the trees that candidates come from.
func anchors(found *candidates.Result) int {
	seen := map[*placement.ResourceProvider]bool{}
	for i := range found.Len() {
		seen[found.Anchor(i)] = true
	}
	return len(seen)
}

// kindsOf groups candidates by their trees, in the order of the trees, and within a tree
// by what they take from which kind of provider. Those that take phantom capacity are last.
func kindsOf(found *candidates.Result, phantoms *ops.Phantoms) []kind {
	type key struct {
		root           *placement.ResourceProvider
		shape, phantom string
	}
	var order []*placement.ResourceProvider
	byRoot := map[*placement.ResourceProvider][]int{} // kinds
	seen := map[key]int{}
	var kinds []kind
	for i := range found.Len() {
		root := found.Anchor(i)
		k := key{root, shapeOf(root, found.Parts(i)), phantoms.Of(found.Parts(i))}
		at, ok := seen[k]
		if !ok {
			at = len(kinds)
			seen[k] = at
			kinds = append(kinds, kind{root: root, phantom: k.phantom})
			if len(byRoot[root]) == 0 {
				order = append(order, root)
			}
			byRoot[root] = append(byRoot[root], at)
		}
		kinds[at].which = append(kinds[at].which, i)
	}
	out := make([]kind, 0, len(kinds))
	for _, root := range order {
		for _, at := range byRoot[root] {
			out = append(out, kinds[at])
		}
	}
	slices.SortStableFunc(out, func(x, y kind) int { return cmp.Compare(min(len(x.phantom), 1), min(len(y.phantom), 1)) })
	return out
}

// shapeOf returns what a candidate takes, and whether from the root, from below it or
// from a sharing pool.
func shapeOf(root *placement.ResourceProvider, parts []candidates.Part) string {
	var b strings.Builder
	for _, p := range parts {
		where := "below"
		switch {
		case p.Provider == root:
			where = "root"
		case p.Provider.RootNumber() != root.Number():
			where = p.Provider.Name()
		}
		fmt.Fprintf(&b, "%s %s %d %s;", p.Suffix, p.Class, p.Amount, where)
	}
	return b.String()
}

// total says how many candidates there are, without the limit.
func (a *answer) total() string {
	text := component.Count(a.why.Candidates)
	if a.why.More {
		text += " or more"
	}
	if text += " candidates"; text == "1 candidates" {
		text = "1 candidate"
	}
	if n := a.found.Len(); a.found.Truncated || n < a.why.Candidates {
		text += fmt.Sprintf(", the first %s listed", component.Count(n))
	}
	return text
}
