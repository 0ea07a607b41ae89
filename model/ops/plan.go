package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Plan is a Change that has been decided but not written: what a planner makes of
// a wish and a Snapshot. Callers set Change.Actor, and show Preview before Run.
type Plan struct {
	Change  cloud.Change
	Preview Preview

	// again decides the same wish on a newer Snapshot.
	again Planner
}

// Planner decides a wish on a Snapshot: what a Plan is made of, and made anew after
// a conflict.
type Planner func(*cloud.Snapshot) (cloud.Change, error)

// Empty reports whether there is nothing to do: the cloud is as wished already.
func (p Plan) Empty() bool { return p.Preview.Empty() }

// Plan decides the wish on s and previews the outcome.
//
// Errors: those of the Planner, and of Snapshot.Apply.
func (again Planner) Plan(s *cloud.Snapshot) (Plan, error) {
	c, err := again(s)
	if err != nil {
		return Plan{}, err
	}
	preview, err := PreviewChange(s, c)
	if err != nil {
		return Plan{}, err
	}
	return Plan{Change: c, Preview: preview, again: again}, nil
}

// PlanChange returns a Plan for a Change that somebody else has made. Run writes
// it once: it is not decided anew after a conflict.
func PlanChange(s *cloud.Snapshot, c cloud.Change) (Plan, error) {
	preview, err := PreviewChange(s, c)
	return Plan{Change: c, Preview: preview}, err
}

// mostTries is how often Run decides anew before it gives up.
const mostTries = 5

// ChangedError reports that the cloud changed after a Plan was shown, so that it
// would now do something else, or could not be done. It matches what the write
// was refused with, mostly placement.ErrConflict. Plan is the outcome as it would
// be now, to be shown and accepted; it is empty where Now is set.
type ChangedError struct {
	Plan        Plan
	Differences []string // what of the outcome is another now, as "h: VCPU 2 now, 4 shown"
	Now         error    // why the wish cannot be granted any more; nil where it can
	Cause       error    // with what the write was refused
}

// Error implements error.
func (e *ChangedError) Error() string {
	if e.Now != nil {
		return fmt.Sprintf("the cloud has changed since this was planned, and it cannot be done any more: %v", e.Now)
	}
	return "the cloud has changed since this was planned: " + strings.Join(e.Differences, "; ")
}

// Unwrap returns the causes.
func (e *ChangedError) Unwrap() []error {
	if e.Now != nil {
		return []error{e.Now, e.Cause}
	}
	return []error{e.Cause}
}

// Run writes p. Where somebody else wrote in between, it decides the wish again on
// the newest Snapshot of r, and writes that as long as the outcome is the one
// that was shown, generations apart; it tries a few times. Otherwise nothing is
// written and the error is a ChangedError with the outcome as it would be now.
//
// Other errors are those of w.
func Run(ctx context.Context, w cloud.Writer, r cloud.Reader, p Plan) (cloud.Commit, error) {
	shown := p.Preview
	for try := 1; ; try++ {
		commit, err := w.Apply(ctx, p.Change)
		if err == nil || p.again == nil || !raced(err) || try == mostTries {
			return commit, err
		}
		next, nowErr := p.again.Plan(r.Snapshot())
		if nowErr != nil {
			return commit, &ChangedError{Now: nowErr, Cause: err}
		}
		if next.Empty() {
			return cloud.Commit{Snapshot: r.Snapshot()}, nil // somebody else has done the very thing
		}
		next.Change.Actor, next.Change.At = p.Change.Actor, p.Change.At
		if diff := Differences(shown, next.Preview); len(diff) > 0 {
			return commit, &ChangedError{Plan: next, Differences: diff, Cause: err}
		}
		p = next
	}
}

// raced reports whether err may come of somebody else's write: a stale
// generation, or room that is gone. The answer to both is to decide again, on the
// newest state, never to repeat the write.
func raced(err error) bool {
	return errors.Is(err, placement.ErrConflict) || errors.Is(err, placement.ErrCapacity)
}

// Differences says in what two previews do something else, as "now h holds VCPU 2
// on c", none where the outcome is the same. Generations, and what others use, may
// differ.
func Differences(shown, now Preview) []string {
	was, is := shown.outcome(), now.outcome()
	var out []string
	for _, line := range is {
		if !slices.Contains(was, line) {
			out = append(out, "now "+line)
		}
	}
	for _, line := range was {
		if !slices.Contains(is, line) {
			out = append(out, "no longer "+line)
		}
	}
	return out
}

// outcome returns what p does, line by line, without the state in which it finds
// the cloud.
func (p Preview) outcome() []string {
	out := slices.Clone(p.Names)
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, d := range p.Providers {
		switch {
		case d.Created():
			add("create %s below %q", d.Name, d.Parent)
		case d.Deleted():
			add("delete %s", d.Name)
		case d.Moved:
			add("move %s below %q", d.Name, d.Parent)
		}
		if d.OldName != "" {
			add("rename %s to %s", d.OldName, d.Name)
		}
		for _, c := range d.Classes {
			if !c.InventoryChanged() {
				continue
			}
			if c.After == nil {
				add("remove the inventory of %s from %s", c.Class, d.Name)
				continue
			}
			add("set %s of %s to %+v", c.Class, d.Name, *c.After)
		}
		for _, t := range d.TraitsAdded {
			add("add %s to %s", t, d.Name)
		}
		for _, t := range d.TraitsRemoved {
			add("remove %s from %s", t, d.Name)
		}
		for _, a := range d.AggregatesAdded {
			add("add %s to aggregate %s", d.Name, a)
		}
		for _, a := range d.AggregatesRemoved {
			add("remove %s from aggregate %s", d.Name, a)
		}
	}
	for _, c := range p.Consumers {
		lost, got := c.delta()
		for _, h := range got {
			add("%s holds %s %d on %s", consumerTitle(c), h.Class, h.Amount, h.Name)
		}
		for _, h := range lost {
			add("%s no longer holds %s %d on %s", consumerTitle(c), h.Class, h.Amount, h.Name)
		}
	}
	for _, d := range p.Ledgers {
		out = append(out, d.outcome()...)
	}
	return out
}
