package ops

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// PlanNova plans a change of Nova's ledger that was decided on s, with what goes with it
// in Placement, and warns of a version that is newer than all that are known, and of one
// that brings owner tags, which are not there yet.
//
// Errors: those of Snapshot.Apply.
func PlanNova(s *cloud.Snapshot, note string, c nova.PutRecords, placed []placement.Op) (Plan, error) {
	return Decider(func(*cloud.Snapshot) (cloud.Change, error) {
		return cloud.Change{Note: note, Ops: append(slices.Clip(placed), c)}, nil
	}).With(rowRemarks).Plan(s)
}

// rowRemarks says what the rows of Nova's that p writes newly say, and hardly mean: a
// version that nobody knows, a host that no compute node has.
func rowRemarks(p Plan) []string {
	var out []string
	after := p.After.Nova()
	for _, c := range p.Preview.Records {
		switch is := c.After.(type) {
		case *nova.Service:
			was, ok := c.Before.(*nova.Service)
			if ok && was.Version == is.Version {
				continue
			}
			if text := tagsLater(after, p.On.Placement(), was, is); text != "" {
				out = append(out, text)
			}
			out = append(out, is.Remarks()...)
		case *nova.Instance:
			if was, ok := c.Before.(*nova.Instance); ok && was.Host == is.Host && was.Live() == is.Live() {
				continue
			}
			if is.Live() && is.Host != "" && !hasNode(after, is.Host) {
				out = append(out, fmt.Sprintf("instance %s is on host %s, which no compute node has", is.Name, is.Host))
			}
		}
	}
	return out
}

// hasNode reports whether a host has a compute node.
func hasNode(s *nova.Snapshot, host string) bool {
	for range s.ComputeNodesOf(host) {
		return true
	}
	return false
}
