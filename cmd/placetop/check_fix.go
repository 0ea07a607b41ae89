package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
)

// repairRow is the result of repairing one finding.
type repairRow struct {
	Rule     audit.RuleID   `json:"rule"`
	Subject  string         `json:"subject"`
	What     string         `json:"what"`
	Outcome  string         `json:"outcome"` // fixed, prepared, would be either, not fixed, gone, left
	Fix      string         `json:"fix,omitempty"`
	Why      string         `json:"why,omitempty"`    // of what is left; else what is done
	Brings   []string       `json:"brings,omitempty"` // findings that there are for it, or that are worse
	Revision cloud.Revision `json:"revision,omitempty"`
}

// The outcomes of a repair.
const (
	repaired     = "fixed"
	prepared     = "prepared" // the finding remains until another remedy is taken
	goneOfItself = "gone"     // along with something that was repaired before it
	leftAsItIs   = "left"
	notRepaired  = "not fixed"  // its remedy was taken, but the finding remains
	notJudged    = "not judged" // nothing is known about the findings of the rule, or some of them
)

// outcome returns what became of the finding that x repairs.
func (r *repairer) outcome(x audit.Fix) string {
	done := repaired
	if x.Prepares {
		done = prepared
	}
	if r.DryRun {
		return "would be " + done
	}
	return done
}

// repairer repairs one finding after another, each on the state that the last one left.
type repairer struct {
	*program
	checkRequest
	store storage.Store
	now   *cloud.Snapshot // the newest; with dryRun, the one that it would be
	wrote cloud.Revision  // of the last step taken; 0 for none
	plans []string        // with dryRun: what would be written
}

// repair repairs what it can, prints the result for each finding, and returns the error
// for the exit code if something is left.
func (p *program) repair(ctx context.Context, store storage.Store, c checkRequest, found []audit.Finding, unjudged []audit.UnjudgedRule) error {
	r := repairer{program: p, checkRequest: c, store: store, now: store.Snapshot()}
	rows := make([]repairRow, 0, len(found))
	var failure error
	lost := false // somebody else was faster
	for _, f := range found {
		row, err := r.one(ctx, f)
		if err != nil {
			row.Outcome, row.Why = outcomeOf(err), oneLine(errorText(err))
			lost = lost || errors.Is(err, placement.ErrConflict) || errors.Is(err, cloud.ErrOvertaken)
		}
		rows = append(rows, row)
		// The next one may well succeed, unless nothing can be written at all.
		if cannot := store.Capabilities().Can(); err != nil && (ctx.Err() != nil || cannot != nil && !c.DryRun) {
			failure = err
			break
		}
	}
	for _, u := range unjudged {
		rows = append(rows, repairRow{Rule: u.Rule, Outcome: notJudged, Why: u.Text()})
	}
	out := p.printer()
	if out.People() {
		out.Lines(r.plans...)
	}
	if len(rows) > 0 || !out.People() {
		list := print.Columns("rule", "subject", "outcome", "fix", "why")
		for _, row := range rows {
			why := row.Why
			for _, f := range row.Brings {
				why += "; would raise " + f
			}
			list.Row(row.Rule, row.Subject, row.Outcome, row.Fix, why)
		}
		out.List(rows, list)
	}
	if failure != nil {
		return failure
	}
	if c.DryRun {
		p.say("dry run: nothing is written")
	}
	if n := len(slices.DeleteFunc(rows, func(row repairRow) bool { return row.Outcome != notRepaired })); n > 0 {
		return fmt.Errorf("still there after the fix: %s", counted(n, "problem"))
	}
	err := p.verdict(store, r.now, c, p.asked(store, c, r.now))
	if said, ok := errors.AsType[*exitError](err); ok && lost && said.code == exitProblems {
		said.code = exitConflict
	}
	return err
}

// outcomeOf returns the outcome of a repair that ended with err: it is left if it was
// refused, so that nothing was written.
func outcomeOf(err error) string {
	for _, refused := range []error{placement.ErrUnsupported, placement.ErrState, placement.ErrConflict, placement.ErrCapacity, placement.ErrNotFound, placement.ErrInvalid} {
		if errors.Is(err, refused) && !errors.Is(err, cloud.ErrInDoubt) {
			return leftAsItIs
		}
	}
	return notRepaired
}

// one repairs one finding. The error is that of a write that was refused, or failed.
func (r *repairer) one(ctx context.Context, f audit.Finding) (repairRow, error) {
	was := f
	row := repairRow{Rule: f.Rule, Subject: f.Subject, What: f.Text, Outcome: leftAsItIs}
	f, stands := was.StandsOn(r.now)
	if !stands {
		row.Outcome = goneOfItself
		if gone := was.Gone(r.now); !errors.Is(gone, placement.ErrNotFound) {
			row.Outcome, row.Why = notJudged, oneLine(errorText(gone))
		}
		return row, nil
	}
	fix, why := r.choose(f)
	if why != "" {
		row.Why = why
		return row, nil
	}
	next, err := fix.Try(r.now, r.program.now())
	if err != nil {
		row.Why = oneLine(errorText(err))
		return row, nil
	}
	clears, brings := audit.Consequences(r.now, next, r.program.now())
	if bad := worst(brings); bad != nil && bad.Severity >= f.Severity && !slices.Contains(r.With, fix.Name) {
		row.Why = fmt.Sprintf("%s would bring %s; take it with --with %s", fix.Name, bad, fix.Name)
		return row, nil
	}
	row.Fix = fix.Name
	for _, b := range brings {
		row.Brings = append(row.Brings, b.String())
	}
	if row.Why, err = r.take(ctx, fix); err != nil {
		if !r.DryRun {
			r.now = r.store.Snapshot()
		}
		if gone, ok := errors.AsType[*audit.FixedError](err); ok { // somebody else has repaired it
			row.Outcome, row.Fix, row.Why = goneOfItself, "", oneLine(gone.Error())
			return row, nil
		}
		return row, err
	}
	row.Outcome = r.outcome(fix)
	if r.DryRun {
		r.now = next
		for _, c := range clears {
			r.plans = append(r.plans, "  clears "+c.String())
		}
		for _, b := range brings {
			r.plans = append(r.plans, "  "+b.Raised())
		}
		return row, nil
	}
	r.now = r.store.Snapshot()
	row.Revision = r.wrote
	if row.Revision == 0 { // by Nova, or by somebody else
		row.Revision = r.now.Revision()
	}
	if err := fix.Outcome(r.now); err != nil {
		row.Outcome, row.Why = notRepaired, oneLine(errorText(err))
	}
	r.log.LogAttrs(ctx, slog.LevelInfo, "fix applied",
		slog.String("outcome", row.Outcome), slog.String("rule", string(f.Rule)), slog.String("fix", fix.Name), slog.Uint64("revision", uint64(row.Revision)))
	return row, nil
}

// worst returns the finding of the highest severity, or nil if there is none.
func worst(found []audit.Finding) *audit.Finding {
	var bad *audit.Finding
	for i := range found {
		if bad == nil || found[i].Severity > bad.Severity {
			bad = &found[i]
		}
	}
	return bad
}

// take writes a fix, or notes what would be written, and returns in words what is done.
func (r *repairer) take(ctx context.Context, fix audit.Fix) (string, error) {
	preview, err := fix.Preview(r.now, r.program.now())
	if err != nil {
		return "", err
	}
	task, err := fix.Task(r.now)
	if err != nil {
		return "", err
	}
	what := fix.Title
	if plan, ok := task.(ops.Plan); ok {
		what = plan.Change.Note
	}
	if err := r.able(task); err != nil {
		return what, err
	}
	preview = preview.On(r.store.Capabilities())
	if r.DryRun {
		r.plans = append(append(r.plans, what+":"), preview.Lines()...)
		return what, nil
	}
	o := r.runner(ctx)
	o.Shown = &ops.ExpectedOutcome{On: r.now, Outcome: preview}
	r.wrote = 0
	o.Report = func(d ops.StepDone) { r.wrote = d.Event.Revision }
	if err := o.Run(ctx, r.store, task); err != nil {
		return what, fmt.Errorf("%s: %w", what, err)
	}
	return what, nil
}

// able returns an error if the cloud cannot carry out a step of a task: what Nova alone
// writes, a live cloud leaves to it.
func (r *repairer) able(task ops.Task) error {
	all, err := ops.Rehearse(r.now, task, r.program.now())
	if err != nil {
		return err
	}
	can := r.store.Capabilities()
	if r.DryRun {
		can.ReadOnly = "" // it is only tried
	}
	for _, step := range all.Steps {
		if err := can.Can(api.Sent(all.Start, step.Change.Ops)...); err != nil {
			return err
		}
	}
	return nil
}

// choose returns the fix to apply to f, or why there is none: the requested one, or the
// only one that clears the finding without further decisions.
func (r *repairer) choose(f audit.Finding) (fix audit.Fix, why string) {
	all := audit.Fixes(r.now, f)
	for _, name := range r.With {
		i := slices.IndexFunc(all, func(x audit.Fix) bool { return x.Name == name })
		if i < 0 {
			continue
		}
		if all[i].Unlikely != "" && len(r.Subjects) == 0 {
			return audit.Fix{}, fmt.Sprintf("%s is unlikely, as %s; if it is right, name it with --subject", name, all[i].Unlikely)
		}
		return all[i], ""
	}
	sure := slices.DeleteFunc(slices.Clone(all), func(x audit.Fix) bool { return x.Prepares || x.Choice })
	switch {
	case len(sure) == 1:
		return sure[0], ""
	case len(all) == 0:
		return audit.Fix{}, audit.NoFix(r.now, f)
	}
	return audit.Fix{}, "choose one with --with: " + joined(all, func(x audit.Fix) string { return x.Name })
}
