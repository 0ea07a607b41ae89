package main

import (
	"context"
	"fmt"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/providertree"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/themes"
)

// registration is what came, or would come, of registering a machine.
type registration struct {
	Host        string           `json:"host"`
	DryRun      bool             `json:"dry_run"`
	Changed     bool             `json:"changed"` // or would be, with DryRun
	Revision    cloud.Revision   `json:"revision"`
	Operations  []string         `json:"operations"`
	Differences []differenceRow  `json:"differences"`
	Records     []string         `json:"records"` // what is written beside Placement, and why, in words
	Problems    []machineProblem `json:"problems"`
	NotReported []machineDevice  `json:"not_reported"`

	warnings []string
	tree     tracker.Tree // as it is reported
}

// differenceRow is one thing that the cloud and the machine say differently.
type differenceRow struct {
	Provider string          `json:"resource_provider"`
	What     string          `json:"what"`
	Has      string          `json:"has"`  // what the cloud says
	Want     string          `json:"want"` // what the machine says
	Verdict  tracker.Verdict `json:"verdict"`
	Why      string          `json:"why,omitempty"`
	Source   string          `json:"source"`
}

// register writes what the machine says and the cloud does not, as nova-compute
// does at each of its reports.
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
	o.cards = providertree.Cards(host, o.tree())
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
		if err := printList(out, differenceColumns(), reg.Differences, false); err != nil {
			return err
		}
	}
	for _, line := range reg.Records {
		p.say("%s", line)
	}
	p.sayProblems(report)
	switch {
	case !reg.Changed:
		p.say("nothing to do: the cloud says of %s what the machine says", reg.Host)
	case o.dryRun:
		p.say("would write %s; nothing is written", counted(len(reg.Operations), "operation"))
	default:
		p.say("registered %s, at revision %d", reg.Host, reg.Revision)
	}
	return nil
}

// reconcile plans and writes. What somebody else wrote in between is read again,
// and the plan is made anew: it is a comparison, never a repetition.
func (p *program) reconcile(ctx context.Context, store storage.Store, tree tracker.Tree, o probeOptions) (registration, error) {
	plan, found, _, err := p.writeTick(ctx, store, o.tick(tree, "register"), o.dryRun)
	if err != nil {
		return registration{}, err
	}
	reg := registration{
		Host: tree.Root.Name, DryRun: o.dryRun, Changed: !plan.Empty(), Revision: store.Snapshot().Revision(),
		Operations: []string{}, Differences: []differenceRow{}, Records: []string{}, tree: found.Tree,
	}
	for _, d := range found.Out.Differences {
		reg.Differences = append(reg.Differences, differenceRow{d.Provider, d.What, d.Has, d.Want, d.Verdict, d.Why, d.Source})
	}
	found.Out.Differences = nil // they are a table of their own
	rest := saidOf(plan, found)
	reg.Records, reg.warnings = append(reg.Records, rest.changes...), rest.warnings
	for _, op := range plan.Change.Ops {
		reg.Operations = append(reg.Operations, op.String())
	}
	return reg, nil
}

func differenceColumns() []column[differenceRow] {
	verdict := text("verdict", func(d differenceRow) string { return string(d.Verdict) })
	verdict.token = func(d differenceRow) themes.Token {
		switch d.Verdict {
		case tracker.Written:
			return themes.Changed
		case tracker.Conflict:
			return themes.Critical
		default:
			return themes.Dim
		}
	}
	return []column[differenceRow]{
		text("resource_provider", func(d differenceRow) string { return d.Provider }),
		text("what", func(d differenceRow) string { return d.What }),
		text("has", func(d differenceRow) string { return d.Has }),
		text("want", func(d differenceRow) string { return d.Want }),
		verdict,
		text("why", func(d differenceRow) string { return d.Why }),
		wide(dim(text("source", func(d differenceRow) string { return d.Source }))),
	}
}
