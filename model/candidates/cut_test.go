package candidates_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// manyWays returns a host with 24 cards, and a query with eight groups on separate cards:
// 24*23*...*17 candidates.
func manyWays(tb testing.TB) (*placement.Snapshot, string) {
	tb.Helper()
	host := modeltest.Provider{Name: "host", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8)}}
	for n := range 24 {
		host.Children = append(host.Children, modeltest.Provider{Name: fmt.Sprint("card", n), Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(8)}})
	}
	var q strings.Builder
	q.WriteString("resources=VCPU:1&group_policy=isolate")
	for n := 1; n <= 8; n++ {
		fmt.Fprintf(&q, "&resources%d=VGPU:1", n)
	}
	return modeltest.Ledger(tb, []modeltest.Provider{host}), q.String()
}

// A query without a limit keeps and considers at most DefaultMost candidates. Neither the
// answer, nor its explanation, nor how many more fit claims to be complete.
func TestMoreCandidatesThanAnybodyKeeps(t *testing.T) {
	t.Parallel()
	s, text := manyWays(t)
	q := must.Get(candidates.ParseURL(text, microversion.PlacementNewest, s))(t)
	index := candidates.NewIndex(s)
	r := search(t, s, q, candidates.Options{})
	if r.Len() != candidates.DefaultMost || !r.Truncated {
		t.Errorf("%d candidates, truncated %v, want %d of more", r.Len(), r.Truncated, candidates.DefaultMost)
	}
	e := must.Get(explained(index, q, candidates.ExplainOptions{}))(t)
	if want := fmt.Sprintf("%d or more", candidates.MostCounted); !e.More || e.Counted() != want || !strings.Contains(e.Words(), "candidates: "+want+"\n") {
		t.Errorf("more %v, %s candidates, want %s:\n%s", e.More, e.Counted(), want, e.Words())
	}
	if fit, err := fitted(index, q); err != nil || fit.Copies != 8 {
		t.Errorf("%d copies fit (%v), want 8", fit.Copies, err)
	}
	// With a limit the answer is complete.
	q.Limit = 3
	if r := search(t, s, q, candidates.Options{}); r.Len() != 3 || r.Truncated {
		t.Errorf("%d candidates, truncated %v, want 3 as asked", r.Len(), r.Truncated)
	}
}

// The trees that a limit leaves out are counted, however many candidates there are.
func TestLimitCountsTreesBeyondWhatIsKept(t *testing.T) {
	t.Parallel()
	hosts := make([]modeltest.Provider, candidates.MostCounted+5)
	for n := range hosts {
		hosts[n] = modeltest.Provider{Name: fmt.Sprintf("host%05d", n), Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(1)}}
	}
	s := modeltest.Ledger(t, hosts)
	q := must.Get(candidates.ParseURL("resources=VCPU:1&limit=5", microversion.PlacementNewest, s))(t)
	e := must.Get(explained(candidates.NewIndex(s), q, candidates.ExplainOptions{Misses: -1, Ways: -1}))(t)
	last := e.Stages[len(e.Stages)-1]
	if last.Condition.Criterion != candidates.CriterionLimit || last.Trees != 5 || last.LostTrees != candidates.MostCounted {
		t.Errorf("the limit leaves %d trees and loses %d (%s)", last.Trees, last.LostTrees, last.Condition.Criterion)
	}
}
