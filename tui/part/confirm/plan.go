package confirm

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// proposal is a rehearsed task, with its effect.
type proposal struct {
	snap    *cloud.Snapshot
	task    ops.Task            // the rehearsed task
	at      time.Time           // when it was rehearsed
	all     ops.Preview         // the total effect
	between *ops.Preview        // the effect of Run, before Then; nil without Then
	steps   []ops.RehearsedStep // of Run
	checks  []panel.Check
	wrote   []string // lines of sheet.WritersText about what was shown before
	able    ops.Each // those of several tasks that could be done without the rest
	rest    []error  // why each of the others cannot
	over    bool     // of a course that had begun: nothing of it is left to finish or to undo
	err     error
}

// rehearsal returns a function that rehearses the course on the newest Snapshot.
func (p *Page) rehearsal() func(context.Context) *proposal {
	snap, courses, now, begun := p.snap, p.pure(), p.env.Clock(), p.Resumes()
	seen, journal, leftOut := p.seen, p.env.Cloud, p.leftOut
	return func(ctx context.Context) *proposal {
		prop := propose(ctx, snap, courses, now, begun)
		prop.on(journal.Capabilities())
		for _, why := range leftOut {
			prop.checks = append(prop.checks, panel.Check{Severity: style.SeverityWarn, Text: "left out: " + why.Error()})
		}
		prop.over = begun && ctx.Err() == nil && over(prop, courses.Undo)
		if seen != nil && ctx.Err() == nil {
			prop.wrote = panel.WritersText(ctx, journal, seen.all, seen.snap.Revision(), snap.Revision())
		}
		return &prop
	}
}

// on adds the requests that a cloud with these Capabilities is sent in addition.
func (prop *proposal) on(can cloud.Capabilities) {
	prop.all = prop.all.On(can)
	for i := range prop.steps {
		prop.steps[i].Preview = prop.steps[i].Preview.On(can)
	}
}

// over reports whether a course that had begun has come to its end, or was undone.
func over(prop proposal, undo ops.Task) bool {
	if prop.err == nil {
		return len(prop.steps) == 0
	}
	if undo == nil {
		return false
	}
	r, err := ops.Rehearse(prop.snap, undo, prop.at)
	return err == nil && len(r.Steps) == 0
}

// pure returns what decides the tasks off the event loop.
func (p *Page) pure() plans { return plans{p.spec.Plan, p.courses} }

// plans are a plan of one write, or courses.
type plans struct {
	one ops.Planner
	Courses
}

// propose rehearses courses on snap. Questions to answer before a course begins are
// skipped for one that has begun.
func propose(ctx context.Context, snap *cloud.Snapshot, c plans, now time.Time, begun bool) proposal {
	prop := proposal{snap: snap, at: now}
	if asks, ok := c.Run.(ops.Checker); ok && !begun {
		prop.checks = panel.CheckList(asks.Checks(snap, now))
	}
	r, held, err := rehearse(&prop, snap, c, now)
	if err != nil {
		prop.err = err
		if all, several := prop.task.(ops.Each); several && len(all) > 1 && !begun && ctx.Err() == nil {
			prop.able, prop.rest = all.Able(snap, now)
		}
		return prop
	}
	if ctx.Err() != nil {
		return prop
	}
	prop.checks = append(prop.checks, consequences(r, held)...)
	for _, w := range prop.all.Warnings {
		prop.checks = append(prop.checks, panel.Check{Severity: style.SeverityWarn, Text: w})
	}
	return prop
}

// consequences returns which problems end and begin, and which are cleared only after
// held, if it is not nil.
func consequences(r ops.Rehearsal, held *cloud.Snapshot) []panel.Check {
	clears, brings := panel.Consequences(r.Start, r.Final)
	checks := panel.ConsequenceChecks(clears, brings)
	if held == nil || len(clears) == 0 {
		return checks
	}
	atOnce, _ := panel.Consequences(r.Start, held)
	for i, f := range clears {
		if !slices.ContainsFunc(atOnce, f.Same) {
			checks[i].Text = "once confirmed, " + checks[i].Text
		}
	}
	return checks
}

// needed returns what of Run is still needed.
func (c Courses) needed(s *cloud.Snapshot) (ops.Task, error) {
	all, several := c.Run.(ops.Each)
	switch {
	case c.Needed == nil:
		return c.Run, nil
	case !several:
		all = ops.Each{c.Run}
	}
	var still ops.Each
	for _, t := range all {
		needed, err := c.Needed(s, t)
		if err != nil {
			return c.Run, err
		}
		if needed {
			still = append(still, t)
		}
	}
	if !several && len(still) == 1 {
		return c.Run, nil
	}
	return still, nil
}

// rehearse fills in the effect of courses, and returns all of it as one, and the cloud
// between Run and Then; nil without Then.
func rehearse(prop *proposal, snap *cloud.Snapshot, c plans, now time.Time) (r ops.Rehearsal, held *cloud.Snapshot, err error) {
	if prop.task, err = c.needed(snap); err != nil {
		return r, nil, err
	}
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
	if err != nil && ops.IsNovaTask(c.Run) {
		return r, nil, nil // its effect cannot be predicted
	}
	if err != nil {
		return r, nil, err
	}
	between, held := prop.all, r.Final
	prop.between = &between
	r.Steps, r.Final = append(slices.Clip(r.Steps), then.Steps...), then.Final
	prop.all = r.Outcome()
	prop.all = prop.all.SaidAs(between)
	return r, held, nil
}

// plannedIs shows a rehearsal.
func (p *Page) plannedIs(prop proposal) {
	if p.Resumes() {
		p.prop = prop
		if prop.over {
			p.stage = done
			p.said = panel.Say(style.SeverityInfo, "OVER", "someone else has finished or undone it; there is nothing left to do here")
		}
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
				break // it was refused, and the user has not seen what is possible now
			}
			if p.moved = p.otherwise(prop); len(p.moved) > 0 {
				p.moved = slices.Concat(prop.wrote, p.moved)
				p.word, p.said = nil, panel.Banner{}
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

// otherwise returns how prop differs from what the user has seen. Requests to a service
// stay the same, whatever the forecast.
func (p *Page) otherwise(prop proposal) []string {
	if ops.IsNovaTask(prop.task) {
		return nil
	}
	return panel.ChangesSince(p.seen.all, prop.all)
}

// shown returns what prop showed of the task to run.
func (prop *proposal) shown() *ops.ExpectedOutcome {
	if prop.between != nil {
		return &ops.ExpectedOutcome{On: prop.snap, Outcome: *prop.between}
	}
	return &ops.ExpectedOutcome{On: prop.snap, Outcome: prop.all}
}

// why returns why a course cannot be done, and why its steps cannot be undone.
func why(err error) (cause error, stuck error) {
	if f, ok := errors.AsType[*ops.FailedError](err); ok {
		return f.Cause, f.Stuck
	}
	return err, nil
}
