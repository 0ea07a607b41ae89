package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/ops/audit"
	"github.com/placetop/placetop/storage"
)

// repairRow is what became of one finding.
type repairRow struct {
	Rule     audit.RuleID   `json:"rule"`
	Subject  string         `json:"subject"`
	What     string         `json:"what"`
	Outcome  string         `json:"outcome"` // fixed, would be fixed, gone, left
	Fix      string         `json:"fix,omitempty"`
	Why      string         `json:"why,omitempty"` // of what is left; else what is done
	Revision cloud.Revision `json:"revision,omitempty"`
}

// The outcomes of a repair.
const (
	repaired     = "fixed"
	wouldRepair  = "would be fixed"
	goneOfItself = "gone" // with what was repaired before it
	leftAsItIs   = "left"
)

// repairer repairs one finding after the other, each on what the one before has
// left.
type repairer struct {
	*program
	checking
	store storage.Store
	now   *cloud.Snapshot // the newest; with dryRun, the one that would be
	plans []string        // with dryRun: what would be written
}

// repair repairs what it can, prints what became of each finding, and returns the
// error for the exit code where something is left.
func (p *program) repair(ctx context.Context, store storage.Store, out *printer, c checking, found []audit.Finding) error {
	r := repairer{program: p, checking: c, store: store, now: store.Snapshot()}
	rows := make([]repairRow, 0, len(found))
	var failure error
	for _, f := range found {
		row, err := r.one(ctx, f)
		if err != nil {
			failure = err
			break
		}
		rows = append(rows, row)
	}
	table := *c.format == formatTable || *c.format == formatWide
	if table {
		if err := lines(out, r.plans...); err != nil {
			return errors.Join(failure, err)
		}
	}
	if len(rows) > 0 || !table {
		if err := printList(out, repairColumns(), rows, false); err != nil {
			return errors.Join(failure, err)
		}
	}
	if failure != nil {
		return failure
	}
	if c.dryRun {
		p.say("dry run: nothing is written")
	}
	report, err := p.asked(ctx, store, c, r.now)
	if err != nil {
		return err
	}
	return p.verdict(c, report)
}

func repairColumns() []column[repairRow] {
	return []column[repairRow]{
		text("rule", func(r repairRow) string { return string(r.Rule) }),
		text("subject", func(r repairRow) string { return r.Subject }),
		text("outcome", func(r repairRow) string { return r.Outcome }),
		text("fix", func(r repairRow) string { return r.Fix }),
		text("why", func(r repairRow) string { return r.Why }),
	}
}

// one repairs one finding. The error is that of a write that failed, after which
// nothing more is tried.
func (r *repairer) one(ctx context.Context, f audit.Finding) (repairRow, error) {
	row := repairRow{Rule: f.Rule, Subject: f.Subject, What: f.Text, Outcome: leftAsItIs}
	f, stands := f.StandsOn(r.now)
	if !stands {
		row.Outcome = goneOfItself
		return row, nil
	}
	fix, why := r.choose(f)
	if why != "" {
		row.Why = why
		return row, nil
	}
	row.Fix = fix.Name
	if fix.Course() != nil {
		return r.course(ctx, row, fix)
	}
	plan, err := fix.Plan(r.now)
	if err != nil {
		row.Why = oneLine(err.Error())
		return row, nil
	}
	plan.Change.Actor = r.actor()
	row.Why = plan.Change.Note
	if r.dryRun {
		next, _, err := r.now.Apply(plan.Change)
		if err != nil {
			return row, err
		}
		r.now, row.Outcome = next, wouldRepair
		r.plans = append(append(r.plans, plan.Change.Note+":"), plan.Preview.Lines()...)
		return row, nil
	}
	commit, err := ops.Run(ctx, r.store, r.store, plan)
	if err != nil {
		return row, fmt.Errorf("%s: %w", plan.Change.Note, err)
	}
	r.now, row.Outcome, row.Revision = commit.Snapshot, repaired, commit.Snapshot.Revision()
	r.log.LogAttrs(ctx, slog.LevelInfo, "repaired",
		slog.String("rule", string(f.Rule)), slog.String("fix", fix.Name), slog.Uint64("revision", uint64(row.Revision)))
	return row, nil
}

// course repairs one finding by a use-case of several changes.
func (r *repairer) course(ctx context.Context, row repairRow, fix audit.Fix) (repairRow, error) {
	row.Why = fix.Title
	preview, err := fix.Preview(r.now, r.program.now())
	if err != nil {
		row.Why = oneLine(err.Error())
		return row, nil
	}
	if r.dryRun {
		rehearsal, err := ops.Rehearse(r.now, fix.Course(), r.program.now())
		if err != nil {
			return row, err
		}
		r.now, row.Outcome = rehearsal.Final, wouldRepair
		r.plans = append(append(r.plans, fix.Title+":"), preview.Lines()...)
		return row, nil
	}
	err = ops.Advance(ctx, r.store, r.store, fix.Course(), ops.AdvanceOptions{Actor: r.actor(), Now: r.program.now})
	if err != nil {
		return row, fmt.Errorf("%s: %w", fix.Title, err)
	}
	r.now, row.Outcome = r.store.Snapshot(), repaired
	row.Revision = r.now.Revision()
	r.log.LogAttrs(ctx, slog.LevelInfo, "repaired",
		slog.String("rule", string(row.Rule)), slog.String("fix", fix.Name), slog.Uint64("revision", uint64(row.Revision)))
	return row, nil
}

// choose returns the fix to apply to f, or why there is none: the one that was
// named, or the only one that clears the finding and leaves nothing to decide.
func (r *repairer) choose(f audit.Finding) (fix audit.Fix, why string) {
	// What is for the user to type is not run.
	all := slices.DeleteFunc(audit.Fixes(r.now, f), func(x audit.Fix) bool { return x.Command != "" })
	for _, name := range r.with {
		if i := slices.IndexFunc(all, func(x audit.Fix) bool { return x.Name == name }); i >= 0 {
			return all[i], ""
		}
	}
	sure := slices.DeleteFunc(slices.Clone(all), func(x audit.Fix) bool { return x.Prepares || x.Choice })
	switch {
	case len(sure) == 1:
		return sure[0], ""
	case len(all) == 0:
		return audit.Fix{}, audit.RuleOf(f).Advice
	}
	var names []string
	for _, x := range all {
		names = append(names, x.Name)
	}
	return audit.Fix{}, "choose one with --with: " + strings.Join(names, ", ")
}
