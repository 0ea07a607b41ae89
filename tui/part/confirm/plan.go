package confirm

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/style"
)

// proposal is a rehearsed task, with what is known of where it leads.
type proposal struct {
	snap    *cloud.Snapshot
	task    ops.Task        // that was rehearsed
	at      time.Time       // when it was rehearsed
	all     ops.Preview     // to where it all leads
	between *ops.Preview    // where Run ends and Then has yet to come; nil without Then
	steps   []ops.Rehearsed // of Run
	after   []ops.Rehearsed // of Then
	checks  []sheet.Check
	wrote   []string // lines of sheet.Wrote about what was shown before
	err     error
}

// rehearsal returns the work that rehearses the course on the newest Snapshot.
func (p *Page) rehearsal() func(context.Context) proposal {
	snap, courses, now, begun := p.snap, p.pure(), p.env.Clock(), p.resuming()
	seen, journal := p.seen, p.env.Cloud
	return func(ctx context.Context) proposal {
		prop := propose(ctx, snap, courses, now, begun)
		if seen != nil && ctx.Err() == nil {
			prop.wrote = sheet.Wrote(ctx, journal, seen.all, seen.snap.Revision(), snap.Revision())
		}
		return prop
	}
}

// pure returns what decides the tasks off the event loop.
func (p *Page) pure() plans { return plans{p.spec.Plan, p.courses} }

// plans are a plan of one write, or else courses.
type plans struct {
	one ops.Planner
	Courses
}

// propose rehearses courses on snap. What is asked before they begin is not asked of
// one that has begun.
func propose(ctx context.Context, snap *cloud.Snapshot, c plans, now time.Time, begun bool) proposal {
	prop := proposal{snap: snap, at: now}
	if asks, ok := c.Run.(ops.Checker); ok && !begun {
		prop.checks = sheet.CheckList(asks.Checks(snap, now))
	}
	r, held, err := rehearse(&prop, snap, c, now)
	if err != nil {
		prop.err = err
		return prop
	}
	if ctx.Err() != nil {
		return prop
	}
	prop.checks = append(prop.checks, consequences(r, held)...)
	for _, w := range prop.all.Warnings {
		prop.checks = append(prop.checks, sheet.Check{Severity: style.SeverityWarn, Text: w})
	}
	return prop
}

// consequences says what becomes of problems, and which of them are cleared only by what
// comes after held, where that is something.
func consequences(r ops.Rehearsal, held *cloud.Snapshot) []sheet.Check {
	clears, brings := sheet.Consequences(r.Start, r.Final)
	checks := sheet.ConsequenceChecks(clears, brings)
	if held == nil || len(clears) == 0 {
		return checks
	}
	atOnce, _ := sheet.Consequences(r.Start, held)
	for i, f := range clears {
		if !slices.ContainsFunc(atOnce, f.Same) {
			checks[i].Text = "once confirmed, " + checks[i].Text
		}
	}
	return checks
}

// rehearse fills in what courses would do, and returns all of it as one, and the cloud
// where Run ends and Then has yet to come; nil without Then.
func rehearse(prop *proposal, snap *cloud.Snapshot, c plans, now time.Time) (r ops.Rehearsal, held *cloud.Snapshot, err error) {
	prop.task = c.Run
	if c.one != nil {
		plan, err := c.one.Plan(snap)
		if err != nil {
			return r, nil, err
		}
		prop.task = plan
	}
	r, err = ops.Rehearse(snap, prop.task, now)
	prop.steps = r.Steps
	if err != nil {
		return r, nil, err
	}
	prop.all = r.Outcome()
	if c.Then == nil {
		return r, nil, nil
	}
	then, err := ops.Rehearse(r.Final, c.Then, now)
	if err != nil && ops.IsAsked(c.Run) {
		return r, nil, nil // what comes of it could not be foretold
	}
	if err != nil {
		return r, nil, err
	}
	between, held := prop.all, r.Final
	prop.between, prop.after = &between, then.Steps
	r.Steps, r.Final = append(slices.Clip(r.Steps), then.Steps...), then.Final
	prop.all = r.Outcome()
	prop.all = prop.all.SaidAs(between)
	return r, held, nil
}

// plannedIs shows what was rehearsed.
func (p *Page) plannedIs(prop proposal) {
	if p.resuming() {
		p.prop = prop
	}
	if !p.Before() {
		return
	}
	switch {
	case prop.err != nil:
		p.stage, p.word = refused, nil
	default:
		switch p.stage {
		case planned:
			if p.seen == nil {
				break // it was refused, and nobody has looked at what can be done now
			}
			if p.moved = p.otherwise(prop); len(p.moved) > 0 {
				p.moved = slices.Concat(prop.wrote, p.moved)
				p.word, p.said = nil, sheet.Banner{}
				p.scroll.Home()
			}
		case refused:
			p.moved = []string{"it can be done now"}
		default:
		}
		if p.first == nil {
			p.first = &prop.all
		}
		if len(p.moved) == 0 {
			p.seen = &prop
		}
		p.stage = planned
	}
	p.prop = prop
}

// otherwise says what prop would do otherwise than what was looked at. What a service is
// asked stays the same, whatever becomes of the forecast.
func (p *Page) otherwise(prop proposal) []string {
	if ops.IsAsked(prop.task) {
		return nil
	}
	return sheet.Meanwhile(p.seen.all, prop.all)
}

// shown returns what of p was shown of the task that is run.
func (p *proposal) shown() *ops.Shown {
	if p.between != nil {
		return &ops.Shown{On: p.snap, Outcome: *p.between}
	}
	return &ops.Shown{On: p.snap, Outcome: p.all}
}

// why returns why a course cannot be done, and what its steps undo already stand
// for.
func why(err error) (cause error, stuck error) {
	if f, ok := errors.AsType[*ops.FailedError](err); ok {
		return f.Cause, f.Stuck
	}
	return err, nil
}
