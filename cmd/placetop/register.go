package main

import (
	"context"
	"fmt"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
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
func (p *program) register(ctx context.Context, host hw.Host, tree tracker.Tree, o probeOptions) error {
	store, err := p.openForWrite(ctx, &writing{makes: true, dryRun: o.dryRun}, nil)
	if err != nil {
		return err
	}
	reg, err := p.reconcile(ctx, store, tree, o)
	if err != nil {
		return fmt.Errorf("register %s: %w", tree.Root.Name, err)
	}
	p.warn(reg.warnings...)
	report := newMachineReport(host, reg.tree)
	reg.Problems, reg.NotReported = report.Problems, report.NotReported
	out := p.printer()
	if out.Structured() {
		out.Value(reg)
		return nil
	}
	if len(reg.Differences) > 0 || !out.People() {
		out.List(nil, differenceList(reg.Differences))
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

func differenceList(all []tracker.Difference) *print.List {
	list := print.Columns("resource_provider", "what", "has", "want", "verdict", "why").WideColumns("source")
	for _, d := range all {
		token := themes.Dim
		switch d.Verdict {
		case tracker.Written:
			token = themes.Changed
		case tracker.Conflict:
			token = themes.Critical
		default:
		}
		list.Row(d.Provider, d.What, d.Has, d.Want, print.Colored(d.Verdict, token), d.Why, print.Dim(d.Source))
	}
	return list
}
