package demo

import (
	"context"
	"errors"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// contended is the number of the host that two services write to at once.
const contended = 6

// Contend lets a service write to a host of a made-up cloud of so many hosts, with the
// generation that the host had before another service wrote. The store refuses that each
// time the Runner tries, and remembers for a while that it did, which is the case of
// audit.RuleConflicts: it is no part of the cloud, so no Change of Build can bring it
// about. Nothing is written.
//
// Errors: those of a store that cannot be written.
func Contend(ctx context.Context, store ops.Store, hosts int, o ops.Runner) error {
	o.Actor, o.Untried = "neutron-server", true
	if err := o.Run(ctx, store, lateReport{hostName(hosts, contended)}); !errors.Is(err, placement.ErrConflict) {
		return err
	}
	return nil
}

// lateReport is the Task of a service that reports to a host, with the generation that it
// read before the last write there.
type lateReport struct{ host string }

var _ ops.Task = lateReport{}

func (lateReport) About() ops.Description { return ops.Description{Name: "report"} }

func (l lateReport) Next(s *cloud.Snapshot, _ time.Time) (ops.Step, bool, error) {
	p, ok := s.Placement().ProviderByName(l.host)
	if !ok || p.Generation() == 0 {
		return ops.Step{}, false, nil // a cloud too small for it
	}
	return ops.Step{
		Name: "report", Title: "report the physical networks of " + l.host + ", read before nova-compute wrote",
		Change: cloud.Change{Ops: []cloud.Op{placement.SetTraits{
			Provider: p.ID(), Generation: placement.Generation(p.Generation() - 1), Traits: s.Placement().TraitsOf(p),
		}}},
	}, true, nil
}

// Failed implements ops.Task: nothing was written.
func (lateReport) Failed(*cloud.Snapshot, time.Time, ops.Step, error) (cloud.Change, error) {
	return cloud.Change{}, nil
}
