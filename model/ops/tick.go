package ops

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// Tick is a round of the resource tracker on a host, with that of Cyborg's agent where
// some of its cards are Cyborg's: what the machine says and the cloud does not is
// written, as one Change.
type Tick struct {
	By     string        // what it is for the journal, before the name of the host: "agent of"
	Tree   tracker.Tree  // as the machine was looked at
	Conf   tracker.Conf  // of the host
	Shared bool          // the disks of instances are on a pool
	Every  time.Duration // how often the service says that it is up; 0 for as often as it is on record to
	Agent  bool          // Cyborg's agent reports, too
	Cards  []cyborg.Card // that it reports
	// Elsewhere says that the cloud is a live one: only Placement is written, as its own
	// Nova and Cyborg write the rest, and nothing that others may have made is removed.
	Elsewhere bool
	inUse     map[placement.ProviderID]string // providers of a live cloud that may be in use, and why
	alone     map[placement.ConsumerID]string // servers of one that get no claim, and why; zero for all
	status    string                          // why the trait of a disabled host stays as it is
}

// TickResult is what a Tick found.
type TickResult struct {
	Tree  tracker.Tree // as it is reported: under the uuid on record
	Beat  []nova.Op    // of the service
	Out   tracker.Outcome
	Found cyborg.Discovery // of the cards that are Cyborg's
}

// Plan plans the round on s, at the given time.
//
// Errors: those of tracker.World and of cyborg.Discover.
//
// Source: nova/compute/resource_tracker.py, _update_available_resource;
// cyborg/agent/manager.py, update_available_resource.
func (t Tick) Plan(s *cloud.Snapshot, at time.Time) (Plan, TickResult, error) {
	w := worldOf(s)
	host := t.Tree.Root.Name
	if t.Elsewhere {
		return t.elsewhere(s, w, at)
	}
	out := TickResult{Tree: w.Adopt(host, t.Tree)}
	fail := func(err error) (Plan, TickResult, error) { return Plan{}, TickResult{}, err }
	var err error
	out.Beat = w.Heartbeat(host, nova.ServiceVersion, t.every(s), at)
	if w.Nova, _, err = w.Nova.Apply(nova.Change{At: at, Ops: out.Beat}); err != nil {
		return fail(err)
	}
	node, err := w.NodeOf(host, out.Tree, t.Conf)
	if err != nil {
		return fail(err)
	}
	node.SharedStorage = t.Shared
	if out.Out, err = w.Tick(node, out.Tree, at); err != nil {
		return fail(err)
	}
	c := cloud.Change{Note: t.By + " " + host, At: at, Ops: slices.Concat(out.Out.Ops, out.Beat, out.Out.Nova)}
	if t.Agent {
		next, _, err := s.Apply(c)
		if err != nil {
			return fail(err)
		}
		if out.Found, err = cyborg.Discover(next.Cyborg(), next.Placement(), host, t.Cards); err != nil {
			return fail(err)
		}
		c.Ops = slices.Concat(c.Ops, out.Found.Placement, out.Found.Cyborg)
	}
	p, err := planOf(s, c)
	p.Name = "report"
	return p, out, err
}

// Write plans the round and writes it. What may be in use on a live cloud, servers that may not be
// as they were listed, and the trait of a host of which Nova does not say whether it is disabled,
// are left as they are, and the rest is written.
//
// Errors: those of Plan and Runner.Write.
func (t Tick) Write(ctx context.Context, r Runner, store Store) (p Plan, out TickResult, done cloud.Commit, err error) {
	t.inUse, t.alone = map[placement.ProviderID]string{}, map[placement.ConsumerID]string{}
	for {
		var first Plan
		if first, err = Planner(func(s *cloud.Snapshot) (Plan, error) {
			var err error
			p, out, err = t.Plan(s, r.now())
			return p, err
		}).Plan(store.Snapshot()); err != nil {
			return p, out, done, err
		}
		done, err = r.Write(ctx, store, first)
		var used *cloud.GivenUpError
		var claimant *cloud.ClaimantError
		var status *cloud.StatusError
		switch {
		case errors.As(err, &used) && t.inUse[used.Provider] == "":
			t.inUse[used.Provider] = used.Left()
		case errors.As(err, &claimant) && errors.Is(err, placement.ErrUnavailable) && t.alone[placement.ConsumerID{}] == "":
			t.alone[placement.ConsumerID{}] = claimant.Err.Error() // Nova is not asked about the next one
		case errors.As(err, &claimant) && t.alone[claimant.Consumer] == "":
			t.alone[claimant.Consumer] = claimant.Err.Error()
		case errors.As(err, &status) && t.status == "":
			t.status = status.Err.Error()
		default:
			return p, out, done, err
		}
	}
}

// elsewhere plans the round for a live cloud.
func (t Tick) elsewhere(s *cloud.Snapshot, w tracker.World, at time.Time) (Plan, TickResult, error) {
	tree := t.Tree
	tree.KeepOthers, tree.InUse, tree.Alone, tree.UnknownStatus = true, t.inUse, t.alone, t.status
	host, tree := w.AdoptNamed(tree)
	out := TickResult{Tree: tree}
	node, err := w.NodeOf(host, tree, t.Conf)
	if err != nil {
		return Plan{}, TickResult{}, err
	}
	node.SharedStorage = t.Shared
	if out.Out, err = w.TickElsewhere(node, tree); err != nil {
		if _, taken := errors.AsType[*tracker.IdentityError](err); taken && s.Gap(cloud.Hypervisors) != "" && !s.Reading(cloud.Hypervisors).Without { // it may be its own, which only Nova says
			err = s.Missing(placement.NotFound("compute node", tree.Root.Name), cloud.Hypervisors)
		}
		return Plan{}, TickResult{}, err
	}
	p, err := planOf(s, cloud.Change{Note: t.By + " " + tree.Root.Name, At: at, Ops: slices.Clone(out.Out.Ops)})
	p.Name, p.Compares = "report", true
	return p, out, err
}

// every returns how often the service of the host is to report that it is up: at its own
// interval if that is longer than an agent's.
func (t Tick) every(s *cloud.Snapshot) time.Duration {
	if t.Every != 0 {
		return t.Every
	}
	every := tracker.HeartbeatEvery
	if svc, ok := s.Nova().Service(t.Tree.Root.Name, nova.Compute); ok {
		every = max(every, time.Duration(svc.ReportInterval)*time.Millisecond)
	}
	return every
}

// worldOf returns what a compute node knows of s.
func worldOf(s *cloud.Snapshot) tracker.World {
	return tracker.World{Placement: s.Placement(), Nova: s.Nova(), Live: s.Live() || s.Nova().Config().Live != ""}
}
