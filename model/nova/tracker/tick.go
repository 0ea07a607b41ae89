package tracker

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Outcome is what a tick has to write, and what it saw. Ops and Nova belong
// together: they are one change, all or nothing.
type Outcome struct {
	Ops         []placement.Op
	Nova        []nova.Op
	Differences []Difference // between the machine and Placement
	Remarks     []Remark     // of consumers, but for those that are as they should be
}

// Tick is one round of the tracker of a compute node: driver is what the machine has now,
// at the time of the tick. It removes the allocations of deleted instances, writes which
// PCI devices there are, reports inventories and traits, heals instances that lack their
// claim, and writes the old columns along with Placement. A second tick on the outcome
// writes nothing.
//
// Upstream writes the columns before the inventories; here all is one change, and
// each step is decided on what those before it lead to: what is released makes
// room, and a claim needs its inventory.
//
// Errors: *IdentityError; *StillReportedError; placement.ErrInvalid for records that
// cannot be read.
//
// Source: nova/compute/resource_tracker.py, update_available_resource.
func (w World) Tick(node *Node, driver Tree, at time.Time) (Outcome, error) {
	t := tickRun{World: w, node: node.clone()}
	if err := t.release(); err != nil {
		return Outcome{}, err
	}
	if err := t.devices(driver); err != nil {
		return Outcome{}, err
	}
	if err := t.report(driver); err != nil {
		return Outcome{}, err
	}
	reported := len(t.out.Ops)
	if err := t.heal(false); err != nil {
		return Outcome{}, err
	}
	if len(t.out.Ops) > reported {
		// What was kept for a claim that has since moved away can go now.
		if err := t.report(driver); err != nil {
			return Outcome{}, err
		}
	}
	if err := t.assigned(driver); err != nil {
		return Outcome{}, err
	}
	if err := t.save(at); err != nil {
		return Outcome{}, err
	}
	return t.out, nil
}

// tickRun is a Tick in progress; its World is the result of the steps so far.
type tickRun struct {
	World
	node  *Node
	alone map[placement.ConsumerID]string
	out   Outcome
}

// do applies operations for the steps that follow, and keeps them.
func (t *tickRun) do(ops []placement.Op) error {
	if len(ops) == 0 {
		return nil
	}
	next, err := t.after(ops...)
	if err != nil {
		return err
	}
	t.World = next
	t.out.Ops = append(t.out.Ops, ops...)
	return nil
}

// release removes the allocations of instances that are gone.
func (t *tickRun) release() error {
	for _, f := range t.Audit(t.node) {
		if f.Case == CaseDeleted {
			if err := t.do(t.Release(f.Consumer, t.node.Provider())); err != nil {
				return fmt.Errorf("release instance %s: %w", f.Name, err)
			}
		}
		if f.Changed || f.Warning {
			t.out.Remarks = append(t.out.Remarks, f)
		}
	}
	return nil
}

// report makes Placement match the driver.
func (t *tickRun) report(driver Tree) error {
	tree, err := t.shape(t.node, driver)
	if err != nil {
		return err
	}
	change, differences, err := Report(t.Placement, tree)
	if err != nil {
		return err
	}
	for _, d := range differences {
		if d.Verdict == Written || !slices.Contains(t.out.Differences, d) {
			t.out.Differences = append(t.out.Differences, d)
		}
	}
	return t.do(change.Ops)
}

// heal gives each instance of the host the claim that its flavor asks for, if its own is
// missing or different. Those with an operation in progress are left alone, and so are
// those whose devices cannot be located. With missing only those that hold nothing get
// their claim.
//
// Source: nova/compute/resource_tracker.py of release Newton,
// _update_usage_from_instances; nova/cmd/manage.py, heal_allocations.
func (t *tickRun) heal(missing bool) error {
	host, nodes := t.node.Host, 0
	for range t.Nova.ComputeNodesOf(host) {
		nodes++
	}
	if nodes > 1 {
		return nil // an instance's record does not say on which of them it is
	}
	for i := range t.Nova.InstancesOn(host) {
		if _, holds := t.Placement.Consumer(i.UUID); !tracks(i) || missing && holds {
			continue
		}
		f := Remark{Consumer: i.UUID, Name: i.Name}
		lacks, err := t.healOne(i, &f)
		if err != nil {
			return fmt.Errorf("heal instance %s: %w", i.Name, err)
		}
		if lacks {
			t.out.Remarks = append(t.out.Remarks, f)
		}
	}
	return nil
}

// healOne heals one instance, and reports whether there is something to remark.
func (t *tickRun) healOne(i *nova.Instance, f *Remark) (bool, error) {
	if why := cmp.Or(t.alone[i.UUID], t.alone[placement.ConsumerID{}]); why != "" {
		f.Case, f.Warning, f.Text = CaseUnsaid, true, "holds nothing, but is left alone, as "+why
		return true, nil
	}
	if why := t.busy(i); why != "" {
		if _, holds := t.Placement.Consumer(i.UUID); holds {
			return false, nil
		}
		f.Case, f.Text = CaseBusy, "holds nothing, but is left alone: "+why
		return true, nil
	}
	ops, err := t.Claim(t.node, i, nil)
	switch unsaid := (*UnknownProviderError)(nil); {
	case errors.As(err, &unsaid):
		f.Case, f.Warning, f.Text = CaseUnsaid, true, "cannot be healed: "+err.Error()
		return true, nil
	case errors.Is(err, placement.ErrNotFound), errors.Is(err, placement.ErrInvalid):
		f.Case, f.Warning, f.Text = CaseRefused, true, "cannot be healed: "+err.Error()
		return true, nil
	case err != nil || len(ops) == 0:
		return false, err
	}
	had, _ := t.Placement.HeldBy(i.UUID)
	switch refused := t.do(ops); {
	case refused != nil:
		f.Case, f.Warning, f.Text = CaseRefused, true, "cannot be healed: "+refused.Error()
	case len(had) > 0:
		f.Case, f.Changed, f.Text = CaseHealed, true, "held something other than its flavor asks for: corrected"
	default:
		f.Case, f.Changed, f.Text = CaseHealed, true, "held nothing: given what its flavor asks for"
	}
	return true, nil
}

// save writes the old columns where they changed.
func (t *tickRun) save(at time.Time) error {
	op, err := t.counted(t.node, at)
	t.out.Nova = append(t.out.Nova, op...)
	return err
}
