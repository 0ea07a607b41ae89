package pulses

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"weak"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// facts is everything that the screen shows of one Snapshot and the journal.
type facts struct {
	of       *cloud.Snapshot // nil before the first
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

	read screen.Recent // of the journal, as far as the screen reads it
	hist history
	past string // how far back hist goes, in words
	fits []fit  // as they were found last; nil before the first
}

// rollout is the progress of OWNER_NOVA: the compute nodes that have it, and the hosts
// whose accelerators belong to both services. Dashboards share it.
type rollout struct {
	of               weak.Pointer[cloud.Snapshot]
	computes, tagged int // roots with COMPUTE_NODE, and how many of them have OWNER_NOVA
	mixed            int // those of Nova's with accelerators of Cyborg's below them
}

// gather computes everything that takes time; it runs off the event loop.
func gather(ctx context.Context, env screen.Env, s *cloud.Snapshot, known screen.Recent) *facts {
	pass := env.Inspect(s)
	f := &facts{of: s, totals: insight.Totals(s), problems: audit.Problems(pass.Open()), counts: audit.Count(pass.Open()), unjudged: audit.UnjudgedText(pass.Report.Unjudged, len(pass.Report.Rules)), unread: pass.Unread, standing: insight.ActivityOf(s), gate: s.Nova().Gate(), past: "24 h"}
	form, _ := s.Nova().Config().OwnerInForce()
	f.off = form == nova.OwnerOff
	f.classes = inOrder(f.totals)
	f.rollout = screen.Share(env.Shared(), rollout{}, func(r *rollout) bool { return r.of == weak.Make(s) }, func() *rollout { return rolloutOf(s) })
	f.read = env.ReadOn(ctx, s.Revision(), known, screen.RecentEvents, screen.RecentWhole)
	if f.read.Fault == nil || len(f.read.Events) > 0 {
		now := env.Now()
		f.hist = trace(f.totals, f.read.Events, now, span)
		if len(f.hist) > 0 && f.hist.known() < leastKnown {
			f.hist, f.past = trace(f.totals, f.read.Events, now, time.Hour), "1 h"
		}
	}
	return f
}

// problemsTitle counts all findings.
func (f *facts) problemsTitle(st *style.Styles) string {
	if f.unread != "" {
		return "PROBLEMS"
	}
	n := 0
	for _, p := range f.problems {
		n += len(p.Findings)
	}
	return strings.TrimSpace("PROBLEMS " + component.Count(n) + "  " + panel.Counted(st, f.counts))
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
