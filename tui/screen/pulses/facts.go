package pulses

import (
	"cmp"
	"slices"
	"strings"
	"weak"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
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
	standing insight.Standing
	gate     nova.Gate
	unjudged string // which rules were not judged, and why; "" if all were
	off      bool   // the owner filter behind the gate is off
	*survey
}

// survey is the result of a look at every compute node. Dashboards share it.
type survey struct {
	of      weak.Pointer[cloud.Snapshot]
	by      grouping
	rollout rollout
	racks   []rack // or what else groups hosts
	hosts   int    // in all racks
	fullest []host // the fullest of all, at most mostFullest
}

// mostFullest is how many of the fullest hosts are kept: as many as a large terminal has
// lines for.
const mostFullest = 60

// rollout is the progress of OWNER_NOVA: the compute nodes that have it, and the hosts
// whose accelerators belong to both services.
type rollout struct {
	computes, tagged int // roots with COMPUTE_NODE, and how many of them have OWNER_NOVA
	mixed            int // roots with accelerators of both owners below them
}

// rack is a group of compute nodes.
type rack struct {
	name  string
	hosts []host
}

// host is one compute node with its subtree.
type host struct {
	name  string
	owner placement.Owner
	loads [hostClassCount]component.Load
	has   [hostClassCount]bool
	full  float64         // used part of its fullest class, from 0 to 1
	over  bool            // a class is over-full
	wrong placement.Owner // both or none if an accelerator has such owners, else nova
}

// fullness returns how full the host is, of the classes on its line, in percent.
func (h host) fullness() int {
	most := 0
	for _, load := range h.loads {
		most = max(most, load.Percent())
	}
	return most
}

// hostClassCount is how many classes are on the line of a host.
const hostClassCount = 3

// hostClasses are the classes on the line of a host.
func hostClasses() [hostClassCount]placement.ResourceClass {
	return [hostClassCount]placement.ResourceClass{placement.VCPU, placement.MemoryMB, placement.VGPU}
}

// gather computes everything that takes time; it runs off the event loop.
func gather(env screen.Env, s *cloud.Snapshot, by grouping) *facts {
	pass := env.Inspect(s)
	f := &facts{totals: insight.Totals(s), problems: audit.Problems(pass.Open()), counts: audit.Count(pass.Open()), unjudged: audit.UnjudgedText(pass.Report.Unjudged, len(pass.Report.Rules)), unread: pass.Unread, standing: insight.StandingOf(s), gate: s.Nova().Gate()}
	form, _ := s.Nova().Config().OwnerInForce()
	f.off = form == nova.OwnerOff
	f.classes = inOrder(f.totals)
	f.survey = screen.Share(env.Shared(), by, func(v *survey) bool { return v.of == weak.Make(s) }, func() *survey { return surveyOf(s, by) })
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
	sorted.By(out, func(a, b insight.ClassTotal) int { return cmp.Compare(order(a.Class), order(b.Class)) })
	return out
}

// noRack is the name for hosts without a group.
const noRack = "hosts"

// surveyOf looks at every compute node once.
func surveyOf(snap *cloud.Snapshot, by grouping) *survey {
	f := &survey{of: weak.Make(snap), by: by}
	s, groups := snap.Placement(), groupsOf(snap, by)
	compute, ok := s.TraitID(placement.ComputeNode)
	if !ok {
		return f
	}
	var classes [hostClassCount]placement.ClassID
	for i, c := range hostClasses() {
		classes[i] = panel.ClassID(s, c)
	}
	at := map[string]int{}
	f.fullest = make([]host, 0, s.Having(placement.ComputeNode).Len())
	for p := range s.Roots() {
		if !p.HasTrait(compute) {
			continue
		}
		h, owners := look(s, p, classes)
		f.hosts++
		f.fullest = append(f.fullest, h)
		f.rollout.computes++
		if h.owner == placement.OwnedByNova || h.owner == placement.OwnedByBoth {
			f.rollout.tagged++
		}
		if owners[placement.OwnedByNova] && owners[placement.OwnedByCyborg] {
			f.rollout.mixed++
		}
		names := groups(p)
		if len(names) == 0 {
			names = []string{noRack}
		}
		for _, name := range names {
			i, ok := at[name]
			if !ok {
				i = len(f.racks)
				at[name] = i
				f.racks = append(f.racks, rack{name: name})
			}
			f.racks[i].hosts = append(f.racks[i].hosts, h)
		}
	}
	sorted.By(f.racks, func(a, b rack) int { return strings.Compare(a.name, b.name) })
	sorted.By(f.fullest, func(a, b host) int {
		return cmp.Or(cmp.Compare(b.fullness(), a.fullness()), strings.Compare(a.name, b.name))
	})
	f.fullest = slices.Clone(f.fullest[:min(len(f.fullest), mostFullest)])
	return f
}

// look adds up one host, and returns which owners its accelerators have.
func look(s *placement.Snapshot, root *placement.ResourceProvider, classes [hostClassCount]placement.ClassID) (host, [4]bool) {
	h := host{name: root.Name(), owner: s.Owner(root), wrong: placement.OwnedByNova}
	var owners [4]bool
	for _, p := range s.Tree(root) {
		for _, iu := range p.Inventories() {
			load := panel.Load(s, p, iu)
			if panel.Over(s, p, iu) {
				h.over = true
			} else if load.Capacity > 0 {
				h.full = max(h.full, min(float64(load.Used)/float64(load.Capacity), 1))
			}
			if i := slices.Index(classes[:], iu.Class); i >= 0 {
				h.loads[i], h.has[i] = panel.Sum(h.loads[i], load), true
			}
			if s.ClassName(iu.Class).IsAccelerator() {
				owners[s.Owner(p)] = true
			}
		}
	}
	switch {
	case owners[placement.OwnedByBoth]:
		h.wrong = placement.OwnedByBoth
	case owners[placement.OwnedByNone]:
		h.wrong = placement.OwnedByNone
	}
	return h, owners
}
