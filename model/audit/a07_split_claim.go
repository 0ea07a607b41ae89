package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleSplitClaim is "held on several hosts".
const RuleSplitClaim RuleID = "a07"

// splitClaim finds instances and migrations that hold something on several hosts at once,
// after an evacuation or a manual edit.
func splitClaim() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleSplitClaim, Title: "held on several hosts", Severity: Warning,
			Also:   "split claim evacuated evacuation evacuate two hosts twice doubled duplicate allocations both hosts zombie",
			Why:    "An instance runs on one host; nobody can use what it holds on the others.",
			Advice: "Keep what is held in the tree of the host on which the instance runs.",
		},
		reads: []cloud.Part{cloud.Instances, cloud.Migrations},
		consumer: func(a *auditor, h *holder) {
			if !h.split || h.instance() == nil && h.Type() != placement.InstanceConsumer && h.Type() != "" && !h.isMigration() {
				return
			}
			a.evacuating(h.ID()) // it holds on both hosts until the old one is vacated
			where, first := a.holds(h.Consumer)
			roots := strings.Join(a.heldRoots(h.Consumer), " and ")
			a.found(Finding{
				Provider: first, Consumer: h.ID(), Subject: h.name(), Seen: a.witness,
				Text:  fmt.Sprintf("holds on %s at once: %s", roots, where),
				Brief: "on " + roots,
			})
		},
		fixes: keepTreeFixes,
	}
}

// keepTreeFixes keep what a consumer holds in one tree, and in the pools that serve it,
// and release the rest. For an instance that runs on a host it must be the tree of the
// host; if it holds nothing there, it first has to.
func keepTreeFixes(s *cloud.Snapshot, f Finding) []Fix {
	c, ok := s.Placement().Consumer(f.Consumer)
	if !ok {
		return nil
	}
	if m := openEvacuation(s, f.Consumer); m != nil {
		return vacateFixes(s, f, m)
	}
	for m := range s.Nova().MigrationsOf(f.Consumer) {
		if ops.KeepsSource(s, m) {
			return nil
		}
	}
	a := newAuditor(s)
	var runs *placement.ResourceProvider // nil if it may be anywhere
	if i, ok := s.Nova().Instance(f.Consumer); ok && i.Live() && i.Host != "" {
		homes := ops.HomesOf(s, i)
		if len(homes) != 1 {
			return nil
		}
		runs = homes[0]
	}
	var out []Fix
	for _, name := range a.heldRoots(c) {
		root, ok := s.Placement().ProviderByName(name)
		if !ok || a.Sharing.Has(root.Number()) || runs != nil && root != runs {
			continue
		}
		x := Fix{
			Name: "keep-" + name, Title: "keep what it holds in the tree of " + name + ", release the rest", Choice: runs == nil,
			plan: change(func(s *cloud.Snapshot) (cloud.Change, error) { return keepTree(s, f.Consumer, root.ID()) }),
		}
		if c, err := keepTree(s, f.Consumer, root.ID()); err == nil && slices.ContainsFunc(c.Ops, func(op cloud.Op) bool { return !placement.Owns(op) }) {
			x.Title, x.Choice = x.Title+" with its accelerators", true
		}
		out = append(out, x)
	}
	if runs != nil && len(out) == 0 {
		return comeHomeFixes(s, f)
	}
	return out
}

// vacateFixes release what an instance has on the host that it was evacuated from: once
// that is up again, or if an operator knows that it never will be. As long as it is down
// it may still run the guest. On a live cloud only Nova does that.
func vacateFixes(s *cloud.Snapshot, f Finding, m *nova.Migration) []Fix {
	if s.Live() {
		return nil // see notVacated
	}
	x := Fix{
		Name: "vacate", Title: fmt.Sprintf("%s is up again: release what %s has there, device by device", m.Source, f.Subject),
		course: ops.Vacate{Migration: m.UUID},
	}
	if ops.HostDown(s, m.Source, f.asked(s).At) {
		x = Fix{
			Name: "gone", Title: fmt.Sprintf("%s does not come back: release what %s had there", m.Source, f.Subject), Choice: true,
			course: ops.Vacate{Migration: m.UUID, Gone: true},
		}
	}
	after, ok := x.ends(s, f)
	if !ok {
		return nil
	}
	_, x.Prepares = f.StandsOn(after)
	return []Fix{x}
}

// keepTree releases what a consumer holds outside of a tree and the pools that
// serve it.
func keepTree(s *cloud.Snapshot, consumer placement.ConsumerID, root placement.ProviderID) (cloud.Change, error) {
	c, err := s.Placement().FindConsumer(consumer)
	if err != nil {
		return cloud.Change{}, err
	}
	top, err := s.Placement().FindProvider(root)
	if err != nil {
		return cloud.Change{}, err
	}
	claim := s.Placement().AsHeld(c).Allocations
	for n := range c.ProviderNumbers() {
		p := s.Placement().ProviderAt(n)
		if !ops.WithinReach(s.Placement(), p, top) {
			delete(claim, p.ID())
		}
	}
	if len(claim) == 0 {
		return cloud.Change{}, placement.NotFound("allocation", fmt.Sprintf("of %s in the tree of %s", ops.ConsumerName(s, consumer), top.Name()))
	}
	change, err := ops.ReleaseExceptStuck(s, consumer, claim)
	change.Note = fmt.Sprintf("release what %s holds outside of %s", ops.ConsumerName(s, consumer), top.Name())
	return change, err
}

// firstRoot returns the name of the root that c holds something below, the first of several.
func (a *auditor) firstRoot(c *placement.Consumer) string {
	for al := range a.Ledger.Allocations(c) {
		return a.Ledger.Root(al.Provider).Name()
	}
	return ""
}

// heldRoots returns the sorted names of the roots in whose trees c holds something,
// including pools.
func (a *auditor) heldRoots(c *placement.Consumer) []string {
	var names []string
	for n := range c.ProviderNumbers() {
		names = append(names, a.Ledger.ProviderAt(a.Ledger.ProviderAt(n).RootNumber()).Name())
	}
	slices.Sort(names)
	return slices.Compact(names)
}
