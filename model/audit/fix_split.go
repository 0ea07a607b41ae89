package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// keepTreeFixes keep what a consumer holds in one tree, and in the pools that
// serve it, and release the rest. Of an instance that runs on a host, that is the
// tree of the host: it keeps no other, and where it holds nothing there, it first
// has to.
func keepTreeFixes(s *cloud.Snapshot, f Finding) []Fix {
	c, ok := s.Placement().Consumer(f.Consumer)
	if !ok {
		return nil
	}
	if m := leaving(s, f.Consumer); m != nil {
		return vacateFixes(s, f, m)
	}
	a := newAuditor(s)
	var runs *placement.ResourceProvider // nil where it may be anywhere
	if i, ok := s.Nova().Instance(f.Consumer); ok && i.Live() && i.Host != "" {
		if runs, ok = a.HostProvider(i.Host); !ok {
			return nil
		}
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
		if c, err := keepTree(s, f.Consumer, root.ID()); err == nil && !c.Cyborg.Empty() {
			x.Title, x.Choice = x.Title+" with its accelerators", true
		}
		out = append(out, x)
	}
	if runs != nil && len(out) == 0 {
		return comeHomeFixes(s, f)
	}
	return out
}

// leaving returns the evacuation of an instance that is not over, be it under way or
// done while the host that was left is not vacated; nil where there is none.
func leaving(s *cloud.Snapshot, instance placement.ConsumerID) *nova.Migration {
	for m := range s.Nova().MigrationsOf(instance) {
		if m.Evacuating() {
			return m
		}
	}
	return nil
}

// vacateFixes let an instance go of what it has on the host that it was evacuated from:
// once that is up again, or where people know that it never will be. As long as it is
// down it may still run the guest.
func vacateFixes(s *cloud.Snapshot, f Finding, m *nova.Migration) []Fix {
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

// notVacated says why what an evacuated instance holds of two hosts has no fix, "" where
// it was not evacuated.
func notVacated(s *cloud.Snapshot, f Finding) string {
	m := leaving(s, f.Consumer)
	switch {
	case m == nil:
		return ""
	case !m.ToVacate():
		return fmt.Sprintf("its evacuation from %s is %s: finish it, or undo it (placetop recover)", m.Source, m.Status)
	default:
		_, _, err := ops.Vacate{Migration: m.UUID}.Next(s, f.asked(s).At)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("what it holds of %s goes when that is up again: it may still run there", m.Source)
	}
}

// keepTree releases what a consumer holds outside of a tree and the pools that
// serve it.
func keepTree(s *cloud.Snapshot, consumer placement.ConsumerID, root placement.ProviderID) (cloud.Change, error) {
	c, ok := s.Placement().Consumer(consumer)
	if !ok {
		return cloud.Change{}, &placement.NotFoundError{What: "consumer", Name: consumer.String()}
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
		return cloud.Change{}, &placement.NotFoundError{What: "allocation", Name: fmt.Sprintf("of %s in the tree of %s", ops.ConsumerName(s, consumer), top.Name())}
	}
	change, err := ops.LetGo(s, consumer, claim)
	change.Note = fmt.Sprintf("release what %s holds outside of %s", ops.ConsumerName(s, consumer), top.Name())
	return change, err
}
