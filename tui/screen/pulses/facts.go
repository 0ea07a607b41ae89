package pulses

import (
	"cmp"
	"slices"
	"weak"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/screen"
)

// facts is everything that the screen shows of one Snapshot. It does not refer to the
// Snapshot: drawing it needs no access to the cloud.
type facts struct {
	totals   insight.Summary
	classes  []insight.ClassTotal // in screen order
	problems []audit.Problem
	counts   map[audit.Severity]int // of their findings
	unread   string                 // why the rules did not run
	standing insight.Activity
	gate     nova.Gate
	unjudged string // which rules were not judged, and why; "" if all were
	off      bool   // the owner filter behind the gate is off
	rollout  *rollout
}

// rollout is the progress of OWNER_NOVA: the compute nodes that have it, and the hosts
// whose accelerators belong to both services. Dashboards share it.
type rollout struct {
	of               weak.Pointer[cloud.Snapshot]
	computes, tagged int // roots with COMPUTE_NODE, and how many of them have OWNER_NOVA
	mixed            int // those of Nova's with accelerators of Cyborg's below them
}

// gather computes everything that takes time; it runs off the event loop.
func gather(env screen.Env, s *cloud.Snapshot) *facts {
	pass := env.Inspect(s)
	f := &facts{totals: insight.Totals(s), problems: audit.Problems(pass.Open()), counts: audit.Count(pass.Open()), unjudged: audit.UnjudgedText(pass.Report.Unjudged, len(pass.Report.Rules)), unread: pass.Unread, standing: insight.ActivityOf(s), gate: s.Nova().Gate()}
	form, _ := s.Nova().Config().OwnerInForce()
	f.off = form == nova.OwnerOff
	f.classes = inOrder(f.totals)
	f.rollout = screen.Share(env.Shared(), rollout{}, func(r *rollout) bool { return r.of == weak.Make(s) }, func() *rollout { return rolloutOf(s) })
	return f
}

// problemCount returns the number of findings in all.
func (f *facts) problemCount() int {
	n := 0
	for _, p := range f.problems {
		n += len(p.Findings)
	}
	return n
}

// found returns the number of findings of a rule.
func (f *facts) found(rule audit.RuleID) int {
	for _, p := range f.problems {
		if p.Rule.ID == rule {
			return len(p.Findings)
		}
	}
	return 0
}

// inOrder returns the totals in screen order: first what every host has, then
// accelerators, then the rest.
func inOrder(t insight.Summary) []insight.ClassTotal {
	first := []placement.ResourceClass{
		placement.VCPU, placement.PCPU, placement.MemoryMB, placement.DiskGB, placement.VGPU, placement.PGPU, placement.FPGA,
	}
	order := func(c placement.ResourceClass) int {
		if i := slices.Index(first, c); i >= 0 {
			return i
		}
		if c.IsAccelerator() {
			return len(first)
		}
		return len(first) + 1
	}
	out := slices.Clone(t.Classes)
	slices.SortStableFunc(out, func(a, b insight.ClassTotal) int { return cmp.Compare(order(a.Class), order(b.Class)) })
	return out
}

// rolloutOf looks at every compute node once.
func rolloutOf(snap *cloud.Snapshot) *rollout {
	out := &rollout{of: weak.Make(snap)}
	s := snap.Placement()
	compute, ok := s.TraitID(placement.ComputeNode)
	if !ok {
		return out
	}
	for root := range s.Roots() {
		if !root.HasTrait(compute) {
			continue
		}
		out.computes++
		if owner := s.Owner(root); owner == placement.OwnedByNova || owner == placement.OwnedByBoth {
			out.tagged++
			if hasCyborgs(s, root) {
				out.mixed++
			}
		}
	}
	return out
}

// hasCyborgs reports whether a tree has accelerators that are Cyborg's alone.
func hasCyborgs(s *placement.Snapshot, root *placement.ResourceProvider) bool {
	for _, p := range s.Tree(root) {
		if s.Owner(p) == placement.OwnedByCyborg && slices.ContainsFunc(p.Inventories(), func(iu placement.InventoryUsage) bool { return s.ClassName(iu.Class).IsAccelerator() }) {
			return true
		}
	}
	return false
}
