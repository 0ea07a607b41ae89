package ops

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// UnclaimedError reports that an instance came back from a move holding nothing: its old
// claim was gone, and could not be made again. Healing makes it once it can be. It matches
// its cause.
type UnclaimedError struct {
	Instance string // its name
	Host     string // where it is again
	Cause    error  // why it could not claim again what its flavor asks for
}

func (e *UnclaimedError) Error() string {
	return fmt.Sprintf("%s is back on %s and has no allocations, as its old ones are gone and cannot be made again: %v", e.Instance, e.Host, e.Cause)
}

// Unwrap returns the cause.
func (e *UnclaimedError) Unwrap() error { return e.Cause }

// restoreWithout returns the step that brings the instance back from a move whose
// migration has lost the old claim, as it has nowhere else to go. In the same write it
// claims again what its old flavor asks for; if that is impossible it comes back with
// nothing, to be healed.
//
// Source: nova/compute/manager.py, _revert_allocation, which logs the loss and continues.
func (u work) restoreWithout(parked Amounts, stuck []*cyborg.ARQ) Step {
	step := Step{Name: "restore", Title: fmt.Sprintf("%s is allocated again what it had on %s: its migration no longer holds it", u.i.Name, u.m.Source)}
	u.letGo(&step.Change, parked)
	rekey(&step.Change, stuck, u.m.UUID)
	bare := step.Change
	u.write(&step.Change, u.returned)
	claim, err := u.claimAnew(step)
	if err == nil {
		step.Change.Ops = append(step.Change.Ops, claim...)
		return step
	}
	lost := &UnclaimedError{Instance: u.i.Name, Host: u.m.Source, Cause: err}
	step = Step{Name: "restore", Title: fmt.Sprintf("%s comes back to %s and holds nothing", u.i.Name, u.m.Source), Change: bare, Cause: lost}
	u.write(&step.Change, func(m *nova.Migration, i *nova.Instance) {
		m.Fault = lost.Error()
		u.returned(m, i)
	})
	return step
}

// letGo adds to c that the instance releases what it holds, and that the migration holds
// only what is parked.
func (u work) letGo(c *cloud.Change, parked Amounts) {
	put := func(id placement.ConsumerID, to Amounts) {
		if has, _ := held(u.s, id); has != nil || len(to) > 0 {
			replace(c, u.hold(id, to))
		}
	}
	put(u.i.UUID, nil)
	put(u.m.UUID, parked)
}

// claimAnew returns the operations after which the instance, brought back by a step,
// holds what its flavor asks for.
//
// Errors: those of HealChange, and why Placement would refuse it.
func (u work) claimAnew(back Step) ([]placement.Op, error) {
	next, _, err := u.s.Apply(back.change(u.at))
	if err != nil {
		return nil, err
	}
	heal, err := HealChange(next, u.i.UUID, false)
	if err != nil {
		return nil, err
	}
	_, _, err = next.Apply(heal)
	return heal.Ops, err
}
