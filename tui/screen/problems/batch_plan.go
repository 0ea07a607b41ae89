package problems

import (
	"context"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
)

// planner plans a fix with a given name for findings.
type planner struct {
	name string
	now  time.Time
}

// all plans for each of items, on top of those before it.
func (p planner) all(ctx context.Context, snap *cloud.Snapshot, items []item) []item {
	out := make([]item, len(items))
	for i, it := range items {
		if ctx.Err() != nil {
			return out
		}
		out[i], snap = p.one(snap, it.finding)
	}
	return out
}

// one plans for a finding, and returns the resulting cloud.
func (p planner) one(s *cloud.Snapshot, f audit.Finding) (item, *cloud.Snapshot) {
	out := item{finding: f, base: s}
	now, stands := f.StandsOn(s)
	if !stands {
		out.outcome = gone
		return out, s
	}
	out.finding = now
	fix, err := audit.FixNamed(s, now, p.name)
	after := s
	if err == nil {
		after, err = p.try(&out, fix)
	}
	if err != nil {
		out.outcome, out.why = refused, oneLine(err)
		return out, s
	}
	out.outcome = ready
	return out, after
}

// try fills in the effect of a fix on the base of an item, and returns the resulting
// cloud.
func (p planner) try(it *item, fix audit.Fix) (*cloud.Snapshot, error) {
	it.fix = fix
	after, err := fix.Try(it.base, p.now)
	if err != nil {
		return nil, err
	}
	if it.task, err = fix.Task(it.base); err != nil {
		return nil, err
	}
	r, err := ops.Rehearse(it.base, it.task, p.now)
	it.steps, it.preview, it.note = len(r.Steps), r.Outcome(), fix.Title
	if plan, ok := it.task.(ops.Plan); ok {
		it.note = plan.Change.Note
	}
	return after, err
}
