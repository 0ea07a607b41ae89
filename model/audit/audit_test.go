package audit_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// on returns a claim of CPU on nodes.
func on(names ...string) map[string]resources {
	out := map[string]resources{}
	for _, n := range names {
		out[n] = resources{placement.VCPU: 1}
	}
	return out
}

func TestNothingToFind(t *testing.T) {
	t.Parallel()
	testFinds(t, []findCase{
		{"an empty cloud", func(*world) {}, nil},
		{"a clean host", func(w *world) {
			w.Node("h").Instance("i", nova.Active).Claim("i", instance, on("h"))
		}, nil},
	})
}

func TestAuditOrdersBySeverityThenRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").
		Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).
		Provider("b", "h", resources{placement.VGPU: 1}).Provider("a", "h", resources{placement.VGPU: 1}).
		Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova, placement.OwnerCyborg)
	found := audit.Find(w.Snapshot)
	var got []string
	for _, p := range audit.Problems(found) {
		for _, f := range p.Findings {
			got = append(got, p.Rule.Severity.String()+" "+string(f.Rule)+" "+f.Subject)
		}
	}
	want := []string{"critical o01 c", "warning o02 a", "warning o02 b", "info s01 pool"}
	must.Match(t, want, got)
	must.Match(t, map[audit.Severity]int{audit.Critical: 1, audit.Warning: 2, audit.Info: 1}, audit.Count(found))
}

func TestRulesAreWholeAndSorted(t *testing.T) {
	t.Parallel()
	rules := audit.Rules()
	seen := map[audit.RuleID]bool{}
	for _, r := range rules {
		if seen[r.ID] || r.ID == "" || r.Title == "" || r.Why == "" || r.Advice == "" {
			t.Errorf("rule %q is given twice or lacks words: %+v", r.ID, r)
		}
		seen[r.ID] = true
		if got, ok := audit.RuleByID(r.ID); !ok || got != r {
			t.Errorf("RuleByID(%s) = %+v, %t", r.ID, got, ok)
		}
	}
	if !slices.IsSortedFunc(rules, func(a, b audit.Rule) int { return cmp.Compare(b.Severity, a.Severity) }) {
		t.Error("rules are not listed worst first")
	}
	if _, ok := audit.RuleByID("z99"); ok {
		t.Error("RuleByID knows a rule that does not exist")
	}
}

func TestAuditDoesNotDependOnTheOrderOfCreation(t *testing.T) {
	t.Parallel()
	steps := []func(*world){
		func(w *world) { w.Node("h").Claim("a", placement.InstanceConsumer, on("h")) },
		func(w *world) { w.Node("k").Claim("b", placement.InstanceConsumer, on("k")) },
		func(w *world) { w.Node("l").Provider("c", "l", resources{placement.VGPU: 1}) },
		func(w *world) { w.Instance("c", nova.Active) },
		func(w *world) { w.Provider("pool", "", resources{placement.DiskGB: 1}, placement.SharesViaAggregate) },
	}
	var want []audit.Finding
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 0))
		r.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		w := newWorld(t)
		for _, step := range steps {
			step(w)
		}
		got := audit.Find(w.Snapshot)
		if want == nil {
			want = got
		}
		if d := gocmp.Diff(want, got); d != "" {
			t.Fatalf("findings of the same cloud made in another order:\n%s", d)
		}
	}
}
