package ops

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// PlanService plans a change of a service of Nova's, with what goes with it in
// Placement, and warns of a version that is newer than all that are known, and of one
// that brings owner tags, which are not there yet.
//
// Errors: those of Snapshot.Apply.
func PlanService(s *cloud.Snapshot, note string, c nova.PutRecords, placed []placement.Op) (Plan, error) {
	plan, err := PlanChange(s, cloud.Change{Note: note, Ops: append(placed, c)})
	if err != nil {
		return plan, err
	}
	return plan, plan.remarkRows(s)
}

// remarkRows warns of what the rows of Nova's that p writes on s newly say, and hardly
// mean: a version that nobody knows, a host that no compute node has.
//
// Errors: those of Snapshot.Apply.
func (p *Plan) remarkRows(s *cloud.Snapshot) error {
	next, done, err := s.Apply(p.Change)
	if err != nil {
		return err
	}
	after := next.Nova()
	for _, c := range done.Changes {
		switch is := c.After.(type) {
		case *nova.Service:
			was, ok := c.Before.(*nova.Service)
			if ok && was.Version == is.Version {
				continue
			}
			if text := tagsLater(after, s.Placement(), was, is); text != "" {
				p.warn("%s", text)
			}
			for _, text := range is.Remarks() {
				p.warn("%s", text)
			}
		case *nova.Instance:
			if was, ok := c.Before.(*nova.Instance); ok && was.Host == is.Host && was.Live() == is.Live() {
				continue
			}
			if is.Live() && is.Host != "" && !hasNode(after, is.Host) {
				p.warn("instance %s is on host %s, which no compute node has", is.Name, is.Host)
			}
		}
	}
	return nil
}

// hasNode reports whether a host has a compute node.
func hasNode(s *nova.Snapshot, host string) bool {
	for range s.ComputeNodesOf(host) {
		return true
	}
	return false
}
