package main

import (
	"context"
	"fmt"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/themes"
)

// registration is what registering a machine did, or would do.
type registration struct {
	Host        string               `json:"host"`
	DryRun      bool                 `json:"dry_run"`
	Changed     bool                 `json:"changed"` // or would be, with DryRun
	Revision    cloud.Revision       `json:"revision"`
	Operations  []string             `json:"operations"`
	Differences []tracker.Difference `json:"differences"`
	Records     []string             `json:"records"` // what is written beside Placement, and why, in words
	Problems    []machineProblem     `json:"problems"`
	NotReported []machineDevice      `json:"not_reported"`

	warnings []string
	tree     tracker.Tree // as reported
}

// register writes what the machine reports and the cloud lacks, as nova-compute does in
// each of its reports.
func (p *program) register(ctx context.Context, host hw.Host, tree tracker.Tree, o probeOptions, f format) error {
	out, err := p.printer(f)
	if err != nil {
		return err
	}
	open := p.openToWrite
	if o.dryRun {
		open = p.openToTry
	} else if err := p.mayWrite(); err != nil {
		return err
	}
	store, err := open(ctx)
	if err != nil {
		return err
	}
	reg, err := p.reconcile(ctx, store, tree, o)
	if err != nil {
		return fmt.Errorf("register %s: %w", tree.Root.Name, err)
	}
	for _, w := range reg.warnings {
		p.say("warning: %s", w)
	}
	report := newMachineReport(host, reg.tree)
	reg.Problems, reg.NotReported = report.Problems, report.NotReported
	if f == formatJSON || f == formatYAML {
		return out.value(reg)
	}
	if len(reg.Differences) > 0 || f == formatCSV {
		if err := printList(out, differenceColumns(), pointers(reg.Differences)); err != nil {
			return err
		}
	}
	for _, line := range reg.Records {
		p.say("%s", line)
	}
	p.sayProblems(report)
	switch {
	case !reg.Changed:
		p.say("nothing to do: %s is already as the machine says", reg.Host)
	case o.dryRun:
		p.say("would write %s; nothing is written", counted(len(reg.Operations), "operation"))
	default:
		p.say("registered %s, at revision %d", reg.Host, reg.Revision)
	}
	return nil
}

// reconcile plans and writes. If another write came in between, it plans again from the
// new state, as the plan is a comparison.
func (p *program) reconcile(ctx context.Context, store storage.Store, tree tracker.Tree, o probeOptions) (registration, error) {
	plan, found, done, err := p.writeTick(ctx, store, o.tick(tree, "register"), o.dryRun)
	if err != nil {
		return registration{}, err
	}
	if done.Snapshot == nil { // a dry run
		done.Snapshot = store.Snapshot()
	}
	reg := registration{
		Host: tree.Root.Name, DryRun: o.dryRun, Changed: !plan.Empty(), Revision: done.Snapshot.Revision(),
		Operations: []string{}, Differences: filled(found.Out.Differences), Records: []string{}, tree: found.Tree,
	}
	found.Out.Differences = nil // they have a table of their own
	rest := saidOf(plan, found)
	reg.Records, reg.warnings = append(reg.Records, rest.changes...), rest.warnings
	for _, op := range plan.Change.Ops {
		reg.Operations = append(reg.Operations, op.String())
	}
	return reg, nil
}

func differenceColumns() []column[*tracker.Difference] {
	verdict := text("verdict", func(d *tracker.Difference) string { return string(d.Verdict) })
	verdict.token = func(d *tracker.Difference) themes.Token {
		switch d.Verdict {
		case tracker.Written:
			return themes.Changed
		case tracker.Conflict:
			return themes.Critical
		default:
			return themes.Dim
		}
	}
	return []column[*tracker.Difference]{
		text("resource_provider", func(d *tracker.Difference) string { return d.Provider }),
		text("what", func(d *tracker.Difference) string { return d.What }),
		text("has", func(d *tracker.Difference) string { return d.Has }),
		text("want", func(d *tracker.Difference) string { return d.Want }),
		verdict,
		text("why", func(d *tracker.Difference) string { return d.Why }),
		wide(dim(text("source", func(d *tracker.Difference) string { return d.Source }))),
	}
}
