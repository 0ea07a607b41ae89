package ops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Plan is a Change that was decided but not written: what a planner makes of a wish
// and a Snapshot. It is a Task of one step, and is decided again if the cloud has
// changed since.
type Plan struct {
	Name    string // a word for what is done, "write" unless given
	Change  cloud.Change
	Preview Preview

	On    *cloud.Snapshot // that it was decided on
	After *cloud.Snapshot // with the Change, on that

	// Compares says that it is the difference between what is and what should be, so that the
	// rest of it can be planned when another writer was faster halfway.
	Compares bool

	// again makes the same plan on a newer Snapshot.
	again Planner
}

var _ Task = Plan{}

// Planner turns a wish into a Plan on a Snapshot.
type Planner func(*cloud.Snapshot) (Plan, error)

// Plan plans on s, so that the Plan is made again by all of again.
//
// Errors: those of again.
func (again Planner) Plan(s *cloud.Snapshot) (Plan, error) {
	p, err := again(s)
	if p.On == nil {
		p.On, p.After = s, s // there is nothing to do
	}
	p.again = again
	return p, err
}

// Decider turns a wish into a Change, on a given Snapshot: what a Plan is made of.
type Decider func(*cloud.Snapshot) (cloud.Change, error)

// Plan decides the wish on s and previews the outcome.
//
// Errors: those of the Decider, and of Snapshot.Apply.
func (again Decider) Plan(s *cloud.Snapshot) (Plan, error) { return again.With(nil).Plan(s) }

// With returns a planner that adds the warnings that remarks returns about a Plan: not
// wrong, but worth a thought.
func (again Decider) With(remarks func(Plan) []string) Planner {
	return func(s *cloud.Snapshot) (Plan, error) {
		c, err := again(s)
		if err != nil {
			return Plan{}, err
		}
		p, err := planOf(s, c)
		if err == nil && remarks != nil {
			p.Preview.Warnings = append(p.Preview.Warnings, remarks(p)...)
		}
		return p, err
	}
}

// PlanChange returns a Plan for a Change that was composed elsewhere: after a race it is
// planned again unchanged, with its outcome at that time.
//
// Errors: those of Snapshot.Apply.
func PlanChange(s *cloud.Snapshot, c cloud.Change) (Plan, error) {
	return Decider(func(*cloud.Snapshot) (cloud.Change, error) { return c, nil }).Plan(s)
}

// planOf returns what c does to s.
func planOf(s *cloud.Snapshot, c cloud.Change) (Plan, error) {
	preview, after, err := previewChange(s, c)
	return Plan{Change: c, Preview: preview, On: s, After: after}, err
}

// Empty reports whether there is nothing to do, because the cloud is already as
// wished.
func (p Plan) Empty() bool { return p.Preview.Empty() }

// Shown returns p as something that a person has seen.
func (p Plan) Shown() *ExpectedOutcome { return &ExpectedOutcome{On: p.On, Outcome: p.Preview} }

// Decided returns p as something that was asked for, and that nobody has seen.
func (p Plan) Decided() *ExpectedOutcome {
	return &ExpectedOutcome{On: p.On, Outcome: p.Preview, Decided: true}
}

// WrittenAt returns p as written at the given time.
func (p Plan) WrittenAt(at time.Time) Plan {
	if !p.Empty() {
		p.Change.At, p.After = at, p.After.AsOf(at)
	}
	return p
}

// About implements Task.
func (p Plan) About() Description { return Description{Name: cmp.Or(p.Name, "write")} }

// Next implements Task: p itself on the Snapshot that it was decided on, or p decided
// again on any other.
func (p Plan) Next(s *cloud.Snapshot, _ time.Time) (Step, bool, error) {
	if s != p.On {
		actor, force := p.Change.Actor, p.Change.Force
		var err error
		if p, err = p.again.Plan(s); err != nil {
			return Step{}, false, err
		}
		p.Change.Actor, p.Change.Force = actor, max(p.Change.Force, force)
	}
	if p.Empty() {
		return Step{}, false, nil
	}
	step := Step{Name: p.About().Name, Title: p.Change.Note, Change: p.Change, plan: &p}
	if slices.ContainsFunc(p.Change.Ops, withoutGeneration) {
		step.Change.Seen = &cloud.Seen{On: p.On.Revision(), Changes: p.Preview.Records}
	}
	return step, true, nil
}

// withoutGeneration reports whether an operation names no generation: only the records that it
// changes say what it overwrites.
func withoutGeneration(op cloud.Op) bool {
	switch op.(type) {
	case placement.UpdateProvider, placement.DeleteProvider, placement.DeleteInventory, placement.DeleteAllocations:
		return true
	}
	_, put := op.(placement.PutRecords) // these say what they replace
	return !put && !placement.Owns(op)
}

// Failed implements Task: there is nothing to undo.
func (Plan) Failed(*cloud.Snapshot, time.Time, Step, error) (cloud.Change, error) {
	return cloud.Change{}, nil
}

// ChangedError reports that the cloud changed after a Task was shown, so that it
// would now do something else, or could not be done. It matches what the write
// was refused with, and placement.ErrConflict if it would do something else. Shown is
// the outcome as it would be now, to be shown and accepted; it is empty if Now is set.
type ChangedError struct {
	Shown       ExpectedOutcome
	Plan        Plan     // of one that is a Plan
	Differences []string // what of the outcome is another now, one line each
	Now         error    // why the wish cannot be granted any more; nil if it can
	Cause       error    // with what the write was refused
}

func (e *ChangedError) Error() string {
	if e.Now != nil {
		return fmt.Sprintf("the cloud has changed since this was planned, and it can no longer be done: %v", e.Now)
	}
	return "the cloud has changed since this was planned: " + strings.Join(e.Differences, "; ")
}

// Unwrap returns the causes.
func (e *ChangedError) Unwrap() []error {
	if e.Now != nil {
		return []error{e.Now, e.Cause}
	}
	return []error{placement.ErrConflict, e.Cause}
}
